// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The metrics page: the text format, and each fact under the name that is promised. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/page.h"
#include "agent/series.h"
#include "policy/policy.h"

static char *text;
static size_t text_len;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &text_len);

	assert_non_null(out);
	return out;
}

static void series_is(FILE *out, const char *wanted)
{
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

static void a_family_has_help_and_type(void **state)
{
	FILE *out = begin();

	weir_series_family(out, "a_total", "counter", "What a is.");
	weir_series_u64(out, "a_total", NULL, UINT64_MAX);
	series_is(out, "# HELP a_total What a is.\n# TYPE a_total counter\n"
		       "a_total 18446744073709551615\n");
}

static void label_values_are_escaped(void **state)
{
	FILE *out = begin();

	weir_series_u64(out, "a", WEIR_LABELS({ "x", "q\"b\\n\nt\x1b\xff" }, { "y", "" }), 1);
	series_is(out, "a{x=\"q\\\"b\\\\n\\\\x0at\\\\x1b\\\\xff\",y=\"\"} 1\n");
}

static void numbers_are_those_of_the_format(void **state)
{
	FILE *out = begin();

	weir_series_double(out, "a", NULL, 0.25);
	weir_series_double(out, "a", NULL, 1e12);
	weir_series_double(out, "a", NULL, INFINITY);
	weir_series_double(out, "a", NULL, -INFINITY);
	weir_series_double(out, "a", NULL, NAN);
	series_is(out, "a 0.25\na 1e+12\na +Inf\na -Inf\na NaN\n");
}

/* A node with one limit of a fleet, one for everyone and one of its own. */
struct node {
	struct weir_limit_view limits[3];
	struct weir_limit policy_limits[3];
	struct weir_policy policy;
	struct weir_interface_view interfaces[2];
	struct weir_observation observation;
	struct weir_page page;
};

static void fill_limit(struct node *node, size_t at, const char *name, uint32_t slot)
{
	struct weir_limit_view *limit = &node->limits[at];

	snprintf(limit->name.name, sizeof(limit->name.name), "%s", name);
	snprintf(node->policy_limits[at].name, sizeof(node->policy_limits[at].name), "%s", name);
	limit->slot = slot;
	limit->name.buckets = 4096;
	limit->counts = (struct weir_limit_count){
		.admitted = { 1 + at, 100 },
		.refused = { 2, 200 },
		.would_refuse = { 3, 300 },
		.refused_by_other = { 4, 400 },
		.inherited = 5,
		.lost_race = 6,
		.not_inserted = 7,
	};
	node->policy_limits[at].scope = WEIR_SCOPE_NODE;
}

static void fill(struct node *node)
{
	*node = (struct node){ .page.n_limits = 3 };
	fill_limit(node, 0, "web", 2);
	fill_limit(node, 1, "everyone", 7);
	fill_limit(node, 2, "own", 9);
	node->limits[1].name.all = 1;
	node->policy_limits[0].scope = WEIR_SCOPE_FLEET;
	node->policy_limits[0].on_store_loss = WEIR_LOSS_CLOSED;
	node->policy.limits = node->policy_limits;
	node->policy.n_limits = 3;
	node->interfaces[0] =
		(struct weir_interface_view){ .name = "eth0", .mode = WEIR_ATTACH_NATIVE };
	node->interfaces[1] =
		(struct weir_interface_view){ .name = "e\"1", .unprotected_ns = 1500000000 };
	node->observation.at_limit[2] = 11;
	node->observation.n_nearest = 2;
	node->observation.nearest[0] = (struct weir_observed){
		.limit = "web", .prefix = { 4, 32, { 192, 0, 2, 1 } }, .value = 0.125
	};
	node->observation.nearest[1] = (struct weir_observed){ .limit = "everyone",
							       .prefix = { 4, 0, { 0 } },
							       .value = 1 };
	node->observation.n_longest = 1;
	node->observation.longest[0] = (struct weir_observed){
		.limit = "own", .prefix = { 6, 64, { 0x20, 1, 0xd, 0xb8 } }, .value = 42
	};
	node->page.reasons[WEIR_CONFORMS] = (struct weir_count){ 1000, 64000 };
	node->page.reasons[WEIR_OVER_LIMIT] = (struct weir_count){ 10, 640 };
	node->page.limits = node->limits;
	node->page.policy = &node->policy;
	node->page.interfaces = node->interfaces;
	node->page.n_interfaces = 2;
	node->page.observation = &node->observation;
	node->page.sources_known = 3;
	node->page.sources_size = 65536;
	node->page.reloads[WEIR_RELOAD_REFUSED] = 4;
	node->page.heartbeat_age_s = 0.125;
}

static int set_up(void **state)
{
	static struct node node;
	FILE *out = begin();

	fill(&node);
	weir_page_write(out, &node.page);
	return fclose(out);
}

static int tear_down(void **state)
{
	free(text);
	return 0;
}

static void has(const char *line)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	if (!strstr(text, whole))
		fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void has_not(const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

static void packets_are_told_by_verdict_and_reason(void **state)
{
	has("weir_packets_total{verdict=\"pass\",reason=\"conforms\"} 1000");
	has("weir_packets_total{verdict=\"drop\",reason=\"over_limit\"} 10");
	has("weir_packets_total{verdict=\"drop\",reason=\"denied\"} 0");
	has("weir_packets_total{verdict=\"pass\",reason=\"would_refuse\"} 0");
	has("weir_bytes_total{verdict=\"pass\",reason=\"conforms\"} 64000");
	has_not("reason=\"\"");
}

static void limits_are_told_by_verdict(void **state)
{
	has("weir_limit_packets_total{limit=\"web\",verdict=\"admitted\"} 1");
	has("weir_limit_packets_total{limit=\"own\",verdict=\"admitted\"} 3");
	has("weir_limit_packets_total{limit=\"own\",verdict=\"refused\"} 2");
	has("weir_limit_packets_total{limit=\"own\",verdict=\"would_refuse\"} 3");
	has("weir_limit_bytes_total{limit=\"own\",verdict=\"refused_by_other\"} 400");
}

static void modes_are_told_and_degraded_time_of_fleet_limits_only(void **state)
{
	has("weir_limit_mode{limit=\"own\",mode=\"normal\"} 1");
	has("weir_limit_mode{limit=\"web\",mode=\"closed\"} 0");
	has("weir_limit_mode{limit=\"web\",mode=\"fallback\"} 0");
	has("weir_degraded_seconds_total{limit=\"web\",mode=\"closed\",cause=\"store\"} 0");
	has_not("weir_degraded_seconds_total{limit=\"own\"");
	has("weir_store_up 1");
}

static void tables_are_told_by_limit(void **state)
{
	has("weir_table_size{limit=\"web\"} 4096");
	has("weir_table_inherited_total{limit=\"web\"} 5");
	has("weir_table_lost_race_total{limit=\"web\"} 6");
	has("weir_table_not_inserted_total{limit=\"web\"} 7");
}

static void sources_are_told_by_name_and_everyone_as_all(void **state)
{
	has("weir_source_headroom_ratio{limit=\"web\",source=\"192.0.2.1\"} 0.125");
	has("weir_source_headroom_ratio{limit=\"everyone\",source=\"all\"} 1");
	has("weir_source_at_limit_seconds{limit=\"own\",source=\"2001:db8::/64\"} 42");
	has("weir_sources_at_limit{limit=\"web\"} 11");
	has("weir_sources_at_limit{limit=\"own\"} 0");
	has("weir_sources{state=\"known\"} 3");
	has("weir_sources{state=\"free\"} 65533");
}

static void interfaces_are_told_by_mode(void **state)
{
	has("weir_attached{interface=\"eth0\",mode=\"native\"} 1");
	has("weir_attached{interface=\"eth0\",mode=\"generic\"} 0");
	has("weir_attached{interface=\"e\\\"1\",mode=\"native\"} 0");
	has("weir_unprotected_seconds_total{interface=\"e\\\"1\"} 1.5");
}

static void the_agent_tells_of_itself(void **state)
{
	has("weir_agent_heartbeat_seconds 0.125");
	has("weir_observing 0");
	has("weir_policy_reloads_total{result=\"refused\"} 4");
	has("weir_policy_reloads_total{result=\"reverted\"} 0");
	has("weir_build_info{version=\"" WEIR_VERSION "\"} 1");
}

/* Each family once, its help before its type before its series, and every series in a family. */
static void the_page_keeps_families_together(void **state)
{
	char seen[128][64], family[64] = "";
	char *rest = NULL, *line;
	size_t n = 0, i;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "# HELP ", 7) == 0) {
			assert_int_equal(sscanf(line + 7, "%63s", family), 1);
			for (i = 0; i < n; i++)
				assert_string_not_equal(seen[i], family);
			memcpy(seen[n++], family, sizeof(family));
			line = strtok_r(NULL, "\n", &rest);
			assert_non_null(line);
			assert_memory_equal(line, "# TYPE ", 7);
			assert_memory_equal(line + 7, family, strlen(family));
		} else {
			size_t len = strlen(family);

			assert_memory_equal(line, family, len);
			assert_true(line[len] == '{' || line[len] == ' ');
		}
	}
	assert_true(n > 15);
}

int main(void)
{
#define PAGE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_family_has_help_and_type),
		cmocka_unit_test(label_values_are_escaped),
		cmocka_unit_test(numbers_are_those_of_the_format),
		PAGE(packets_are_told_by_verdict_and_reason),
		PAGE(limits_are_told_by_verdict),
		PAGE(modes_are_told_and_degraded_time_of_fleet_limits_only),
		PAGE(tables_are_told_by_limit),
		PAGE(sources_are_told_by_name_and_everyone_as_all),
		PAGE(interfaces_are_told_by_mode),
		PAGE(the_agent_tells_of_itself),
		PAGE(the_page_keeps_families_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
