#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The policy changes under traffic: all or nothing, at once, and nobody gains by it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500

# five RATE: five limits; `changing` has that rate. three RATE: three of them
five() {
	policy reload <<-END
		$(three_limits "$1")
		  - name: extra-a
		    match: {proto: udp, port: [7001, 7002]}
		    node_rate: 1000 packets/s
		    burst: 1000 packets
		  - name: extra-b
		    match: {proto: tcp, port: 7003}
		    node_rate: 1000 packets/s
		    burst: 1000 packets
	END
}

three_limits() {
	cat <<-END
		limits:
		  - name: steady
		    match: {proto: udp, port: 7001}
		    node_rate: 200 packets/s
		    burst: 100 packets
		  - name: changing
		    match: {proto: udp, port: 7002}
		    node_rate: $1 packets/s
		    burst: 100 packets
		  - name: hour
		    match: {proto: udp, port: 7004}
		    node_rate: 40 packets/h
		    burst: 40 packets
	END
}

three() {
	policy reload <<<"$(three_limits "$1")"
}

names() {
	field '[.limits[].name] | join(" ")'
}

five 400
start_agent reload

## case 18: a hundred reloads under a flood

send --src 10.1.0.7 --dst $sink4 --dport 7004 --count 40
count_start --rate 400 --burst 100
send_start steady --src 10.1.0.1 --dst $sink4 --dport 7001 --rate 2000 --seconds 150
send_start changing --src 10.1.0.2 --dst $sink4 --dport 7002 --rate 2000 --seconds 150
send_start drained --src 10.1.0.7 --dst $sink4 --dport 7004 --rate 100 --seconds 150
send_start polite --src fd00:1::1 --dst $sink6 --dport 7001 --rate 100 --seconds 150
failed=0
for i in {1..50}; do
	three $((i % 2 ? 100 : 400))
	weir reload >"$scratch/reload.out" 2>&1 || failed=$((failed + 1))
	five $((i % 3 ? 400 : 100))
	weir reload >"$scratch/reload.out" 2>&1 || failed=$((failed + 1))
done
tap_is "case 18: a hundred reloads are all taken" $failed 0
[[ $failed == 0 ]] || tap_note "$(<"$scratch/reload.out")"
send_stop steady
seconds=$(jq .seconds <<<"$sent_json")
send_stop changing
send_stop drained
send_stop polite
count_stop
tap_bound "case 18: never above the larger of the policies"
tap_that "case 18: a limit that did not change held its own bound" \
	"$(arrived 10.1.0.1) <= 100 + 200 * ($seconds + 0.1)" "$seconds s" "$counted"
tap_that "case 18: and gave what it should" "$(arrived 10.1.0.1) >= $(least 200 100 "$seconds")" "$counted"
tap_that "case 18: a drained bucket of an untouched limit is not refilled" \
	"$(arrived 10.1.0.7) <= 40 / 3600 * $seconds + 1" "$counted"
tap_is "case 18: the polite source lost nothing" "$(arrived fd00:1::/64)" "$sent"

# In between, exactly: the bound of a limit that never changes, by its own numbers.
count_start --rate 200 --burst 100
send_start steady --src 10.1.0.3 --dst $sink4 --dport 7001 --rate 2000 --seconds 60
for _ in {1..5}; do
	three 100
	weir reload >/dev/null
	five 400
	weir reload >/dev/null
done
send_stop steady
count_stop
tap_bound "case 18: buckets of an untouched limit keep what they had and no more"

## the new rate holds from the next packet

five 400
weir reload >/dev/null
send_start changing --src 10.1.0.4 --dst $sink4 --dport 7002 --rate 2000 --seconds 60
wait_for 10 is_more changing refused "$(($(limit_count changing refused) + 500))"
three 20
weir reload >/dev/null
# The coarse clock may move a packet by up to two ticks, for which the limit gives up two of its burst.
count_start --rate 20 --burst "$(awk "BEGIN { print 1 + 20 * 2 * $tick_s }")"
wait_for 3 is_past $((${EPOCHREALTIME/./} + 2000000))
count_stop
send_stop changing
# While its sender was kept from sending, the bucket filled.
tap_that "case 18: a lower rate holds from the next packet, and brings no burst" \
	"$(jq .excess <<<"$counted") <= 20 * $(jq .late_s <<<"$sent_json")" "$sent_json" "$counted"
tap_that "case 18: and it is given" "$(arrived 10.1.0.4) >= $(least 20 0 1.9)" "$counted"
tap_is "the status shows three limits" "$(names)" "steady changing hour"

## an error changes nothing

before=$(status_json | jq -c '[.limits[] | {name, kind}]')
policy reload <<'END'
limits:
  - name: steady
    match: {proto: udp, port: 7001}
    node_rate: 200000 packets/s
    burst: 100 packets
  - name: broken
    node_rate: -5 packets/s
    burst: 10 packets
  - name: broken
    node_rate: 5 packets/s
    bursts: 10 packets
END
output=$(weir reload 2>&1) && status=0 || status=$?
tap_is "case 18: a policy with errors is refused" "$status" 2
tap_like "case 18: with file, line and column of the first" "$output" 'reload\.yaml:[0-9]+:[0-9]+: '
tap_like "case 18: and of the last" "$output" 'bursts'
tap_is "case 18: nothing changed" "$(weir_pins status --json | jq -c '[.limits[] | {name, kind}]')" "$before"
count_start --rate 200 --burst 100
send --src 10.1.0.5 --dst $sink4 --dport 7001 --rate 5000 --seconds 1
count_stop
tap_bound "case 18: the old policy goes on"

## SIGHUP

five 400
kill -HUP "${agent_of[reload]}"
tap_run "SIGHUP takes the file anew" wait_for 10 has_limits "steady changing hour extra-a extra-b"
sed -i 's/burst: 40 packets/burst: none/' "$scratch/reload.yaml"
kill -HUP "${agent_of[reload]}"
tap_run "SIGHUP with an error is logged" wait_for 10 log_has 'error: .*reload\.yaml.*limits\.hour\.burst'
tap_is "and changes nothing" "$(weir_pins status --json | jq -r '[.limits[].name] | join(" ")')" "steady changing hour extra-a extra-b"
tap_run "the agent lives on" alive reload

## --try

three 400
tap_run "reload --try takes the new policy" weir reload --try 2s
tap_is "at once" "$(names)" "steady changing hour"
tap_run "and goes back when nobody says to keep it" wait_for 10 has_limits "steady changing hour extra-a extra-b"
tap_like "which the log says" "$(agent_log reload)" '[Bb]ack'
tap_run "tried again" weir reload --try 2s
tap_run "and kept" weir reload --keep
wait_for 4 is_past $((${EPOCHREALTIME/./} + 3000000))
tap_is "it stays" "$(names)" "steady changing hour"
output=$(weir reload --keep 2>&1) && status=0 || status=$?
tap_like "there is nothing to keep without a try" "$status $output" '^1 .'
kill_agent reload
output=$(weir reload 2>&1) && status=0 || status=$?
tap_like "reload with the agent dead says so" "$status $output" '^1 .*(agent|run)'

tap_done
