#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Full tables: more sources than buckets, and an offender hidden in a flood. Nobody gains by it, and
# whoever loses by it is counted under a reason that names the table.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy tables <<'END'
limits:
  - name: crowded
    match: {port: 1001}
    node_rate: 10 packets/s
    burst: 10 packets
    buckets: 8
  - name: stayers
    match: {port: 1002}
    node_rate: 6 packets/min
    burst: 20 packets
    buckets: 8
  - name: wide
    match: {port: 1003}
    node_rate: 1 packets/s
    burst: 3 packets
END
start_agent tables

# shellcheck disable=SC2317 # called by wait_for
newcomer_passes() {
	count_start --list 10
	send --src 10.2.1.60 --dst "$sink4" --dport 1002 --count 1
	count_stop
	(($(arrived 10.2.1.60) == 1))
}

## case 1

count_start --rate 10 --burst 10
send --src 10.1.0.1 --sources 16 --dst $sink4 --dport 1001 --rate 800 --count 1600
count_stop
tap_bound "case 01: 8 places, 16 sources of 100 packets each: each is held to its limit"
tap_that "case 01: and the line is used" "$(arrived all) >= $(least 10 10 "$(asked)")" "$counted"
count_start --rate 10 --burst 10
send --src fd00:1::1 --sources 4096 --by-prefix --random --dst $sink6 --dport 1001 --rate 20000 --seconds 2
count_stop
tap_bound "case 01: 4,096 sources in 8 places: each is held to its limit"
tap_is "and the table says that newcomers took over debt" \
	"$(status_json | jq '.tables.buckets.crowded | .size == 8 and .inherited > 0')" true

## case 2

send --src 10.2.0.1 --sources 8 --dst $sink4 --dport 1002 --rate 8000 --count 800
tap_is "case 02: explain says that a newcomer to the full table would meet the table's debt" \
	"$(weir explain 10.2.1.1 --proto udp --port 1002 --json | jq -c '[.reason, .limits[0].inherited]')" \
	'["table_full",true]'
named=$(reason_count table_full)
own=$(reason_count over_limit)
send --src 10.2.1.1 --sources 50 --dst $sink4 --dport 1002 --count 50
tap_is "case 02: fifty newcomers to a full table are refused in the table's name" \
	$(($(reason_count table_full) - named)) 50
tap_is "case 02: not as if they were over limits of their own" $(($(reason_count over_limit) - own)) 0
tap_run "case 02: a newcomer that keeps coming passes when the least debt is paid" wait_for 20 newcomer_passes

## case 3

count_start --rate 1 --burst 3 --list 20
send_start spoofed --src 11.0.0.0 --sources 16000000 --random --dst $sink4 --dport 1003 --rate 60000 --seconds 9
send --src 10.3.0.1 --dst $sink4 --dport 1003 --rate 3 --seconds 9
offered=$sent
send_wait spoofed
count_stop
tap_bound "case 03: an offender, 1 packet in 20,000 of a spoofed flood, and every other source is held"
tap_that "case 03: the offender asked for twice as much" "$offered >= 2 * (3 + 9)"
tap_that "case 03: and the flood was one" "$sent >= 500000" "$sent_json"

tap_done
