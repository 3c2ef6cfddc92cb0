#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The recipes of docs/bpftool.md, as they stand there but for the folder of pins: each runs, prints what
# the page says it prints, and says what weir says.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

page=$root/docs/bpftool.md
mkdir "$scratch/bin"
ln -s "$WEIR" "$scratch/bin/weir"
declare -A was_run=()

# block HEADING LANGUAGE: the first such code block under the heading
block() {
	awk -v heading="## $1" -v fence="\`\`\`$2" '
		/^## / { here = $0 == heading }
		here && /^```/ { if (inside) exit; inside = $0 == fence; next }
		inside' "$page"
}

# recipe HEADING: runs its block; what it printed is in printed
recipe() {
	local commands
	commands=$(block "$1" sh)
	was_run[$1]=1
	printed=$(in_host env PATH="$scratch/bin:$PATH" sh -euc \
		"${commands//\/sys\/fs\/bpf\/weir//sys/fs/bpf/$world-$node}" 2>"$scratch/recipe.err") || :
	[[ -n $printed && ! -s $scratch/recipe.err ]] ||
		tap_not_ok "the recipe runs: $1" "$printed" "$(<"$scratch/recipe.err")"
}

# as_shown HEADING: what the recipe printed has the fields, in the order, of what the page shows
as_shown() {
	recipe "$1"
	tap_is "the page shows what is printed: $1" \
		"$(jq -c 'keys_unsorted' <<<"$printed" 2>&1 | sort -u)" \
		"$(block "$1" json | jq -c 'keys_unsorted' | sort -u)"
}

# printed_field FILTER: of all that was printed, as one array
printed_field() {
	jq -cs "$1" <<<"$printed"
}

net_up 1500
# `web` has a table of several chunks.
limits=$(
	cat <<'END'
limits:
  - name: web
    match: {proto: tcp, port: 80}
    node_rate: 20 packets/h
    burst: 20 packets
    buckets: 1Mi
  - name: volume
    match: {proto: udp, port: 1002}
    fleet_rate: 100 KB/min
    burst: 50 KB
    on_store_loss: share
    buckets: 1Ki
  - name: watched
    mode: observe
    match: {proto: udp, port: 1003}
    node_rate: 10 packets/h
    burst: 5 packets
END
)
policy recipes <<<"$limits"
start_agent recipes

# Once more, so that both slots of rules hold some and one of them is of the past.
policy recipes <<<"${limits/burst: 20/burst: 30}"
tap_run "a reload" weir reload
send --src 192.0.2.7 --dst $sink4 --proto tcp --flags 2 --dport 80 --count 1000
send --src 10.1.0.1 --dst $sink4 --dport 1002 --size 500 --count 300
send --src 10.1.0.2 --dst $sink4 --dport 1003 --count 40
odd version-7 7

## limits and counts

as_shown "Which limits are in force, in which slot, with which numbers?"
tap_is "limits: names, kinds and order are the policy's" "$(printed_field 'map([.name, .kind])')" \
	"$(status_json | jq -c '[.limits[] | [.name, .kind]]')"
tap_is "limits: so are the numbers" "$(printed_field 'map([.token, (.rate_per_s * 3600 | round), .burst, .buckets])')" \
	'[["packet",20,30,1048576],["byte",6000000,50000,1024],["packet",10,5,262144]]'
tap_is "limits: the slot is the one weir key gives" "$(printed_field '.[0].slot')" \
	"$(weir key web 192.0.2.7 --json | jq .slot)"
slots=$(printed_field 'map({key: .name, value: .slot}) | from_entries')

as_shown "How much has each limit admitted and refused?"
counts='[.admitted, .refused, .would_refuse, .refused_by_other]'
tap_is "counts: those of the status" "$(printed_field "sort_by(.slot) | map($counts)")" \
	"$(status_json | jq -c --argjson slots "$slots" \
		"[.limits | sort_by(\$slots[.name])[] | map_values(.packets? // .) | $counts]")"
tap_that "counts: and there is something to count" "$(printed_field '[.[] | .refused] | add') > 900"

as_shown "What has been dropped, and why?"
tap_is "reasons: those of the status" \
	"$(printed_field 'map({key: .reason | ltrimstr("WEIR_") | ascii_downcase, value: .packets}) | from_entries
		| del(.protected, .no_limit, .not_ip)')" \
	"$(status_json | jq -c '.reasons | map_values(.packets) | with_entries(select(.value > 0))
		| del(.protected, .no_limit, .not_ip)')"
tap_is "reasons: the malformed are there" "$(printed_field '.[] | select(.reason == "WEIR_MALFORMED") | .packets')" 7

## sources

as_shown "Who is being limited, and how much?"
tap_is "sources: as many as the status counts" "$(printed_field length)" "$(field .tables.sources.used)"
tap_is "sources: those that were over a limit" "$(printed_field 'map(.source) | sort')" \
	'["10.1.0.1","10.1.0.2","192.0.2.7"]'
tap_that "sources: what is refused of the worst is near the truth" \
	"$(printed_field '.[] | select(.source == "192.0.2.7") | .refused') >= 900"

as_shown "Is this source known by name?"
tap_is "known: as weir explain says" "$(printed_field '.[0] | has("first_seen_ns")')" \
	"$(weir explain 192.0.2.7 --proto tcp --port 80 --json | jq '.limits[0].known')"
tap_is "known: its place is the one weir key gives" "$(printed_field '.[0] | [.line, .tag]')" \
	"$(weir key web 192.0.2.7 --json | jq -c '[.line, .tag]')"

as_shown "What is in its bucket?"
read -r -a word < <(printed_field '.[0] | [.tag, .pinned, .generation, .tat]' | tr -d '[]"' | tr , ' ')
tap_is "bucket: the word that weir key gives" "$((word[0])) $((word[1])) $((word[2])) $((word[3]))" \
	"$(weir key web 192.0.2.7 --json |
		jq -r '"\(.tag) \(if .bucket.pinned then 1 else 0 end) \(.bucket.generation) \(.bucket.tat)"')"

## the policy, the agent, the switch

as_shown "Which policy slot do packets go by, and since when?"
tap_that "policy: in force for as long as the status says, to the second" \
	"($(printed_field '.[0].in_force_s') - $(field .policy_age_s)) ^ 2 < 4"
active=$(printed_field '.[0].active')

as_shown "Is the agent alive?"
tap_is "agent: alive" "$(printed_field '.[0].alive')" "$(field .agent.alive)"

observing="Is anything being observed instead of refused?"
as_shown "$observing"
tap_is "observing: the one limit that does" "$(printed_field 'add')" \
	"{\"panic_switch\":false,\"policy_observes\":false,\"observing_slots\":[$(jq .watched <<<"$slots")]}"
tap_run "observe on" weir observe on
recipe "$observing"
tap_is "observing: the panic switch" "$(printed_field '.[0].panic_switch')" "$(field .panic_switch)"
tap_run "observe off" weir observe off

as_shown "Which interfaces is it attached to, and how?"
tap_is "interfaces: as in the status" \
	"$(printed_field 'map([.devname, (.mode | sub("driver"; "native"))])')" \
	"$(status_json | jq -c '[.interfaces[] | [.name, .attach]]')"

as_shown "Is the sweep running?"
tap_is "sweep: it is" "$(printed_field '.[0].running')" true

## lists

lists="What do the lists say of an address?"
recipe "$lists"
tap_is "lists: a policy without them" "$printed" '"the policy has no lists"'
policy recipes <<<"always_drop: [198.51.100.0/24]
$limits"
tap_run "a policy that lists others" weir reload
recipe "$lists"
tap_is "lists: not listed" "$printed" '"in no list"'
policy recipes <<<"never_limit: [192.0.2.0/24]
always_drop: [192.0.2.0/28]
mode: observe
$limits"
tap_run "a policy that drops it" weir reload
as_shown "$lists"
tap_is "lists: the longest prefix decides, as weir explain says" \
	"$(printed_field '.[0].list') $(weir explain 192.0.2.7 --json | jq -c '[.exempt, .dropped_by_list]')" \
	'"WEIR_LIST_ALWAYS" [false,true]'
recipe "$observing"
tap_is "observing: the whole policy" "$(printed_field '.[1].policy_observes')" true

recipe "Which policy slot do packets go by, and since when?"
tap_is "policy: two reloads later it is the same slot again" "$(printed_field '.[0].active')" "$active"

## the agent dead

kill_agent recipes
wait_for 10 not_alive || :
recipe "Is the agent alive?"
tap_is "agent: dead" "$(printed_field '.[0].alive')" "$(field .agent.alive)"
recipe "Is the sweep running?"
tap_is "sweep: it is, without an agent" "$(printed_field '.[0].running')" true
recipe "Which interfaces is it attached to, and how?"
tap_is "interfaces: attached without an agent" "$(printed_field '.[0].mode')" '"driver"'

tap_empty "every recipe of the page was run" "$(
	sed -n 's/^## //p' "$page" | while IFS= read -r heading; do
		[[ ${was_run[$heading]:-} ]] || echo "$heading"
	done
)"

tap_done
