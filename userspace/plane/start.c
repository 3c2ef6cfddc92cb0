// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Opening what is pinned, and starting as the agent: lock, take over, load. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "plane/internal.h"
#include "weir.skel.h"

/* What libbpf complained of: its functions return a number only. */
static char complaint[512];

/** The verifier's verdict: the last line of its log before the line of statistics. */
static void remember_verdict(const char *log)
{
	const char *end = strstr(log, "\nprocessed "), *start;

	if (!end)
		return;
	for (start = end; start > log && start[-1] != '\n'; start--)
		;
	snprintf(complaint, sizeof(complaint), "%.*s", (int)(end - start), start);
}

static int remember_complaint(enum libbpf_print_level level, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;

	if (level != LIBBPF_WARN || vasprintf(&text, format, args) < 0)
		return 0;
	if (strstr(text, "BEGIN PROG LOAD LOG"))
		remember_verdict(text);
	else if (!complaint[0])
		snprintf(complaint, sizeof(complaint), "%.*s", (int)strcspn(text, "\n"), text);
	return 0;
}

static struct weir_plane *plane_new(const char *pins_dir)
{
	struct weir_plane *plane = calloc(1, sizeof(*plane));

	if (!plane)
		return NULL;
	plane->lock_fd = -1;
	for (int i = 0; i < MAP_COUNT; i++)
		plane->map_fd[i] = -1;
	plane->n_cpus = libbpf_num_possible_cpus();
	plane->tick_ns = weir_clock_coarse_tick_ns();
	plane->pins_dir = strdup(pins_dir);
	if (!plane->pins_dir || plane->n_cpus <= 0) {
		weir_plane_close(plane);
		return NULL;
	}
	return plane;
}

void weir_plane_close(struct weir_plane *plane)
{
	if (!plane)
		return;
	mapping_close(plane);
	for (int i = 0; i < MAP_COUNT; i++) {
		if (plane->map_fd[i] >= 0)
			close(plane->map_fd[i]);
	}
	if (plane->skeleton)
		weir_bpf__destroy(plane->skeleton);
	if (plane->lock_fd >= 0)
		close(plane->lock_fd);
	free(plane->pins_dir);
	free(plane);
}

static int other_version(const char *dir, struct weir_error *error)
{
	return weir_error_set(
		error, -EPROTO,
		"%s: what is pinned there is of another version of weir, or not whole; "
		"start this version's agent to take it over",
		dir);
}

int weir_plane_open(const char *pins_dir, struct weir_error *error, struct weir_plane **ret_plane)
{
	int err = pins_check(pins_dir, false, error);
	struct weir_plane *plane;

	if (err)
		return err;
	plane = plane_new(pins_dir);
	if (!plane)
		return weir_error_set(error, -ENOMEM, "out of memory");
	err = pins_open_maps(pins_dir, plane->map_fd);
	if (err == -ENOENT)
		weir_error_set(error, err, "%s: nothing is pinned there: no agent has run",
			       pins_dir);
	else if (err == -EPROTO)
		other_version(pins_dir, error);
	else if (err)
		weir_error_set(error, err, "%s: %s", pins_dir, strerror(-err));
	else
		err = mapping_open(plane, error);
	if (!err && plane->ctl->abi != WEIR_ABI)
		err = other_version(pins_dir, error);
	if (err) {
		weir_plane_close(plane);
		return err;
	}
	plane->pinned = true;
	*ret_plane = plane;
	return 0;
}

static struct bpf_map *object_map(struct weir_plane *plane, enum map_id id)
{
	return bpf_object__find_map_by_name(plane->skeleton->obj, map_name(id));
}

/** The maps of the object as it would be loaded, and the pinned ones: are they of one shape? */
static bool same_shape(const struct bpf_map *map, int fd)
{
	struct bpf_map_info about = {};
	uint32_t size = sizeof(about);

	return !bpf_obj_get_info_by_fd(fd, &about, &size) && about.type == bpf_map__type(map) &&
	       about.key_size == bpf_map__key_size(map) &&
	       about.value_size == bpf_map__value_size(map) &&
	       about.max_entries == bpf_map__max_entries(map) &&
	       about.map_flags == bpf_map__map_flags(map);
}

static bool same_abi(int ctl_fd)
{
	struct weir_ctl ctl;
	uint32_t zero = 0;

	return !bpf_map_lookup_elem(ctl_fd, &zero, &ctl) && ctl.abi == WEIR_ABI;
}

/** Lets the object use the pinned maps if all of them fit. @return what was found */
static enum weir_takeover take_over(struct weir_plane *plane)
{
	int fds[MAP_COUNT], err = pins_open_maps(plane->pins_dir, fds);
	bool fits;

	if (err)
		return err == -ENOENT ? WEIR_TAKEOVER_NONE : WEIR_TAKEOVER_REPLACED;
	fits = same_shape(object_map(plane, MAP_CTL), fds[MAP_CTL]) && same_abi(fds[MAP_CTL]);
	for (int i = 0; fits && i < MAP_COUNT; i++)
		fits = same_shape(object_map(plane, i), fds[i]);
	for (int i = 0; fits && i < MAP_COUNT; i++)
		fits = !bpf_map__reuse_fd(object_map(plane, i), fds[i]);
	for (int i = 0; i < MAP_COUNT; i++)
		close(fds[i]);
	plane->pinned = fits;
	return fits ? WEIR_TAKEOVER_KEPT : WEIR_TAKEOVER_REPLACED;
}

/**
 * Frames of several buffers came with Linux 5.18; before that the flag is refused. The section
 * "xdp.frags" would set it at every load, whatever was asked for here.
 */
static void settle_frags(struct weir_bpf *skeleton)
{
	const struct weir_feature *feature = weir_plane_features();

	while (feature->name && strcmp(feature->name, "multi-buffer"))
		feature++;
	if (feature->found)
		bpf_program__set_flags(skeleton->progs.weir,
				       bpf_program__flags(skeleton->progs.weir) |
					       BPF_F_XDP_HAS_FRAGS);
}

static int open_object(struct weir_plane *plane, const struct weir_plane_options *options,
		       struct weir_error *error)
{
	plane->skeleton = weir_bpf__open();
	if (!plane->skeleton)
		return weir_error_set(error, -errno, "the XDP program cannot be read: %s",
				      complaint);
	plane->injected_clock = options && options->injected_clock;
	plane->skeleton->rodata->weir_knobs.injected_clock = plane->injected_clock;
	plane->skeleton->rodata->weir_knobs.tick_ns = (uint32_t)plane->tick_ns;
	settle_frags(plane->skeleton);
	bpf_map__set_autocreate(plane->skeleton->maps.trie_shape, false);
	bpf_map__set_autocreate(plane->skeleton->maps.chunk_shape, false);
	return 0;
}

static int load_object(struct weir_plane *plane, struct weir_error *error)
{
	int err = weir_bpf__load(plane->skeleton);

	if (err)
		return weir_error_set(error, err, "the kernel refused the XDP program (%s): %s",
				      strerror(-err), complaint);
	for (int i = 0; i < MAP_COUNT; i++) {
		plane->map_fd[i] = dup(bpf_map__fd(object_map(plane, i)));
		if (plane->map_fd[i] < 0)
			return weir_error_set(error, -errno, "dup: %s", strerror(errno));
	}
	return mapping_open(plane, error);
}

/** Names the counters, for who dumps the map. */
static int name_reasons(struct weir_plane *plane)
{
	_cleanup_free_ struct weir_reason_count *counts =
		calloc((size_t)plane->n_cpus, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (uint32_t reason = 0; reason < WEIR_REASONS; reason++) {
		for (int cpu = 0; cpu < plane->n_cpus; cpu++)
			counts[cpu].reason = reason;
		if (bpf_map_update_elem(plane->map_fd[MAP_REASONS], &reason, counts, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int run_once(const struct bpf_program *program)
{
	unsigned char frame[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	int err = bpf_prog_test_run_opts(bpf_program__fd(program), &run);

	return err ? err : run.retval == XDP_PASS ? 0 : -EIO;
}

/** Over two ticks, so that one run comes right after the start of one. */
static int calibrate(struct weir_plane *plane)
{
	uint64_t until_ns = weir_clock_monotonic_ns() + 2 * plane->tick_ns;
	int err = 0;

	plane->ctl->coarse_behind_ns = UINT64_MAX;
	while (!err && weir_clock_monotonic_ns() < until_ns)
		err = run_once(plane->skeleton->progs.weir_calibrate);
	return err;
}

/** Whether the panic switch is on in maps that are to be replaced: nobody has said that it is over. */
static bool observed_before(struct weir_plane *plane)
{
	_cleanup_close_ int fd = -1;
	struct weir_ctl ctl = {};
	uint32_t zero = 0;
	char path[PATH_MAX];

	if (pins_path(plane->pins_dir, map_name(MAP_CTL), path, sizeof(path)))
		return false;
	fd = bpf_obj_get(path);
	return fd >= 0 && same_shape(object_map(plane, MAP_CTL), fd) && same_abi(fd) &&
	       !bpf_map_lookup_elem(fd, &zero, &ctl) && ctl.observe;
}

static int first_words(struct weir_plane *plane, enum weir_takeover takeover)
{
	int err;

	if (takeover == WEIR_TAKEOVER_KEPT) {
		publish_remove_strays(plane);
		return 0;
	}
	plane->ctl->abi = WEIR_ABI;
	plane->ctl->observe = observed_before(plane);
	err = name_reasons(plane);
	if (!err && !plane->injected_clock)
		err = calibrate(plane);
	return err;
}

static int start(struct weir_plane *plane, const struct weir_plane_options *options,
		 struct weir_error *error, enum weir_takeover *ret_takeover)
{
	int err = open_object(plane, options, error);

	if (err)
		return err;
	*ret_takeover = take_over(plane);
	err = load_object(plane, error);
	if (err)
		return err;
	err = first_words(plane, *ret_takeover);
	if (!err && !(options && options->no_timer))
		err = run_once(plane->skeleton->progs.weir_arm);
	return err ? weir_error_set(error, err,
				    "the packet path's clock and timer cannot be started: %s",
				    strerror(-err))
		   : 0;
}

static int require_features(struct weir_error *error)
{
	char missing[512] = "";
	size_t used = 0;

	for (const struct weir_feature *f = weir_plane_features(); f->name; f++) {
		if (f->required && !f->found && used < sizeof(missing))
			used += (size_t)snprintf(missing + used, sizeof(missing) - used,
						 "%s%s (%s)", used ? ", " : "", f->name, f->why);
	}
	if (!used)
		return 0;
	return weir_error_set(error, -ENOTSUP,
			      "this kernel lacks %s; weir needs Linux 5.15 or later with BTF",
			      missing);
}

int weir_plane_start(const char *pins_dir, const struct weir_plane_options *options,
		     struct weir_error *error, enum weir_takeover *ret_takeover,
		     struct weir_plane **ret_plane)
{
	/* Before anything is made. Who may not ask the kernel is told so by what follows. */
	int err = geteuid() == 0 ? require_features(error) : 0;
	enum weir_takeover takeover;
	struct weir_plane *plane;

	if (!err)
		err = pins_check(pins_dir, true, error);
	if (err)
		return err;
	plane = plane_new(pins_dir);
	if (!plane)
		return weir_error_set(error, -ENOMEM, "out of memory");
	complaint[0] = '\0';
	libbpf_set_print(remember_complaint);
	err = pins_lock(pins_dir, error, &plane->lock_fd);
	if (!err)
		err = start(plane, options, error, &takeover);
	if (err) {
		weir_plane_close(plane);
		return err;
	}
	*ret_takeover = takeover;
	*ret_plane = plane;
	return 0;
}

int weir_plane_program_fd(const struct weir_plane *plane)
{
	return bpf_program__fd(plane->skeleton->progs.weir);
}

int weir_plane_sweep_step(struct weir_plane *plane)
{
	return run_once(plane->skeleton->progs.weir_sweep_step);
}
