#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Traffic made by tools that know nothing of weir: hping3, trafgen, tcpreplay of a capture that scapy
# wrote, ping, and TCP of the kernel's own by iperf3.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy peers <<'END'
limits:
  - name: syn
    match: {proto: tcp, flags: syn, port: 80}
    node_rate: 100 packets/s
    burst: 50 packets
  - name: ping
    match: {proto: icmp}
    node_rate: 20 packets/s
    burst: 20 packets
  - name: udp
    match: {proto: udp, port: 7000}
    node_rate: 100 packets/s
    burst: 50 packets
  - name: volume
    match: {port: 5201}
    node_rate: 40 Mbit/s
    burst: 200 KB
  - name: capture
    match: {proto: udp, port: 7100}
    node_rate: 50 packets/s
    burst: 30 packets
END
start_agent peers

# Their frames do not say when they were sent. A receive timestamp is given at most one poll of the driver
# after the packet path has seen the frame: 64 frames, well under 0.5 ms.

# balanced NAME LIMIT: the oracle held, and status and receiver agree on what came through of SOURCE
balanced() {
	tap_bound "$1: held"
	tap_is "$1: the status says what the receiver saw" "$(limit_count "$2" admitted)" "$(arrived all)"
}

count_start --lag 0.0005 --rate 100 --burst 50
in_peer timeout 10 hping3 -q -S -p 80 -i u500 -c 4000 $sink4 >/dev/null 2>&1 || :
count_stop
balanced "hping3: a SYN flood of one source" syn
tap_that "hping3: and served" "$(arrived $peer4) >= $(least 100 50 1.9)" "$counted"
tap_is "hping3: every SYN met the limit" $(($(limit_count syn admitted) + $(limit_count syn refused))) 4000

admitted=$(limit_count syn admitted)
count_start --lag 0.0005 --rate 100 --burst 50
in_peer timeout 10 hping3 -q -S -p 80 --rand-source -i u200 -c 5000 $sink4 >/dev/null 2>&1 || :
count_stop
tap_bound "hping3: a spoofed SYN flood"
tap_is "hping3: spoofed sources of one packet each pass, and are counted" \
	"$(($(limit_count syn admitted) - admitted))" "$(arrived all)"

count_start --lag 0.0005 --rate 20 --burst 20
in_peer timeout 20 ping -q -n -f -c 400 -s 200 $host4 >"$scratch/ping" 2>&1 || :
count_stop
balanced "ping -f" ping
in_peer timeout 10 ping -q -n -c 10 -i 0.1 $host4 >"$scratch/ping" 2>&1 || :
tap_like "ping: a polite one loses nothing" "$(<"$scratch/ping")" ' 0% packet loss'

cat >"$scratch/udp.cfg" <<END
{
	$(bytes_of "$(mac_of host w0)"), $(bytes_of "$(mac_of peer p0)"), c16(0x0800),
	0x45, 0, c16(46), c16(1), c16(0), 64, 17, csumip(14, 33), 10, 1, 0, 1, 10, 77, 0, 9,
	drnd(2), c16(7000), c16(26), c16(0), fill(0x41, 18)
}
END
count_start --lag 0.0005 --rate 100 --burst 50
in_peer trafgen --dev p0 --conf "$scratch/udp.cfg" --num 4000 --gap 500us --cpus 1 --no-sock-mem >/dev/null 2>"$scratch/trafgen.err" ||
	tap_not_ok "trafgen ran" "$(<"$scratch/trafgen.err")"
count_stop
balanced "trafgen: random source ports" udp
tap_that "trafgen: and served" "$(arrived 10.1.0.1) >= $(least 100 50 1.9)" "$counted"

/usr/bin/python3 - "$scratch/mixed.pcap" "$(mac_of host w0)" <<'END'
import sys
from scapy.all import Dot1Q, Ether, IP, IPv6, UDP, Raw, wrpcap
to = Ether(dst=sys.argv[2], src="02:00:00:00:00:01")
frames = []
for i in range(400):
    at = i / 200
    for source in ("10.6.0.1", "10.6.0.2"):
        frame = to / IP(src=source, dst="10.77.0.9") / UDP(sport=1024 + i, dport=7100) / Raw(b"x" * (i % 100))
        frame.time = at
        frames.append(frame)
    frame = to / Dot1Q(vlan=5) / IPv6(src="fd00:6::%x" % (i + 1), dst="fd00:77::9") / UDP(dport=7100) / Raw(b"y" * 40)
    frame.time = at
    frames.append(frame)
wrpcap(sys.argv[1], frames)
END
count_start --lag 0.0005 --rate 50 --burst 30
in_peer tcpreplay -q -i p0 "$scratch/mixed.pcap" >"$scratch/tcpreplay" 2>&1 || tap_not_ok "tcpreplay ran" "$(<"$scratch/tcpreplay")"
count_stop
balanced "tcpreplay: two addresses and a /64 behind a tag, 200 packets/s each" capture
for source in 10.6.0.1 10.6.0.2 fd00:6::/64; do
	tap_that "tcpreplay: $source is served" "$(arrived $source) >= $(least 50 30 1.99)" "$counted"
done

## TCP and UDP by the kernel

# iperf NAME ARGUMENT...: a run against the server; its result is in iperf.NAME
iperf() {
	in_peer timeout 20 iperf3 -J -c $host4 "${@:2}" >"$scratch/iperf.$1" 2>&1 ||
		tap_not_ok "iperf3 ran" "$(tail -n 3 "$scratch/iperf.$1")"
}
# mbits NAME: what its receiver got
mbits() {
	jq '.end | (.sum_received // .sum) | .bits_per_second / 1e6' "$scratch/iperf.$1"
}
for port in 5201 5202; do
	spawn host "$scratch/iperf-server" "$scratch/iperf-server" iperf3 -s -p $port
	wait_for 5 listens $port
done
iperf polite -p 5201 -t 3 -b 20M -l 8K
tap_within "iperf3: a TCP stream of 20 Mbit/s under a limit of 40 gets its 20" "$(mbits polite)" 19 21
tap_is "iperf3: and none of it is refused" "$(limit_count volume refused)" 0
count_start --lag 0.0005 --rate 5000000 --burst 200000 --bytes
iperf greedy -p 5201 -t 3
count_stop
tap_bound "iperf3: a TCP stream that takes what it gets is held to 40 Mbit/s, by the byte"
tap_that "iperf3: and is alive" "$(mbits greedy) >= 2" "$(mbits greedy) Mbit/s"
iperf free -p 5202 -t 2
tap_that "iperf3: traffic that no limit matches goes at the link's speed" "$(mbits free) >= 400" \
	"$(mbits free) Mbit/s"
count_start --lag 0.0005 --rate 5000000 --burst 200000 --bytes
iperf datagrams -p 5201 -u -b 80M -l 1400 -t 3
count_stop
tap_bound "iperf3: UDP at 80 Mbit/s is held to 40, by the byte"
# Of 1,442 bytes on the wire 1,400 are counted by iperf3.
tap_within "iperf3: and gets them" "$(jq '.sources[0].bytes * 8 / 1e6 / 3' <<<"$counted")" 38 41.5
tap_done
