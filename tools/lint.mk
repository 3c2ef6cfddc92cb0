# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Lint. `make lint` runs the steps below and the rules in tests/check through tests/run, and counts
# them like tests. What passed is stamped in build/lint/, so a second run looks at changes alone.

lint_c       := $(shell find userspace bpf tests include tools -name '*.c' 2>/dev/null | sort)
lint_headers := $(shell find userspace bpf tests include tools -name '*.h' 2>/dev/null | sort)
lint_scripts := $(shell grep -rlE --exclude-dir=build --exclude-dir=.git -m1 '^\#!/bin/(ba)?sh' . | sort)
lint_host    := $(filter-out %.bpf.c,$(lint_c))
lint_bpf     := $(filter %.bpf.c,$(lint_c))

.PHONY: lint format
lint: ## format, both compilers, documentation, clang-tidy, shellcheck and the rules of the sources
	@tools/setup --dev
	@tests/run lint

format: ## let clang-format settle the layout of all C sources
	@clang-format -i $(lint_c) $(lint_headers)

.PHONY: lint-format lint-gcc lint-clang lint-documentation lint-tidy lint-shell
lint-format: build/lint/format
lint-gcc: $(patsubst %.c,build/rel/%.o,$(filter userspace/%,$(lint_host)))
lint-clang: $(patsubst %.c,build/san/%.o,$(filter userspace/% tests/unit/% tests/prog/%,$(lint_host))) \
	$(patsubst %.c,build/fuzz/%.o,$(filter tests/fuzz/%,$(lint_host))) $(bpf_objects) $(test_bpf)
lint-documentation: $(patsubst %.c,build/lint/%.documentation,$(lint_c))
lint-tidy: $(patsubst %.c,build/lint/%.tidy,$(lint_c))
lint-shell: build/lint/shell

build/lint/format: $(lint_c) $(lint_headers) .clang-format
	@mkdir -p $(@D)
	@printf '%s\0' $(filter %.c %.h,$^) | xargs -0r clang-format --dry-run -Werror
	@touch $@

# SC2119, SC2120: a function whose arguments may be left out is called as it is meant to be.
# SC2317: what a trap calls looks unreachable to it.
build/lint/shell: $(lint_scripts)
	@mkdir -p $(@D)
	@printf '%s\0' $(lint_scripts) | xargs -0r -n 4 -P $(JOBS) \
		shellcheck -S info -x -P SCRIPTDIR -e SC2119,SC2120,SC2317
	@touch $@

# Test and benchmark programs see more folders than the product does.
$(foreach step,documentation tidy,$(include_skeletons:%.c=build/lint/%.$(step))): | $(skeletons)
lint_flags = -std=gnu17 $(warnings) $(cppflags) -Itests -Wno-unused-parameter

build/lint/%.bpf.documentation: %.bpf.c $(lint_headers)
	@mkdir -p $(@D)
	@$(CLANG) $(bpf_flags) -Wdocumentation -fsyntax-only $<
	@touch $@

build/lint/%.documentation: %.c $(lint_headers)
	@mkdir -p $(@D)
	@$(CLANG) $(lint_flags) -Wdocumentation -fsyntax-only $<
	@touch $@

# The analyzer walks paths for seconds a file; the tests run under sanitizers instead.
tidy        = clang-tidy --quiet $(if $(filter tests/%,$<),--checks=-clang-analyzer-*)
# It counts what it found in system headers and did not show.
tidy_noise := grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? (generated|treated as errors)\.$$' || :

build/lint/%.bpf.tidy: %.bpf.c $(lint_headers) .clang-tidy
	@mkdir -p $(@D)
	@$(tidy) $< -- $(bpf_flags) 2> >($(tidy_noise) >&2)
	@touch $@

build/lint/%.tidy: %.c $(lint_headers) .clang-tidy
	@mkdir -p $(@D)
	@$(tidy) $< -- $(lint_flags) 2> >($(tidy_noise) >&2)
	@touch $@
