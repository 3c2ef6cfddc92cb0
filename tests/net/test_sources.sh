#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Who a source is: an address whatever its ports, a /64 whatever its addresses, whatever lies between
# the Ethernet header and the source, and whatever follows it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy sources <<'END'
limits:
  - name: hidden-port
    match: {port: 4242}
    node_rate: 1 packets/h
    burst: 1 packets
  - name: each
    match: {to: [10.77.0.9, "fd00:77::9"]}
    node_rate: 100 packets/s
    burst: 50 packets
  - name: together
    match: {to: [10.77.0.8, "fd00:77::8"]}
    source: all
    node_rate: 100 packets/s
    burst: 50 packets
END
start_agent sources
for address in 10.77.0.8 10.77.0.9 fd00:77::8 fd00:77::9; do
	in_peer ip neigh replace "$address" lladdr "$(mac_of host w0)" dev p0 nud permanent
done

# held NAME SOURCE: it got what one bucket holds, no more and no less
held() {
	tap_bound "$1: no more than one bucket"
	tap_that "$1: and all of it" "$(arrived "$2") >= $(least 100 50 "$(asked)")" "$counted"
}

count_start --rate 100 --burst 50
send --src 10.1.0.1 --dst $sink4 --sports 1000 --rate 5000 --seconds 1.5
count_stop
held "case 07: one address, 1,000 source ports, is one bucket" 10.1.0.1

count_start --rate 100 --burst 50
send_start many --src fd00:1::1 --dst $sink6 --sources 1000 --rate 5000 --seconds 1.5
send --src fd00:1:0:1::1 --dst $sink6 --rate 40 --seconds 1.4
polite=$sent
send_wait many
count_stop
held "case 08: 1,000 addresses of one /64 are one bucket" fd00:1::/64
tap_is "case 08: the next /64 is untouched" "$(arrived fd00:1:0:1::/64)" "$polite"

## tags

count_start --rate 100 --burst 50
send_start plain --src 10.2.0.1 --dst $sink4 --rate 1000 --seconds 1.5
send_start one --src 10.2.0.1 --dst $sink4 --tag 8100:5 --rate 1000 --seconds 1.5
send_start ad --src 10.2.0.1 --dst $sink4 --tag 88a8:7 --rate 1000 --seconds 1.5
send_start two --src 10.2.0.1 --dst $sink4 --tag 8100:5 --tag 8100:6 --rate 1000 --seconds 1.5
send --src 10.2.0.1 --dst $sink4 --tag 88a8:5 --tag 8100:6 --rate 1000 --seconds 1.5
for name in plain one ad two; do
	send_wait $name
done
count_stop
held "case 10: one source with none, one and two VLAN tags is one bucket" 10.2.0.1

count_start --rate 100 --burst 50
send --src fd00:2::1 --dst $sink6 --tag 88a8:5 --tag 8100:6 --rate 2000 --seconds 1.5
count_stop
held "case 10: IPv6 behind two tags" fd00:2::/64

before=$(reason_count not_ip)
count_start --list 2000
send --src 10.2.0.3 --dst $sink4 --tag 88a8:1 --tag 8100:2 --tag 8100:3 --rate 1000 --count 300
count_stop
tap_is "case 10: three tags are no IP to weir: passed" "$(arrived 10.2.0.3)" 300
tap_is "case 10: and counted" $(($(reason_count not_ip) - before)) 300

## IPv6 extension headers: hop-by-hop 0, routing 43, fragment 44, AH 51, destination 60

chains=(
	"--header 0" "--header 43" "--header 60" "--header 44" "--header 51"
	"--header 0 --header 60 --header 43 --header 44 --header 51 --header 60"
	"--header 60 --header 60 --header 60 --header 60 --header 60 --header 60 --header 60 --header 60 --header 60"
	"--proto 200" "--proto 59" "--header 0 --proto 253"
)
count_start --rate 100 --burst 50
for i in "${!chains[@]}"; do
	# shellcheck disable=SC2086 # several options
	send_start "chain$i" --src fd00:3::$i --dst $sink6 --rate 300 --seconds 1.5 ${chains[i]}
done
for i in "${!chains[@]}"; do
	send_wait "chain$i"
done
count_stop
held "case 11: a source behind ten kinds of header chains is one bucket" fd00:3::/64

for i in "${!chains[@]}"; do
	count_start --rate 100 --burst 50
	# shellcheck disable=SC2086 # several options
	send --src "fd00:4:0:$((i + 1))::1" --dst $sink6 --count 200 ${chains[i]}
	count_stop
	tap_bound "case 11: held behind ${chains[i]}"
	tap_that "case 11: and let through behind ${chains[i]}" "$(arrived "fd00:4:0:$((i + 1))::/64") >= 45" \
		"$counted"
done

before=$(reason_count malformed)
odd chain-cut 20
odd chain-lies 20
tap_is "case 11: a chain cut short is malformed" $(($(reason_count malformed) - before)) 40

count_start --list 2000
odd port-in-unknown 20
odd port-in-later-fragment 20
odd port-in-later-fragment-ipv4 20
odd port-in-icmp-payload 20
count_stop
tap_is "case 11: nothing in a payload is read as a port" \
	"$(limit_count hidden-port admitted) $(limit_count hidden-port refused)" "0 0"
tap_is "case 11: and such packets pass" "$(arrived all)" 80
odd port 3
tap_is "where a port stands, it is read" \
	"$(limit_count hidden-port admitted) $(limit_count hidden-port refused)" "1 2"

## one bucket for everyone

count_start --rate 100 --burst 50 --all
send_start six --src fd00:9::1 --dst fd00:77::8 --sources 100 --by-prefix --rate 2000 --seconds 1.5
send --src 10.9.0.1 --dst 10.77.0.8 --sources 100 --rate 2000 --seconds 1.5
send_wait six
count_stop
tap_bound "source all: 100 IPv4 and 100 IPv6 sources are one bucket"
tap_that "source all: and all of it" "$(arrived all) >= $(least 100 50 "$(asked)")"

tap_done
