#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The one promise: over every interval no more than burst + rate x time, measured where the packets
# arrive; and no less where there is demand.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 9000 2
policy bound <<'END'
limits:
  - name: tiny            # a burst too small for the coarse clock
    match: {port: 1001}
    node_rate: 1000 packets/s
    burst: 20 packets
  - name: usual
    match: {port: 1002}
    node_rate: 100 packets/s
    burst: 100 packets
  - name: polite
    match: {port: 1003}
    node_rate: 100 packets/s
    burst: 60 packets
  - name: slow
    match: {port: 1004}
    node_rate: 60 packets/h
    burst: 50 packets
  - name: fast
    match: {port: 1005}
    node_rate: 10 Gbit/s
    burst: 20 MB
  - name: bytes
    match: {port: 1006}
    node_rate: 200 KB/s
    burst: 30 KB
  - name: fleet
    match: {port: 1007}
    fleet_rate: 500 packets/s
    burst: 100 packets
    on_store_loss: share
END
start_agent bound

# flood NAME PORT RATE BURST ARGUMENT...: of one source, held and served; the last packets leave up to
# 50 ms before the end
flood() {
	local name=$1 port=$2 rate=$3 burst=$4
	shift 4
	count_start --rate "$rate" --burst "$burst"
	send --src $peer4 --dst $sink4 --dport "$port" "$@"
	count_stop
	tap_bound "$name: never above burst + rate x time"
	tap_that "$name: and no less" "$(arrived $peer4) >= $(least "$rate" "$burst" "$(asked) - 0.05")" \
		"$sent_json" "$counted"
}

## case 4: both CPUs at once

count_start --rate 1000 --burst 20
for cpu in 0 1; do
	send_start cpu$cpu --src $peer4 --dst $sink4 --dport 1001 --sports 64 --rate 40000 --seconds 3
	taskset -pc $((cpu % $(nproc))) "${sender_of[cpu$cpu]}" >/dev/null
done
send_wait cpu0
offered=$sent
send_wait cpu1
offered=$((offered + sent))
count_stop
tap_bound "case 04: two CPUs, two queues, one source: no refill from clocks that differ"
tap_that "case 04: and no less" "$(arrived $peer4) >= $(least 1000 20 "$(asked)")" "$counted"
tap_is "case 04: each packet is counted once" \
	$(($(limit_count tiny admitted) + $(limit_count tiny refused))) $offered

## case 6: volleys that straddle every second, and any other window

flood "case 06: 100 packets every 50 ms" 1002 100 100 --seconds 3 --rate 2000 --volley 100
flood "case 06: a steady flood" 1001 1000 20 --seconds 2 --rate 20000
flood "a fleet limit on the embedded store" 1007 500 100 --seconds 2 --rate 10000

## case 15: bursts are written, never implicit

count_start --rate 100 --burst 60
send --src $peer4 --dst $sink4 --dport 1003 --rate 50 --volley 50 --count 200
count_stop
tap_is "case 15: 50 back to back every second at half the rate: none is dropped" "$(arrived $peer4)" 200
cat >"$scratch/no-burst.yaml" <<'END'
interfaces: [w0]
store: {url: embedded}
limits:
  - name: web
    node_rate: 100 packets/s
END
output=$("$WEIR" check "$scratch/no-burst.yaml" 2>&1) && status=0 || status=$?
tap_like "case 15: a limit without a burst is refused" "$status $output" '^2 .*no-burst\.yaml:4:[0-9]+: .*burst'

## case 5: idle, then a burst

count_start --rate 1000 --burst 50
send --src 10.5.0.1 --dst $sink4 --dport 1004 --rate 5000 --count 500
idle_until=$((${EPOCHREALTIME/./} + 4000000))
send --src 10.5.0.2 --dst $sink4 --dport 1005 --size 8900 --count 2240
count_stop
tap_is "case 05: a volley of 20 MB at 10 Gbit/s passes whole" "$(arrived 10.5.0.2)" 2240
# 4 s at 10 Gbit/s are 5 GB: more tokens than 32 bits hold, were they not capped.
wait_for 8 is_past "$idle_until"
tap_is "case 05: after a wait worth 5 GB of tokens there is the burst, and no more" \
	"$(weir explain 10.5.0.2 --proto udp --port 1005 --json | jq '.limits[0] | .tokens <= .burst and .tokens > .burst * 0.9')" \
	true
count_start --rate 1250000000 --burst 20000000 --bytes
send --src 10.5.0.2 --dst $sink4 --dport 1005 --size 8900 --seconds 1
count_stop
tap_bound "case 05: 10 Gbit/s is held to the byte after it"
tap_is "case 05: a slow source's long debt is no refill" \
	"$(weir explain 10.5.0.1 --proto udp --port 1004 --json | jq -c '[.limits[0].conforms, .reason]')" \
	'[false,"over_limit"]'
count_start --rate 0.016667 --burst 50
send --src 10.5.0.1 --dst $sink4 --dport 1004 --rate 5000 --count 500
send --src 10.5.0.3 --dst $sink4 --dport 1004 --rate 5000 --count 500
count_stop
tap_that "case 05: a drained bucket of one packet a minute stays drained" "$(arrived 10.5.0.1) == 0"
tap_bound "case 05: whatever the wait"
tap_is "case 05: a full one gives exactly its burst" "$(arrived 10.5.0.3)" 50

## bytes

count_start --rate 200000 --burst 30000 --bytes
send_start small --src 10.5.0.9 --dst $sink4 --dport 1006 --size 100 --rate 3000 --seconds 2
send --src 10.5.0.9 --dst $sink4 --dport 1006 --size 1400 --rate 1000 --seconds 2
send_wait small
count_stop
tap_bound "bytes: frames of two sizes, never above burst + rate x time"
tap_that "bytes: and no less" \
	"$(jq '.sources[] | select(.source == "10.5.0.9") | .bytes' <<<"$counted") >= $(least 200000 30000 "$(asked)") - 1400" \
	"$counted"
tap_is "bytes: the status says what the receiver saw" \
	"$(status_json | jq '.limits[] | select(.name == "bytes") | .admitted.bytes')" \
	"$(jq '.sources[] | select(.source == "10.5.0.9") | .bytes' <<<"$counted")"

tap_done
