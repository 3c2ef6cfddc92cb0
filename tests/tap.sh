# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# TAP for tests written in bash: source it, state points, end with tap_done. A script that dies
# before tap_done has printed no plan, and tests/run counts that as a failure.

tap_points=0
tap_failures=0

tap_ok() {
	tap_points=$((tap_points + 1))
	printf 'ok %d - %s\n' "$tap_points" "$1"
}

# tap_not_ok NAME [LINE...]: a failed point, with what was seen
tap_not_ok() {
	tap_points=$((tap_points + 1))
	tap_failures=$((tap_failures + 1))
	printf 'not ok %d - %s\n' "$tap_points" "$1"
	shift
	(($# == 0)) || printf '%s\n' "$@" | sed 's/^/# /'
}

# tap_is NAME SEEN WANTED
tap_is() {
	if [[ $2 == "$3" ]]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "seen:   $2" "wanted: $3"
	fi
}

# tap_like NAME SEEN REGEX
tap_like() {
	if [[ $2 =~ $3 ]]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "seen:   $2" "wanted: a match of $3"
	fi
}

# tap_run NAME COMMAND...: the command succeeds; its output is shown if it does not
tap_run() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		tap_ok "$name"
	else
		tap_not_ok "$name" "exit status $? of: $*" "$output"
	fi
}

# tap_empty NAME TEXT: a list of faults that should be empty
tap_empty() {
	if [[ -z $2 ]]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$2"
	fi
}

tap_note() {
	printf '%s\n' "$@" | sed 's/^/# /'
}

tap_done() {
	printf '1..%d\n' "$tap_points"
	exit $((tap_failures > 0))
}
