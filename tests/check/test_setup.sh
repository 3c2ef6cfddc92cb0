#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# tools/setup on a machine that is ready, and what it says where it cannot do its work.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.."
unset WEIR_SETUP

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run_setup() {
	output=$("$@" 2>&1) && status=0 || status=$?
}

run_setup tools/setup --dev
tap_is "a_ready_machine_is_left_as_it_is" "$status $output" "0 setup: ready (--dev)"

run_setup env WEIR_SETUP=no PATH=/nowhere /bin/bash tools/setup --test
tap_is "it_can_be_skipped" "$status $output" "0 setup: skipped, as WEIR_SETUP=no asks"

run_setup tools/setup --everything
tap_is "an_unknown_option_is_refused_with_the_usage" "$status ${output%%$'\n'*}" \
	"2 usage: tools/setup [--build|--run|--dev|--test|--kernels] [--check]"

mkdir "$scratch/bin"
ln -s /usr/bin/env /usr/bin/stat "$scratch/bin"
run_setup env PATH="$scratch/bin" /bin/bash tools/setup --build
tap_is "another_system_is_told_what_to_do" "$status $output" "1 setup: this is no Debian system (no dpkg-query)
setup: install what tools/setup lists with your own package tool, then set WEIR_SETUP=no"

# The same script with one package more, which no system has.
sed 's/^build_packages=($/&\n\tweir-no-such-package/' tools/setup >"$scratch/setup"
chmod 755 "$scratch" "$scratch/setup"
run_setup "$scratch/setup" --build --check
tap_is "a_missing_package_is_named_and_not_installed_by_check" "$status $output" \
	"1 setup: missing packages: weir-no-such-package
setup: install them with: sudo tools/setup --build"

run_setup setpriv --reuid=65534 --clear-groups "$scratch/setup" --build
tap_is "only_root_installs" "$status $output" "1 setup: missing packages: weir-no-such-package
setup: only root can install them: run this again with sudo,
setup: or install them yourself and set WEIR_SETUP=no"

# Its own mounts, so that the machine's stay as they are.
run_setup tests/sandbox "$scratch/left" bash -c '
	umount /sys/fs/bpf
	tools/setup --run && tools/setup --run && stat -f -c %T /sys/fs/bpf'
tap_is "the_bpf_file_system_is_mounted_once" "$status $output" \
	"0 setup: mounting the BPF file system on /sys/fs/bpf
setup: ready (--run)
setup: ready (--run)
bpf_fs"

tap_done
