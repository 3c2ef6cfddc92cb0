#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Frames that are not one whole small packet: fragments, jumbo frames in several buffers, and packets
# that contradict themselves.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
make_link host w1 peer p1 9000
address_link host w1 10.78.0.1 fd00:78::1 peer p1 10.78.0.2 fd00:78::2
policy frames <<'END'
interfaces: [w0, w1]
limits:
  - name: port
    match: {proto: udp, port: 5000}
    node_rate: 100 packets/s
    burst: 50 packets
  - name: fragments
    match: {fragment: true, to: [10.77.0.0/24, "fd00:77::/64"]}
    node_rate: 200 packets/s
    burst: 100 packets
  - name: jumbo
    match: {to: [10.78.0.9, "fd00:78::9"]}
    node_rate: 2 MB/s
    burst: 500 KB
END
start_agent frames

# receive ADDRESS: counts whole datagrams on port 5000 until it is ended, and prints "COUNT BYTES"
receive() {
	cat >"$scratch/receive.py" <<-'END'
		import signal, socket, sys
		family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
		s = socket.socket(family, socket.SOCK_DGRAM)
		s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
		s.bind((sys.argv[1], 5000))
		count = size = 0
		def end(*_):
		    print(count, size)
		    sys.exit(0)
		signal.signal(signal.SIGTERM, end)
		print("ready", file=sys.stderr, flush=True)
		while True:
		    size += len(s.recv(65535))
		    count += 1
	END
	rm -f "$scratch"/received{,.err}
	spawn host "$scratch/received" "$scratch/received.err" /usr/bin/python3 "$scratch/receive.py" "$1"
	receiver=$spawned
	wait_for 10 grep -qs ready "$scratch/received.err"
}

# receive_end: what it printed is in received from then on
receive_end() {
	kill -TERM "$receiver"
	wait "$receiver"
	received=$(<"$scratch/received")
}

## case 12: datagrams of 3,000 bytes over MTU 1500

# datagrams NAME ARGUMENT...: 20 of them, at 20 a second, arrive whole: UDP payload of 2,958 (IPv6 2,938)
datagrams() {
	local name=$1
	shift
	receive $host4
	send --src $peer4 --dst $host4 --dport 5000 --size 3000 --rate 20 --count 20 "$@"
	receive_end
	tap_is "case 12: $name arrives when under the limit" "$received" "20 $((20 * 2958))"
	receive $host6
	send --src $peer6 --dst $host6 --dport 5000 --size 3000 --rate 20 --count 20 "$@"
	receive_end
	tap_is "case 12: $name arrives over IPv6 too" "$received" "20 $((20 * 2938))"
}

datagrams "a datagram of 3,000 bytes in order" --piece 1440
datagrams "reversed" --piece 1440 --reverse
datagrams "with a tiny first fragment" --piece 1440 --first-piece 8
datagrams "with a tiny first fragment that comes last" --piece 1440 --first-piece 8 --reverse

for family in 4 6; do
	peer=peer$family sink=sink$family
	count_start --rate 200 --burst 100
	send --src "${!peer}" --dst "${!sink}" --dport 5001 --size 3000 --rate 1000 --seconds 2 \
		--piece 1440 --first-piece 8
	count_stop
	tap_bound "case 12: fragments are no way round a limit (IPv$family)"
	tap_that "case 12: the flood got what the limit gives (IPv$family)" \
		"$(arrived all) >= $(least 200 0 "$(asked)")" "$counted"
done

receive $host4
send --src 10.77.0.3 --dst $host4 --dport 5000 --size 3000 --rate 60 --seconds 2 --piece 1440 --reverse
receive_end
tap_within "case 12: a port limit holds datagrams whose first fragment comes last" "${received% *}" 1 $((50 + 201))

## case 14: MTU 9000

jumbo() {
	send_from peer p1 host w1 "$@" >/dev/null
}

spawn host "$scratch/jumbo" "$scratch/jumbo.err" "$tools/count" --dev w1 --rate 2000000 --burst 500000 --bytes
counter=$spawned
wait_for 10 grep -qs ready "$scratch/jumbo.err"
jumbo --src 10.78.0.3 --dst 10.78.0.9 --size 9014 --rate 1000 --count 50
tap_is "case 14: a frame of 9,014 bytes is counted whole" \
	"$(status_json | jq -c '.limits[] | select(.name == "jumbo") | .admitted')" \
	"{\"packets\":50,\"bytes\":$((50 * 9014))}"
jumbo --src 10.78.0.2 --dst 10.78.0.9 --size 9014 --rate 2000 --seconds 2
jumbo --src fd00:78::2 --dst fd00:78::9 --size 5000 --rate 2000 --seconds 1
kill -TERM "$counter"
wait "$counter"
counted=$(<"$scratch/jumbo")
tap_bound "case 14: jumbo frames are held to the byte"
tap_that "case 14: and let through" \
	"$(jq '.sources[] | select(.source == "10.78.0.2") | .bytes' <<<"$counted") >= $(least 2000000 500000 1.99) - 9014" \
	"$counted"
tap_is "case 14: the interface of MTU 9000 is attached as the driver can" \
	"$(status_json | jq -r '.interfaces[] | select(.name == "w1") | .attach')" native

## packets that contradict themselves are dropped and counted; unusual ones pass

for kind in short-header long-total short-total version-7 version-7-ipv6 cut-tcp tiny-first-fragment cut-ipv6; do
	before=$(reason_count malformed)
	odd $kind 5
	tap_is "malformed: $kind" $(($(reason_count malformed) - before)) 5
done
for kind in ip-options padding empty-ipv6 ah options-and-fragment; do
	before=$(reason_count malformed)
	count_start --list 2000
	odd $kind 5
	count_stop
	tap_is "passes: $kind" "$(arrived all) $(($(reason_count malformed) - before))" "5 0"
done

tap_done
