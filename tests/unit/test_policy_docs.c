// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Every example in the documentation that says it is complete is a valid policy. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "policy/policy.h"

#define OPENING "```yaml\n# complete"
#define CLOSING "\n```"

static const char *docs(const char *name)
{
	static char path[600];
	char here[512];

	snprintf(here, sizeof(here), "%s", __FILE__);
	snprintf(path, sizeof(path), "%s/../../docs/%s", dirname(here), name);
	return path;
}

static unsigned int line_of(const char *text, const char *at)
{
	unsigned int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

static void try_example(const char *text, const char *at, size_t len)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;

	if (weir_policy_read_text("policy.md", at, len, &faults, &policy) != 0)
		fail_msg("example on line %u: %s", line_of(text, at), faults.errors[0].message);
	if (faults.n_warnings)
		fail_msg("example on line %u: %s", line_of(text, at), faults.warnings[0].message);
	weir_policy_free(policy);
	weir_faults_free(&faults);
}

static void complete_examples_are_valid_and_without_a_warning(void **state)
{
	struct weir_error error;
	char *text = NULL, *at;
	int n = 0;

	if (weir_file_read(docs("policy.md"), 1 << 20, &error, &text, NULL) != 0)
		fail_msg("%s", error.text);
	for (at = strstr(text, OPENING); at; at = strstr(at, OPENING)) {
		char *end = strstr(at, CLOSING);

		assert_non_null(end);
		at += strlen("```yaml\n");
		try_example(text, at, (size_t)(end - at) + 1);
		n++;
	}
	assert_true(n >= 5);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_examples_are_valid_and_without_a_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
