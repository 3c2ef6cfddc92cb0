// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The policy file as a tree of nodes with places.
 *
 * The text is gone through twice: once as events, to refuse what no policy needs (depth, anchors
 * by the thousand, tags, a second document) before anything is built, then by libyaml's loader.
 */
#include "policy/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "policy/faults.h"

#define DEPTH_MAX   16
#define ANCHORS_MAX 64

struct survey {
	unsigned int depth;
	unsigned int n_anchors;
	unsigned int n_documents;
};

static struct weir_mark from_yaml(yaml_mark_t mark)
{
	return (struct weir_mark){ .line = (unsigned int)mark.line + 1,
				   .column = (unsigned int)mark.column + 1 };
}

struct weir_mark weir_node_mark(const yaml_node_t *node)
{
	return from_yaml(node->start_mark);
}

/* libyaml gives the place of a bad byte as an offset alone. */
static struct weir_mark mark_of_offset(const char *text, size_t len, size_t offset)
{
	struct weir_mark mark = { .line = 1, .column = 1 };
	size_t i;

	for (i = 0; i < offset && i < len; i++) {
		mark.column++;
		if (text[i] == '\n')
			mark = (struct weir_mark){ .line = mark.line + 1, .column = 1 };
	}
	return mark;
}

static int tell_syntax(struct weir_reading *reading, const yaml_parser_t *parser, const char *text,
		       size_t len)
{
	const char *problem = parser->problem ? parser->problem : "unreadable";

	if (parser->error == YAML_MEMORY_ERROR) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return -ENOMEM;
	}
	if (parser->error == YAML_READER_ERROR)
		weir_faults_add(reading->faults, reading->file,
				mark_of_offset(text, len, parser->problem_offset),
				"no YAML: %s; text in UTF-8 would do", problem);
	else
		weir_faults_add(reading->faults, reading->file, from_yaml(parser->problem_mark),
				"no YAML: %s%s%s", parser->context ? parser->context : "",
				parser->context ? ", " : "", problem);
	return -EINVAL;
}

static const char *survey_node(struct survey *survey, const yaml_char_t *anchor,
			       const yaml_char_t *tag, bool opens)
{
	if (tag)
		return "a tag (!...) has no place in a policy; leave it out";
	if (anchor && ++survey->n_anchors > ANCHORS_MAX)
		return "more than 64 anchors (&...)";
	if (opens && ++survey->depth > DEPTH_MAX)
		return "nested too deeply: no part of a policy has more than 16 levels";
	return NULL;
}

/* What is wrong with this event, or NULL. */
static const char *survey_event(struct survey *survey, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (++survey->n_documents > 1)
			return "a second document begins here; a policy is one document";
		return NULL;
	case YAML_SCALAR_EVENT:
		return survey_node(survey, event->data.scalar.anchor, event->data.scalar.tag,
				   false);
	case YAML_SEQUENCE_START_EVENT:
		return survey_node(survey, event->data.sequence_start.anchor,
				   event->data.sequence_start.tag, true);
	case YAML_MAPPING_START_EVENT:
		return survey_node(survey, event->data.mapping_start.anchor,
				   event->data.mapping_start.tag, true);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		survey->depth--;
		return NULL;
	default:
		return NULL;
	}
}

static int survey_text(struct weir_reading *reading, yaml_parser_t *parser, const char *text,
		       size_t len)
{
	struct survey survey = { 0 };
	bool at_end = false;

	while (!at_end) {
		yaml_event_t event;
		const char *fault;

		if (!yaml_parser_parse(parser, &event))
			return tell_syntax(reading, parser, text, len);
		fault = survey_event(&survey, &event);
		if (fault)
			weir_faults_add(reading->faults, reading->file, from_yaml(event.start_mark),
					"%s", fault);
		at_end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		if (fault)
			return -EINVAL;
	}
	if (survey.n_documents)
		return 0;
	weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 1, 1 },
			"found nothing; a policy has at least interfaces and store");
	return -EINVAL;
}

typedef int pass_over(struct weir_reading *reading, yaml_parser_t *parser, const char *text,
		      size_t len);

static int with_parser(struct weir_reading *reading, const char *text, size_t len, pass_over *pass)
{
	yaml_parser_t parser;
	int err;

	if (!yaml_parser_initialize(&parser)) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return -ENOMEM;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	err = pass(reading, &parser, text, len);
	yaml_parser_delete(&parser);
	return err;
}

static int load_tree(struct weir_reading *reading, yaml_parser_t *parser, const char *text,
		     size_t len)
{
	if (yaml_parser_load(parser, reading->yaml))
		return 0;
	return tell_syntax(reading, parser, text, len);
}

int weir_document_load(struct weir_reading *reading, const char *text, size_t len,
		       yaml_document_t *ret_yaml)
{
	int err;

	if (len > WEIR_POLICY_BYTES_MAX) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"is longer than 1 MiB; long lists belong into files of their own "
				"(\"file: PATH\")");
		return -EINVAL;
	}
	err = with_parser(reading, text, len, survey_text);
	if (err)
		return err;
	reading->yaml = ret_yaml;
	return with_parser(reading, text, len, load_tree);
}

size_t weir_path_enter(struct weir_reading *reading, const char *key)
{
	char quoted[WEIR_QUOTE_LEN];
	size_t was = strlen(reading->path);

	snprintf(reading->path + was, sizeof(reading->path) - was, "%s%s", was ? "." : "",
		 weir_quote(key, quoted, sizeof(quoted)));
	return was;
}

void weir_path_leave(struct weir_reading *reading, size_t was)
{
	reading->path[was] = '\0';
}

static void say(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		const char *format, va_list args, bool is_error)
{
	size_t was = strlen(reading->path);
	struct weir_error text;

	vsnprintf(text.text, sizeof(text.text), format, args);
	if (*key)
		weir_path_enter(reading, key);
	if (is_error)
		weir_faults_add(reading->faults, reading->file, weir_node_mark(node), "%s: %s",
				*reading->path ? reading->path : "policy", text.text);
	else
		weir_faults_warn(reading->faults, reading->file, weir_node_mark(node), "%s: %s",
				 *reading->path ? reading->path : "policy", text.text);
	weir_path_leave(reading, was);
}

void weir_reading_fault(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(reading, node, key, format, args, true);
	va_end(args);
}

void weir_reading_warn(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(reading, node, key, format, args, false);
	va_end(args);
}
