// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir key: where the maps hold a source, in the form bpftool takes.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/show.h"
#include "cli/source_word.h"
#include "cli/where.h"

/* Three letters a byte. */
#define HEX_LEN (3 * sizeof(struct weir_source_key) + 1)

/* Bytes as they lie in memory: map keys are in the host's order. */
static void hex_of(const void *bytes, size_t n, char *buf)
{
	const unsigned char *byte = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		buf += snprintf(buf, 4, "%s%02x", i ? " " : "", byte[i]);
}

struct where_kept {
	struct weir_key_view view;
	char key_hex[HEX_LEN];
	char line_hex[HEX_LEN];
	const char *pins_dir;
};

static void print_bucket(struct weir_json *json, const struct weir_key_view *view)
{
	weir_json_key(json, "bucket");
	if (!view->present) {
		weir_json_null(json);
		return;
	}
	weir_json_object_open(json);
	weir_json_member_u64(json, "way", view->way);
	weir_json_member_u64(json, "tat", view->bucket.tat);
	weir_json_member_bool(json, "pinned", view->bucket.pinned);
	weir_json_member_u64(json, "generation", view->bucket.generation);
	weir_json_object_close(json);
}

static void print_json(const struct where_kept *kept, const char *limit)
{
	const struct weir_key_view *view = &kept->view;
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member(&json, "limit", limit);
	weir_json_member_u64(&json, "slot", view->slot);
	weir_json_member(&json, "map", "sources");
	weir_json_member(&json, "key", kept->key_hex);
	weir_json_member_u64(&json, "line", view->line);
	weir_json_member_u64(&json, "chunk", view->chunk);
	weir_json_member_u64(&json, "chunk_line", view->chunk_line);
	weir_json_member(&json, "line_key", kept->line_hex);
	weir_json_member_u64(&json, "tag", view->tag);
	weir_json_member_u64(&json, "table_map_id", view->table_map_id);
	weir_json_member_bool(&json, "present", view->present);
	print_bucket(&json, view);
	weir_json_member(&json, "pins", kept->pins_dir);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void print_text(const struct where_kept *kept)
{
	const struct weir_key_view *view = &kept->view;

	printf("slot  %" PRIu32 "\nmap   sources\nkey   %s\nline  %" PRIu32 " (%" PRIu32
	       " of chunk %" PRIu32 " in tables)\ntag   0x%" PRIx32,
	       view->slot, kept->key_hex, view->line, view->chunk_line, view->chunk, view->tag);
	if (view->present)
		printf(" (place %" PRIu32 " of the line%s)\n\n", view->way,
		       view->bucket.pinned ? ", pinned" : "");
	else
		printf(" (not in the line now)\n\n");
	printf("# what is known of the source by name\n"
	       "bpftool map lookup pinned ");
	weir_show_text(stdout, kept->pins_dir);
	printf("/sources key hex %s\n"
	       "# its line of buckets: look for the tag\n"
	       "bpftool map lookup id %" PRIu32 " key hex %s\n",
	       kept->key_hex, view->table_map_id, kept->line_hex);
}

static void complain_no_limit(struct weir_plane *plane, const char *limit)
{
	_cleanup_free_ struct weir_limit_view *limits = NULL;
	char names[512] = "";
	size_t n = 0, used = 0, i;

	weir_plane_limits(plane, &limits, &n);
	for (i = 0; i < n && used + 40 < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.31s",
					 i ? ", " : "", limits[i].name.name);
	weir_complain("key: no limit in force is called \"%s\"; there %s %s", limit,
		      n == 1 ? "is" : "are", n ? names : "none");
}

enum weir_exit weir_cli_key(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_plane_ struct weir_plane *plane = NULL;
	struct where_kept kept;
	struct weir_prefix source;
	enum weir_exit status;
	int err;

	if (weir_word_source(call->words[1], "key: SOURCE", &source) != 0)
		return WEIR_WRONG_INPUT;
	status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_where_open(&where, &plane);
	if (status != WEIR_DONE)
		return status;
	err = weir_plane_key(plane, call->words[0], &source, &kept.view);
	if (err == -ENOENT) {
		complain_no_limit(plane, call->words[0]);
		return WEIR_WRONG_INPUT;
	}
	if (err) {
		weir_complain("reading the maps under %s failed: %s", where.pins_dir,
			      strerror(-err));
		return WEIR_FAILED;
	}
	hex_of(&kept.view.key, sizeof(kept.view.key), kept.key_hex);
	hex_of(&kept.view.chunk_line, sizeof(kept.view.chunk_line), kept.line_hex);
	kept.pins_dir = where.pins_dir;
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(&kept, call->words[0]);
	else
		print_text(&kept);
	return WEIR_DONE;
}
