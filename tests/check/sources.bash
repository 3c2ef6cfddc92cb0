# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# For the rules of this folder: what counts as a source. Works from the folder alone, so that it is the
# same in a checkout, in an unpacked archive and in a copy.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# Every file that belongs to the project, without ./ in front.
all_files() {
	find . \( -path ./.git -o -path ./build \) -prune -o -type f -printf '%P\n' | sort
}

# Those a person writes code in: C, scripts, make files, settings.
code_files() {
	local file
	all_files | while IFS= read -r file; do
		case $file in
		tests/fuzz/corpus/*) ;;
		*.c | *.h | *.sh | *.bash | *.py | *.mk | *.yaml | Makefile | .clang-*) echo "$file" ;;
		*) [[ $(head -c 2 "$file" | tr -d '\0') != '#!' ]] || echo "$file" ;;
		esac
	done
}

# c_files FOLDER...: C sources and headers below the folders
c_files() {
	find "$@" \( -name '*.c' -o -name '*.h' \) -type f 2>/dev/null | sort
}
