#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Names say what a thing is; nothing names the machine it was written on.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
source "$(dirname "$0")/sources.bash"

mapfile -t files < <(code_files)
mapfile -t c < <(c_files userspace include bpf tests tools)
mapfile -t everything < <(all_files | grep -v '^tests/fuzz/corpus/')

# Words that fit everything and so say nothing, as a part of a name.
empty_words='managers?|handlers?|helpers?|utils?|utility|utilities|data|info'

# "FILE:LINE NAME" for each function, struct, union, enum and enumerator that we define ourselves.
defined_names() {
	awk '
		/^(static |inline |extern |const |__always_inline |unsigned |struct |enum |void |int |bool |char |__?u?int|u?int|__[us]|size_t|ssize_t)[^=;]*\(/ {
			name = $0
			sub(/\(.*/, "", name)
			sub(/.*[ *]/, "", name)
			print FILENAME ":" FNR, name
		}
		/^[ \t]*(struct|union|enum) [A-Za-z_0-9]+ \{/ { print FILENAME ":" FNR, $2 }
		/^#define [A-Za-z_]/ { name = $2; sub(/\(.*/, "", name); print FILENAME ":" FNR, name }
	' "$@"
}

tap_empty "no name has an empty word in it" "$(
	{
		((${#c[@]} == 0)) || defined_names "${c[@]}"
		printf '%s\n' "${everything[@]}" | awk '{ n = split($0, part, "/"); print $0, part[n] }'
	} | grep -iE " ([^ ]*[_.-])?($empty_words)([_.-][^ ]*)?\$"
)"

# Written so that this file does not hold what it looks for.
tap_empty "no path of one machine" "$(
	grep -nE '(^|[^a-z0-9_.}])/(wor[k]/|hom[e]/[a-z]|roo[t]/|tmp/wei[r](/|[^a-z_.-]))' "${everything[@]}"
)"

tap_empty "no host of a package registry" "$(
	grep -niE '(deb|security|ftp|snapshot|packages)[.]debian[.]org|(pypi|npmjs|crates|ghcr|docker|quay|rubygems)[.](org|com|io)|(proxy|sum)[.]golang[.]org|pythonhosted[.]org' \
		"${everything[@]}"
)"

tap_empty "code is ASCII outside of comments and texts" "$(
	LC_ALL=C grep -nP '[^\x00-\x7f]' "${files[@]}" | LC_ALL=C grep -avP '("[^"]*[^\x00-\x7f]|//|/\*|^[^:]*:[0-9]+:[ \t]*(\*|#))'
)"

tap_empty "each source says its licence in its first lines" "$(
	for file in "${files[@]}"; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only' ||
			echo "$file"
	done
)"

tap_empty "no blanks at the end of a line, and a newline at the end of the file" "$(
	grep -nE '[ 	]+$' "${files[@]}" | cut -c 1-100
	for file in "${files[@]}"; do
		[[ ! -s $file || -z $(tail -c 1 "$file") ]] || echo "$file: no newline at its end"
	done
)"

tap_done
