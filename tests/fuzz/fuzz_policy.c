// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The policy reader, and what prints its outcome, on any bytes at all.
 *
 * Beyond not crashing: a policy comes with no error and no policy with at least one, faults are in
 * order of place, no control character gets out, and a policy that is taken is taken again with the
 * same outcome.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/print_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void hold(bool what)
{
	if (!what)
		abort();
}

/* Named without a folder: list files that the fuzzer makes up are looked for where it runs. */
static struct weir_policy *read_it(const uint8_t *bytes, size_t len, struct weir_faults *faults)
{
	struct weir_policy *policy = NULL;
	int err = weir_policy_read_text("p.yaml", (const char *)bytes, len, faults, &policy);
	size_t i;

	hold((err == 0) == (policy != NULL));
	hold((err == 0) == (faults->n_errors == 0 && faults->n_more_errors == 0));
	for (i = 1; i < faults->n_errors; i++) {
		if (strcmp(faults->errors[i].file, faults->errors[i - 1].file) == 0)
			hold(faults->errors[i].line >= faults->errors[i - 1].line);
	}
	return policy;
}

static char *print_it(const struct weir_policy *policy, const struct weir_faults *faults, bool json)
{
	char *text = NULL;
	size_t len = 0, i;
	FILE *out = open_memstream(&text, &len);

	hold(out && weir_check_print(out, "p.yaml", policy, faults, NULL, json) == 0);
	hold(fclose(out) == 0);
	for (i = 0; i < len; i++)
		hold((unsigned char)text[i] >= 0x20 || text[i] == '\n');
	return text;
}

static void try_again(const uint8_t *bytes, size_t len, const char *first)
{
	struct weir_faults faults;
	struct weir_policy *policy = read_it(bytes, len, &faults);
	char *second;

	hold(policy != NULL);
	second = print_it(policy, &faults, true);
	hold(strcmp(first, second) == 0);
	free(second);
	weir_policy_free(policy);
	weir_faults_free(&faults);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct weir_faults faults;
	struct weir_policy *policy = read_it(bytes, len, &faults);
	char *json = print_it(policy, &faults, true);

	free(print_it(policy, &faults, false));
	if (policy) {
		try_again(bytes, len, json);
		weir_policy_check_frames(policy, 9022, &faults);
		weir_policy_check_gauges(policy, 4000000, &faults);
	}
	free(json);
	weir_policy_free(policy);
	weir_faults_free(&faults);
	return 0;
}
