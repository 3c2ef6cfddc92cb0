# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The test rings: each is a folder, each has a target, tests/run runs them all and counts.
#
#   tests/unit/test_*.c    one cmocka program each, on the host, under sanitizers
#   tests/prog/test_*.c    one cmocka program each: the real XDP program under BPF_PROG_RUN (root)
#   tests/net/test_*.sh    scripts that print TAP: namespaces, real packets, the real agent (root)
#   tests/fuzz/fuzz_*.c    libFuzzer targets with tests/fuzz/corpus/NAME
#   tests/check/*.sh       scripts that print TAP: the build, the rules of the sources
#   tests/mutants/run      takes each mechanism out and expects the test that then fails
#   tests/kernels/run      tries build/weir in guests of other kernels, by hand
#   tests/lib/*.c          what several of them share; every test program may use it
#
# Any other .c in unit/, prog/ or fuzz/ is linked into each program of its ring. net/tool/ holds the
# sources of the traffic tools, build/net/send and build/net/count. A unit test named after a layer,
# test_policy_*.c, is linked with that layer and those below it; any other with all of them.

FUZZ_SECONDS ?= 60
ONLY         ?=
KERNELS      ?=
export FUZZ_SECONDS ONLY KERNELS

below_base   := base
below_policy := policy base
below_store  := store policy base
below_plane  := plane policy base
below_fleet  := fleet policy base
# Tests of include/weir: the headers stand alone.
below_packet := base
below_source := base
below_rules  := base
below_bucket := policy base
below_table  := policy base

first_word   = $(firstword $(subst _, ,$(1)))
# $(1) name after test_ or fuzz_, $(2) the layers if it does not begin with the name of one
layers_for   = $(or $(below_$(call first_word,$(1))),$(2))

# $(1) variant, $(2) ring, $(3) prefix: names of the programs, objects common to them
test_programs = $(patsubst %.c,build/$(1)/%,$(wildcard tests/$(2)/$(3)_*.c))
test_common   = $(patsubst %.c,build/$(1)/%.o,\
		$(filter-out tests/$(2)/$(3)_% %.bpf.c,$(wildcard tests/$(2)/*.c)))

unit_tests   := $(call test_programs,san,unit,test)
prog_tests   := $(call test_programs,san,prog,test)
fuzz_tests   := $(call test_programs,fuzz,fuzz,fuzz)
net_mains    := send count
net_tools    := $(if $(wildcard tests/net/tool/*.c),$(net_mains:%=build/net/%))
net_common   := $(patsubst %.c,build/rel/%.o,$(filter-out $(net_mains:%=tests/net/tool/%.c),\
		$(wildcard tests/net/tool/*.c)))
san_weir     := $(if $(programs),build/san/weir)

# $(1) variant: what the tests share
define test_lib
build/$(1)/tests/lib.a: $(patsubst %.c,build/$(1)/%.o,$(wildcard tests/lib/*.c)) $(wildcard tests/lib)
	@rm -f $$@ && ar rcsD $$@ $$(filter %.o,$$^)
endef
$(foreach variant,rel san fuzz,$(eval $(call test_lib,$(variant))))
$(unit_tests) $(prog_tests): build/san/tests/lib.a
$(fuzz_tests): build/fuzz/tests/lib.a
$(net_tools): build/rel/tests/lib.a

build/san/tests/%.o build/rel/tests/%.o build/fuzz/tests/%.o: cppflags += -Itests -Wno-unused-parameter

.SECONDEXPANSION:

$(unit_tests): build/san/tests/unit/test_%: build/san/tests/unit/test_%.o $(call test_common,san,unit,test) \
		$$(call archives,san,$$(call layers_for,$$*,$(layers)))
	$(call say,LINK)$(CLANG) $(san_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs) -lcmocka

$(prog_tests): build/san/tests/prog/test_%: build/san/tests/prog/test_%.o $(call test_common,san,prog,test) \
		$(call archives,san,plane policy base)
	$(call say,LINK)$(CLANG) $(san_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs) -lcmocka -lpthread

# The sources under test are instrumented too, or the fuzzer would be blind.
build/fuzz/%.o: %.c Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,CC)$(CLANG) $(c_flags) -O1 $(sanitize) -fsanitize=fuzzer-no-link -c -o $@ $<

$(fuzz_tests): build/fuzz/tests/fuzz/fuzz_%: build/fuzz/tests/fuzz/fuzz_%.o $(call test_common,fuzz,fuzz,fuzz) \
		$$(call archives,fuzz,$$(call layers_for,$$*,policy base))
	$(call say,LINK)$(CLANG) $(san_link) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs)

$(net_tools): build/net/%: build/rel/tests/net/tool/%.o $(net_common) $(call archives,rel,base)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(rel_flags) $(rel_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs)

# The programs of each ring; `make test` builds them all and counts what does not build as failed.
.PHONY: build-tests build-unit build-prog build-net build-fuzz build-check build-mutants build-kernels
build-tests: build-unit build-prog build-net build-fuzz build-check
build-unit: $(unit_tests)
build-prog: $(prog_tests)
build-net: all $(net_tools) $(san_weir) $(test_bpf)
build-fuzz: $(fuzz_tests)
build-check: all
build-mutants: all
build-kernels: all

.PHONY: test test-unit test-prog test-net test-fuzz test-check test-mutants test-kernels
test: ## set up, build, and run every ring of tests; the last line counts them (root)
	@tools/setup --test
	@tests/run build check unit prog net fuzz mutants

# $(1) ring, $(2) what tools/setup is to provide. ONLY=PATTERN picks tests by name.
ring = +@tools/setup --$(2) && $(MAKE) $(parallel) build-$(1) && tests/run $(1)

test-unit: ## pieces on the host, under sanitizers (ONLY=PATTERN picks, here and below)
	$(call ring,unit,dev)
test-prog: ## the real XDP program under BPF_PROG_RUN (root)
	$(call ring,prog,test)
test-net: ## the real program and agent between network namespaces (root)
	$(call ring,net,test)
test-fuzz: ## fuzz parsers for FUZZ_SECONDS=60 in all, on top of the corpus
	$(call ring,fuzz,dev)
test-check: ## the build itself and the rules of the sources
	$(call ring,check,dev)
test-mutants: ## take each mechanism out and see the right test fail (root)
	$(call ring,mutants,test)
# Not a part of `make test`: it is slow and needs the network once.
test-kernels: ## by hand: weir in guests of other kernels; gets 3 of Debian's by apt, 120 MB (KERNELS=)
	$(call ring,kernels,kernels)
