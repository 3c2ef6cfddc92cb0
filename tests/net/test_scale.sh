#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The largest policy there is: 64 limits that all match one packet, and lists of 100,000 prefixes.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
large_policy() {
	policy large < <(
		echo "never_limit: [\"file: $scratch/partners.txt\"]"
		echo "always_drop: [\"file: $scratch/enemies.txt\"]"
		echo "limits:"
		for i in {1..64}; do
			printf '  - name: limit-%d\n    match: {proto: udp, from: [10.0.0.0/8]}\n' "$i"
			printf '    node_rate: %d packets/s\n    burst: %d packets\n    buckets: 64Ki\n' $((36 + i)) $((86 + i))
		done
	)
}

# Half of them IPv6, every other address so that no two make one prefix.
/usr/bin/python3 - "$scratch" <<'END'
import sys
def prefixes(first, six):
    for i in range(25000):
        n = first + 2 * i
        yield f"{n >> 24}.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
        yield f"{six}:{n >> 16:x}:{n & 65535:x}::/64"
for name, first, six in ("partners", 20 << 24, "2001:db8"), ("enemies", 30 << 24, "2001:db9"):
    with open(f"{sys.argv[1]}/{name}.txt", "w") as out:
        out.write("\n".join(prefixes(first, six)) + "\n")
END
tap_is "there are 100,000 prefixes" "$(cat "$scratch"/{partners,enemies}.txt | wc -l)" 100000

large_policy
start_agent large
tap_is "64 limits are in force" "$(field '.limits | length')" 64

count_start --rate 37 --burst 87
send --src 10.1.0.1 --dst $sink4 --rate 2000 --seconds 2
count_stop
tap_bound "a packet that 64 limits match is held to the strictest"
tap_that "and gets what that one gives" "$(arrived 10.1.0.1) >= $(least 37 87 "$(asked)")" "$counted"
tap_is "the others were charged for what passed, and no more" \
	"$(status_json | jq '[.limits[] | .admitted.packets] | unique | length')" 1

count_start --list 100
send --src 20.0.195.78 --dst $sink4 --count 5
send --src 2001:db8:1400:c34e::1 --dst $sink6 --count 5
send --src 30.0.195.78 --dst $sink4 --count 5
send --src 2001:db9:1e00:c34e::1 --dst $sink6 --count 5
count_stop
tap_is "the last of the lists are found" \
	"$(arrived all) $(reason_count exempt) $(reason_count denied)" "10 10 10"

# Under sanitizers everything is slower: the time is the released program's.
stop_agent large
WEIR=$root/build/weir
start_agent large
start=${EPOCHREALTIME/./}
tap_run "it is taken anew" weir reload
took=$((${EPOCHREALTIME/./} - start))
tap_that "within a second" "$took < 1000000" "$took us"
start=${EPOCHREALTIME/./}
weir check >/dev/null
took=$((${EPOCHREALTIME/./} - start))
tap_that "and checked within one" "$took < 1000000" "$took us"

tap_done
