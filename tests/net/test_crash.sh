#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The agent is killed in the middle of taking a policy, again and again, under a flood: packets meet the
# old policy or the new one, and no bucket is refilled.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
# rates CHANGING: a policy with that rate; other limits stay, or come and go. The burst stays as well: a
# smaller one would forgive what is owed beyond it.
rates() {
	policy crash <<-END
		limits:
		  - name: steady
		    match: {proto: udp, port: 7001}
		    node_rate: 200 packets/s
		    burst: 100 packets
		  - name: changing
		    match: {proto: udp, port: 7002}
		    node_rate: $1 packets/s
		    burst: 100 packets
		  - name: drained
		    match: {proto: udp, port: 7003}
		    node_rate: $(($1 / 100)) packets/h
		    burst: 40 packets
		  - name: only-at-$1
		    match: {proto: tcp}
		    node_rate: 100 packets/s
		    burst: 100 packets
	END
}

rates 400
start_agent crash
send --src 10.1.0.3 --dst $sink4 --dport 7003 --rate 2000 --count 100
count_start --rate 400 --burst 100
send_start steady --src 10.1.0.1 --dst $sink4 --dport 7001 --rate 2000 --seconds 100
send_start changing --src 10.1.0.2 --dst $sink4 --dport 7002 --rate 2000 --seconds 100
send_start drained --src 10.1.0.3 --dst $sink4 --dport 7003 --rate 200 --seconds 100
send_start polite --src fd00:1::1 --dst $sink6 --dport 7001 --rate 100 --seconds 100
for i in {1..16}; do
	rates $((i % 2 ? 100 : 400))
	spawn host "$scratch/reload.out" "$scratch/reload.out" "$WEIR" reload -c "$scratch/crash.yaml"
	reload=$spawned
	# From before the agent hears of it to after it is done.
	/usr/bin/python3 -c "import time; time.sleep($i * 0.006)"
	kill_agent crash
	wait "$reload" || :
	start_agent crash
	[[ $(field '[.limits[].name] | join(" ")') == "steady changing drained only-at-$((i % 2 ? 100 : 400))" ]] ||
		tap_not_ok "restart $i: the file's policy is in force" "$(status_json)"
done
send_stop steady
steady_asked=$(asked)
send_stop changing
send_stop drained
seconds=$(jq .seconds <<<"$sent_json")
send_stop polite
count_stop
tap_bound "killed at sixteen moments of a reload: never above the larger policy"
tap_that "a limit that did not change kept its own bound" \
	"$(arrived 10.1.0.1) <= 100 + 200 * ($seconds + 0.1)" "$counted"
tap_that "and gave what it should" "$(arrived 10.1.0.1) >= $(least 200 100 "$steady_asked")" "$counted"
tap_that "a drained bucket whose numbers changed each time was not refilled" \
	"$(arrived 10.1.0.3) <= 4 / 3600 * $seconds + 1" "$counted"
tap_is "a polite source lost nothing" "$(arrived fd00:1::/64)" "$sent"
tap_run "the agent is well" weir reload
tap_is "no table was left over" "$(find "/sys/fs/bpf/$world-crash" -type f | wc -l)" \
	"$(find "/sys/fs/bpf/$world-crash" -type f ! -name '*.old' | wc -l)"

tap_done
