#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The benchmark runs, prints every row it promises, and leaves nothing behind, interrupted or not.
# What the numbers are is for people to read: nothing here depends on time. (timeout: 400)
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/weir-test-bench-$$.XXXXXX")
running=
trap '[[ -z $running ]] || kill -TERM "$running" 2>/dev/null || :; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
export TMPDIR=$scratch

# What a benchmark of this test may have left; other files of the test itself are not in here.
left_by() {
	find /run/netns /sys/fs/bpf -maxdepth 1 -name "weir-bench-$1*" 2>/dev/null || :
	find "$scratch" -maxdepth 1 -name "weir-bench-$1.*"
	find /sys/class/net -maxdepth 1 -name "w[0-9]*$1"
}

tap_run "the_benchmark_builds" make -s build-bench

tools/bench/run --slices 1 --slice-ms 1 --json "$scratch/bench.json" \
	>"$scratch/text" 2>"$scratch/errors" &
running=$!
status=0
wait "$running" || status=$?
tap_is "a_short_run_succeeds" "$status" 0
((status == 0)) || tap_note "$(tail -n 5 "$scratch/errors")"
tap_empty "it_leaves_nothing_behind" "$(left_by "$running")"
running=

text=$(<"$scratch/text")
for row in "empty program" "parse only" "parse, bpf_ktime_get_ns" "parse, bpf_ktime_get_coarse_ns" \
	"parse, coarse clock of weir" "parse, read a line of 2 MiB" "parse, swap a word of 2 MiB" "hash, compare-and-swap" "LRU hash, compare-and-swap" \
	"weir, 256 Ki buckets" "weir, 1 Mi buckets" "weir, 256 Ki, precise clock" \
	"weir, 2 limits, 1 matches" "weir, 8 limits, 1 matches" "weir, 64 limits, 1 matches" \
	"weir, 3 limits, 3 match" "weir, lists of 10 prefixes" "weir, lists of 100,000" \
	"parse and drop" "LRU hash" "nftables, netdev ingress" "nftables, prerouting" \
	"iptables hashlimit, raw"; do
	tap_like "the_text_has_a_row_for: $row" "$text" $'\n'"$row"'  +[1-9][0-9]*\.[0-9]'
done
tap_like "the_text_names_the_machine" "$text" '^machine  [^ ].*Linux'
tap_like "the_text_judges_targets" "$text" '(met|NOT MET) +one source over a node limit'

# ask NAME FILTER: the JSON satisfies it
ask() {
	tap_is "$1" "$(jq -c "$2" "$scratch/bench.json" 2>&1)" true
}
ask "each_row_has_a_time_for_each_kind_of_traffic_but_where_it_says_nothing_new" \
	'[.micro.rows[].ns | .one, ."64k", ."1m", ."16m"] | length == 72 and all(. > 0)'
ask "each_lane_took_frames_in" '[.net.lanes[] | .one, ."64k", ."16m"] | length == 21 and all(.ns > 0)'
ask "a_target_that_is_not_met_says_why" '.targets | length == 13 and all(.met or (.limited_by | length > 0))'
# That the rows measure what they say, which is no matter of time:
ask "one_source_is_over_its_limit" '[.micro.rows[] | .refused.one // empty] | length == 9 and all(. > 0.5)'
ask "a_spoofed_flood_is_not" '[.micro.rows[] | .refused."16m" // empty] | length == 9 and all(. < 0.5)'

tools/bench/run --slices 1000 --json "$scratch/never.json" >/dev/null 2>"$scratch/errors" &
running=$!
until grep -q 'one source' "$scratch/errors" || ! kill -0 "$running" 2>/dev/null; do
	sleep 0.1
done
kill -TERM "$running"
status=0
wait "$running" || status=$?
tap_is "an_interrupted_run_says_so" "$status" 130
tap_empty "an_interrupted_run_leaves_nothing_behind" "$(left_by "$running")"
tap_empty "an_interrupted_run_ends_what_it_started" "$(
	grep -lzsF "weir-bench-$running" /proc/[0-9]*/cmdline || :
)"
running=

tap_done
