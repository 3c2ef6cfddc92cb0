// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The metrics page. Each function writes one or a few families whole, since the format wants a
 * family's series together.
 */
#include "agent/page.h"

#include <string.h>

#include "agent/series.h"
#include "base/quantity.h"

#define LABEL(name, value)      \
	{                       \
		(name), (value) \
	}

const char *weir_reload_result_name(enum weir_reload_result result)
{
	static const char *const names[] = {
		[WEIR_RELOAD_APPLIED] = "applied",   [WEIR_RELOAD_REFUSED] = "refused",
		[WEIR_RELOAD_TRIED] = "tried",	     [WEIR_RELOAD_KEPT] = "kept",
		[WEIR_RELOAD_REVERTED] = "reverted",
	};

	return result < WEIR_RELOAD_RESULTS ? names[result] : "";
}

static const char *verdict_name(uint32_t reason)
{
	return weir_reason_drops(reason) ? "drop" : "pass";
}

static void write_reasons(FILE *out, const struct weir_page *page)
{
	uint32_t i;

	weir_series_family(out, "weir_packets_total", "counter",
			   "Packets by verdict and reason, each counted once.");
	for (i = 0; i < WEIR_REASONS && *weir_reason_name(i); i++)
		weir_series_u64(out, "weir_packets_total",
				WEIR_LABELS(LABEL("verdict", verdict_name(i)),
					    LABEL("reason", weir_reason_name(i))),
				page->reasons[i].packets);
	weir_series_family(out, "weir_bytes_total", "counter",
			   "Bytes of those packets, from the Ethernet header on, without FCS.");
	for (i = 0; i < WEIR_REASONS && *weir_reason_name(i); i++)
		weir_series_u64(out, "weir_bytes_total",
				WEIR_LABELS(LABEL("verdict", verdict_name(i)),
					    LABEL("reason", weir_reason_name(i))),
				page->reasons[i].bytes);
}

static void write_verdicts(FILE *out, const char *family, const struct weir_limit_view *limit,
			   bool bytes)
{
	const struct weir_limit_count *counts = &limit->counts;
	const struct {
		const char *verdict;
		const struct weir_count *count;
	} all[] = {
		{ "admitted", &counts->admitted },
		{ "refused", &counts->refused },
		{ "would_refuse", &counts->would_refuse },
		{ "refused_by_other", &counts->refused_by_other },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		weir_series_u64(out, family,
				WEIR_LABELS(LABEL("limit", limit->name.name),
					    LABEL("verdict", all[i].verdict)),
				bytes ? all[i].count->bytes : all[i].count->packets);
}

static void write_limits(FILE *out, const struct weir_page *page)
{
	size_t i;

	weir_series_family(out, "weir_limit_packets_total", "counter",
			   "Packets that a limit matched, by what became of them: refused_by_other "
			   "conformed here but not with another limit.");
	for (i = 0; i < page->n_limits; i++)
		write_verdicts(out, "weir_limit_packets_total", &page->limits[i], false);
	weir_series_family(out, "weir_limit_bytes_total", "counter",
			   "Bytes that a limit matched, by what became of them.");
	for (i = 0; i < page->n_limits; i++)
		write_verdicts(out, "weir_limit_bytes_total", &page->limits[i], true);
}

/* With the embedded store there is no store to lose: the mode is normal, and stays so. */
static void write_modes(FILE *out, const struct weir_page *page)
{
	static const char *const modes[] = { "normal", "share", "open", "closed", "fallback" };
	static const char *const causes[] = { "store", "agent", "refused" };
	size_t i, j;

	weir_series_family(out, "weir_limit_mode", "gauge",
			   "1 for the mode that a limit is in, 0 for the others.");
	for (i = 0; i < page->n_limits; i++) {
		for (j = 0; j < sizeof(modes) / sizeof(modes[0]); j++)
			weir_series_u64(out, "weir_limit_mode",
					WEIR_LABELS(LABEL("limit", page->limits[i].name.name),
						    LABEL("mode", modes[j])),
					j == 0);
	}
	weir_series_family(out, "weir_degraded_seconds_total", "counter",
			   "Time that a fleet limit spent in its mode for store loss, by cause.");
	for (i = 0; i < page->policy->n_limits; i++) {
		const struct weir_limit *limit = &page->policy->limits[i];

		if (limit->scope != WEIR_SCOPE_FLEET)
			continue;
		for (j = 0; j < sizeof(causes) / sizeof(causes[0]); j++)
			weir_series_u64(
				out, "weir_degraded_seconds_total",
				WEIR_LABELS(LABEL("limit", limit->name),
					    LABEL("mode", weir_on_loss_name(limit->on_store_loss)),
					    LABEL("cause", causes[j])),
				0);
	}
	weir_series_family(out, "weir_store_up", "gauge",
			   "1 while the store answers; the embedded store always does.");
	weir_series_u64(out, "weir_store_up", NULL, 1);
}

static void write_tables(FILE *out, const struct weir_page *page)
{
	static const struct {
		const char *name;
		const char *type;
		const char *help;
	} families[] = {
		{ "weir_table_size", "gauge", "Buckets in a limit's table." },
		{ "weir_table_inherited_total", "counter",
		  "Newcomers that took over the bucket, and the debt, of the source that owed "
		  "least." },
		{ "weir_table_not_inserted_total", "counter",
		  "Times that a source worth knowing by name found no place or no budget." },
		{ "weir_table_lost_race_total", "counter",
		  "Packets refused because other CPUs kept changing the same bucket." },
	};
	size_t i, j;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		weir_series_family(out, families[i].name, families[i].type, families[i].help);
		for (j = 0; j < page->n_limits; j++) {
			const struct weir_limit_view *limit = &page->limits[j];
			const uint64_t values[] = { limit->name.buckets, limit->counts.inherited,
						    limit->counts.not_inserted,
						    limit->counts.lost_race };

			weir_series_u64(out, families[i].name,
					WEIR_LABELS(LABEL("limit", limit->name.name)), values[i]);
		}
	}
}

/* Where everyone shares one bucket the prefix says nothing. */
static const char *source_name(const struct weir_page *page, const struct weir_observed *source,
			       char buf[WEIR_PREFIX_STRLEN])
{
	size_t i;

	for (i = 0; i < page->n_limits; i++) {
		if (page->limits[i].name.all &&
		    strcmp(page->limits[i].name.name, source->limit) == 0)
			return "all";
	}
	return weir_prefix_print(&source->prefix, buf);
}

static void write_observed(FILE *out, const struct weir_page *page, const char *family,
			   const struct weir_observed *list, size_t n)
{
	char buf[WEIR_PREFIX_STRLEN];
	size_t i;

	for (i = 0; i < n; i++)
		weir_series_double(out, family,
				   WEIR_LABELS(LABEL("limit", list[i].limit),
					       LABEL("source", source_name(page, &list[i], buf))),
				   list[i].value);
}

static void write_sources(FILE *out, const struct weir_page *page)
{
	const struct weir_observation *seen = page->observation;
	size_t i;

	weir_series_family(out, "weir_source_headroom_ratio", "gauge",
			   "What is left of the rate, over ten seconds, of the ten sources nearest "
			   "to a limit of theirs; 0 is at it or over.");
	write_observed(out, page, "weir_source_headroom_ratio", seen->nearest, seen->n_nearest);
	weir_series_family(out, "weir_sources_at_limit", "gauge",
			   "Sources that a limit is refusing packets of.");
	for (i = 0; i < page->n_limits; i++)
		weir_series_u64(out, "weir_sources_at_limit",
				WEIR_LABELS(LABEL("limit", page->limits[i].name.name)),
				seen->at_limit[page->limits[i].slot % WEIR_SLOTS]);
	weir_series_family(
		out, "weir_source_at_limit_seconds", "gauge",
		"For how long a source has been refused, of the ten longest; told for 60 "
		"seconds after it ended.");
	write_observed(out, page, "weir_source_at_limit_seconds", seen->longest, seen->n_longest);
	weir_series_family(out, "weir_sources", "gauge",
			   "Places for sources known by name, by state.");
	weir_series_u64(out, "weir_sources", WEIR_LABELS(LABEL("state", "known")),
			page->sources_known);
	weir_series_u64(out, "weir_sources", WEIR_LABELS(LABEL("state", "free")),
			page->sources_size - page->sources_known);
}

static void write_interfaces(FILE *out, const struct weir_page *page)
{
	static const enum weir_attach modes[] = { WEIR_ATTACH_NATIVE, WEIR_ATTACH_GENERIC };
	size_t i, j;

	weir_series_family(
		out, "weir_attached", "gauge",
		"1 for the mode in which an interface is protected; 0 in both: it is not.");
	for (i = 0; i < page->n_interfaces; i++) {
		for (j = 0; j < 2; j++)
			weir_series_u64(out, "weir_attached",
					WEIR_LABELS(LABEL("interface", page->interfaces[i].name),
						    LABEL("mode", weir_attach_name(modes[j]))),
					page->interfaces[i].mode == modes[j]);
	}
	weir_series_family(out, "weir_unprotected_seconds_total", "counter",
			   "Time that an interface was there and not protected, since the agent "
			   "started.");
	for (i = 0; i < page->n_interfaces; i++)
		weir_series_double(out, "weir_unprotected_seconds_total",
				   WEIR_LABELS(LABEL("interface", page->interfaces[i].name)),
				   (double)page->interfaces[i].unprotected_ns / WEIR_NS_PER_S);
}

static void write_agent(FILE *out, const struct weir_page *page)
{
	unsigned int i;

	weir_series_family(out, "weir_agent_heartbeat_seconds", "gauge",
			   "Age of the agent's last sign of life.");
	weir_series_double(out, "weir_agent_heartbeat_seconds", NULL, page->heartbeat_age_s);
	weir_series_family(out, "weir_observing", "gauge",
			   "1 while the panic switch passes what would be refused.");
	weir_series_u64(out, "weir_observing", NULL, page->is_observing);
	weir_series_family(out, "weir_policy_reloads_total", "counter",
			   "Times that the policy file was taken anew, by what came of it.");
	for (i = 0; i < WEIR_RELOAD_RESULTS; i++)
		weir_series_u64(out, "weir_policy_reloads_total",
				WEIR_LABELS(LABEL("result", weir_reload_result_name(i))),
				page->reloads[i]);
	weir_series_family(out, "weir_build_info", "gauge", "Always 1; says what runs.");
	weir_series_u64(out, "weir_build_info", WEIR_LABELS(LABEL("version", WEIR_VERSION)), 1);
}

void weir_page_write(FILE *out, const struct weir_page *page)
{
	write_reasons(out, page);
	write_limits(out, page);
	write_modes(out, page);
	write_tables(out, page);
	write_sources(out, page);
	write_interfaces(out, page);
	write_agent(out, page);
}
