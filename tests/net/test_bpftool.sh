#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Every recipe of docs/bpftool.md is run as it stands, by sh, and what it prints is held against what
# the commands say. Only the folder of pins is another one. A recipe that this test does not know fails.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
with_lists() {
	policy bpftool <<-END
		$1
		limits:
		  - name: web
		    match: {proto: tcp, port: 80}
		    node_rate: 50 packets/s
		    burst: 200 packets
		  - name: udp
		    match: {proto: udp}
		    node_rate: 10 MB/s
		    burst: 2 MB
		  - name: watched
		    mode: observe
		    match: {proto: icmp}
		    fleet_rate: 10 packets/s
		    burst: 20 packets
		    on_store_loss: share
	END
}
with_lists "always_drop: [198.51.100.0/24]"
start_agent bpftool

# The recipes say `weir`, and the page's own folder of pins.
mkdir "$scratch/bin"
ln -s "$WEIR" "$scratch/bin/weir"

# recipe HEADING: runs all blocks below it; what they print is in said, one JSON value a line
recipe() {
	local status=0
	awk -v heading="## $1" '
		/^## / { inside = $0 == heading }
		/^```/ { if (code) code = 0; else if (inside && $0 == "```sh") { code = 1; next } }
		code' "$root/docs/bpftool.md" |
		sed "s#/sys/fs/bpf/weir#/sys/fs/bpf/$world-bpftool#g" >"$scratch/recipe"
	[[ -s $scratch/recipe ]] || status=9
	in_host env PATH="$scratch/bin:$PATH" sh -eu "$scratch/recipe" \
		>"$scratch/said" 2>"$scratch/said.err" || status=$?
	said=$(jq -c . "$scratch/said" 2>>"$scratch/said.err") || status=8
	((status == 0)) || tap_not_ok "it runs: $1" "exit status $status" "$(<"$scratch/said.err")"
}

# agree HEADING SEEN WANTED
agree() {
	tap_is "$1" "$2" "$3"
}

send --src 192.0.2.7 --dst $sink4 --proto tcp --dport 80 --rate 4000 --seconds 2
send --src 192.0.2.8 --dst $sink4 --size 1000 --count 500
send --src 192.0.2.9 --dst $sink4 --proto icmp --count 300
send --src 198.51.100.1 --dst $sink4 --count 40

declare -A slot_of=()

check_limits() {
	local slot name
	agree "$1" "$(jq -c '[.name, .kind, .rate_per_s, .burst]' <<<"$said")" \
		"$(weir check --json | jq -c '.limits[] | [.name, .kind, .rate_per_s, .burst]')"
	while read -r slot name; do
		slot_of[$name]=$slot
	done < <(jq -r '"\(.slot) \(.name)"' <<<"$said")
}

check_counts() {
	local name wanted=
	for name in web udp watched; do
		wanted+=$(status_json | jq -c --arg name $name --argjson slot "${slot_of[$name]}" '.limits[] |
			select(.name == $name) | [$slot, .admitted.packets, .refused.packets, .would_refuse.packets]')$'\n'
	done
	agree "$1" "$(jq -c '[.slot, .admitted, .refused, .would_refuse]' <<<"$said" | sort)" \
		"$(sort <<<"${wanted%$'\n'}")"
}

check_limited() {
	local row
	row=$(jq -c --argjson slot "${slot_of[web]}" 'select(.slot == $slot)' <<<"$said")
	tap_is "$1" "$(jq -r '.source' <<<"$row")" 192.0.2.7
	# One packet in 64 is written down.
	tap_within "$1: about as much as the limit counted" "$(jq .refused <<<"$row")" \
		"0.9 * $(limit_count web refused)" "1.1 * $(limit_count web refused)" "$row"
}

check_reasons() {
	agree "$1" "$(jq -c '[(.reason | ltrimstr("WEIR_") | ascii_downcase), .packets, .bytes] |
		select(.[0] != "no_limit" and .[0] != "protected")' <<<"$said" | sort)" \
		"$(status_json | jq -c '.reasons | to_entries[] | select(.value.packets > 0) |
		[.key, .value.packets, .value.bytes] | select(.[0] != "no_limit" and .[0] != "protected")' | sort)"
}

check_known() {
	agree "$1" "$(jq -c '[.line, .tag, .dead]' <<<"$said")" \
		"$(weir key web 192.0.2.7 --json | jq -c '[.line, .tag, 0]')"
}

check_bucket() {
	agree "$1" "$(jq -r '[.tag, .pinned, .tat] | join(" ")' <<<"$said")" \
		"$(weir key web 192.0.2.7 --json |
			jq -r '[.tag, (.bucket.pinned | if . then 1 else 0 end), .bucket.tat] | join(" ")' |
			xargs printf '0x%x 0x%x 0x%x')"
}

check_policy_slot() {
	local age
	age=$(field .policy_age_s)
	tap_within "$1" "$(jq .in_force_s <<<"$said")" "$age - 3" "$age + 3" "$said"
	before=$(jq .active <<<"$said")
	weir reload >/dev/null
	recipe "$1"
	tap_that "$1: the other one after a reload" "$(jq .active <<<"$said") == 1 - $before" "$said"
}

check_alive() {
	agree "$1" "$(jq .alive <<<"$said")" "$(field .agent.alive)"
	kill_agent bpftool
	wait_for 10 not_alive
	recipe "$1"
	agree "$1: with the agent killed" "$(jq .alive <<<"$said")" false
	start_agent bpftool
}

check_observing() {
	agree "$1" "$(jq -sc 'add | [.panic_switch, .policy_observes, .observing_slots]' <<<"$said")" \
		"[false,false,[${slot_of[watched]}]]"
	weir observe on >/dev/null
	recipe "$1"
	agree "$1: with the panic switch on" "$(jq -sc 'add | .panic_switch' <<<"$said")" "$(field .observing)"
	weir observe off >/dev/null
}

check_lists() {
	agree "$1: in none" "$(weir explain 192.0.2.7 --json | jq -c '[.exempt, .dropped_by_list]') $said" \
		'[false,false] "in no list"'
	with_lists "never_limit: [192.0.2.0/24]"
	weir reload >/dev/null
	recipe "$1"
	agree "$1: exempt" "$(weir explain 192.0.2.7 --json | jq -c .exempt) $(jq -r .list <<<"$said")" \
		"true WEIR_LIST_NEVER"
	with_lists "always_drop: [192.0.2.7]"
	weir reload >/dev/null
	recipe "$1"
	agree "$1: dropped" "$(weir explain 192.0.2.7 --json | jq -c .dropped_by_list) $(jq -r .list <<<"$said")" \
		"true WEIR_LIST_ALWAYS"
	with_lists "mode: enforce"
	weir reload >/dev/null
	recipe "$1"
	agree "$1: there are none" "$said" '"the policy has no lists"'
}

check_interfaces() {
	agree "$1" "$(jq -c '[.devname, .mode]' <<<"$said")" \
		"$(status_json | jq -c '.interfaces[] | [.name, (if .attach == "native" then "driver" else .attach end)]')"
}

check_sweep() {
	agree "$1" "$(jq .running <<<"$said")" true
}

mapfile -t headings < <(sed -n 's/^## //p' "$root/docs/bpftool.md")
tap_that "the page has recipes" "${#headings[@]} >= 8"
for heading in "${headings[@]}"; do
	recipe "$heading"
	case $heading in
	"Which limits are in force"*) check_limits "$heading" ;;
	"How much has each limit"*) check_counts "$heading" ;;
	"Who is being limited"*) check_limited "$heading" ;;
	"What has been dropped"*) check_reasons "$heading" ;;
	"Is this source known"*) check_known "$heading" ;;
	"What is in its bucket"*) check_bucket "$heading" ;;
	"Which policy slot"*) check_policy_slot "$heading" ;;
	"Is the agent alive"*) check_alive "$heading" ;;
	"Is anything being observed"*) check_observing "$heading" ;;
	"What do the lists say"*) check_lists "$heading" ;;
	"Which interfaces"*) check_interfaces "$heading" ;;
	"Is the sweep running"*) check_sweep "$heading" ;;
	*) tap_not_ok "$heading" "no comparison is known for this recipe" ;;
	esac
done

tap_done
