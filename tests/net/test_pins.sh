#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Pins that somebody has removed in part: what packets go by is not touched before there is a whole to
# put in its place, and nothing an operator has said is forgotten.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up
policy pins <<'END'
limits:
  - name: udp
    match: {proto: udp}
    node_rate: 8 packets/h
    burst: 8 packets
END
pins=/sys/fs/bpf/$world-pins
sed 's/interfaces: \[w0\]/interfaces: [w0, missing]/' "$scratch/pins.yaml" >"$scratch/missing.yaml"

## a start that fails

start_agent pins
kill_agent pins
before=$(program_id)
for lost in ctl sweep; do
	rm "$pins/$lost"
	output=$(weir status 2>&1) && status=0 || status=$?
	tap_like "without $lost the status says what is wrong with the pins" "$status $output" '^1 .*not whole'
	output=$(in_host "$WEIR" run -c "$scratch/missing.yaml" 2>&1) && status=0 || status=$?
	tap_like "without $lost a start that fails says why" "$status $output" '^1 .*missing: there is no such interface'
	tap_is "without $lost it leaves the program on that was there" "$(program_id)" "$before"
done
count_start
send --src 10.1.0.1 --dst $sink4 --count 100
count_stop
tap_is "which holds its limit" "$(arrived all)" 8
start_agent pins
tap_run "a start that does not fail takes over" protects w0

## the panic switch

weir observe on >/dev/null
kill_agent pins
rm "$pins/doorkeeper"
start_agent pins
tap_is "maps are replaced, and the panic switch is on as it was" "$(field .observing)" true
count_start
send --src 10.1.0.1 --dst $sink4 --count 100
count_stop
tap_is "so that everything passes" "$(arrived all)" 100
weir observe off >/dev/null
kill_agent pins
rm "$pins/doorkeeper"
start_agent pins
tap_is "off stays off too" "$(field .observing)" false

kill_agent pins
rm "$pins/ctl"
tap_run "detach removes what is not whole" weir detach
tap_is "all of it" "$(program_id) $(find "$pins" 2>/dev/null | wc -l)" "0 0"

tap_done
