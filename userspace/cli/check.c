// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir check: a policy file held against itself, against what packets are reckoned in, and against
 * this machine's interfaces. Needs no root and touches nothing.
 */
#include <errno.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/quote.h"
#include "cli/show.h"
#include "cli/where.h"
#include "plane/host.h"
#include "policy/faults.h"
#include "policy/print_check.h"

static void faults_cleanup(struct weir_faults *faults)
{
	weir_faults_free(faults);
}

static void policy_cleanup(struct weir_policy **policy)
{
	weir_policy_free(*policy);
}

/* Those that are not here are no fault: a file is often checked on another machine. */
static uint64_t largest_frame(const struct weir_policy *policy, struct weir_faults *faults)
{
	uint64_t largest = 0, frame;
	char quoted[WEIR_QUOTE_LEN];
	size_t i;

	for (i = 0; i < policy->n_interfaces; i++) {
		if (weir_plane_frame_bytes(policy->interfaces[i], &frame) == 0) {
			largest = frame > largest ? frame : largest;
			continue;
		}
		weir_faults_warn(faults, policy->file, policy->interfaces_mark,
				 "interfaces: \"%s\" is not on this machine; byte bursts are held "
				 "against frames of %d bytes for it",
				 weir_quote(policy->interfaces[i], quoted, sizeof(quoted)),
				 WEIR_FRAME_BYTES_DEFAULT);
		if (largest < WEIR_FRAME_BYTES_DEFAULT)
			largest = WEIR_FRAME_BYTES_DEFAULT;
	}
	return largest;
}

/* Sound, but more than this version can do: said before somebody tries to run it. */
static void warn_of_unsupported(const struct weir_policy *policy, struct weir_faults *faults)
{
	size_t i;

	if (!policy->store.embedded)
		weir_faults_warn(faults, policy->file, policy->store.url_mark,
				 "store.url: weir run of this version knows the embedded store "
				 "only and will refuse this policy");
	for (i = 0; i < policy->n_quotas; i++)
		weir_faults_warn(faults, policy->file, policy->quotas[i].mark,
				 "quotas.%s: weir run of this version enforces no quotas and will "
				 "refuse this policy",
				 policy->quotas[i].name);
}

static const char *file_of(const struct weir_call *call)
{
	if (call->n_words)
		return call->words[0];
	if (weir_call_has(call, WEIR_OPTION_CONFIG))
		return call->value[WEIR_OPTION_CONFIG];
	return WEIR_AGENT_POLICY_FILE;
}

static void print_text(const char *path, const struct weir_policy *policy,
		       const struct weir_faults *faults, const struct weir_check_facts *facts)
{
	char quoted[1024];

	weir_faults_print(stderr, faults);
	if (!policy)
		return;
	printf("%s is valid\n\n", weir_quote(path, quoted, sizeof(quoted)));
	weir_check_print_words(stdout, policy, facts);
}

enum weir_exit weir_cli_check(const struct weir_call *call)
{
	_cleanup_(faults_cleanup) struct weir_faults faults = { .errors = NULL };
	_cleanup_(policy_cleanup) struct weir_policy *policy = NULL;
	struct weir_check_facts facts = { .tick_ns = weir_clock_coarse_tick_ns() };
	const char *path = file_of(call);
	bool valid;
	int err;

	if (call->n_words && weir_call_has(call, WEIR_OPTION_CONFIG)) {
		weir_complain("check: both FILE and -c name a file; give one of them");
		return WEIR_WRONG_INPUT;
	}
	err = weir_policy_read(path, &faults, &policy);
	if (!err) {
		facts.frame_bytes_max = largest_frame(policy, &faults);
		weir_policy_check_frames(policy, facts.frame_bytes_max, &faults);
		weir_policy_check_gauges(policy, facts.tick_ns, &faults);
		weir_policy_check_tables(policy, facts.tick_ns, &faults);
		warn_of_unsupported(policy, &faults);
		weir_faults_sort(&faults, path);
	}
	valid = policy && weir_faults_none(&faults);
	if (weir_call_has(call, WEIR_OPTION_JSON))
		weir_check_print_json(stdout, valid ? policy : NULL, &faults, &facts);
	else
		print_text(path, valid ? policy : NULL, &faults, &facts);
	if (err == -ENOMEM)
		return WEIR_FAILED;
	return valid ? WEIR_DONE : WEIR_WRONG_INPUT;
}
