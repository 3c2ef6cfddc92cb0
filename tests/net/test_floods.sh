#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What a flood does to those beside it: behind the same address, on the same link, in the protocols
# that hold the link together.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
write_policy() {
	policy floods
}
write_policy <<'END'
limits:
  - name: each
    match: {proto: udp}
    node_rate: 1000 packets/s
    burst: 200 packets
  - name: icmpv6
    match: {proto: icmpv6}
    node_rate: 100 packets/s
    burst: 50 packets
END
start_agent floods

## case 9

count_start --rate 1000 --burst 200
send_start flooder --src 10.9.0.1 --dst $sink4 --sport 666 --rate 4900 --seconds 4
send --src 10.9.0.1 --dst $sink4 --sport 1000 --sports 50 --rate 100 --seconds 4
send_wait flooder
count_stop
tap_bound "case 09: fifty polite users and a flooder behind one address: the excess is policed"
tap_that "case 09: to no less than the limit" "$(arrived 10.9.0.1) >= $(least 1000 200 "$(asked)")" "$counted"
count_start --list 2000
send --src 10.9.0.1 --dst $sink4 --sport 1000 --sports 50 --rate 100 --count 100
count_stop
tap_is "case 09: nobody is banned: once the flooder stops, the polite pass" "$(arrived 10.9.0.1)" 100

# What an operator can do about it.
write_policy <<'END'
never_limit: [10.9.0.1]
limits:
  - name: each
    match: {proto: udp}
    node_rate: 1000 packets/s
    burst: 200 packets
END
tap_run "case 09: the policy with the address exempt is taken" weir reload
before=$(reason_count exempt)
count_start --list 2000
send --src 10.9.0.1 --dst $sink4 --rate 5000 --count 5000
count_stop
tap_is "case 09: an exempt address passes whole" "$(arrived 10.9.0.1)" 5000
tap_is "case 09: and is counted as exempt" $(($(reason_count exempt) - before)) 5000

write_policy <<'END'
limits:
  - name: new
    match: {proto: tcp, flags: syn}
    node_rate: 100 packets/s
    burst: 50 packets
END
tap_run "case 09: the SYN-only policy is taken" weir reload
count_start --list 2000
send_start flooder --src 10.9.0.1 --dst $sink4 --proto tcp --flags 2 --dport 22 --rate 4000 --seconds 2
send --src 10.9.0.1 --dst $sink4 --proto tcp --flags 16 --dport 443 --rate 1000 --seconds 2
polite=$sent
send_wait flooder
count_stop
tap_within "case 09: with a SYN-only limit all established traffic of the address passes" \
	"$(arrived 10.9.0.1)" $((polite + $(least 100 50 "$(asked)"))) $((polite + 50 + 201)) "$sent_json"
tap_is "case 09: none of it was refused" "$(limit_count new refused)" \
	$((sent + polite - $(arrived 10.9.0.1)))

## case 13

write_policy <<'END'
limits:
  - name: icmpv6
    match: {proto: icmpv6}
    node_rate: 100 packets/s
    burst: 50 packets
END
tap_run "case 13: the ICMPv6 policy is taken" weir reload

cat >"$scratch/arp.cfg" <<END
{
	$(bytes_of "$(mac_of host w0)"), $(bytes_of "$(mac_of peer p0)"),
	c16(0x0806), c16(1), c16(0x0800), 6, 4, c16(1),
	$(bytes_of "$(mac_of peer p0)"), 10, 77, 0, drnd(1), 0, 0, 0, 0, 0, 0, 10, 77, 0, 99
}
END

# The host asks who peer6 is, and gets its answer at once.
neighbour_found() {
	in_host ip -6 neigh flush dev w0 2>/dev/null || :
	in_host ip -6 neigh del $peer6 dev w0 2>/dev/null || :
	in_host bash -c "echo >/dev/udp/$peer6/9"
	wait_for 0.9 neighbour_is reachable
}

# shellcheck disable=SC2317 # called by wait_for
neighbour_is() {
	[[ $(in_host ip -6 neigh show to "$peer6" dev w0 nud "$1") ]]
}

count_start --rate 100 --burst 50
protected=$(reason_count protected)
send_start echo --src $peer6 --dst $host6 --proto icmpv6 --icmp-type 128 --rate 5000 --seconds 8
spawn peer "$scratch/trafgen.out" "$scratch/trafgen.err" \
	trafgen --dev p0 --conf "$scratch/arp.cfg" --num 20000 --rate 5000pps --cpus 1 --no-sock-mem
trafgen=$spawned
found=0
for _ in {1..20}; do
	! neighbour_found || found=$((found + 1))
done
tap_that "case 13: the flood went on all the while" "$(ended "${sender_of[echo]}" && echo 0 || echo 1) == 1"
send_stop echo
wait "$trafgen" || tap_not_ok "trafgen ended well" "$(<"$scratch/trafgen.err")"
count_stop
tap_is "case 13: neighbour discovery is never lost in an echo flood of the same host" $found 20
tap_bound "case 13: and the echoes are limited"
tap_that "case 13: an ARP flood passes beside it" "$(jq .arp <<<"$counted") >= 20000" "$counted"
tap_that "case 13: counted as protected" "$(reason_count protected) - $protected >= 20000 + 20"

# Path-MTU messages are protected too; a discovery message that came through a router is nobody's business.
protected=$(reason_count protected)
send --src fd00:13::1 --dst $host6 --proto icmpv6 --icmp-type 2 --rate 5000 --count 500
tap_that "case 13: path-MTU messages are not limited" "$(reason_count protected) - $protected >= 500"
limited=$(($(limit_count icmpv6 admitted) + $(limit_count icmpv6 refused)))
odd discovery-from-afar 100
tap_that "case 13: a solicitation that came through a router is limited like any other" \
	"$(limit_count icmpv6 admitted) + $(limit_count icmpv6 refused) - $limited >= 100"

## a spoofed flood and a polite source

write_policy <<'END'
limits:
  - name: each
    match: {proto: udp}
    node_rate: 20 packets/s
    burst: 20 packets
    buckets: 64Ki
END
tap_run "the policy for spoofed floods is taken" weir reload
send_start spoofed --src 12.0.0.0 --sources 16000000 --random --dst $sink4 --rate 80000 --seconds 8
send --src 10.9.1.1 --dst $sink4 --rate 15 --seconds 2
count_start --list 50
send --src 10.9.1.1 --dst $sink4 --rate 15 --count 60
count_stop
send_stop spoofed
tap_that "a polite source gets 0.9 of its packets through a spoofed flood" \
	"$(arrived 10.9.1.1) >= 54" "$(jq -c '.sources[:3]' <<<"$counted")"
tap_that "and the maps did not grow" "$(field .tables.sources.used) <= $(field .tables.sources.size)"

tap_done
