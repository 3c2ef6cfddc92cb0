// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a policy's keys become as values, and how the reading bears odd input. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "policy/policy.h"

#define MS	 1000000ULL
#define S	 1000000000ULL
#define HEAD	 "node: n\ninterfaces: [eth0]\n"
#define EMBEDDED HEAD "store: {url: embedded}\n"

static struct weir_policy *taken(const char *text)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;

	if (weir_policy_read_text("p.yaml", text, strlen(text), &faults, &policy) != 0)
		fail_msg("%u:%u: %s", faults.errors[0].line, faults.errors[0].column,
			 faults.errors[0].message);
	weir_faults_free(&faults);
	return policy;
}

static void refused_n(const char *text, size_t len, const char *why)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;
	bool said = false;
	size_t i;

	assert_int_equal(weir_policy_read_text("p.yaml", text, len, &faults, &policy), -EINVAL);
	assert_null(policy);
	for (i = 0; i < faults.n_errors; i++)
		said |= strstr(faults.errors[i].message, why) != NULL;
	if (!said)
		fail_msg("\"%s\" was not said, but: %s", why, faults.errors[0].message);
	weir_faults_free(&faults);
}

static void refused(const char *text, const char *why)
{
	refused_n(text, strlen(text), why);
}

static void what_is_left_out_has_the_defaults(void **state)
{
	struct weir_policy *policy = taken(EMBEDDED "limits: [{name: a, fleet_rate: 10 packets/s, "
						    "burst: 5 packets, on_store_loss: share}]\n");
	const struct weir_limit *limit = &policy->limits[0];

	assert_string_equal(policy->file, "p.yaml");
	assert_int_equal(policy->attach, WEIR_ATTACH_AUTO);
	assert_false(policy->observe);
	assert_true(policy->store.embedded);
	assert_int_equal(policy->store.nodes_max, 1);
	assert_null(policy->store.fleet);
	assert_int_equal(policy->store.timeout_ns, 100 * MS);
	assert_int_equal(policy->store.stale_after_ns, S);
	assert_int_equal(policy->store.hold_down_ns, 2 * S);
	assert_int_equal(policy->store.lease_life_ns, 3 * S);
	assert_int_equal(policy->store.budget_per_s, 20000);
	assert_string_equal(policy->metrics_listen, "127.0.0.1:9477");
	assert_string_equal(policy->pins_dir, "/sys/fs/bpf/weir");
	assert_string_equal(policy->state_dir, "/var/lib/weir");
	assert_string_equal(policy->run_dir, "/run/weir");
	assert_int_equal(limit->mode, WEIR_RUN_INHERIT);
	assert_false(limit->source.all);
	assert_int_equal(limit->source.ipv4_bits, 32);
	assert_int_equal(limit->source.ipv6_bits, 64);
	assert_int_equal(limit->share.rate_ppm, 30000);
	assert_int_equal(limit->share.burst_ppm, 250000);
	assert_int_equal(limit->first_packet, WEIR_FIRST_WAIT);
	assert_int_equal(limit->buckets, 262144);
	assert_int_equal(limit->over, WEIR_OVER_DROP);
	assert_false(limit->match.has_proto);
	assert_int_equal(limit->match.fragment, WEIR_FRAGMENT_ANY);
	assert_int_equal(limit->mark.line, 4);
	weir_policy_free(policy);
}

static void the_node_is_named_after_its_host(void **state)
{
	struct weir_policy *policy = taken("interfaces: [eth0]\nstore: {url: embedded}\n");
	char host[256] = "";

	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	assert_string_equal(policy->node, host);
	weir_policy_free(policy);
}

static void a_full_limit_is_read_to_the_letter(void **state)
{
	struct weir_policy *policy = taken(
		HEAD
		"mode: observe\n"
		"store: {url: \"redis://h\", fleet: prod, nodes_max: 12}\n"
		"limits:\n"
		"  - name: web-1\n"
		"    mode: enforce\n"
		"    match: {port: [443, \"8000-8010\"], flags: syn, fragment: false,\n"
		"            to: 203.0.113.0/24, from: [10.9.0.0/16, 10.0.0.0/16, 10.9.0.0/16]}\n"
		"    source: {ipv4: 24, ipv6: 48}\n"
		"    fleet_rate: 100 Kbit/min\n"
		"    burst: 64 KiB\n"
		"    share: {rate: 0.5%, burst: 100%}\n"
		"    first_packet: admit\n"
		"    on_store_loss: fallback\n"
		"    fallback: {node_rate: 12 bit/s, burst: 2 KB}\n"
		"    buckets: 8\n");
	const struct weir_limit *limit = &policy->limits[0];

	assert_true(policy->observe);
	assert_false(weir_policy_observes(policy, limit->mode));
	assert_true(weir_policy_observes(policy, WEIR_RUN_INHERIT));
	assert_string_equal(limit->name, "web-1");
	assert_int_equal(limit->scope, WEIR_SCOPE_FLEET);
	assert_int_equal(limit->token, WEIR_TOKEN_BYTE);
	assert_int_equal(limit->rate.tokens, 12500);
	assert_int_equal(limit->rate.per_ns, 60 * S);
	assert_int_equal(limit->burst_tokens, 65536);
	assert_int_equal(limit->burst_mark.line, 12);
	assert_int_equal(limit->share.rate_ppm, 5000);
	assert_int_equal(limit->share.burst_ppm, 1000000);
	assert_int_equal(limit->first_packet, WEIR_FIRST_ADMIT);
	assert_int_equal(limit->on_store_loss, WEIR_LOSS_FALLBACK);
	assert_int_equal(limit->fallback_rate.tokens, 12);
	assert_int_equal(limit->fallback_rate.per_ns, 8 * S);
	assert_int_equal(limit->fallback_burst_tokens, 2000);
	assert_int_equal(limit->buckets, 8);
	assert_int_equal(limit->source.ipv4_bits, 24);
	assert_int_equal(limit->match.n_ports, 2);
	assert_int_equal(limit->match.ports[1].first, 8000);
	assert_int_equal(limit->match.ports[1].last, 8010);
	assert_int_equal(limit->match.n_to, 1);
	assert_int_equal(limit->match.n_from, 2);
	assert_int_equal(limit->match.from[0].addr[1], 0);
	assert_int_equal(limit->match.from[1].addr[1], 9);
	assert_int_equal(limit->match.fragment, WEIR_FRAGMENT_WHOLE);
	weir_policy_free(policy);
}

static void a_match_on_syn_is_a_match_on_tcp(void **state)
{
	struct weir_policy *policy = taken(EMBEDDED "limits: [{name: a, node_rate: 1 packet/s, "
						    "burst: 1 packet, match: {flags: syn}}]\n");

	assert_true(policy->limits[0].match.syn);
	assert_true(policy->limits[0].match.has_proto);
	assert_int_equal(policy->limits[0].match.proto, 6);
	assert_int_equal(policy->limits[0].on_store_loss, WEIR_LOSS_NONE);
	weir_policy_free(policy);
}

static void one_bucket_for_all_needs_one_line_of_a_table(void **state)
{
	struct weir_policy *policy = taken(
		EMBEDDED "limits:\n"
			 "  - {name: a, source: all, node_rate: 1 packet/s, burst: 1 packet}\n"
			 "  - {name: b, source: all, node_rate: 1 packet/s, burst: 1 packet, "
			 "buckets: 16Ki}\n");

	assert_true(policy->limits[0].source.all);
	assert_int_equal(policy->limits[0].buckets, 8);
	assert_int_equal(policy->limits[1].buckets, 16384);
	weir_policy_free(policy);
}

static void keys_without_a_value_are_empty_lists(void **state)
{
	struct weir_policy *policy = taken(EMBEDDED "limits:\nquotas:\nnever_limit:\n"
						    "always_drop:\n");

	assert_int_equal(policy->n_limits + policy->n_quotas, 0);
	assert_int_equal(policy->n_never_limit + policy->n_always_drop, 0);
	weir_policy_free(policy);
}

static void a_quota_is_read_to_the_letter(void **state)
{
	struct weir_policy *policy =
		taken(EMBEDDED "quotas: [{name: q, fleet_quota: 500 GB, period: week, time_zone: "
			       "Europe/Paris, on_store_loss: open, durability: unverified, source: "
			       "{ipv4: 0}}, {name: r, node_quota: 7 units, period: hour, "
			       "on_store_loss: closed}]\n");
	const struct weir_quota *quota = policy->quotas;

	assert_int_equal(quota[0].scope, WEIR_SCOPE_FLEET);
	assert_int_equal(quota[0].token, WEIR_TOKEN_BYTE);
	assert_true(quota[0].tokens == 500000000000ULL);
	assert_int_equal(quota[0].period, WEIR_PERIOD_WEEK);
	assert_string_equal(quota[0].time_zone, "Europe/Paris");
	assert_int_equal(quota[0].on_store_loss, WEIR_LOSS_OPEN);
	assert_int_equal(quota[0].durability, WEIR_DURABILITY_UNVERIFIED);
	assert_int_equal(quota[0].source.ipv4_bits, 0);
	assert_int_equal(quota[0].source.ipv6_bits, 64);
	assert_int_equal(quota[1].scope, WEIR_SCOPE_NODE);
	assert_int_equal(quota[1].token, WEIR_TOKEN_UNIT);
	assert_string_equal(quota[1].time_zone, "UTC");
	assert_int_equal(quota[1].durability, WEIR_DURABILITY_EXACT);
	weir_policy_free(policy);
}

static void text_that_is_no_yaml_is_refused_in_its_place(void **state)
{
	static const char bad_byte[] = "node: n\nx: \xff\n";
	static const char nul[] = "node: n\nx: \0\n";

	refused(bad_byte, "UTF-8");
	refused_n(nul, sizeof(nul) - 1, "no YAML");
	refused("", "found nothing");
	refused("\xef\xbb\xbf", "found nothing");
	refused("node: 'n", "no YAML");
}

static void a_file_of_more_than_a_mebibyte_is_refused(void **state)
{
	size_t len = (1 << 20) + 1;
	char *text = malloc(len);

	assert_non_null(text);
	memset(text, '#', len);
	refused_n(text, len, "longer than 1 MiB");
	free(text);
}

static void a_file_that_cannot_be_read_is_a_fault_without_a_place(void **state)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;

	assert_int_equal(weir_policy_read("/none/such.yaml", &faults, &policy), -ENOENT);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(faults.errors[0].line, 0);
	assert_non_null(strstr(faults.errors[0].message, "No such file"));
	weir_faults_free(&faults);
	assert_int_equal(weir_policy_read("/tmp", &faults, &policy), -EINVAL);
	weir_faults_free(&faults);
	assert_null(policy);
}

/* The bytes of @piece over and over between a head and a tail. */
static char *repeated(const char *head, const char *piece, size_t n, const char *tail)
{
	size_t len = strlen(piece), i;
	char *text = malloc(strlen(head) + n * len + strlen(tail) + 1), *at;

	assert_non_null(text);
	at = stpcpy(text, head);
	for (i = 0; i < n; i++)
		at = stpcpy(at, piece);
	stpcpy(at, tail);
	return text;
}

static void thousands_of_faults_are_counted_and_not_kept(void **state)
{
	char *text = repeated(EMBEDDED "never_limit: [", "x,", 5000, "]\n");
	struct weir_policy *policy = NULL;
	struct weir_faults faults;

	assert_int_equal(weir_policy_read_text("p", text, strlen(text), &faults, &policy), -EINVAL);
	assert_int_equal(faults.n_errors, WEIR_FAULTS_MAX);
	assert_int_equal(faults.n_more_errors, 5000 - WEIR_FAULTS_MAX);
	weir_faults_free(&faults);
	free(text);
}

static void hostile_files_end_quickly(void **state)
{
	static const struct {
		const char *head, *piece, *tail;
		size_t n;
	} files[] = {
		{ "a: ", "[", "", 200000 },
		{ "a: [", "&a b,", "]", 200000 },
		{ "a: ", "{a: ", "", 200000 },
		{ HEAD, "nod: 1\n", "", 140000 },
		{ HEAD "store: &s {url: embedded}\nlimits: [", "*s,", "]\n", 200000 },
		{ HEAD "store: &s {url: embedded}\nnever_limit: [", "*s,", "]\n", 200000 },
		{ "limits: &l [*l]\nquotas: *l\nstore: *l\n", "", "", 1 },
		{ "? ", "? ", "", 200000 },
	};
	uint64_t start = weir_clock_monotonic_ns();
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = repeated(files[i].head, files[i].piece, files[i].n, files[i].tail);
		struct weir_policy *policy = NULL;
		struct weir_faults faults;

		assert_int_equal(weir_policy_read_text("p", text, strlen(text), &faults, &policy),
				 -EINVAL);
		weir_faults_free(&faults);
		free(text);
	}
	assert_true(weir_clock_monotonic_ns() - start < 20 * S);
}

static void byte_bursts_are_held_against_the_largest_frame(void **state)
{
	struct weir_policy *policy = taken(
		HEAD "store: {url: \"redis://h\", fleet: f, nodes_max: 2}\n"
		     "limits:\n"
		     "  - {name: fits, node_rate: 1 MB/s, burst: 1522 B}\n"
		     "  - {name: packets, node_rate: 1 packet/s, burst: 1 packet}\n"
		     "  - {name: small, node_rate: 1 MB/s, burst: 1521 B}\n"
		     "  - {name: fall, fleet_rate: 1 MB/s, burst: 9 KB, on_store_loss: fallback,\n"
		     "     fallback: {node_rate: 1 KB/s, burst: 1 KB}}\n");
	struct weir_faults faults = { .errors = NULL };

	assert_int_equal(weir_policy_check_frames(policy, 1000, &faults), 0);
	assert_int_equal(weir_policy_check_frames(policy, 1522, &faults), -EINVAL);
	assert_int_equal(faults.n_errors, 2);
	assert_non_null(strstr(faults.errors[0].message, "limits.small.burst: found 1521 bytes"));
	assert_int_equal(faults.errors[0].line, 7);
	assert_int_equal(faults.errors[0].column, 45);
	assert_non_null(strstr(faults.errors[1].message, "limits.fall.fallback.burst"));
	assert_int_equal(faults.errors[1].line, 9);
	weir_faults_free(&faults);
	weir_policy_free(policy);
}

static void every_value_has_its_word(void **state)
{
	assert_string_equal(weir_attach_name(WEIR_ATTACH_NATIVE), "native");
	assert_string_equal(weir_on_loss_name(WEIR_LOSS_NONE), "none");
	assert_string_equal(weir_on_loss_name(WEIR_LOSS_FALLBACK), "fallback");
	assert_string_equal(weir_token_name(WEIR_TOKEN_PACKET), "packets");
	assert_string_equal(weir_token_name(WEIR_TOKEN_BYTE), "bytes");
	assert_string_equal(weir_token_name(WEIR_TOKEN_UNIT), "units");
	assert_string_equal(weir_scope_name(WEIR_SCOPE_NODE), "node");
	assert_string_equal(weir_first_name(WEIR_FIRST_ADMIT), "admit");
	assert_string_equal(weir_period_name(WEIR_PERIOD_WEEK), "week");
	assert_string_equal(weir_durability_name(WEIR_DURABILITY_UNVERIFIED), "unverified");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_out_has_the_defaults),
		cmocka_unit_test(the_node_is_named_after_its_host),
		cmocka_unit_test(a_full_limit_is_read_to_the_letter),
		cmocka_unit_test(a_match_on_syn_is_a_match_on_tcp),
		cmocka_unit_test(one_bucket_for_all_needs_one_line_of_a_table),
		cmocka_unit_test(keys_without_a_value_are_empty_lists),
		cmocka_unit_test(a_quota_is_read_to_the_letter),
		cmocka_unit_test(text_that_is_no_yaml_is_refused_in_its_place),
		cmocka_unit_test(a_file_of_more_than_a_mebibyte_is_refused),
		cmocka_unit_test(a_file_that_cannot_be_read_is_a_fault_without_a_place),
		cmocka_unit_test(thousands_of_faults_are_counted_and_not_kept),
		cmocka_unit_test(hostile_files_end_quickly),
		cmocka_unit_test(byte_bursts_are_held_against_the_largest_frame),
		cmocka_unit_test(every_value_has_its_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
