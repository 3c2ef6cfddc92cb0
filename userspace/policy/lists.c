// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The lists never_limit and always_drop: prefixes in the policy and in files of their own.
 *
 * A list may be long (100,000 prefixes and more), so nothing here looks at a prefix more often than
 * sorting does. Each one carries its place until both lists are known, so that a prefix that stands
 * in both is told with both places.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/quote.h"
#include "policy/faults.h"
#include "policy/sections.h"

#define LIST_FILE_BYTES_MAX (64U << 20)
#define LIST_PREFIXES_MAX   (1U << 20)

struct listed {
	struct weir_prefix prefix;
	struct weir_mark mark;
	unsigned int file; /* in list.files */
};

struct list {
	struct weir_reading *reading;
	const char *key;
	struct listed *items;
	size_t n, room;
	char *files[WEIR_LIST_FILES_MAX + 1];
	unsigned int n_files;
};

static void list_free(struct list *list)
{
	unsigned int i;

	for (i = 0; i < list->n_files; i++)
		free(list->files[i]);
	free(list->items);
}

static void out_of_memory(struct weir_reading *reading)
{
	weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 }, "out of memory");
}

/* Remembers the name that places are told with; returns its number. */
static bool add_file(struct list *list, const char *name, unsigned int *ret_file)
{
	char *copy = strdup(name);

	if (!copy) {
		out_of_memory(list->reading);
		return false;
	}
	list->files[list->n_files] = copy;
	*ret_file = list->n_files++;
	return true;
}

/* Returns false when nothing more can be taken. */
static bool add_prefix(struct list *list, const struct listed *item)
{
	if (list->n == LIST_PREFIXES_MAX) {
		weir_faults_add(list->reading->faults, list->files[item->file], item->mark,
				"%s: more than %u prefixes", list->key, LIST_PREFIXES_MAX);
		return false;
	}
	if (list->n == list->room) {
		size_t room = list->room ? list->room * 2 : 256;
		struct listed *items = reallocarray(list->items, room, sizeof(*items));

		if (!items) {
			out_of_memory(list->reading);
			return false;
		}
		list->items = items;
		list->room = room;
	}
	list->items[list->n++] = *item;
	return true;
}

static bool take_text(struct list *list, const char *text, unsigned int file, struct weir_mark mark)
{
	struct listed item = { .mark = mark, .file = file };
	struct weir_error error;

	if (weir_prefix_parse(text, &error, &item.prefix) == 0)
		return add_prefix(list, &item);
	weir_faults_add(list->reading->faults, list->files[file], mark, "%s: %s", list->key,
			error.text);
	return true;
}

/* One line of a list file, which is cut up in place: blanks, a prefix, blanks, a comment. */
static bool take_line(struct list *list, char *line, unsigned int file, unsigned int number)
{
	char *at = line + strspn(line, " \t\r");
	struct weir_mark mark = { .line = number, .column = (unsigned int)(at - line) + 1 };
	size_t len;

	at[strcspn(at, "#")] = '\0';
	len = strlen(at);
	while (len > 0 && strchr(" \t\r", at[len - 1]))
		at[--len] = '\0';
	return len == 0 || take_text(list, at, file, mark);
}

static void take_lines(struct list *list, char *text, size_t len, unsigned int file)
{
	char *line = text, *end = text + len;
	unsigned int number;

	for (number = 1; line < end; number++) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *stop = newline ? newline : end;

		*stop = '\0';
		if (strlen(line) != (size_t)(stop - line)) {
			weir_faults_add(list->reading->faults, list->files[file],
					(struct weir_mark){ number, 1 },
					"%s: found a NUL byte; a list is text", list->key);
			return;
		}
		if (!take_line(list, line, file, number))
			return;
		line = stop + 1;
	}
}

/* A relative path is meant from where the policy lies, wherever weir was started. */
static bool resolve(const struct weir_reading *reading, const char *name, char *path, size_t size)
{
	char beside[PATH_MAX];
	int len;

	if ((size_t)snprintf(beside, sizeof(beside), "%s", reading->file) >= sizeof(beside))
		return false;
	if (name[0] == '/')
		len = snprintf(path, size, "%s", name);
	else
		len = snprintf(path, size, "%s/%s", dirname(beside), name);
	return len > 0 && (size_t)len < size;
}

static void take_file(struct list *list, const yaml_node_t *node, const char *name)
{
	char path[PATH_MAX], quoted[WEIR_QUOTE_LEN];
	_cleanup_free_ char *text = NULL;
	struct weir_error error;
	unsigned int file;
	size_t len;

	name += strspn(name, " ");
	if (!*name || !resolve(list->reading, name, path, sizeof(path))) {
		weir_reading_fault(list->reading, node, list->key, "no path follows file:");
		return;
	}
	if (++list->reading->n_files > WEIR_LIST_FILES_MAX) {
		weir_reading_fault(list->reading, node, list->key, "more than %d list files",
				   WEIR_LIST_FILES_MAX);
		return;
	}
	if (weir_file_read(path, LIST_FILE_BYTES_MAX, &error, &text, &len) != 0) {
		weir_reading_fault(list->reading, node, list->key, "list file \"%s\" %s",
				   weir_quote(path, quoted, sizeof(quoted)), error.text);
		return;
	}
	if (add_file(list, path, &file))
		take_lines(list, text, len, file);
}

/* `- file: PATH` without quotes is a mapping of one key to YAML, and just as clear. */
static const char *mapped_file(struct weir_reading *reading, const yaml_node_t *node)
{
	const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	const yaml_node_t *key, *value;

	if (node->data.mapping.pairs.top - pair != 1)
		return NULL;
	key = yaml_document_get_node(reading->yaml, pair->key);
	value = yaml_document_get_node(reading->yaml, pair->value);
	if (key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE ||
	    strcmp((const char *)key->data.scalar.value, "file") != 0 ||
	    strlen((const char *)value->data.scalar.value) != value->data.scalar.length)
		return NULL;
	return (const char *)value->data.scalar.value;
}

static bool take_item(struct list *list, const yaml_node_t *node)
{
	static const char would_do[] = "a prefix such as 192.0.2.0/24, or \"file: PATH\"";
	const char *text = NULL;

	if (node->type == YAML_MAPPING_NODE)
		text = mapped_file(list->reading, node);
	if (text) {
		take_file(list, node, text);
		return true;
	}
	text = weir_scalar_text(list->reading, node, list->key, would_do);
	if (!text)
		return true;
	if (strncmp(text, "file:", 5) == 0) {
		take_file(list, node, text + 5);
		return true;
	}
	return take_text(list, text, 0, weir_node_mark(node));
}

static void read_list(struct list *list, yaml_node_t *node)
{
	char found[WEIR_QUOTE_LEN + 3];
	unsigned int file;
	size_t i;

	if (!node || weir_node_is_null(node) || !add_file(list, list->reading->file, &file))
		return;
	if (node->type != YAML_SEQUENCE_NODE) {
		weir_reading_fault(list->reading, node, list->key,
				   "found %s; a list such as [192.0.2.0/24, \"file: PATH\"] would "
				   "do",
				   weir_node_found(node, found));
		return;
	}
	for (i = 0; i < weir_items_count(node); i++) {
		if (!take_item(list, weir_items_at(list->reading, node, i)))
			break;
	}
}

/* By prefix, then by place, so that of two the first is kept and told. */
static int compare_listed(const void *a, const void *b)
{
	const struct listed *left = a, *right = b;
	int order = weir_prefix_compare(&left->prefix, &right->prefix);

	if (order)
		return order;
	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return (left->mark.line > right->mark.line) - (left->mark.line < right->mark.line);
}

static void settle(struct list *list)
{
	size_t i, kept = 0;

	if (list->n == 0)
		return;
	qsort(list->items, list->n, sizeof(list->items[0]), compare_listed);
	for (i = 1; i < list->n; i++) {
		if (weir_prefix_compare(&list->items[kept].prefix, &list->items[i].prefix) != 0)
			list->items[++kept] = list->items[i];
	}
	list->n = kept + 1;
}

static void check_both(const struct list *never, const struct list *always)
{
	char buf[WEIR_PREFIX_STRLEN];
	size_t i = 0, j = 0;

	while (i < never->n && j < always->n) {
		const struct listed *a = &never->items[i], *b = &always->items[j];
		int order = weir_prefix_compare(&a->prefix, &b->prefix);

		if (order == 0)
			weir_faults_add(always->reading->faults, always->files[b->file], b->mark,
					"always_drop: %s is in never_limit as well (%s:%u:%u); one "
					"of them would do",
					weir_prefix_print(&b->prefix, buf), never->files[a->file],
					a->mark.line, a->mark.column);
		i += order <= 0;
		j += order >= 0;
	}
}

static void hand_over(struct list *list, struct weir_prefix **ret_prefixes, size_t *ret_n)
{
	struct weir_prefix *prefixes;
	size_t i;

	if (list->n == 0)
		return;
	prefixes = calloc(list->n, sizeof(*prefixes));
	if (!prefixes) {
		out_of_memory(list->reading);
		return;
	}
	for (i = 0; i < list->n; i++)
		prefixes[i] = list->items[i].prefix;
	*ret_prefixes = prefixes;
	*ret_n = list->n;
}

void weir_read_lists(struct weir_reading *reading, yaml_node_t *never_node,
		     yaml_node_t *always_node, struct weir_policy *policy)
{
	_cleanup_(list_free) struct list never = { .reading = reading, .key = "never_limit" };
	_cleanup_(list_free) struct list always = { .reading = reading, .key = "always_drop" };

	read_list(&never, never_node);
	read_list(&always, always_node);
	settle(&never);
	settle(&always);
	check_both(&never, &always);
	hand_over(&never, &policy->never_limit, &policy->n_never_limit);
	hand_over(&always, &policy->always_drop, &policy->n_always_drop);
}

size_t weir_prefixes_settle(struct weir_prefix *prefixes, size_t n)
{
	size_t i, kept = 0;

	if (n == 0)
		return 0;
	qsort(prefixes, n, sizeof(prefixes[0]), weir_prefix_compare);
	for (i = 1; i < n; i++) {
		if (weir_prefix_compare(&prefixes[kept], &prefixes[i]) != 0)
			prefixes[++kept] = prefixes[i];
	}
	return kept + 1;
}
