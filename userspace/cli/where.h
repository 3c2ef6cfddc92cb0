/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which node of this machine a command is about: its pins, its run folder, its policy file.
 *
 * With -c the policy says so. With --pins the folder is given, and the default policy is used too
 * where it names that folder. With neither it is the default policy, or the default folders where
 * that is missing or cannot be read: the panic switch must not depend on a file without errors.
 */
#ifndef WEIR_CLI_WHERE_H
#define WEIR_CLI_WHERE_H

#include "base/cleanup.h"
#include "cli/call.h"
#include "plane/plane.h"
#include "policy/site.h"

struct weir_where {
	const char *file;      /* -c or the default; it may not exist */
	struct weir_site site; /* empty: no file, or it does not say, or is another node's */
	const char *pins_dir;
	const char *run_dir; /* NULL: only --pins is known */
};

/** Complains on stderr. */
enum weir_exit weir_where_find(const struct weir_call *call, struct weir_where *ret_where);
void weir_where_clear(struct weir_where *where);
#define _cleanup_where_ _cleanup_(weir_where_clear)

/** The policy's node, else the host's name. @buf has WEIR_NODE_LEN. */
#define WEIR_NODE_LEN 256
const char *weir_where_node(const struct weir_where *where, char *buf);

/** WEIR_FAILED with a complaint, unless root. @doing  "reading weir's maps" */
enum weir_exit weir_need_root(const char *doing);

/** Opens what is pinned; complains on stderr with what to do. */
enum weir_exit weir_where_open(const struct weir_where *where, struct weir_plane **ret_plane);

static inline void weir_plane_cleanup(struct weir_plane **plane)
{
	weir_plane_close(*plane);
}
#define _cleanup_plane_ _cleanup_(weir_plane_cleanup)

/** Seconds since the agent's last sign of life, negative where there has been none. */
double weir_heartbeat_age_s(const struct weir_ctl *ctl);
/** The agent beats four times a second. */
bool weir_agent_alive(const struct weir_ctl *ctl);

#endif
