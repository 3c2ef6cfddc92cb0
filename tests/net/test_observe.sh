#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Looking without touching: the panic switch, with and without an agent, and the policy's own modes.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy observe <<'END'
always_drop: [10.3.0.0/16]
limits:
  - name: enforced
    match: {port: 1001}
    node_rate: 20 packets/h
    burst: 20 packets
  - name: watched
    mode: observe
    match: {port: [1001, 1002]}
    node_rate: 1 packets/s
    burst: 5 packets
END
start_agent observe

# pass NAME WANTED SOURCE PORT: of 200 packets within 0.1 s so many come through, give or take the rate
pass() {
	count_start --list 2000
	send --src "$3" --dst $sink4 --dport "$4" --rate 2000 --count 200
	count_stop
	tap_within "$1" "$(arrived all)" "$2" $(($2 + ($2 < 200 && $2 > 0 ? 3 : 0)))
}

pass "an observing limit passes all" 200 10.1.0.1 1002
tap_within "and counts what it would refuse" "$(limit_count watched would_refuse)" 190 195
tap_is "under a reason of its own" "$(reason_count would_refuse)" "$(limit_count watched would_refuse)"
tap_is "and refuses nothing" "$(limit_count watched refused)" 0
pass "it does not keep another limit from enforcing" 20 10.1.0.2 1001
tap_is "what one limit refuses is not charged to the observing one" \
	"$(($(limit_count watched admitted) < 15))" 1
pass "always_drop drops" 0 10.3.0.1 1002

## the panic switch

tap_run "observe on" weir observe on
tap_is "the status says so" "$(field .observing)" true
pass "everything that would be refused passes" 200 10.1.0.2 1001
pass "also what is on always_drop" 200 10.3.0.1 1002
before=$(reason_count would_refuse)
odd version-7 5
tap_is "also what is malformed, counted" $(($(reason_count would_refuse) - before)) 5
tap_run "observe off" weir observe off
tap_is "the status says so again" "$(field .observing)" false
pass "and the limit is back, with nothing refilled" 0 10.1.0.2 1001

kill_agent observe
tap_run "observe on with the agent dead" weir observe on
pass "passes everything at once" 200 10.1.0.3 1001
tap_run "and survives a broken policy file" weir_pins observe on
start_agent observe
tap_is "a new agent does not take back what a person switched on" "$(field .observing)" true
pass "it still passes" 200 10.1.0.3 1001
kill_agent observe
tap_run "observe off with the agent dead" weir observe off
pass "and enforces at once" 20 10.1.0.4 1001
output=$(weir observe maybe 2>&1) && status=0 || status=$?
tap_like "another word is refused" "$status $output" '^2 .*maybe'

## observe as the policy's mode

policy observe <<'END'
mode: observe
always_drop: [10.3.0.0/16]
limits:
  - name: enforced
    mode: enforce
    match: {port: 1001}
    node_rate: 10 packets/s
    burst: 20 packets
  - name: inherits
    match: {port: 1002}
    node_rate: 10 packets/s
    burst: 20 packets
END
start_agent observe
tap_run "the policy's mode is taken" weir reload
pass "a limit that inherits observe passes all" 200 10.1.0.5 1002
pass "one with a mode of its own enforces" 20 10.1.0.6 1001
pass "lists observe too" 200 10.3.0.2 1002

tap_done
