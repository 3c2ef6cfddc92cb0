#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A limit's rate goes from a few packets an hour to many a second and back, again and again, so that its
# unit of time changes each time: newcomers pass, whoever is drained stays drained.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
rate() {
	policy change <<-END
		limits:
		  - name: changing
		    match: {proto: udp}
		    node_rate: $1
		    burst: 20 packets
		    buckets: 64Ki
	END
}

rate "20 packets/h"
start_agent change
count_start --rate 10 --burst 20 --list 20000
send_start drained --src 10.1.0.1 --dst $sink4 --rate 500 --seconds 120
newcomers=0
failed=0
for i in {1..20}; do
	for wanted in "10 packets/s" "20 packets/h"; do
		rate "$wanted"
		if ((i % 5 == 0)); then
			kill_agent change
			start_agent change
		else
			weir reload >/dev/null || failed=$((failed + 1))
		fi
		# Time for the sweep, too, to be the first to see the new numbers.
		wait_for 1 is_past $((${EPOCHREALTIME/./} + 100000))
		send --src "10.100.$((newcomers / 250)).0" --dst $sink4 --sources 250 --count 250
		newcomers=$((newcomers + sent))
	done
done
send_stop drained
count_stop
tap_is "every change was taken" $failed 0
tap_is "ten thousand newcomers passed, whatever the numbers had been" \
	"$(jq '[.sources[] | select(.source | startswith("10.100.")) | .packets] | add' <<<"$counted")" \
	"$newcomers"
tap_bound "nobody passed more than the larger numbers allow, at any time"
tap_is "nobody was refused in the table's name" "$(reason_count table_full)" 0

tap_done
