#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Numbers in a policy file are exact or refused, and what is in force is what was written.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500

# check_rate RATE BURST: prints the status and the first error, or the rate
check_rate() {
	local output status=0
	policy rate <<-END
		limits:
		  - name: one
		    node_rate: $1
		    burst: $2
	END
	output=$(weir check --json 2>/dev/null) || status=$?
	jq -r --arg status $status '$status + " " + (if .valid then (.limits[0].rate_per_s | tostring)
		else (.errors[0] | "\(.line):\(.column) \(.message)") end)' <<<"$output"
}

tap_is "case 21: 10 Gbit/s is 1,250,000,000 bytes a second" "$(check_rate '10 Gbit/s' '10 MB')" "0 1250000000"
tap_is "case 21: 10 GB/s is 10,000,000,000" "$(check_rate '10 GB/s' '100 MB')" "0 10000000000"
tap_like "case 21: a negative rate is refused with line and column" \
	"$(check_rate '-5 packets/s' '10 packets')" '^2 [0-9]+:[0-9]+ .*node_rate'
tap_like "case 21: zero is refused" "$(check_rate '0 packets/s' '10 packets')" '^2 [0-9]+:[0-9]+ '
tap_like "case 21: one past the largest number is refused" \
	"$(check_rate '18446744073709551616 packets/s' '10 packets')" '^2 [0-9]+:[0-9]+ '
tap_like "case 21: and one that its unit takes past it" \
	"$(check_rate '18446744073709551615 KB/s' '10 MB')" '^2 [0-9]+:[0-9]+ '
tap_like "case 21: trailing rubbish is refused" "$(check_rate '10x0 packets/s' '10 packets')" '^2 [0-9]+:[0-9]+ '
tap_like "case 21: a burst of another kind is refused" "$(check_rate '10 packets/s' '10 KB')" '^2 [0-9]+:[0-9]+ .*burst'
tap_like "case 21: a byte burst below a frame is refused" "$(check_rate '10 MB/s' '100 B')" '^2 [0-9]+:[0-9]+ .*burst'

policy wrong <<'END'
limits:
  - name: one
    node_rate: 10 packets/s
    burts: 10 packets
  - name: two
    fleet_rate: 10 packets/s
    burst: 10 packets
END
output=$(weir check 2>&1) && status=0 || status=$?
tap_is "a wrong policy is exit status 2" "$status" 2
for word in 'wrong\.yaml:[0-9]+:[0-9]+: .*burts' 'on_store_loss'; do
	tap_like "all faults are told at once: $word" "$output" "$word"
done
output=$(weir run 2>&1) && status=0 || status=$?
tap_like "weir run refuses it the same way" "$status $output" '^2 .*wrong\.yaml:[0-9]+:[0-9]+: '
tap_is "and attaches nothing" "$(program_id host w0)" 0
tap_empty "and pins nothing" "$(find "/sys/fs/bpf/$world-wrong" 2>/dev/null || :)"

policy redis <<'END'
store: {url: "redis://192.0.2.1", fleet: prod, nodes_max: 12}
limits:
  - name: one
    fleet_rate: 1200 packets/s
    burst: 2400 packets
    on_store_loss: share
END
tap_run "a policy for a store this version does not have is valid" weir check
output=$(weir run 2>&1) && status=0 || status=$?
tap_like "and weir run says plainly that it is not supported" "$status $output" '^[12] .*[Rr]edis.*(support|version)|^[12] .*(support|version).*[Rr]edis'

## what is in force is what was written: 10 Gbit/s, at its full rate for a moment

policy force <<'END'
limits:
  - name: ten-gigabit
    match: {port: 1001}
    node_rate: 10 Gbit/s
    burst: 30 KB
  - name: bytes-a-minute
    match: {port: 1002}
    node_rate: 600 KB/min
    burst: 30 KB
  - name: an-hour
    match: {port: 1003}
    node_rate: 3600 packets/h
    burst: 10 packets
  - name: bits
    match: {port: 1004}
    node_rate: 800 Kbit/s
    burst: 30 KB
END
start_agent force
count_start --rate 1250000000 --burst 30000 --bytes
send --src 10.1.0.1 --dst $sink4 --dport 1001 --size 1500 --seconds 1
count_stop
tap_bound "10 Gbit/s is never above its bound"
tap_is "and loses nothing below it" "$(arrived 10.1.0.1)" "$sent"
count_start --rate 10000 --burst 30000 --bytes
send --src 10.1.0.2 --dst $sink4 --dport 1002 --size 500 --rate 500 --seconds 2
count_stop
tap_bound "600 KB/min is 10 KB/s"
tap_that "and no less" "$(jq .bytes <<<"$counted") >= $(least 10000 30000 "$(asked)") - 500" "$counted"
count_start --rate 1 --burst 10
send --src 10.1.0.3 --dst $sink4 --dport 1003 --rate 200 --seconds 3
count_stop
tap_bound "3600 packets/h is one a second"
tap_that "and no less" "$(arrived 10.1.0.3) >= 12" "$counted"
count_start --rate 100000 --burst 30000 --bytes
send --src 10.1.0.4 --dst $sink4 --dport 1004 --size 500 --rate 2000 --seconds 2
count_stop
tap_bound "800 Kbit/s is 100 KB/s"
tap_that "and no less" "$(jq .bytes <<<"$counted") >= $(least 100000 30000 "$(asked)") - 500" "$counted"

## lists and matches

policy force <<'END'
never_limit: [10.2.0.0/24, "fd00:2::/48"]
always_drop: [10.2.0.128/25, 10.3.0.0/16, "fd00:3::/32"]
limits:
  - name: matched
    match: {proto: udp, port: [53, "8000-8010"], from: [10.4.0.0/16], to: 10.77.0.9, fragment: false}
    node_rate: 1 packets/h
    burst: 5 packets
  - name: first
    match: {proto: tcp, from: 10.5.0.0/16}
    node_rate: 1 packets/h
    burst: 20 packets
  - name: second
    match: {proto: tcp, flags: syn, port: 80}
    node_rate: 1 packets/h
    burst: 5 packets
END
tap_run "lists are taken" weir reload

# passes NAME COUNT ARGUMENT...: of ten packets so many come through
passes() {
	local name=$1 wanted=$2
	shift 2
	count_start --list 2000
	send --count 10 "$@"
	count_stop
	tap_is "$name" "$(arrived all)" "$wanted"
}
passes "never_limit exempts" 10 --src 10.2.0.1 --dst $sink4
passes "always_drop drops" 0 --src 10.3.4.5 --dst $sink4
passes "also IPv6" 0 --src fd00:3:4::5 --dst $sink6
passes "the longest prefix wins over both lists" 0 --src 10.2.0.129 --dst $sink4
passes "a neighbour of a listed prefix is not in it" 10 --src 10.2.1.1 --dst $sink4
tap_is "both are counted" "$(reason_count exempt) $(reason_count denied)" "10 30"
passes "all keys match: limited" 5 --src 10.4.0.1 --dst $sink4 --dport 53
passes "the last port of a range" 5 --src 10.4.0.2 --dst $sink4 --dport 8010
passes "one past it" 10 --src 10.4.0.3 --dst $sink4 --dport 8011
passes "another source" 10 --src 10.44.0.1 --dst $sink4 --dport 53
passes "another destination" 10 --src 10.4.0.4 --dst 10.77.0.8 --dport 53
passes "another protocol" 10 --src 10.4.0.5 --dst $sink4 --dport 53 --proto tcp --flags 2
passes "two limits: the stricter decides" 5 --src 10.5.0.1 --dst $sink4 --dport 80 --proto tcp --flags 2
tap_is "two limits: what one refuses takes nothing from the other" \
	"$(limit_count first admitted) $(limit_count second admitted) $(limit_count second refused)" "5 5 5"
passes "SYN with ACK is no SYN" 10 --src 10.5.0.2 --dst $sink4 --dport 80 --proto tcp --flags 18

tap_done
