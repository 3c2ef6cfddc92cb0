#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# tools/demo: what it shows is true, and it leaves nothing behind, not even on Ctrl-C.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
# left: what a demo would leave
left() {
	find /run/netns /sys/fs/bpf "$TMPDIR" -mindepth 1 2>/dev/null
}

before=$(left)
start=${EPOCHREALTIME/./}
output=$("$root/tools/demo" 2>&1) && status=0 || status=$?
tap_is "it ends by itself with 0" "$status" 0
[[ $status == 0 ]] || tap_note "$output"
tap_that "in under half a minute" "${EPOCHREALTIME/./} - $start < 30000000"
# row WORDS: offered, admitted and allowed of the row that begins with them
row() {
	tr -d , <<<"$output" | awk -v words="  $1" 'index($0, words) == 1 { print $(NF - 2), $(NF - 1), $NF }'
}
read -r offered admitted _ < <(row polite)
tap_that "the polite source loses nothing" "$offered > 0 && $offered == $admitted" "$output"
for who in "flood  " "flood from a /64"; do
	read -r offered admitted allowed < <(row "$who")
	tap_that "$who is held to what is allowed, and gets it" \
		"$offered > 100 * $admitted && $admitted <= $allowed && $admitted >= 0.9 * $allowed" "$output"
done
tap_like "it shows what explain says" "$output" 'over_limit'
tap_is "it leaves nothing" "$(left)" "$before"

# shellcheck disable=SC2317 # called by wait_for
has_namespaces() {
	[[ $(find /run/netns -mindepth 1 2>/dev/null) ]]
}

# Bash starts background commands deaf to Ctrl-C.
env --default-signal=INT "$root/tools/demo" >"$scratch/demo" 2>&1 &
demo=$!
started+=("$demo")
wait_for 20 grep -qs packets/s "$scratch/demo"
wait_for 20 has_namespaces
kill -INT "$demo"
wait "$demo" && status=0 || status=$?
tap_is "Ctrl-C ends it" "$status" 130
tap_is "and it leaves nothing then either" "$(left)" "$before"

tap_done
