// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Which node of this machine a command is about.
 */
#include "agent/agent.h"
#include "cli/where.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quantity.h"
#include "cli/show.h"
#include "policy/print_check.h"

#define PINS_DEFAULT "/sys/fs/bpf/weir"
#define RUN_DEFAULT  "/run/weir"

#define HEARTBEAT_STALE_S 3

static void faults_cleanup(struct weir_faults *faults)
{
	weir_faults_free(faults);
}

/* The default policy is used if it is there, and if --pins does not contradict it. */
static enum weir_exit find_default(const char *pins_dir, struct weir_where *where)
{
	_cleanup_(faults_cleanup) struct weir_faults faults = { .errors = NULL };
	int err = weir_site_read(where->file, &faults, &where->site);

	if (!err && (!pins_dir || strcmp(where->site.pins_dir, pins_dir) == 0)) {
		where->pins_dir = where->site.pins_dir;
		where->run_dir = where->site.run_dir;
		return WEIR_DONE;
	}
	if (err && err != -ENOENT && err != -EACCES && !pins_dir)
		weir_complain("%s cannot be read (see: weir check); using the default folders",
			      where->file);
	weir_site_clear(&where->site);
	where->pins_dir = pins_dir ? pins_dir : PINS_DEFAULT;
	where->run_dir = pins_dir ? NULL : RUN_DEFAULT;
	return WEIR_DONE;
}

static enum weir_exit find_given(const char *pins_dir, struct weir_where *where)
{
	_cleanup_(faults_cleanup) struct weir_faults faults = { .errors = NULL };

	where->pins_dir = pins_dir;
	if (weir_site_read(where->file, &faults, &where->site) == 0) {
		where->run_dir = where->site.run_dir;
		if (!pins_dir)
			where->pins_dir = where->site.pins_dir;
		return WEIR_DONE;
	}
	weir_faults_print(stderr, &faults);
	if (pins_dir)
		return WEIR_DONE;
	weir_complain("%s does not say where its node is; commands that look at the maps take "
		      "--pins DIR too",
		      where->file);
	return WEIR_WRONG_INPUT;
}

enum weir_exit weir_where_find(const struct weir_call *call, struct weir_where *ret_where)
{
	const char *file = call->value[WEIR_OPTION_CONFIG];
	const char *pins_dir = call->value[WEIR_OPTION_PINS];

	*ret_where = (struct weir_where){ .file = file ? file : WEIR_AGENT_POLICY_FILE };
	if (pins_dir && *pins_dir != '/') {
		weir_complain("--pins wants a whole path that begins with /, not \"%s\"", pins_dir);
		return WEIR_WRONG_INPUT;
	}
	return file ? find_given(pins_dir, ret_where) : find_default(pins_dir, ret_where);
}

void weir_where_clear(struct weir_where *where)
{
	weir_site_clear(&where->site);
}

const char *weir_where_node(const struct weir_where *where, char *buf)
{
	if (where->site.node)
		return where->site.node;
	if (gethostname(buf, WEIR_NODE_LEN) != 0)
		return "";
	buf[WEIR_NODE_LEN - 1] = '\0';
	return buf;
}

enum weir_exit weir_need_root(const char *doing)
{
	if (geteuid() == 0)
		return WEIR_DONE;
	weir_complain("%s needs root; try: sudo weir ...", doing);
	return WEIR_FAILED;
}

enum weir_exit weir_where_open(const struct weir_where *where, struct weir_plane **ret_plane)
{
	struct weir_error error = { "" };
	int err;

	if (weir_need_root("reading weir's maps") != WEIR_DONE)
		return WEIR_FAILED;
	err = weir_plane_open(where->pins_dir, &error, ret_plane);
	if (err == 0)
		return WEIR_DONE;
	weir_complain("%s", error.text);
	if (err == -ENOENT)
		weir_complain("no node of weir is there: start one with weir run, or name another "
			      "with -c FILE or --pins DIR");
	return WEIR_FAILED;
}

double weir_heartbeat_age_s(const struct weir_ctl *ctl)
{
	uint64_t beat = *(volatile const __u64 *)&ctl->heartbeat_ns;
	uint64_t now = weir_clock_boottime_ns();

	if (!beat)
		return -1;
	return now > beat ? (double)(now - beat) / (double)WEIR_NS_PER_S : 0;
}

bool weir_agent_alive(const struct weir_ctl *ctl)
{
	double age = weir_heartbeat_age_s(ctl);

	return age >= 0 && age < HEARTBEAT_STALE_S && ctl->ended_ns < ctl->heartbeat_ns;
}
