#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A layout that the kernel's side and ours share is spelled once, in include/weir.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
source "$(dirname "$0")/sources.bash"

mapfile -t contracts < <(c_files include)
mapfile -t others < <(c_files userspace bpf tests tools)

# "NAME FILE:LINE" for each struct, union and enum that is defined, not merely named.
definitions() {
	awk 'match($0, /^[ \t]*(typedef )?(struct|union|enum) [A-Za-z_0-9]+[^;(=]*\{/) {
		match($0, /(struct|union|enum) [A-Za-z_0-9]+/)
		print substr($0, RSTART, RLENGTH), FILENAME ":" FNR
	}' "$@"
}

# "STRUCT: FIELDS" for each struct, to see one that was copied under another name.
fields() {
	awk '
		/^struct [A-Za-z_0-9]+ \{$/ { name = $2; list = ""; n = 0; next }
		name && /^\}/ { if (n > 2) print list, FILENAME ":" name; name = ""; next }
		name && /;/ {
			field = $0
			sub(/[ \t]*(\/\*.*)?$/, "", field)
			sub(/[ \t]*(:[^;]*)?;.*/, "", field)
			sub(/\[.*/, "", field)
			sub(/.*[ \t*]/, "", field)
			list = list field ","
			n++
		}' "$@"
}

# Two .c files may each have a struct of one name for themselves; what a header offers is the only one.
tap_empty "no struct or enum is defined twice" "$(
	definitions "${contracts[@]}" "${others[@]}" |
		awk '{ key = $1 " " $2; at[key] = at[key] " " $3; n[key]++ }
			END { for (key in n) if (n[key] > 1 && at[key] ~ / (include|bpf|userspace)\/[^ ]*\.h:/) print key ":" at[key] }'
)"

tap_empty "no struct repeats the fields of one in include/weir" "$(
	awk 'NR == FNR { contract[$1] = $2; next } $1 in contract { print $2, "is", contract[$1] }' \
		<(fields "${contracts[@]}") <(fields "${others[@]}")
)"

tap_empty "no constant of include/weir is defined again" "$(
	awk '/^#define [A-Z_0-9]+[ \t]/ { print $2, FILENAME ":" FNR }' \
		"${contracts[@]}" "${others[@]}" |
		awk '{ split($2, place, ":") }
			file[$1] != place[1] { file[$1] = place[1]; at[$1] = at[$1] " " $2; n[$1]++ }
			END { for (key in n) if (n[key] > 1 && at[key] ~ / include\//) print key ":" at[key] }'
)"

# Scripts ask the program (JSON, weir key) or bpftool (BTF), they do not take bytes apart.
tap_empty "no script takes a map's bytes apart" "$(
	code_files | grep -vE '\.[ch]$|^tests/check/' | xargs -r grep -nE 'unpack_from|struct\.unpack|\b(xxd|hexdump) ' || :
)"

tap_done
