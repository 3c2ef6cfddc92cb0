#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Includes point down only, and each library has one user.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
source "$(dirname "$0")/sources.bash"

# For each layer, the layers whose headers it may include.
declare -A sees=(
	[base]="base"
	[policy]="policy base"
	[store]="store policy base"
	[plane]="plane policy base"
	[fleet]="fleet policy base"
	[agent]="agent fleet store plane policy base"
	[cli]="cli agent fleet store plane policy base"
)
# For each library, how its headers begin and the layers that may use it.
declare -A users=(
	['bpf/']="plane"
	['linux/bpf.h']="plane"
	['hiredis']="store"
	['sqlite3']="store"
	['yaml.h']="policy"
	['event2/']="agent"
	['microhttpd']="agent"
	['systemd/']="agent"
)
# The lease engine is a pure state machine: of the system it sees types and arithmetic, no more.
pure="assert.h|errno.h|limits.h|stdbool.h|stddef.h|stdint.h|inttypes.h|string.h|stdlib.h|linux/types.h"

# includes FILE...: "FILE:LINE NAME" for each #include
includes() {
	(($# == 0)) || awk 'match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*/) {
		name = substr($0, RSTART, RLENGTH)
		sub(/.*[<"]/, "", name)
		print FILENAME ":" FNR, name
	}' "$@"
}

# among WORD WORDS
among() {
	[[ " $2 " == *" $1 "* ]]
}

# wrong_in_layer LAYER: includes that a layer may not have, with the reason
wrong_in_layer() {
	local layer=$1 files where name library
	mapfile -t files < <(c_files "userspace/$layer")
	includes "${files[@]}" | while read -r where name; do
		if [[ ${name%%/*} != "$name" && -n ${sees[${name%%/*}]:-} ]]; then
			among "${name%%/*}" "${sees[$layer]}" || echo "$where $name: not below $layer"
			continue
		fi
		if [[ $name == *.skel.h ]]; then
			[[ $layer == plane ]] || echo "$where $name: only plane knows the skeleton"
			continue
		fi
		if [[ $layer == fleet && $name != weir/* && ! $name =~ ^($pure)$ ]]; then
			echo "$where $name: fleet does no I/O and reads no clock"
		fi
		if [[ -e userspace/$layer/$name ]]; then
			echo "$where $name: write it as \"$layer/$name\""
		fi
		for library in "${!users[@]}"; do
			[[ $name != "$library"* ]] || among "$layer" "${users[$library]}" ||
				echo "$where $name: only for ${users[$library]}"
		done
	done
}

for layer in base policy store plane fleet agent cli; do
	tap_empty "userspace/$layer includes only what is below it" "$(wrong_in_layer "$layer")"
done

tap_empty "every folder of userspace/ is a layer" "$(
	find userspace -mindepth 1 -maxdepth 1 -printf '%f\n' | while read -r name; do
		[[ -n ${sees[$name]:-} ]] || echo "userspace/$name"
	done
)"

mapfile -t contracts < <(c_files include)
tap_empty "include/weir stands on the kernel's headers alone" "$(
	includes "${contracts[@]}" | grep -vE ' (weir/[a-z_]+\.h|linux/.*|asm/.*|std(bool|def|int)\.h|netinet/in\.h)$'
)"

mapfile -t kernel < <(c_files bpf)
tap_empty "bpf/ sees include/weir, the kernel's headers and libbpf's" "$(
	includes "${kernel[@]}" | while read -r where name; do
		[[ $name =~ ^(weir/|linux/|asm/|bpf/bpf_[a-z_]+\.h$|std(bool|def)\.h$) || -e bpf/$name ]] ||
			echo "$where $name"
	done
)"

tap_empty "nothing includes a .c file or goes up with .." "$(
	mapfile -t all < <(c_files userspace include bpf tests tools)
	includes "${all[@]}" | grep -E ' .*(\.c$|\.\./)'
)"

tap_done
