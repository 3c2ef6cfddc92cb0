// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Whole policy files: each one in policies/good is taken, each in policies/bad is refused with
 * exactly the faults its own comments foretell:
 *
 *	# error: LINE:COLUMN: what the message begins with
 *	# error: FILE:LINE:COLUMN: the same for a list file, relative to the policy
 *	# warning: LINE:COLUMN: …
 *	# never: a text that no message may hold
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "policy/policy.h"

struct expected {
	char text[512];
	bool met;
};

static struct expected errors[128], warnings[128];
static char forbidden[128];
static size_t n_errors, n_warnings;
static int n_wrong;

static const char *folder(const char *name)
{
	static char path[512];
	char here[512];

	snprintf(here, sizeof(here), "%s", __FILE__);
	snprintf(path, sizeof(path), "%s/policies/%s", dirname(here), name);
	return path;
}

static void keep(struct expected *list, size_t *n, const char *text)
{
	assert_true(*n < 128);
	snprintf(list[*n].text, sizeof(list[0].text), "%s", text);
	list[(*n)++].met = false;
}

/* Takes the comments of a file for what is to be said about it. */
static void foretell(const char *path)
{
	struct weir_error error;
	char *text = NULL, *line, *rest = NULL;

	n_errors = n_warnings = 0;
	forbidden[0] = '\0';
	if (weir_file_read(path, 1 << 20, &error, &text, NULL) != 0)
		fail_msg("%s %s", path, error.text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "# error: ", 9) == 0)
			keep(errors, &n_errors, line + 9);
		else if (strncmp(line, "# warning: ", 11) == 0)
			keep(warnings, &n_warnings, line + 11);
		else if (strncmp(line, "# never: ", 9) == 0)
			snprintf(forbidden, sizeof(forbidden), "%s", line + 9);
	}
	free(text);
}

static bool is_met(struct expected *list, size_t n, const char *said)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!list[i].met && strncmp(said, list[i].text, strlen(list[i].text)) == 0) {
			list[i].met = true;
			return true;
		}
	}
	return false;
}

/* A fault as the comments write it: list files by their path from the policy's folder. */
static void write_fault(const struct weir_fault *fault, const char *path, char *said, size_t size)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] != '/')
		len--;
	if (strcmp(fault->file, path) == 0)
		snprintf(said, size, "%u:%u: %s", fault->line, fault->column, fault->message);
	else
		snprintf(said, size, "%s:%u:%u: %s",
			 fault->file + (strncmp(fault->file, path, len) == 0 ? len : 0),
			 fault->line, fault->column, fault->message);
}

static void compare(const char *path, const char *what, struct expected *list, size_t n,
		    const struct weir_fault *faults, size_t n_faults)
{
	char said[2048];
	size_t i;

	for (i = 0; i < n_faults; i++) {
		write_fault(&faults[i], path, said, sizeof(said));
		if (!is_met(list, n, said)) {
			print_error("%s: not foretold %s: %s\n", path, what, said);
			n_wrong++;
		}
		if (forbidden[0] && strstr(said, forbidden)) {
			print_error("%s: \"%s\" is shown\n", path, forbidden);
			n_wrong++;
		}
	}
	for (i = 0; i < n; i++) {
		if (!list[i].met) {
			print_error("%s: missing %s: %s\n", path, what, list[i].text);
			n_wrong++;
		}
	}
}

static void try_file(const char *path, bool good)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;
	int err;

	foretell(path);
	err = weir_policy_read(path, &faults, &policy);
	if ((err == 0) != good || (policy != NULL) != good) {
		print_error("%s: %s\n", path, good ? "refused" : "taken");
		n_wrong++;
	}
	compare(path, "error", errors, n_errors, faults.errors, faults.n_errors);
	compare(path, "warning", warnings, n_warnings, faults.warnings, faults.n_warnings);
	weir_faults_free(&faults);
	weir_policy_free(policy);
}

static void try_folder(const char *name, bool good)
{
	const char *path = folder(name);
	struct dirent *entry;
	DIR *dir = opendir(path);
	int n_files = 0;
	char file[1024];

	assert_non_null(dir);
	n_wrong = 0;
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".yaml"))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		try_file(file, good);
		n_files++;
	}
	closedir(dir);
	assert_true(n_files >= 4);
	assert_int_equal(n_wrong, 0);
}

static void good_policies_are_taken_with_the_warnings_foretold(void **state)
{
	try_folder("good", true);
}

static void bad_policies_are_refused_with_every_fault_in_its_place(void **state)
{
	try_folder("bad", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_policies_are_taken_with_the_warnings_foretold),
		cmocka_unit_test(bad_policies_are_refused_with_every_fault_in_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
