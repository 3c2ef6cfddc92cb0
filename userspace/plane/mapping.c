// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Maps as memory: what packets read and the agent writes without a system call. */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "plane/internal.h"

static size_t page_up(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void *map_memory(int fd, size_t value_bytes, size_t count)
{
	size_t bytes = page_up((value_bytes + 7) / 8 * 8 * count);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void unmap_memory(void *memory, size_t value_bytes, size_t count)
{
	if (memory)
		munmap(memory, page_up((value_bytes + 7) / 8 * 8 * count));
}

int mapping_open(struct weir_plane *plane, struct weir_error *error)
{
	const int *fd = plane->map_fd;

	plane->ctl = map_memory(fd[MAP_CTL], sizeof(*plane->ctl), 1);
	plane->rules = map_memory(fd[MAP_RULES], sizeof(*plane->rules), 2);
	plane->ports = map_memory(fd[MAP_PORTS], sizeof(*plane->ports), 2);
	plane->chunks = map_memory(fd[MAP_CHUNKS], sizeof(*plane->chunks), WEIR_CHUNKS_MAX);
	plane->names = map_memory(fd[MAP_NAMES], sizeof(*plane->names), WEIR_SLOTS);
	if (!plane->ctl || !plane->rules || !plane->ports || !plane->chunks || !plane->names)
		return weir_error_set(error, -errno, "%s: the maps cannot be mapped: %s",
				      plane->pins_dir, strerror(errno));
	return 0;
}

void mapping_close(struct weir_plane *plane)
{
	unmap_memory(plane->ctl, sizeof(*plane->ctl), 1);
	unmap_memory(plane->rules, sizeof(*plane->rules), 2);
	unmap_memory(plane->ports, sizeof(*plane->ports), 2);
	unmap_memory(plane->chunks, sizeof(*plane->chunks), WEIR_CHUNKS_MAX);
	unmap_memory(plane->names, sizeof(*plane->names), WEIR_SLOTS);
	for (uint32_t slot = 0; slot < WEIR_SLOTS; slot++)
		mapping_forget_table(plane, slot);
}

/** Maps one chunk of a table at its place in the reserved range. */
static int map_chunk(const struct weir_plane *plane, uint32_t chunk, void *at, size_t bytes)
{
	void *memory;
	int fd;

	if (chunk >= WEIR_CHUNKS_MAX)
		return -ENOENT;
	fd = bpf_map_get_fd_by_id(plane->chunks[chunk].map_id);
	if (fd < 0)
		return -errno;
	memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
	return memory == MAP_FAILED ? -errno : 0;
}

const struct table_view *mapping_table(struct weir_plane *plane, const struct weir_rule *rule)
{
	const size_t chunk_bytes = WEIR_CHUNK_LINES * sizeof(struct weir_line);
	struct table_view *view = &plane->tables[rule->slot % WEIR_SLOTS];
	uint32_t chunks = table_chunks(rule), id;
	char *range;

	if (rule->chunk >= WEIR_CHUNKS_MAX)
		return NULL;
	id = plane->chunks[rule->chunk].map_id;
	if (view->lines && view->map_id == id)
		return view;
	mapping_forget_table(plane, rule->slot % WEIR_SLOTS);
	range = mmap(NULL, chunks * chunk_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (range == MAP_FAILED)
		return NULL;
	for (uint32_t i = 0; i < chunks; i++) {
		if (map_chunk(plane, rule->chunk + i, range + i * chunk_bytes, chunk_bytes)) {
			munmap(range, chunks * chunk_bytes);
			return NULL;
		}
	}
	view->lines = (struct weir_line *)(void *)range;
	view->count = 1u << rule->hash.line_bits;
	view->map_id = id;
	return view;
}

void mapping_forget_table(struct weir_plane *plane, uint32_t slot)
{
	struct table_view *view = &plane->tables[slot];
	uint32_t lines = (view->count + WEIR_CHUNK_LINES - 1) / WEIR_CHUNK_LINES * WEIR_CHUNK_LINES;

	unmap_memory(view->lines, sizeof(struct weir_line), lines);
	memset(view, 0, sizeof(*view));
}

uint64_t plane_monotonic_ns(const struct weir_plane *plane)
{
	return plane->injected_clock ? plane->ctl->injected_ns : weir_clock_monotonic_ns();
}

uint64_t plane_now_ns(const struct weir_plane *plane, const struct weir_rule *rule)
{
	if (plane->injected_clock || !(rule->flags & WEIR_RULE_COARSE))
		return plane_monotonic_ns(plane);
	return weir_clock_monotonic_ns() - plane->ctl->coarse_behind_ns;
}

int plane_grace(void)
{
	/* An RCU grace period: XDP programs run inside one read-side section each. */
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ? -errno : 0;
}
