#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Interfaces: of others, missing, down, without native XDP, gone and back; and what an older version
# left pinned.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
make_link host w1 peer p1
address_link host w1 10.78.0.1 fd00:78::1 peer p1 10.78.0.2 fd00:78::2
namespace_of[attach]=host

limits='limits:
  - name: udp
    match: {proto: udp}
    node_rate: 100 packets/s
    burst: 50 packets'

# refused_start NAME STATUS REGEX: the agent does not start, says why, and leaves nothing attached
refused_start() {
	local output status=0
	output=$(weir run 2>&1) || status=$?
	tap_like "$1" "$status $output" "^$2 .*$3"
	tap_is "$1: nothing of weir's is left attached" "$(program_id host w1)" 0
}

# limited DEV TO-DEV SOURCE DESTINATION: a flood that way is held
# shellcheck disable=SC2317 # called by tap_run
limited() {
	local before after
	before=$(limit_count udp refused)
	send_from peer "$1" host "$2" --src "$3" --dst "$4" --count 500 >/dev/null
	after=$(limit_count udp refused)
	((after - before >= 400))
}

## case 20: another program is there

bpftool prog load "$root/build/tests/net/other.bpf.o" "/sys/fs/bpf/$world-other"
in_host bpftool net attach xdp pinned "/sys/fs/bpf/$world-other" dev w0
other=$(program_id host w0)
policy attach <<<"interfaces: [w1, w0]"$'\n'"$limits"
refused_start "case 20: another program on the interface: weir refuses, naming interface, program and id" 1 \
	"w0.*somebody_else.*$other"
tap_is "case 20: the other one stays" "$(program_id host w0)" "$other"
in_host bpftool net detach xdp dev w0
rm "/sys/fs/bpf/$world-other"

## case 22: more than one interface

policy attach <<<"interfaces: [w1, w0, nowhere]"$'\n'"$limits"
refused_start "case 22: an interface that does not exist: all or nothing, with its name" 1 'nowhere'
tap_is "case 22: not on the first either" "$(program_id host w0)" 0

in_host ip link set w1 down
policy attach <<<"interfaces: [w0, w1]"$'\n'"$limits"
start_agent attach
tap_is "case 22: an interface that is down is protected too" \
	"$(status_json | jq -c '[.interfaces[] | [.name, .attach]] | sort')" \
	'[["w0","native"],["w1","native"]]'
in_host ip link set w1 up
in_host ip -6 addr replace fd00:78::1/64 dev w1 nodad
tap_run "case 22: both are limited, by the same buckets" limited p0 w0 10.1.0.1 $sink4
know_neighbours peer p1 - - "$(mac_of host w1)" 10.78.0.9
tap_run "case 22: as soon as it is up" limited p1 w1 10.1.0.1 10.78.0.9

policy attach <<<"interfaces: [w0, w1, nowhere]"$'\n'"$limits"
output=$(weir reload 2>&1) && status=0 || status=$?
tap_like "case 22: a reload that names a missing one changes nothing" "$status $output" '^[12] .*nowhere'
tap_is "case 22: both stay protected" \
	"$(weir_pins status --json | jq -c '[.interfaces[].attach]')" '["native","native"]'

## an interface that goes and comes back

policy attach <<<"interfaces: [w0, w1]"$'\n'"$limits"
weir reload >/dev/null
in_host ip link del w1
wait_for 5 log_has 'interface is gone.*w1|w1.*gone' || :
tap_is "a deleted interface is shown as not protected" \
	"$(status_json | jq -c '[.interfaces[] | select(.attach != null) | .name]')" '["w0"]'
make_link host w1 peer p1
address_link host w1 10.78.0.1 fd00:78::1 peer p1 10.78.0.2 fd00:78::2
tap_run "when it is back it is taken up again" wait_for 10 protects w1
know_neighbours peer p1 - - "$(mac_of host w1)" 10.78.0.9
tap_run "and limited" limited p1 w1 10.1.0.2 10.78.0.9
tap_that "the time in between without protection is counted" \
	"$(metric 'weir_unprotected_seconds_total{interface="w1"}') > 0 && $(metric 'weir_unprotected_seconds_total{interface="w1"}') < 10"
tap_is "the other one was never unprotected" "$(metric 'weir_unprotected_seconds_total{interface="w0"}')" 0

# Taken off by hand: noticed, said, put back.
link=$(bpftool -j link show pinned "$(find "/sys/fs/bpf/$world-attach" -name '*w1*' | head -n 1)" | jq .id)
bpftool link detach id "$link" 2>/dev/null || in_host ip link set dev w1 xdp off 2>/dev/null || :
tap_run "a program that somebody takes off comes back" wait_for 10 protects w1
tap_run "which the log says" wait_for 5 log_has 'somebody else|taken off'

# Another node may not sit down on top of it.
namespace_of[rival]=host
policy rival <<<"$limits"
output=$(weir run 2>&1) && status=0 || status=$?
tap_like "another node of weir on the same interface is refused" "$status $output" '^1 .*w0.*weir'
node=attach
tap_run "and the first stays" protects w0

# Without its pins an interface is bare: that is counted and said, and a restart mends it.
rm -rf "/sys/fs/bpf/$world-attach"
tap_run "pins that are removed by hand are missed" wait_for 5 log_has 'NOT protected.*(pins|restart)'
tap_that "the time since is counted as unprotected" \
	"$(metric 'weir_unprotected_seconds_total{interface="w0"}') > 0"
stop_agent attach
start_agent attach
tap_run "a restart protects again" protects w0
stop_agent attach
tap_run "detach" weir detach

## drivers without native XDP

# The loopback interface has none.
make_space plain
namespace_of[plain]=plain
policy plain <<<"interfaces: [lo]"$'\n'"attach: native"$'\n'"$limits"
output=$(weir run 2>&1) && status=0 || status=$?
tap_like "attach: native on a driver without it is refused with what to do" "$status $output" \
	'^1 .*lo.*native.*(generic|auto)'
policy plain <<<"interfaces: [lo]"$'\n'"$limits"
start_agent plain
tap_is "attach: auto falls back to generic, and says so" "$(field '.interfaces[0].attach')" generic
stop_agent plain
weir detach >/dev/null

policy attach <<<"attach: generic"$'\n'"$limits"
start_agent attach
tap_is "attach: generic is generic where native would go" "$(field '.interfaces[0].attach')" generic
count_start --rate 100 --burst 50
send --src 10.1.0.3 --dst $sink4 --rate 3000 --seconds 1.5
count_stop
# Taps see a frame before generic XDP does: what the limit says is what counts.
tap_within "generic XDP limits too" "$(limit_count udp admitted)" "$(least 100 50 "$(asked)")" $((50 + 151))
stop_agent attach
weir detach >/dev/null

## case 19: an older version's maps are still pinned

policy attach <<<"$limits"
start_agent attach
send --src 10.1.0.4 --dst $sink4 --count 200
admitted=$(limit_count udp admitted)
stop_agent attach
start_agent attach
tap_that "case 19: maps that fit are taken over" "$(limit_count udp admitted) >= $admitted && $admitted > 0"
stop_agent attach
# The first word of `ctl` is the version of everything pinned beside it.
bpftool -j map lookup pinned "/sys/fs/bpf/$world-attach/ctl" key hex 00 00 00 00 |
	jq -r '.value | .[0] = "0xfe" | .[] | sub("0x"; "")' | tr '\n' ' ' >"$scratch/ctl"
# shellcheck disable=SC2046 # bytes as words
bpftool map update pinned "/sys/fs/bpf/$world-attach/ctl" key hex 00 00 00 00 value hex $(<"$scratch/ctl")
before=$(program_id host w0)
output=$(weir status 2>&1) && status=0 || status=$?
tap_like "case 19: maps of another version are no riddle to commands" "$status $output" '^1 .*(ABI|version)'
tap_is "case 19: their program stays in force" "$(program_id host w0)" "$before"
start_agent attach
tap_like "case 19: the agent says that it replaces them" "$(agent_log attach)" 'ABI|another version|other version'
tap_that "case 19: its program stands in the old one's place" \
	"$(program_id host w0) != $before && $(program_id host w0) != 0"
tap_run "case 19: and limits" limited p0 w0 10.1.0.5 $sink4

tap_done
