// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The picture for people: what is wrong stands out, what is zero is left out.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/show.h"
#include "cli/status.h"

static void coloured(enum weir_colour colour, const char *text)
{
	weir_show_colour(colour);
	fputs(text, stdout);
	weir_show_colour(WEIR_COLOUR_PLAIN);
}

static void head(const struct weir_status *status)
{
	char span[WEIR_SPAN_LEN];

	printf("node        ");
	weir_show_text(stdout, status->node);
	printf(", ");
	if (status->panic_observe)
		coloured(WEIR_COLOUR_BAD, "observing: refuses nothing (weir observe off ends it)");
	else if (status->observing)
		coloured(WEIR_COLOUR_BAD, "observing: refuses nothing (the policy's mode)");
	else
		coloured(WEIR_COLOUR_GOOD, "enforcing");

	printf("\nagent       ");
	if (status->heartbeat_age_s < 0)
		coloured(WEIR_COLOUR_BAD, "never seen");
	else if (status->agent_alive)
		coloured(WEIR_COLOUR_GOOD, "alive");
	else
		coloured(WEIR_COLOUR_BAD, "dead; the limits stay on without it");
	if (status->heartbeat_age_s >= 0)
		printf(", heard %s ago", weir_show_span(status->heartbeat_age_s, span));
	printf("\nstore       embedded: this node is the whole fleet\npolicy      ");
	if (status->policy_age_s < 0)
		printf("none in force\n");
	else
		printf("in force for %s\n", weir_show_span(status->policy_age_s, span));
}

static void interfaces(const struct weir_status *status)
{
	size_t i;

	for (i = 0; i < status->n_interfaces; i++) {
		const struct weir_interface_state *state = &status->interfaces[i];

		printf("%-11s ", i ? "" : "interfaces");
		weir_show_text(stdout, state->name);
		putchar(' ');
		if (state->attach != WEIR_ATTACH_AUTO)
			coloured(WEIR_COLOUR_GOOD, weir_attach_name(state->attach));
		else if (state->present)
			coloured(WEIR_COLOUR_BAD, "UNPROTECTED: nothing is attached");
		else
			coloured(WEIR_COLOUR_BAD, "UNPROTECTED: no such interface now");
		putchar('\n');
	}
	if (!status->n_interfaces) {
		printf("interfaces  ");
		coloured(WEIR_COLOUR_BAD, "none is attached");
		putchar('\n');
	}
}

/* Packets, and bytes where bytes are what the limit counts. */
static void cell(const struct weir_limit_view *view, const struct weir_count *count)
{
	printf(" %15" PRIu64, (uint64_t)(view->name.bytes ? count->bytes : count->packets));
}

static void limits(const struct weir_status *status)
{
	size_t i;

	if (!status->n_limits) {
		printf("\nno limits\n");
		return;
	}
	printf("\n%-31s %-5s %-7s %-7s %15s %15s %15s\n", "limit", "kind", "mode", "counts",
	       "admitted", "refused", "would refuse");
	for (i = 0; i < status->n_limits; i++) {
		const struct weir_limit_view *view = &status->limits[i];
		const char *name = view->name.name;

		weir_show_text(stdout, name);
		printf("%*s %-5s %-7s %-7s", (int)(31 - strnlen(name, 31)), "",
		       view->name.fleet ? "fleet" : "node", "normal",
		       view->name.bytes ? "bytes" : "packets");
		cell(view, &view->counts.admitted);
		cell(view, &view->counts.refused);
		cell(view, &view->counts.would_refuse);
		printf("%s\n", view->observing ? "  observing" : "");
	}
}

static void reasons(const struct weir_status *status)
{
	uint32_t reason;

	printf("\n%-31s %15s %19s\n", "reason", "packets", "bytes");
	for (reason = 0; reason < WEIR_REASONS; reason++) {
		const struct weir_count *count = &status->reasons[reason];

		if (!*weir_reason_name(reason) || !count->packets)
			continue;
		printf("%-31s %15" PRIu64 " %19" PRIu64 "%s\n", weir_reason_name(reason),
		       (uint64_t)count->packets, (uint64_t)count->bytes,
		       weir_reason_drops(reason) ? "  dropped" : "");
	}
}

static void tables(const struct weir_status *status)
{
	size_t i;

	printf("\nsources     %zu of %zu known by name", status->sources_used,
	       status->sources_size);
	if (status->not_inserted)
		printf(", %" PRIu64 " found no place", status->not_inserted);
	putchar('\n');
	for (i = 0; i < status->n_limits; i++) {
		const struct weir_limit_view *view = &status->limits[i];

		printf("%-11s ", i ? "" : "buckets");
		weir_show_text(stdout, view->name.name);
		printf(" %" PRIu32, (uint32_t)view->name.buckets);
		if (view->counts.inherited)
			printf(", %" PRIu64 " newcomers took over debt",
			       (uint64_t)view->counts.inherited);
		putchar('\n');
	}
}

void weir_status_print_text(const struct weir_status *status)
{
	head(status);
	interfaces(status);
	limits(status);
	reasons(status);
	tables(status);
}
