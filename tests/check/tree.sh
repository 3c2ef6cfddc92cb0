#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The top level and the folders below it hold what a newcomer expects, and no more.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
source "$(dirname "$0")/sources.bash"

top=" .ci .clang-format .clang-tidy .editorconfig .git .gitignore LICENSE Makefile README.md bpf build docs include tests tools userspace "
rings=" check fuzz kernels lib mutants net prog unit "

tap_empty "the top level holds only what is known" "$(
	find . -mindepth 1 -maxdepth 1 -printf '%f\n' | while read -r name; do
		[[ $top == *" $name "* ]] || echo "$name"
	done
)"

tap_empty "the top level has all that it should" "$(
	for name in $top; do
		[[ $name == .git || $name == build || -e $name ]] || echo "$name"
	done
)"

tap_empty "each folder of tests/ is a ring, or what rings share" "$(
	find tests -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | while read -r name; do
		[[ $rings == *" $name "* ]] || echo "tests/$name"
	done
)"

# A test under another name would never run.
tap_empty "each test has a name its ring looks for" "$(
	for ring in unit prog; do
		grep -lE '^int main\(' tests/$ring/*.c 2>/dev/null | grep -v '/test_[^/]*$' || :
	done
	find tests/net -maxdepth 1 -name '*.sh' ! -name 'test_*.sh' 2>/dev/null | while read -r file; do
		[[ ! $(head -n 1 "$file") =~ ^#! ]] || echo "$file: runs by itself, so call it test_*.sh"
	done
)"

tap_empty "scripts with a first line may be executed" "$(
	code_files | while IFS= read -r file; do
		[[ ! $(head -n 1 "$file") =~ ^#! || -x $file ]] || echo "$file"
	done
)"

tap_done
