// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir explain: the way a source's next packet goes, list by list and limit by limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/source_word.h"
#include "cli/where.h"
#include "policy/words.h"

/* Seconds until it passes, 0 when it does; negative: not by waiting. */
static double retry_after(const struct weir_explanation *explanation)
{
	double longest = 0;
	size_t i;

	if (!weir_reason_drops(explanation->reason))
		return 0;
	if (explanation->dropped_by_list)
		return -1;
	for (i = 0; i < explanation->n_limits; i++) {
		const struct weir_limit_answer *answer = &explanation->limits[i];

		/* What only observes does not hold it up. */
		if (!answer->observing && answer->retry_after_s > longest)
			longest = answer->retry_after_s;
	}
	return longest;
}

static const char *verdict_of(const struct weir_explanation *explanation)
{
	return weir_reason_drops(explanation->reason) ? "drop" : "pass";
}

static void limit_json(struct weir_json *json, const struct weir_limit_answer *answer)
{
	char prefix[WEIR_PREFIX_STRLEN];

	weir_json_object_open(json);
	weir_json_member(json, "name", answer->name);
	weir_json_member_bool(json, "conforms", answer->conforms);
	weir_json_member_double(json, "tokens", answer->tokens);
	weir_json_member_double(json, "burst", answer->burst);
	weir_json_key(json, "retry_after_s");
	weir_json_seconds(json, answer->retry_after_s);
	weir_json_member_u64(json, "leased_tokens", 0);
	weir_json_member_double(json, "rate_per_s", answer->rate_per_s);
	weir_json_member(json, "counts", answer->bytes ? "bytes" : "packets");
	weir_json_member(json, "source", weir_show_source(&answer->prefix, prefix));
	weir_json_member_bool(json, "observing", answer->observing);
	weir_json_member_bool(json, "inherited", answer->inherited);
	weir_json_member_bool(json, "known", answer->known);
	weir_json_object_close(json);
}

static void print_json(const struct weir_query *query, const struct weir_explanation *explanation)
{
	char prefix[WEIR_PREFIX_STRLEN];
	struct weir_json json;
	size_t i;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member(&json, "source", weir_prefix_print(&query->source, prefix));
	weir_json_member(&json, "verdict", verdict_of(explanation));
	weir_json_member(&json, "reason", weir_reason_name(explanation->reason));
	weir_json_member_bool(&json, "exempt", explanation->exempt);
	weir_json_member_bool(&json, "dropped_by_list", explanation->dropped_by_list);
	weir_json_member_bool(&json, "observing", explanation->observing);
	weir_json_key(&json, "retry_after_s");
	weir_json_seconds(&json, retry_after(explanation));
	weir_json_key(&json, "limits");
	weir_json_array_open(&json);
	for (i = 0; i < explanation->n_limits; i++)
		limit_json(&json, &explanation->limits[i]);
	weir_json_array_close(&json);
	weir_json_key(&json, "quotas");
	weir_json_array_open(&json);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

/* Rounded down: 0.96 of a packet is not one. */
static double whole_tenths(double tokens)
{
	if (tokens < 0)
		return 0;
	return tokens < 10 ? (double)(uint64_t)(tokens * 10) / 10 : (double)(uint64_t)tokens;
}

/* The rate in force is up to a 256th below the one that was written; three digits are the same. */
static double three_digits(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3g", value);
	return strtod(text, NULL);
}

static void limit_text(const struct weir_limit_answer *answer)
{
	enum weir_token token = answer->bytes ? WEIR_TOKEN_BYTE : WEIR_TOKEN_PACKET;
	char left[WEIR_WORDS_LEN], burst[WEIR_WORDS_LEN], rate[WEIR_WORDS_LEN];
	char prefix[WEIR_PREFIX_STRLEN], span[WEIR_SPAN_LEN];

	fputs("  ", stdout);
	weir_show_text(stdout, answer->name);
	printf("%*s ", (int)(20 - strnlen(answer->name, 20)), "");
	if (answer->conforms) {
		printf("conforms");
	} else {
		weir_show_colour(WEIR_COLOUR_BAD);
		fputs(answer->observing ? "would refuse" : "refuses", stdout);
		weir_show_colour(WEIR_COLOUR_PLAIN);
	}
	printf(": %s left of %s, %s", weir_words_amount(whole_tenths(answer->tokens), token, left),
	       weir_words_amount(whole_tenths(answer->burst), token, burst),
	       weir_words_rate(three_digits(answer->rate_per_s), token, rate));
	if (!answer->conforms)
		printf(", clears in %s", weir_show_span(answer->retry_after_s, span));
	printf("\n%*scounted as %s", 23, "", weir_show_source(&answer->prefix, prefix));
	if (answer->inherited)
		fputs(", which has no bucket of its own now", stdout);
	else if (answer->known)
		fputs(", known by name", stdout);
	if (answer->observing)
		fputs("; observing", stdout);
	putchar('\n');
}

static void list_text(const char *list, bool in_it, const char *then)
{
	printf("  %-20s %s%s\n", list, in_it ? "lists it: " : "does not list it",
	       in_it ? then : "");
}

static void verdict_text(const struct weir_explanation *explanation)
{
	bool drops = weir_reason_drops(explanation->reason);
	char span[WEIR_SPAN_LEN];
	double retry = retry_after(explanation);

	printf("verdict: ");
	weir_show_colour(drops ? WEIR_COLOUR_BAD : WEIR_COLOUR_GOOD);
	fputs(verdict_of(explanation), stdout);
	weir_show_colour(WEIR_COLOUR_PLAIN);
	printf(", counted as %s", weir_reason_name(explanation->reason));
	if (explanation->reason == WEIR_WOULD_REFUSE)
		printf(" (observing)");
	if (drops && retry >= 0)
		printf("; passes in %s", weir_show_span(retry, span));
	else if (drops)
		printf("; waiting does not help");
	putchar('\n');
}

static void print_text(const struct weir_query *query, const struct weir_explanation *explanation)
{
	bool listed = explanation->exempt || explanation->dropped_by_list;
	char prefix[WEIR_PREFIX_STRLEN], words[WEIR_QUERY_LEN];
	size_t i;

	printf("%s, %s\n", weir_prefix_print(&query->source, prefix),
	       weir_word_describe(query, words));
	list_text("never_limit", explanation->exempt, "it passes without being limited");
	if (!explanation->exempt)
		list_text("always_drop", explanation->dropped_by_list, "it is dropped");
	for (i = 0; !listed && i < explanation->n_limits; i++)
		limit_text(&explanation->limits[i]);
	if (!listed && !explanation->n_limits)
		puts("  no limit matches");
	verdict_text(explanation);
}

enum weir_exit weir_cli_explain(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_plane_ struct weir_plane *plane = NULL;
	struct weir_explanation explanation;
	struct weir_query query;
	enum weir_exit status;
	int err;

	if (weir_word_query(call, &query) != 0)
		return WEIR_WRONG_INPUT;
	status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_where_open(&where, &plane);
	if (status != WEIR_DONE)
		return status;
	err = weir_plane_explain(plane, &query, &explanation);
	if (err) {
		weir_complain("reading the maps under %s failed: %s", where.pins_dir,
			      strerror(-err));
		return WEIR_FAILED;
	}
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(&query, &explanation);
	else
		print_text(&query, &explanation);
	return WEIR_DONE;
}
