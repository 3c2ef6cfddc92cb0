// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The command line: what is taken stands where commands look for it, what is wrong is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/call.h"
#include "cli/source_word.h"

#define WORDS_MAX 80

/* @line  words with one space between them; it is cut up */
static int parse(char *line, struct weir_call *ret_call)
{
	char *argv[WORDS_MAX + 1] = { NULL };
	int argc = 0;
	char *word;

	for (word = strtok(line, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	return weir_call_parse(weir_command_find(argv[0]), argc, argv, ret_call);
}

static void refused(const char *text)
{
	char line[2048];
	struct weir_call call = { .n_words = 77 };

	strcpy(line, text);
	if (parse(line, &call) == 0)
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(call.n_words, 77);
}

static void options_and_words_may_be_mixed(void **state)
{
	char line[] = "explain --to 192.0.2.1 -c f.yaml 10.0.0.1 --json --proto=tcp";
	struct weir_call call;

	assert_int_equal(parse(line, &call), 0);
	assert_int_equal(call.n_words, 1);
	assert_string_equal(call.words[0], "10.0.0.1");
	assert_string_equal(call.value[WEIR_OPTION_TO], "192.0.2.1");
	assert_string_equal(call.value[WEIR_OPTION_CONFIG], "f.yaml");
	assert_string_equal(call.value[WEIR_OPTION_PROTO], "tcp");
	assert_true(weir_call_has(&call, WEIR_OPTION_JSON));
	assert_false(weir_call_has(&call, WEIR_OPTION_PINS));
	assert_false(weir_call_has(&call, WEIR_OPTION_PORT));
}

static void what_follows_two_dashes_is_a_word(void **state)
{
	char line[] = "check -- --json";
	struct weir_call call;

	assert_int_equal(parse(line, &call), 0);
	assert_string_equal(call.words[0], "--json");
	assert_false(weir_call_has(&call, WEIR_OPTION_JSON));
}

static void interfaces_are_collected_in_order(void **state)
{
	char line[] = "run --interface eth0 --watch --interface=eth1";
	struct weir_call call;

	assert_int_equal(parse(line, &call), 0);
	assert_int_equal(call.n_interfaces, 2);
	assert_string_equal(call.interfaces[0], "eth0");
	assert_string_equal(call.interfaces[1], "eth1");
	assert_true(weir_call_has(&call, WEIR_OPTION_WATCH));
}

static void more_interfaces_than_there_is_room_for_are_refused(void **state)
{
	char line[2048] = "run";
	int i;

	for (i = 0; i <= WEIR_INTERFACES_MAX; i++)
		strcat(line, " --interface=e");
	refused(line);
}

static void what_a_command_does_not_take_is_refused(void **state)
{
	refused("status --watch");
	refused("status --jsn");
	refused("status -x");
	refused("status now");
	refused("status --json=yes");
	refused("top --interval");
	refused("explain");
	refused("explain 10.0.0.1 10.0.0.2");
	refused("key web");
	refused("observe");
	refused("detach everything");
}

static void help_needs_nothing_else_to_be_right(void **state)
{
	char line[] = "key --help";
	struct weir_call call;

	assert_int_equal(parse(line, &call), 0);
	assert_true(weir_call_has(&call, WEIR_OPTION_HELP));
}

static void every_command_takes_help_and_a_way_to_name_its_node(void **state)
{
	const struct weir_command *command;

	for (command = weir_commands; command->name; command++) {
		assert_true(command->options & WEIR_TAKES(HELP));
		assert_true(command->options & WEIR_TAKES(CONFIG));
		assert_true(command->words_max >= command->words_min);
		assert_true(command->words_max <= WEIR_WORDS_MAX);
		assert_non_null(command->run);
		assert_true(*command->summary && *command->about && *command->example);
	}
}

static void a_slip_finds_the_command_that_was_meant(void **state)
{
	assert_null(weir_command_find("statsu"));
	assert_string_equal(weir_command_nearest("statsu"), "status");
	assert_string_equal(weir_command_nearest("relaod"), "reload");
	assert_string_equal(weir_command_nearest("tops"), "top");
	assert_null(weir_command_nearest("frobnicate"));
	assert_null(weir_command_nearest(""));
}

static int query(const char *text, struct weir_query *ret_query)
{
	char line[256];
	struct weir_call call;

	strcpy(line, text);
	if (parse(line, &call) != 0)
		fail_msg("\"%s\" was not taken", text);
	return weir_word_query(&call, ret_query);
}

static void what_a_query_leaves_out_stays_open(void **state)
{
	struct weir_query asked;

	assert_int_equal(query("explain 10.0.0.1", &asked), 0);
	assert_int_equal(asked.source.bits, 32);
	assert_false(asked.has_to || asked.has_proto || asked.has_port);
	assert_true(asked.syn);
	assert_int_equal(query("explain 10.0.0.1 --established", &asked), 0);
	assert_false(asked.syn);
	assert_int_equal(
		query("explain 2001:db8::1 --proto udp --port 53 --to 2001:db8::2", &asked), 0);
	assert_true(asked.has_to && asked.has_proto && asked.has_port);
	assert_int_equal(asked.proto, 17);
	assert_int_equal(asked.port, 53);
	assert_int_equal(asked.to.bits, 128);
	assert_false(asked.syn);
}

static void a_source_may_be_given_as_its_prefix(void **state)
{
	struct weir_query asked;

	assert_int_equal(query("explain 2001:db8:1:2::/64", &asked), 0);
	assert_int_equal(asked.source.bits, 128);
	assert_int_equal(asked.source.addr[0], 0x20);
	assert_int_equal(asked.source.addr[7], 2);
}

static void queries_that_no_packet_fits_are_refused(void **state)
{
	static const char *const wrong[] = {
		"explain 10.0.0.256",
		"explain localhost",
		"explain ::ffff:10.0.0.1",
		"explain 10.0.0.1 --to 2001:db8::1",
		"explain 10.0.0.1 --to 10.0.0.0/24",
		"explain 10.0.0.1 --proto sctpx",
		"explain 10.0.0.1 --proto 256",
		"explain 10.0.0.1 --proto 6x",
		"explain 10.0.0.1 --proto -1",
		"explain 10.0.0.1 --port 65536",
		"explain 10.0.0.1 --port 99999999999999999999",
		"explain 10.0.0.1 --port 0x50",
		"explain 10.0.0.1 --proto icmp --port 80",
		"explain 10.0.0.1 --proto udp --established",
	};
	struct weir_query asked;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (query(wrong[i], &asked) == 0)
			fail_msg("\"%s\" was taken", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_words_may_be_mixed),
		cmocka_unit_test(what_follows_two_dashes_is_a_word),
		cmocka_unit_test(interfaces_are_collected_in_order),
		cmocka_unit_test(more_interfaces_than_there_is_room_for_are_refused),
		cmocka_unit_test(what_a_command_does_not_take_is_refused),
		cmocka_unit_test(help_needs_nothing_else_to_be_right),
		cmocka_unit_test(every_command_takes_help_and_a_way_to_name_its_node),
		cmocka_unit_test(a_slip_finds_the_command_that_was_meant),
		cmocka_unit_test(what_a_query_leaves_out_stays_open),
		cmocka_unit_test(a_source_may_be_given_as_its_prefix),
		cmocka_unit_test(queries_that_no_packet_fits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
