// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Reading the policy for a run.
 */
#include "agent/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quote.h"
#include "plane/host.h"
#include "policy/arithmetic.h"
#include "policy/faults.h"

static void free_policy(struct weir_policy **policy)
{
	weir_policy_free(*policy);
}

static int override_interfaces(const struct weir_agent_options *options, struct weir_policy *policy)
{
	char **names;
	size_t i;

	if (options->n_interfaces == 0)
		return 0;
	names = calloc(options->n_interfaces, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (i = 0; i < policy->n_interfaces; i++)
		free(policy->interfaces[i]);
	free(policy->interfaces);
	policy->interfaces = names;
	policy->n_interfaces = 0;
	for (i = 0; i < options->n_interfaces; i++) {
		names[i] = strdup(options->interfaces[i]);
		if (!names[i])
			return -ENOMEM;
		policy->n_interfaces++;
	}
	return 0;
}

/* Also limits that say `enforce` for themselves: who starts it so wants nothing refused. */
static void override_modes(struct weir_policy *policy)
{
	size_t i;

	policy->observe = true;
	for (i = 0; i < policy->n_limits; i++)
		policy->limits[i].mode = WEIR_RUN_OBSERVE;
}

static void refuse_unsupported(const struct weir_policy *policy, struct weir_faults *faults)
{
	size_t i;

	if (!policy->store.embedded)
		weir_faults_add(
			faults, policy->file, policy->store.url_mark,
			"store.url: this version has only the embedded store, so numbers of "
			"a fleet cannot be enforced; `url: embedded` would do, for one node");
	for (i = 0; i < policy->n_quotas; i++)
		weir_faults_add(faults, policy->file, policy->quotas[i].mark,
				"quotas.%s: this version enforces no quotas; the policy can be run "
				"without it",
				policy->quotas[i].name);
}

/* An interface that is missing is told when it is to be attached to. */
static void check_frames(const struct weir_policy *policy, struct weir_faults *faults)
{
	uint64_t largest = 0, frame;
	size_t i;

	for (i = 0; i < policy->n_interfaces; i++) {
		if (weir_plane_frame_bytes(policy->interfaces[i], &frame) == 0 && frame > largest)
			largest = frame;
	}
	weir_policy_check_frames(policy, largest, faults);
}

int weir_load_policy(const struct weir_agent_options *options, struct weir_faults *ret_faults,
		     struct weir_policy **ret_policy)
{
	_cleanup_(free_policy) struct weir_policy *policy = NULL;
	const char *file = weir_load_file(options);
	int err;

	err = weir_policy_read(file, ret_faults, &policy);
	if (err)
		return err;
	err = override_interfaces(options, policy);
	if (err) {
		weir_faults_add(ret_faults, file, (struct weir_mark){ 0 }, "out of memory");
		return err;
	}
	if (options->observe)
		override_modes(policy);
	refuse_unsupported(policy, ret_faults);
	check_frames(policy, ret_faults);
	weir_policy_check_gauges(policy, weir_clock_coarse_tick_ns(), ret_faults);
	weir_policy_check_tables(policy, weir_clock_coarse_tick_ns(), ret_faults);
	if (!weir_faults_none(ret_faults)) {
		weir_faults_sort(ret_faults, file);
		return -EINVAL;
	}
	*ret_policy = TAKE_PTR(policy);
	return 0;
}

const char *weir_load_file(const struct weir_agent_options *options)
{
	return options->policy_file ? options->policy_file : WEIR_AGENT_POLICY_FILE;
}

/* "weir.yaml:3:7", as compilers and editors have it. */
static const char *print_place(const struct weir_fault *fault, char buf[PATH_MAX])
{
	snprintf(buf, PATH_MAX, "%s:%u:%u", fault->file, fault->line, fault->column);
	return buf;
}

void weir_load_warn_of_frames(const struct weir_policy *policy, const char *interface,
			      uint64_t frame_bytes)
{
	struct weir_faults faults = { 0 };
	char place[PATH_MAX];
	size_t i;

	weir_policy_check_frames(policy, frame_bytes, &faults);
	for (i = 0; i < faults.n_errors; i++)
		weir_log(WEIR_LOG_WARNING,
			 "frames of an interface have grown; its largest will never pass",
			 WEIR_LOG_TEXT("interface", interface),
			 WEIR_LOG_TEXT("at", print_place(&faults.errors[i], place)),
			 WEIR_LOG_TEXT("message", faults.errors[i].message));
	weir_faults_free(&faults);
}

void weir_load_print_errors(const struct weir_faults *faults)
{
	char place[PATH_MAX], quoted[PATH_MAX];
	size_t i;

	for (i = 0; i < faults->n_errors; i++) {
		print_place(&faults->errors[i], place);
		fprintf(stderr, "%s: error: %s\n", weir_quote(place, quoted, sizeof(quoted)),
			faults->errors[i].message);
	}
	if (faults->n_more_errors)
		fprintf(stderr, "and %zu more\n", faults->n_more_errors);
}

static void log_fault(enum weir_log_level level, const char *text, const struct weir_fault *fault)
{
	char place[PATH_MAX];

	weir_log(level, text, WEIR_LOG_TEXT("at", print_place(fault, place)),
		 WEIR_LOG_TEXT("message", fault->message));
}

void weir_load_log_errors(const struct weir_faults *faults)
{
	size_t i;

	for (i = 0; i < faults->n_errors; i++)
		log_fault(WEIR_LOG_ERROR, "fault in the policy file", &faults->errors[i]);
	if (faults->n_more_errors)
		weir_log(WEIR_LOG_ERROR, "more faults in the policy file than are kept",
			 WEIR_LOG_NUMBER("more", faults->n_more_errors));
}

void weir_load_log_warnings(const struct weir_faults *faults)
{
	size_t i;

	for (i = 0; i < faults->n_warnings; i++)
		log_fault(WEIR_LOG_WARNING, "the policy may not do what is meant",
			  &faults->warnings[i]);
}

const char *weir_load_needs_restart(const struct weir_policy *now, const struct weir_policy *next)
{
	if (strcmp(now->node, next->node) != 0)
		return "node";
	if (strcmp(now->pins_dir, next->pins_dir) != 0)
		return "paths.pins";
	if (strcmp(now->state_dir, next->state_dir) != 0)
		return "paths.state";
	if (strcmp(now->run_dir, next->run_dir) != 0)
		return "paths.run";
	return now->attach != next->attach ? "attach" : NULL;
}
