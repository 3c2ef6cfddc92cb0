// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir detach: takes the limits off this node. Asked for, never a part of stopping the agent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/where.h"

/* What is attached before it goes; pins of another ABI keep it to themselves. */
static void list_attachments(const char *pins_dir, struct weir_attachment **ret_attachments,
			     size_t *ret_count)
{
	_cleanup_plane_ struct weir_plane *plane = NULL;

	if (weir_plane_open(pins_dir, NULL, &plane) == 0)
		weir_plane_attachments(plane, ret_attachments, ret_count);
}

static void print_json(const char *pins_dir, const struct weir_attachment *attachments, size_t n)
{
	struct weir_json json;
	size_t i;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member(&json, "pins", pins_dir);
	weir_json_key(&json, "detached");
	weir_json_array_open(&json);
	for (i = 0; i < n; i++) {
		bool there = attachments[i].mode != WEIR_ATTACH_AUTO;

		weir_json_object_open(&json);
		weir_json_member(&json, "name", attachments[i].name);
		weir_json_member(&json, "attach",
				 there ? weir_attach_name(attachments[i].mode) : NULL);
		weir_json_object_close(&json);
	}
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void print_text(const char *pins_dir, const struct weir_attachment *attachments, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		printf("removed the program from ");
		weir_show_text(stdout, attachments[i].name);
		if (attachments[i].mode == WEIR_ATTACH_AUTO)
			puts(", which is gone");
		else
			printf(" (%s): its packets are no longer limited\n",
			       weir_attach_name(attachments[i].mode));
	}
	printf("removed the maps under ");
	weir_show_text(stdout, pins_dir);
	puts(", and with them all buckets and counts");
}

static enum weir_exit complain(int err, const char *pins_dir, const struct weir_error *error)
{
	if (*error->text)
		weir_complain("%s", error->text);
	else
		weir_complain("detaching %s failed: %s", pins_dir, strerror(-err));
	if (err == -EBUSY)
		weir_complain("nothing was removed; stop the agent first (Ctrl-C where it runs, or "
			      "SIGTERM), then detach");
	return WEIR_FAILED;
}

enum weir_exit weir_cli_detach(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_free_ struct weir_attachment *attachments = NULL;
	struct weir_error error = { "" };
	enum weir_exit status;
	size_t n = 0;
	int err;

	status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_need_root("detaching");
	if (status != WEIR_DONE)
		return status;
	list_attachments(where.pins_dir, &attachments, &n);
	err = weir_plane_detach(where.pins_dir, &error);
	if (err)
		return complain(err, where.pins_dir, &error);
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(where.pins_dir, attachments, n);
	else
		print_text(where.pins_dir, attachments, n);
	return WEIR_DONE;
}
