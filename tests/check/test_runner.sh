#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# tests/run on small rings made here: what passes is counted, and nothing that went wrong is missed.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests/net"
cp "$here/run" "$here/sandbox" "$here/tap.sh" "$scratch/tests"
cd "$scratch"
unset WEIR ONLY

# judge NAME WANTED-COUNT REGEX: runs a ring with the one test that stands on stdin
judge() {
	local name=$1 wanted=$2 regex=$3 output status=0
	cat >tests/net/test_it.sh
	output=$(tests/run net 2>&1) || status=$?
	[[ $wanted == *' 0 failed' || $status == 1 ]] || output+=$'\n'"exit status $status"
	if [[ $(tail -n 1 <<<"$output") == "$wanted" && $output =~ $regex ]]; then
		tap_ok "$name"
	else
		tap_not_ok "$name" "$output" "wanted: $wanted, and a match of $regex"
	fi
}

judge "points_are_counted" "2 passed, 0 failed" "net: test_it ok" <<-'END'
	echo "ok 1 - a"; echo "ok 2 - b"; echo "1..2"
END
judge "a_failed_point_is_counted_and_shown" "1 passed, 1 failed" "# because of this" <<-'END'
	echo "1..2"; echo "ok 1 - a"; echo "not ok 2 - b"; echo "# because of this"; exit 1
END
judge "several_groups_have_a_plan_each" "3 passed, 0 failed" "test_it ok" <<-'END'
	echo "1..1"; echo "ok 1 - a"; echo "1..2"; echo "ok 1 - a"; echo "ok 2 - b"
END
judge "a_skip_is_a_failure" "1 passed, 1 failed" "FAILED" <<-'END'
	echo "1..2"; echo "ok 1 - a"; echo "ok 2 # SKIP no such thing here"
END
judge "a_plan_that_is_not_kept_is_a_failure" "1 passed, 1 failed" "planned 2 points and gave 1" <<-'END'
	echo "1..2"; echo "ok 1 - a"
END
judge "a_test_that_dies_is_a_failure" "1 passed, 1 failed" "before it printed a plan" <<-'END'
	echo "ok 1 - a"; kill -9 $$
END
judge "no_points_are_a_failure" "0 passed, 1 failed" "no points" <<-'END'
	echo "1..0"
END
judge "an_exit_status_is_a_failure" "1 passed, 1 failed" "exit status 3, though" <<-'END'
	echo "1..1"; echo "ok 1 - a"; exit 3
END
judge "a_test_that_hangs_is_stopped" "1 passed, 1 failed" "stopped after 1 s" <<-'END'
	# timeout: 1
	echo "1..1"; echo "ok 1 - a"; sleep 1000
END
judge "a_sanitizer_report_of_any_process_is_a_failure" "1 passed, 1 failed" "heap-use-after-it" <<-'END'
	path=${ASAN_OPTIONS#*log_path=}
	echo "heap-use-after-it" >"${path%%:*}.77"
	echo "1..1"; echo "ok 1 - a"
END
judge "a_network_namespace_left_behind_is_a_failure" "1 passed, 1 failed" "network namespace weir-left" <<-'END'
	ip netns add weir-left; echo "1..1"; echo "ok 1 - a"
END
judge "an_interface_left_behind_is_a_failure" "1 passed, 1 failed" "interface weir-left" <<-'END'
	ip link add weir-left type veth peer name weir-peer; echo "1..1"; echo "ok 1 - a"
END
judge "a_pin_left_behind_is_a_failure" "1 passed, 1 failed" "pin /sys/fs/bpf/weir" <<-'END'
	mkdir /sys/fs/bpf/weir; echo "1..1"; echo "ok 1 - a"
END
judge "a_process_left_behind_is_a_failure" "1 passed, 1 failed" "process [0-9]+: sleep 4321" <<-'END'
	setsid sleep 4321 >/dev/null 2>&1 & echo "1..1"; echo "ok 1 - a"
END
tap_is "and_it_is_ended" "$(pgrep -cfx 'sleep 4321' || :)" 0
judge "what_a_test_cleans_up_is_no_failure" "1 passed, 0 failed" "test_it ok" <<-'END'
	ip netns add weir-gone; ip netns del weir-gone
	sleep 4321 & kill $!; echo "1..1"; echo "ok 1 - a"
END
judge "a_test_does_not_see_the_machines_interfaces" "1 passed, 0 failed" "test_it ok" <<-'END'
	[ "$(ls /sys/class/net)" = lo ] && echo "ok 1 - a"; echo "1..1"
END

rm tests/net/*
tap_is "an_empty_ring_is_a_failure" "$(tests/run net | tail -n 1)" "0 passed, 1 failed"
mkdir tests/unit && touch tests/unit/test_absent.c
tap_like "a_program_that_was_not_built_is_a_failure" "$(tests/run unit)" \
	'absent was not built'$'\n''0 passed, 1 failed$'
tap_is "an_unknown_ring_is_refused" "$(tests/run nut 2>&1 || echo "$?")" \
	'tests: no ring is called "nut"'$'\n'2

tap_done
