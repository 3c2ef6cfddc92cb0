// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What `weir check` reckons and says, against numbers worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policy/print_check.h"
#include "policy/words.h"

#define HEAD	    "node: n\ninterfaces: [eth0]\n"
#define EMBEDDED    HEAD "store: {url: embedded}\n"
#define TWELVE	    HEAD "store: {url: \"redis://h\", fleet: f, nodes_max: 12}\n"
#define HUNDRED	    HEAD "store: {url: \"redis://h\", fleet: f, nodes_max: 100}\n"
#define LIMIT(keys) "limits: [{name: a, " keys "}]\n"

static struct weir_policy *policy;
static struct weir_faults faults;

static void read_policy(const char *text)
{
	if (weir_policy_read_text("p.yaml", text, strlen(text), &faults, &policy) != 0)
		fail_msg("%s", faults.errors[0].message);
}

static int forget(void **state)
{
	weir_policy_free(policy);
	weir_faults_free(&faults);
	policy = NULL;
	return 0;
}

static struct weir_sums reckoned(const char *text)
{
	struct weir_sums sums;

	forget(NULL);
	read_policy(text);
	assert_int_equal(weir_limit_reckon(policy, &policy->limits[0], NULL, &sums), 0);
	return sums;
}

static void near(double is, double expected)
{
	if (fabs(is - expected) > 1e-9 * fabs(expected))
		fail_msg("%.12g instead of %.12g", is, expected);
}

static void with_the_embedded_store_the_share_is_all_of_it(void **state)
{
	struct weir_sums sums =
		reckoned(EMBEDDED LIMIT("fleet_rate: 1000 packets/s, "
					"burst: 2000 packets, on_store_loss: share"));

	near(sums.rate_per_s, 1000);
	near(sums.fleet_per_s, 1000);
	near(sums.share_per_s, 1000);
	near(sums.one_node_per_s, 1000);
	near(sums.loss_per_s, 1000);
	assert_int_equal(sums.share_tokens, 2000);
	assert_int_equal(sums.one_node_tokens, 2000);
	assert_int_equal(sums.first, WEIR_ANSWER_BUCKET);
	assert_true(sums.per_boot);
	near(sums.new_sources_per_s, 262144.0 * 1000);
	assert_int_equal(sums.table_bytes, 2 << 20);
	assert_true(sums.coarse);
	assert_true(sums.effective_tokens > 1991 && sums.effective_tokens < 1993);
}

static void a_share_is_a_part_of_the_whole_for_each_node(void **state)
{
	struct weir_sums sums = reckoned(TWELVE LIMIT("fleet_rate: 1000 packets/s, "
						      "burst: 2000 packets, on_store_loss: share"));

	near(sums.fleet_per_s, 1000);
	near(sums.share_per_s, 2.5);
	assert_int_equal(sums.share_tokens, 41);
	assert_false(sums.share_grown);
	near(sums.one_node_per_s, 970 + 2.5);
	assert_int_equal(sums.one_node_tokens, 2000 - 11 * 41);
	near(sums.refilled_s, 12 * 41 / 30.0);
	near(sums.loss_per_s, 30);
	assert_int_equal(sums.loss_tokens, 12 * 41);
	assert_false(sums.per_boot);
	near(sums.new_sources_per_s, 262144.0 * 2.5);
}

static void a_share_grows_to_hold_a_packet_while_half_the_burst_is_left(void **state)
{
	struct weir_sums sums =
		reckoned(TWELVE LIMIT("fleet_rate: 10 packets/s, burst: 24 packets, "
				      "on_store_loss: share"));

	assert_true(sums.share_grown);
	assert_int_equal(sums.share_tokens, 1);
	assert_int_equal(sums.first, WEIR_ANSWER_BUCKET);
	sums = reckoned(TWELVE LIMIT("fleet_rate: 10 packets/s, burst: 23 packets, "
				     "on_store_loss: share"));
	assert_int_equal(sums.share_tokens, 0);
	assert_int_equal(sums.first, WEIR_ANSWER_LEASE);
	assert_int_equal(sums.fleet_burst_tokens, 23);
	near(sums.one_node_per_s, 10);
	near(sums.loss_per_s, 0);
	sums = reckoned(TWELVE LIMIT("fleet_rate: 10 packets/s, burst: 23 packets, "
				     "on_store_loss: share, first_packet: admit"));
	assert_int_equal(sums.first, WEIR_ANSWER_ADMIT);
	assert_int_equal(sums.fleet_burst_tokens, 23 + 12);
}

static void a_byte_share_has_to_hold_a_whole_frame(void **state)
{
	struct weir_sums sums = reckoned(HUNDRED LIMIT("fleet_rate: 1 MB/s, burst: 1 MB, "
						       "on_store_loss: share"));

	assert_int_equal(sums.share_tokens, 2500);
	assert_false(sums.share_grown);
	near(sums.new_sources_per_s, 262144.0 * 300 / 1522);
	sums = reckoned(HUNDRED LIMIT("fleet_rate: 1 MB/s, burst: 305 KB, on_store_loss: share"));
	assert_true(sums.share_grown);
	assert_int_equal(sums.share_tokens, 1522);
	sums = reckoned(HUNDRED LIMIT("fleet_rate: 1 MB/s, burst: 300 KB, on_store_loss: share"));
	assert_int_equal(sums.share_tokens, 0);
}

static void without_a_share_all_of_it_is_leased(void **state)
{
	struct weir_sums sums = reckoned(TWELVE LIMIT("fleet_rate: 1000 packets/s, "
						      "burst: 2000 packets, share: {rate: 0%, "
						      "burst: 0%}, on_store_loss: share"));

	near(sums.share_per_s, 0);
	near(sums.one_node_per_s, 1000);
	assert_int_equal(sums.one_node_tokens, 2000);
	assert_int_equal(sums.first, WEIR_ANSWER_LEASE);
	near(sums.new_sources_per_s, 0);
}

static void each_mode_has_its_number_for_the_whole_fleet(void **state)
{
	struct weir_sums sums =
		reckoned(TWELVE LIMIT("fleet_rate: 1000 packets/s, burst: 2000 packets, "
				      "on_store_loss: fallback, "
				      "fallback: {node_rate: 200 packets/s, burst: 400 packets}"));

	near(sums.loss_per_s, 2400);
	assert_int_equal(sums.loss_tokens, 4800);
	assert_int_equal(sums.table_bytes, 4 << 20);
	sums = reckoned(TWELVE LIMIT("fleet_rate: 1 packet/s, burst: 1 packet, "
				     "on_store_loss: open"));
	assert_true(sums.loss_unlimited);
	sums = reckoned(TWELVE LIMIT("fleet_rate: 1 packet/s, burst: 1 packet, "
				     "on_store_loss: closed"));
	assert_false(sums.loss_unlimited);
	near(sums.loss_per_s, 0);
}

static void a_node_limit_lets_each_node_have_its_rate(void **state)
{
	struct weir_sums sums = reckoned(TWELVE LIMIT("node_rate: 60 packets/min, "
						      "burst: 5 packets, source: all"));

	near(sums.rate_per_s, 1);
	near(sums.fleet_per_s, 12);
	assert_int_equal(sums.fleet_burst_tokens, 60);
	near(sums.one_node_per_s, 1);
	near(sums.new_sources_per_s, 0);
	assert_int_equal(sums.table_bytes, 2 << 20);
	assert_true(sums.per_boot);
}

static void rounding_never_exceeds_what_is_told(void **state)
{
	static const char *const rates[] = { "1 packets/s",	 "3 packets/s",
					     "7 packets/min",	 "1 packets/day",
					     "999 packets/s",	 "1234567 packets/s",
					     "1000000 packets/s" };
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct weir_sums sums;

		snprintf(text, sizeof(text), EMBEDDED LIMIT("node_rate: %s, burst: 100 packets"),
			 rates[i]);
		sums = reckoned(text);
		assert_true(sums.below >= 0 && sums.below < 1.0 / 1024);
	}
}

static void a_burst_too_long_for_its_rate_is_a_fault_in_its_place(void **state)
{
	struct weir_sums sums;

	read_policy(EMBEDDED "limits:\n"
			     "  - {name: ok, node_rate: 1 packet/s, burst: 10 packets}\n"
			     "  - {name: long, node_rate: 1 packet/day, burst: 1 Tpackets}\n");
	assert_int_equal(weir_limit_reckon(policy, &policy->limits[1], NULL, &sums), -ERANGE);
	assert_int_equal(weir_policy_check_gauges(policy, 4000000, &faults), -EINVAL);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(faults.errors[0].line, 6);
	assert_int_equal(faults.errors[0].column, 50);
	assert_non_null(strstr(faults.errors[0].message, "limits.long.burst"));
}

static char *printed(bool json)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(weir_check_print(out, "p.yaml", policy, &faults, NULL, json), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void holds(const char *text, const char *piece)
{
	if (!strstr(text, piece))
		fail_msg("\"%s\" is not in:\n%s", piece, text);
}

static void json_has_the_fields_promised(void **state)
{
	char *text;

	read_policy(TWELVE "limits:\n"
			   "  - {name: a, fleet_rate: 1000 packets/s, burst: 2000 packets,\n"
			   "     on_store_loss: fallback,\n"
			   "     fallback: {node_rate: 200 packets/s, burst: 400 packets}}\n"
			   "  - {name: b, fleet_rate: 8 Mbit/s, burst: 1 MB, on_store_loss: open}\n"
			   "  - {name: c, node_rate: 1 packet/s, burst: 1 packet}\n");
	text = printed(true);
	holds(text, "{\"valid\":true,\"errors\":[],");
	holds(text, "\"name\":\"a\",\"kind\":\"fleet\"");
	holds(text, "\"rate_per_s\":1000,\"burst\":2000,\"share_rate_per_s\":2.5,"
		    "\"share_burst\":41,\"one_node_max_per_s\":972.5,");
	holds(text, "\"worst_case_per_s\":{\"normal\":1000,\"fallback\":2400}");
	holds(text, "\"worst_case_per_s\":{\"normal\":1000000,\"open\":null}");
	holds(text, "\"name\":\"c\",\"kind\":\"node\"");
	holds(text, "\"share_rate_per_s\":null,\"share_burst\":null,\"one_node_max_per_s\":1,");
	holds(text, "\"worst_case_per_s\":{\"normal\":12}");
	free(text);
}

static void json_of_a_bad_policy_has_its_errors_and_no_limits(void **state)
{
	static const char bad[] = HEAD "store: {url: embedded}\nx\"y: 1\n";
	char *text;

	assert_int_equal(weir_policy_read_text("p.yaml", bad, strlen(bad), &faults, &policy),
			 -EINVAL);
	text = printed(true);
	holds(text, "{\"valid\":false,\"errors\":[{\"file\":\"p.yaml\",\"line\":4,\"column\":1,"
		    "\"message\":\"x\\\\\\\"y: unknown key");
	holds(text, "\"limits\":[]");
	free(text);
	text = printed(false);
	holds(text, "p.yaml:4:1: error: x\\\"y: unknown key");
	holds(text, "p.yaml is not valid: 1 error\n");
	free(text);
}

static void words_tell_each_number(void **state)
{
	char *text;

	read_policy(TWELVE "limits:\n"
			   "  - {name: a, fleet_rate: 1000 packets/s, burst: 2000 packets,\n"
			   "     mode: observe, match: {proto: tcp, port: [443, 8000-8010]},\n"
			   "     on_store_loss: fallback,\n"
			   "     fallback: {node_rate: 200 packets/s, burst: 400 packets}}\n"
			   "quotas: [{name: q, fleet_quota: 500 GB, period: month,\n"
			   "          on_store_loss: closed}]\n");
	text = printed(false);
	holds(text, "warning: limits.a.match: fragments get round it");
	holds(text, "p.yaml is valid");
	holds(text, "fleet limit a (observing: refuses nothing)");
	holds(text, "tcp, to port 443 8000-8010\n");
	holds(text, "1000 packets/s, bursts of 2000 packets, each IPv4 /32 and each IPv6 /64; over "
		    "all 12 nodes together\n");
	holds(text, "2.5 packets/s, bursts of 41 packets; always there, without the store\n");
	holds(text, "972.5 packets/s, bursts of 1549 packets; after a full burst the next is whole "
		    "again in 16.4 s\n");
	holds(text, "fallback: in all 2400 packets/s, bursts of 4800 packets (12 nodes)\n");
	holds(text, "fleet quota q\n");
	holds(text, "500 GB a month (UTC), each IPv4 /32 and each IPv6 /64\n");
	free(text);
}

static void amounts_and_rates_read_like_the_file(void **state)
{
	char buf[WEIR_WORDS_LEN];

	assert_string_equal(weir_words_amount(1, WEIR_TOKEN_PACKET, buf), "1 packet");
	assert_string_equal(weir_words_amount(2000, WEIR_TOKEN_PACKET, buf), "2000 packets");
	assert_string_equal(weir_words_amount(2.5e6, WEIR_TOKEN_PACKET, buf), "2.5 Mpackets");
	assert_string_equal(weir_words_amount(12500000, WEIR_TOKEN_BYTE, buf), "12.5 MB");
	assert_string_equal(weir_words_amount(999, WEIR_TOKEN_BYTE, buf), "999 B");
	assert_string_equal(weir_words_amount(5, WEIR_TOKEN_UNIT, buf), "5 units");
	assert_string_equal(weir_words_rate(1.0 / 60, WEIR_TOKEN_PACKET, buf), "1 packet/min");
	assert_string_equal(weir_words_rate(5.0 / 3600, WEIR_TOKEN_PACKET, buf), "5 packets/h");
	assert_string_equal(weir_words_rate(0, WEIR_TOKEN_PACKET, buf), "0 packets/s");
	assert_string_equal(weir_words_size(2 << 20, buf), "2 MiB");
	assert_string_equal(weir_words_time(0.25, buf), "250 ms");
	assert_string_equal(weir_words_count(2.62144e9, buf), "2.62 billion");
	assert_string_equal(weir_words_count(12345, buf), "12345");
}

static void a_full_disk_is_told(void **state)
{
	FILE *out = fopen("/dev/full", "w");

	assert_non_null(out);
	read_policy(EMBEDDED);
	assert_int_equal(weir_check_print(out, "p", policy, &faults, NULL, false), -EIO);
	assert_int_equal(weir_check_print(out, "p", policy, &faults, NULL, true), -EIO);
	fclose(out);
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(with_the_embedded_store_the_share_is_all_of_it),
		TEST(a_share_is_a_part_of_the_whole_for_each_node),
		TEST(a_share_grows_to_hold_a_packet_while_half_the_burst_is_left),
		TEST(a_byte_share_has_to_hold_a_whole_frame),
		TEST(without_a_share_all_of_it_is_leased),
		TEST(each_mode_has_its_number_for_the_whole_fleet),
		TEST(a_node_limit_lets_each_node_have_its_rate),
		TEST(rounding_never_exceeds_what_is_told),
		TEST(a_burst_too_long_for_its_rate_is_a_fault_in_its_place),
		TEST(json_has_the_fields_promised),
		TEST(json_of_a_bad_policy_has_its_errors_and_no_limits),
		TEST(words_tell_each_number),
		TEST(amounts_and_rates_read_like_the_file),
		TEST(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
