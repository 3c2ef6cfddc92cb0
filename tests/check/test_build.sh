#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# timeout: 300
#
# The Makefile keeps what it says: help, install, clean, and a build that sees every change.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

public="all run test test-unit test-prog test-net test-fuzz test-check test-mutants test-kernels lint bench demo install clean help setup"
help=$(make -s help)
for target in $public; do
	grep -qE "^  $target  +[^ ]" <<<"$help" || missing+="$target "
done
tap_empty "help_has_a_line_for_each_public_target" "${missing:-}"

# What make knows as a target to call by name, but for the parts of test and lint.
called=$({ LC_ALL=C make -s -pn help 2>/dev/null || :; } | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | sort -u |
	grep -vE '^(build|lint)-')
tap_is "help_lists_every_target_and_no_other" "$(awk '{ print $1 }' <<<"$help" | sort -u)" "$called"

## install

files_in() {
	(cd "$1" && find . -type f -printf '%P\n' | sort)
}

tap_run "install_works_into_a_folder" make -s install DESTDIR="$scratch/root"
wanted=$({
	printf '%s\n' usr/bin/weir etc/weir/weir.yaml
	for page in README.md LICENSE docs/*; do
		[[ ! -f $page ]] || printf 'usr/share/doc/weir/%s\n' "${page##*/}"
	done
} | sort)
mkdir -p "$scratch/root"
tap_is "install_puts_program_policy_and_pages_and_nothing_else" "$(files_in "$scratch/root")" "$wanted"
tap_like "the_installed_program_runs" \
	"$("$scratch/root/usr/bin/weir" version 2>&1 || :)" "$(sed -n 's/^VERSION *:= *//p' Makefile)"
tap_run "the_installed_policy_is_valid" \
	"$scratch/root/usr/bin/weir" check "$scratch/root/etc/weir/weir.yaml"

echo "# changed here" >>"$scratch/root/etc/weir/weir.yaml" || :
make -s install DESTDIR="$scratch/root" >/dev/null 2>&1 || :
tap_is "a_second_install_keeps_the_policy_that_is_there" \
	"$(tail -n 1 "$scratch/root/etc/weir/weir.yaml" 2>&1)" "# changed here"

make -s install DESTDIR="$scratch/local" PREFIX=/usr/local >/dev/null 2>&1 || :
tap_run "install_obeys_prefix" test -x "$scratch/local/usr/local/bin/weir"

## hardening

elf=$(readelf -hldW build/weir 2>&1 || :)
symbols=$(readelf -sW build/weir 2>&1 || :)
tap_like "the_program_loads_anywhere" "$elf" 'Type: +DYN'
tap_like "its_relocations_are_read_only" "$elf" 'GNU_RELRO'
tap_like "its_symbols_are_bound_at_start" "$elf" 'BIND_NOW|Flags: .*NOW'
tap_like "its_stack_is_not_executable" "$elf" 'GNU_STACK +([^ ]+ +){5}RW '
tap_like "its_stack_is_guarded" "$symbols" '__stack_chk_fail'
tap_like "its_copies_are_checked" "$symbols" '_chk@'

## a copy of the tree, to build and change in

mkdir "$scratch/copy"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$scratch/copy"
cd "$scratch/copy"
before=$(find . | sort)

tap_run "a_layer_builds_by_itself" make -s build/rel/base.a
tap_is "everything_made_is_in_build" "$(find . -path ./build -prune -o -print | sort)" "$before"

tap_run "what_is_built_is_not_built_again" make -q build/rel/base.a
touch userspace/base/error.h
tap_like "a_changed_header_is_noticed" "$(make -n build/rel/base.a)" '-o build/rel/userspace/base/error\.o'
make -s build/rel/base.a >/dev/null
echo 'int weir_added(void);' >userspace/base/added.c
make -s build/rel/base.a >/dev/null
tap_like "an_added_source_is_built" "$(ar t build/rel/base.a)" '(^|[[:space:]])added\.o'
rm userspace/base/added.c
make -s build/rel/base.a >/dev/null
tap_is "a_removed_source_is_forgotten" "$(ar t build/rel/base.a | grep -c '^added' || :)" 0

make -s clean
tap_is "clean_leaves_the_tree_as_it_was" "$(find . | sort)" "$before"

tap_done
