#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Files of at most 400 lines, functions of at most 60. What is over 40 is listed, and is no failure.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
source "$(dirname "$0")/sources.bash"

file_lines=400
function_lines=60
noted_lines=40

# "LINES FILE:LINE NAME" for each function. clang-format puts the braces of functions, and only
# theirs, alone in the first column; in scripts the name stands on the line of the brace.
functions() {
	awk '
		FNR == 1 { inside = 0; head = "" }
		!inside && FILENAME !~ /\.[ch]$/ && /^[a-z_]+\(\) [{(]$/ {
			inside = 1; start = FNR; name = $1; closing = ($2 == "{") ? "}" : ")"
			next
		}
		!inside && FILENAME ~ /\.[ch]$/ && /^[A-Za-z_].*\(/ { head = $0; head_line = FNR }
		!inside && FILENAME ~ /\.[ch]$/ && /^\{$/ && head {
			inside = 1; start = head_line; closing = "}"
			name = head
			sub(/\(.*/, "()", name)
			sub(/.*[ *]/, "", name)
			next
		}
		inside && $0 == closing {
			print FNR - start + 1, FILENAME ":" start, name
			inside = 0; head = ""
		}' "$@"
}

mapfile -t files < <(code_files)
tap_empty "no file is longer than $file_lines lines" "$(
	wc -l "${files[@]}" | awk -v most="$file_lines" '$2 != "total" && $1 > most' | sort -rn
)"

long=$(functions "${files[@]}" | awk -v most="$noted_lines" '$1 > most' | sort -rn)
tap_empty "no function is longer than $function_lines lines" "$(
	awk -v most="$function_lines" '$1 > most' <<<"$long"
)"
tap_note "functions: $(functions "${files[@]}" | wc -l), over $noted_lines lines: $(grep -c . <<<"$long" || :)"
[[ -z $long ]] || tap_note "$long"

tap_done
