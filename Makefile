# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# weir's build. `make help` lists what it can do. Everything it makes is in build/, nothing else is
# touched. Sources are found by folder: a new file needs no change here.
#
#   build/weir          the program, hardened           build/rel/   its objects (gcc)
#   build/san/weir      the same under sanitizers       build/san/   its objects and the tests (clang)
#   build/weir.bpf.o    the XDP program                 build/gen/   skeletons made from *.bpf.c
#   build/fuzz/         fuzz targets, instrumented      build/lint/  what lint has seen and passed
#
# tests/tests.mk builds and runs the tests, tools/lint.mk checks the sources, tools/bench/bench.mk
# builds the benchmark.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

VERSION    := 0.1.0
PREFIX     ?= /usr
SYSCONFDIR ?= /etc
DESTDIR    ?=
IFACE      ?=
POLICY     ?= tools/weir.yaml
BENCH      ?=
JOBS       ?= $(shell nproc)

CC         := gcc
CLANG      := clang
BPFTOOL    := bpftool
LLVM_STRIP := llvm-strip

# SETUP=no on the command line, or WEIR_SETUP=no in the environment, skips tools/setup.
ifdef SETUP
export WEIR_SETUP := $(SETUP)
endif

## What is to be built

# From the top down: a layer may use those after it. tests/check/layers.sh holds the includes to this.
layers    := cli agent fleet plane store policy base
libraries := libbpf yaml-0.1 libmicrohttpd libevent_core libsystemd
main      := userspace/cli/main.c

layer_sources = $(filter-out $(main),$(wildcard userspace/$(1)/*.c))
present      := $(foreach layer,$(layers),$(if $(call layer_sources,$(layer)),$(layer)))
# $(1) variant, $(2) layers: the archives that hold them
archives      = $(patsubst %,build/$(1)/%.a,$(filter $(2),$(present)))
bpf_sources  := $(wildcard bpf/*.bpf.c)
bpf_objects  := $(bpf_sources:bpf/%.c=build/%.o)
programs     := $(if $(wildcard $(main)),build/weir)

.PHONY: all
all: $(bpf_objects) $(programs) ## build weir and its XDP program (the default)
	@:

## Flags

# Evaluated once, at the first use: help, setup and clean must work where nothing is installed.
once    = $(eval $(1) := $(shell $(2)))$($(1))
pkg_cflags = $(call once,pkg_cflags,pkg-config --cflags $(libraries))
pkg_libs   = $(call once,pkg_libs,pkg-config --libs $(libraries))
multiarch  = $(call once,multiarch,$(CC) -print-multiarch)
# Control-flow protection exists on x86 alone.
cf_flags   = $(call once,cf_flags,$(CC) -fcf-protection -x c -S /dev/null -o /dev/null \
		2>/dev/null && echo -fcf-protection)

warnings := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
cppflags  = -D_GNU_SOURCE= -DWEIR_VERSION='"$(VERSION)"' -Iuserspace -Iinclude -Ibuild/gen $(pkg_cflags)
c_flags   = -std=gnu17 -g $(warnings) $(cppflags) -MMD -MP
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

rel_flags  = -O2 -fPIE -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2 $(cf_flags)
rel_link   = -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed
san_flags  = -O1 $(sanitize)
san_link   = $(sanitize) -Wl,--as-needed
bpf_flags  = -std=gnu17 -O2 -g -target bpf -mcpu=v3 -Wall -Wextra -Werror -Iinclude \
		-idirafter /usr/include/$(multiarch)

## How

# A short line for each step; V=1 shows the commands.
say = $(if $(V),,@printf '  %-4s %s\n' '$(1)' '$@';)
# A make inside a recipe shares the jobs of the one outside, if that has any to share.
parallel = --no-print-directory $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# Says in words what is missing, instead of a compiler that was not found.
build/ready: tools/setup
	@mkdir -p $(@D)
	@tools/setup --build --check
	@touch $@

build/%.bpf.o: bpf/%.bpf.c Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,BPF)$(CLANG) $(bpf_flags) -MMD -MP -MT $@ -MF build/$*.bpf.d -c -o $@ $<
	@$(LLVM_STRIP) -g $@

# BPF programs that only a test or the benchmark loads.
build/%.bpf.o: %.bpf.c Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,BPF)$(CLANG) $(bpf_flags) -MMD -MP -MT $@ -MF build/$*.bpf.d -c -o $@ $<
	@$(LLVM_STRIP) -g $@

# $(1) object: its skeleton, build/gen/NAME.skel.h, with struct NAME_bpf
define skeleton
build/gen/$(basename $(basename $(notdir $(1)))).skel.h: $(1)
	@mkdir -p $$(@D)
	$$(call say,GEN)$(BPFTOOL) gen skeleton $$< name $(basename $(basename $(notdir $(1))))_bpf >$$@
endef
test_bpf  := $(patsubst %.c,build/%.o,$(wildcard tests/*/*.bpf.c))
$(foreach object,$(bpf_objects) $(test_bpf),$(eval $(call skeleton,$(object))))
skeletons := $(patsubst %.bpf.o,build/gen/%.skel.h,$(notdir $(bpf_objects) $(test_bpf)))

build/rel/%.o: %.c Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(c_flags) $(rel_flags) -c -o $@ $<

build/san/%.o: %.c Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,CC)$(CLANG) $(c_flags) $(san_flags) -c -o $@ $<

# $(1) variant, $(2) layer. The folder is a prerequisite so that a removed source is noticed.
define archive
build/$(1)/$(2).a: $(patsubst %.c,build/$(1)/%.o,$(call layer_sources,$(2))) userspace/$(2)
	@rm -f $$@ && ar rcsD $$@ $$(filter %.o,$$^)
endef
$(foreach variant,rel san fuzz,$(foreach layer,$(present),$(eval $(call archive,$(variant),$(layer)))))

# Only these know a skeleton; it has to be there before their first compile.
include_skeletons := $(wildcard userspace/plane/*.c tests/prog/*.c)
$(foreach variant,rel san fuzz,$(include_skeletons:%.c=build/$(variant)/%.o)): | $(skeletons)

link_group = -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

build/weir: build/rel/$(main:.c=.o) $(call archives,rel,$(layers))
	$(call say,LINK)$(CC) $(rel_flags) $(rel_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs)

build/san/weir: build/san/$(main:.c=.o) $(call archives,san,$(layers))
	$(call say,LINK)$(CLANG) $(san_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs)

-include $(shell find build -name '*.d' 2>/dev/null)

## Use

.PHONY: setup run demo bench install clean help
setup: ## install what building, running and testing need (tools/setup; SETUP=no skips it)
	@tools/setup --test

# The route with the lowest metric comes first in ip's list.
default_iface = { ip -4 -o route show default; ip -6 -o route show default; } | \
	sed -n '/ dev /{s/.* dev \([^ ]*\).*/\1/p;q}'

run: ## protect the default route's interface (or IFACE=) with POLICY=tools/weir.yaml, and watch it
	@tools/setup --run
	@$(MAKE) $(parallel) all
	@iface='$(IFACE)'; \
	[[ $$iface ]] || iface=$$($(default_iface)); \
	[[ $$iface ]] || { echo "run: no default route; name an interface: make run IFACE=eth0" >&2; exit 2; }; \
	echo "run: protecting $$iface with $(POLICY)"; \
	exec build/weir run -c '$(POLICY)' --interface "$$iface" --watch

demo: ## one node in namespaces: a polite source, a flood, and what got through
	@tools/setup --test
	@$(MAKE) $(parallel) all build-net
	@exec tools/demo

bench: ## measure weir beside its peers in one run (root; BENCH='--quick --json FILE')
	@tools/setup --test
	@$(MAKE) $(parallel) build-bench
	@exec tools/bench/run $(BENCH)

install: all ## copy the program, its policy and its pages below DESTDIR (PREFIX=/usr)
	install -D -m 755 build/weir '$(DESTDIR)$(PREFIX)/bin/weir'
	install -d -m 755 '$(DESTDIR)$(PREFIX)/share/doc/weir' '$(DESTDIR)$(SYSCONFDIR)/weir'
	install -m 644 $(wildcard README.md LICENSE docs/*) '$(DESTDIR)$(PREFIX)/share/doc/weir'
	@policy='$(DESTDIR)$(SYSCONFDIR)/weir/weir.yaml'; \
	if [[ -e $$policy ]]; then echo "install: kept $$policy, which is there already"; \
	else set -x; install -m 644 tools/weir.yaml "$$policy"; fi

clean: ## remove build/, all there is
	rm -rf build

include tests/tests.mk
include tools/lint.mk
include tools/bench/bench.mk

help: ## this list
	@sed -nE 's/^([a-z][a-z-]*):.*[^#]## (.*)/\1\t\2/p' $(filter-out %.d,$(MAKEFILE_LIST)) | \
		while IFS=$$'\t' read -r target text; do printf '  %-14s %s\n' "$$target" "$$text"; done
