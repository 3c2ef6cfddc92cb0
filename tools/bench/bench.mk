# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The benchmark's programs. build/bench/weir-bench measures, tools/bench/run runs it.
#
# The packet path is measured as it is, with one stage in front that gives each packet a source
# (tools/bench/front.bpf.h). userspace/plane loads it, built once more against this object's skeleton.

bench_bpf     := $(patsubst %.c,build/%.o,$(wildcard tools/bench/*.bpf.c))
bench_sources := $(filter-out %.bpf.c,$(wildcard tools/bench/*.c))
bench_plane   := $(patsubst userspace/plane/%.c,build/bench/plane/%.o,$(wildcard userspace/plane/*.c))
bench_weir    := build/bench/weir-bench

$(foreach object,$(bench_bpf),$(eval $(call skeleton,$(object))))
bench_skeletons := $(patsubst %.bpf.o,build/gen/%.skel.h,$(notdir $(bench_bpf)))

build/bench/weir.bpf.o: bpf/weir.bpf.c tools/bench/front.bpf.h Makefile | build/ready
	@mkdir -p $(@D)
	$(call say,BPF)$(CLANG) $(bpf_flags) -DBENCH_ENTRY -include tools/bench/front.bpf.h \
		-MMD -MP -MT $@ -MF build/bench/weir.bpf.d -c -o $@ $<
	@$(LLVM_STRIP) -g $@

build/bench/gen/weir.skel.h: build/bench/weir.bpf.o
	@mkdir -p $(@D)
	$(call say,GEN)$(BPFTOOL) gen skeleton $< name weir_bpf >$@

build/bench/plane/%.o: userspace/plane/%.c build/bench/gen/weir.skel.h Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -Ibuild/bench/gen -include tools/bench/front.h $(c_flags) $(rel_flags) -c -o $@ $<

$(bench_sources:%.c=build/rel/%.o) $(bench_sources:%.c=build/lint/%.documentation) \
	$(bench_sources:%.c=build/lint/%.tidy): | $(bench_skeletons)

$(bench_weir): $(bench_sources:%.c=build/rel/%.o) $(bench_plane) $(call archives,rel,policy base)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(rel_flags) $(rel_link) -o $@ $(filter %.o,$^) $(link_group) $(pkg_libs) -lm

.PHONY: build-bench
build-bench: $(bench_weir)
