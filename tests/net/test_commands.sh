#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What the commands and the metrics say is what the packets did.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy commands <<'END'
never_limit: [10.2.0.0/16]
always_drop: [10.3.0.0/16]
limits:
  - name: web
    match: {proto: tcp, port: 80}
    node_rate: 100 packets/s
    burst: 50 packets
  - name: slow
    match: {proto: udp, port: 1001}
    node_rate: 60 packets/min
    burst: 10 packets
  - name: volume
    match: {proto: udp, port: 1002}
    fleet_rate: 100 KB/s
    burst: 50 KB
    on_store_loss: share
  - name: watched
    mode: observe
    match: {proto: udp, port: 1003}
    node_rate: 1 packets/h
    burst: 5 packets
metrics: {listen: 127.0.0.1:9477}
END
start_agent commands

## counts: sent by us, against what status and metrics say

count_start --list 2000
send --src 10.1.0.1 --dst $sink4 --dport 1001 --count 200
send --src 10.2.0.1 --dst $sink4 --dport 1001 --count 30
send --src 10.3.0.1 --dst $sink4 --dport 1001 --count 40
send --src 10.1.0.2 --dst $sink4 --dport 1003 --count 25
send --src 10.1.0.3 --dst $sink4 --dport 7 --count 60
odd version-7 7
count_stop
status=$(status_json)
# reasons REASON: of the status taken above
reasons() {
	jq -r --arg reason "$1" '.reasons[$reason].packets' <<<"$status"
}
tap_is "status: exempt, denied, malformed, no_limit" \
	"$(reasons exempt) $(reasons denied) $(reasons malformed)" "30 40 7"
tap_that "status: no_limit" "$(reasons no_limit) >= 60"
tap_is "status: would_refuse" "$(reasons would_refuse)" 20
tap_is "status: conforms is what came through of the limited" "$(reasons conforms)" \
	$(($(arrived 10.1.0.1) + 5))
tap_is "status: over_limit is what did not" "$(reasons over_limit)" $((200 - $(arrived 10.1.0.1)))
tap_is "status: kinds and modes of the limits" \
	"$(jq -c '[.limits[] | [.name, .kind, .mode]]' <<<"$status")" \
	'[["web","node","normal"],["slow","node","normal"],["volume","fleet","normal"],["watched","node","normal"]]'
for key in .node .observing .interfaces .store.url .store.up .agent.alive .agent.heartbeat_age_s \
	'.limits[0].mode_since_s' '.limits[0].degraded_seconds.open' '.limits[0].would_refuse.bytes' \
	.tables.sources.used .tables.sources.size .tables.sources.not_inserted .tables.buckets.web.size; do
	tap_that "status has $key" "$(jq "$key != null" <<<"$status" | sed 's/true/1/; s/false/0/')"
done
tap_like "status for people names limits, interfaces and reasons" "$(weir status)" 'w0.*native[^§]*slow'

page=$(metrics)
# of_page SERIES
of_page() {
	awk -v series="$1" 'substr($0, 1, length(series) + 1) == series " " { print $NF }' <<<"$page"
}
status=$(status_json)
differ=
for reason in $(jq -r '.reasons | keys[]' <<<"$status"); do
	verdict=pass
	[[ " denied malformed over_limit table_full lost_race " != *" $reason "* ]] || verdict=drop
	for unit in packets bytes; do
		seen=$(of_page "weir_${unit}_total{verdict=\"$verdict\",reason=\"$reason\"}")
		wanted=$(jq --arg reason "$reason" --arg unit $unit '.reasons[$reason][$unit]' <<<"$status")
		# Neighbours and multicast groups may be talked about in between.
		[[ $seen == "$wanted" || $reason == no_limit || $reason == protected ]] ||
			differ+="$reason $unit: metric $seen, status $wanted"$'\n'
	done
done
tap_empty "metrics: packets and bytes by reason are those of the status" "$differ"
differ=
for limit in web slow volume watched; do
	for verdict in admitted refused would_refuse; do
		seen=$(of_page "weir_limit_packets_total{limit=\"$limit\",verdict=\"$verdict\"}")
		[[ $seen == "$(limit_count $limit $verdict)" ]] || differ+="$limit $verdict $seen"$'\n'
	done
	[[ $(of_page "weir_limit_mode{limit=\"$limit\",mode=\"normal\"}") == 1 ]] || differ+="$limit mode"$'\n'
done
tap_empty "metrics: by limit too" "$differ"
for name in weir_store_up weir_build_info weir_agent_heartbeat_seconds weir_sources weir_table_size \
	weir_sources_at_limit weir_degraded_seconds_total; do
	tap_like "metrics has $name, with help and type" "$page" "# HELP $name [^§]*# TYPE $name [a-z]+"$'\n'"$name"
done
tap_is "metrics: no line that Prometheus would not take" \
	"$(grep -cvE '^(#.*|[a-z_:]+(\{([a-z_]+="([^"\\]|\\.)*",?)*\})? (NaN|[+-]?(Inf|[0-9.e+-]+)))$' <<<"$page" || :)" 0
tap_is "metrics: only for this machine" \
	"$(in_peer curl -s --max-time 1 http://$host4:9477/metrics >/dev/null && echo reached || echo not)" not

## explain

# explain FILTER ARGUMENT...
explain() {
	weir explain --json "${@:2}" | jq -c "$1"
}
tap_is "explain: exempt" "$(explain '[.verdict, .reason, .exempt]' 10.2.0.7)" '["pass","exempt",true]'
tap_is "explain: dropped by list" "$(explain '[.verdict, .reason, .dropped_by_list, .retry_after_s]' 10.3.0.7)" \
	'["drop","denied",true,null]'
tap_is "explain: a source never seen conforms with its whole burst" \
	"$(explain '[.verdict, (.limits[0] | .name, .conforms, .tokens == .burst, .burst >= 9.9)]' \
		10.8.0.1 --proto udp --port 1001)" '["pass","slow",true,true,true]'
tap_is "explain: no limit matches" "$(explain '[.verdict, .reason, (.limits | length)]' 10.8.0.1 --proto udp --port 7)" \
	'["pass","no_limit",0]'

send --src 10.1.0.9 --dst $sink4 --dport 1001 --count 7
tokens=$(explain '.limits[0].tokens' 10.1.0.9 --proto udp --port 1001)
tap_within "explain: tokens left after seven packets of ten" "$tokens" 3 4
send --src 10.1.0.9 --dst $sink4 --dport 1001 --count 7
answer=$(explain . 10.1.0.9 --proto udp --port 1001)
tap_is "explain: refused, and why" "$(jq -c '[.verdict, .reason, .limits[0].conforms]' <<<"$answer")" \
	'["drop","over_limit",false]'
retry=$(jq .retry_after_s <<<"$answer")
tap_within "explain: with when it clears" "$retry" 0.001 1
cleared=$((${EPOCHREALTIME/./} + $(awk -v s="$retry" 'BEGIN { printf "%d", s * 1e6 }')))
wait_for 3 is_past $cleared
count_start --list 2000
send --src 10.1.0.9 --dst $sink4 --dport 1001 --count 1
count_stop
tap_is "explain: and then it does" "$(arrived 10.1.0.9)" 1
tap_like "explain for people" "$(weir explain 10.1.0.9 --proto udp --port 1001)" 'slow'
output=$(weir explain 10.1.0.999 2>&1) && status=0 || status=$?
tap_like "explain: what is no address is refused" "$status $output" '^2 '

## top

send_start web --src 10.1.0.20 --dst $sink4 --proto tcp --dport 80 --rate 1000 --seconds 30
# Who was past half its burst once is known by name.
send --src fd00:1::1 --dst $sink6 --dport 1002 --size 1000 --count 40
send_start volume --src fd00:1::1 --dst $sink6 --dport 1002 --size 1000 --rate 50 --seconds 30
wait_for 10 in_top 10.1.0.20 || :
wait_for 10 in_top fd00:1::/64 || :
top=$(weir top --once --interval 3s --json)
row=$(jq -c '.sources[] | select(.source == "10.1.0.20")' <<<"$top")
tap_within "top: offered by the flooder" "$(jq .offered_per_s <<<"$row")" 850 1150
tap_within "top: admitted" "$(jq .admitted_per_s <<<"$row")" 80 120
tap_within "top: refused" "$(jq .refused_per_s <<<"$row")" 750 1050
tap_is "top: no headroom" "$(jq .headroom <<<"$row")" 0
tap_like "top: the limit's name" "$row" '"limit":"web"'
row=$(jq -c '.sources[] | select(.source == "fd00:1::/64")' <<<"$top")
tap_within "top: bytes of a source within its limit" "$(jq '.offered_per_s // 0' <<<"$row")" 40000 60000 "$top"
tap_within "top: half its limit is headroom" "$(jq '.headroom // 0' <<<"$row")" 0.4 0.6 "$top"
tap_is "top: is in the metrics as the one nearest to its limit" \
	"$(metrics | grep -c '^weir_source_headroom_ratio{limit="web",source="10.1.0.20"} ')" 1
send_stop web
send_stop volume

## run --interface --watch

make_space watched
make_link watched v0 peer v1
namespace_of[watched]=watched
policy watched <<'END'
interfaces: [not-this-one]
limits:
  - name: udp
    match: {proto: udp}
    node_rate: 100 packets/s
    burst: 50 packets
END
spawn watched "$scratch/watched.out" "$scratch/watched.log" \
	"$WEIR" run -c "$scratch/watched.yaml" --interface v0 --watch
agent_of[watched]=$spawned
wait_for 30 ready watched 0
tap_run "run --interface takes the place of the file's interfaces" protects v0
# shellcheck disable=SC2317 # called by wait_for
flood_v0() {
	send_from peer v1 watched v0 --src 10.1.0.1 --dst 10.77.9.9 --rate 2000 --seconds 1 >/dev/null
	grep -qE '[1-9][0-9]* ?(refused|dropped)|(refused|dropped)[^0-9]*[1-9]' "$scratch/watched.out"
}
tap_run "run --watch shows what is refused" wait_for 10 flood_v0
tap_note "$(tail -n 2 "$scratch/watched.out")"
stop_agent watched
node=commands

## key, version, help, errors

# shellcheck disable=SC2046 # bytes as words
tap_is "key: the slot and address in the form bpftool takes" \
	"$(bpftool -j map lookup pinned "/sys/fs/bpf/$world-commands/sources" \
		key hex $(weir key web 10.1.0.20 --json | jq -r .key) | jq 'has("value")')" true
output=$(weir key nonsense 10.1.0.20 2>&1) && status=0 || status=$?
tap_like "key: an unknown limit is refused, with those there are" "$status $output" '^2 .*nonsense.*web'
tap_like "version names itself" "$(weir version)" '[0-9]+\.[0-9]+\.[0-9]+'
tap_is "version --json lists kernel features" "$(weir version --json | jq '.features | length > 0')" true
for command in run check status top explain reload observe key detach version; do
	tap_like "weir $command --help" "$("$WEIR" $command --help)" "usage: weir $command"
done
output=$("$WEIR" stauts 2>&1) && status=0 || status=$?
tap_like "a misspelt command is refused with the one that was meant" "$status $output" '^2 .*status'
output=$(weir status --jsn 2>&1) && status=0 || status=$?
tap_is "a misspelt option is refused" "$status" 2
output=$("$WEIR" status --pins /sys/fs/bpf/nothing-here 2>&1) && status=0 || status=$?
tap_like "no node there: exit 1 and what to do" "$status $output" '^1 .*weir run'

tap_done
