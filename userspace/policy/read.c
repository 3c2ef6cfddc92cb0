// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The policy file: its top level, and the order in which all of it is read.
 *
 * Every section is read whatever the others held; checks across sections come last. The policy
 * leaves here only when nothing at all was wrong with it.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/quote.h"
#include "policy/faults.h"
#include "policy/listen.h"
#include "policy/sections.h"
#include "policy/site.h"
#include "policy/values.h"

#define INTERFACES_MAX	 64
#define INTERFACE_LEN	 15 /* IFNAMSIZ without its NUL */
#define PATH_LEN_MAX	 1000
#define RUN_PATH_LEN_MAX 80 /* a socket lies in it, and sun_path ends at 107 */

enum {
	NODE,
	INTERFACES,
	ATTACH,
	MODE,
	STORE,
	NEVER_LIMIT,
	ALWAYS_DROP,
	LIMITS,
	QUOTAS,
	METRICS,
	PATHS,
	N_KEYS
};

static const struct weir_key policy_keys[N_KEYS] = {
	[NODE] = { "node", NULL },
	[INTERFACES] = { "interfaces", "a list such as [eth0]" },
	[ATTACH] = { "attach", NULL },
	[MODE] = { "mode", NULL },
	[STORE] = { "store", "a mapping such as {url: embedded}" },
	[NEVER_LIMIT] = { "never_limit", NULL },
	[ALWAYS_DROP] = { "always_drop", NULL },
	[LIMITS] = { "limits", NULL },
	[QUOTAS] = { "quotas", NULL },
	[METRICS] = { "metrics", NULL },
	[PATHS] = { "paths", NULL },
};

static void read_node(struct weir_reading *reading, const yaml_node_t *root,
		      const yaml_node_t *node, struct weir_policy *policy)
{
	char host[256] = "";
	char quoted[WEIR_QUOTE_LEN];

	if (node) {
		weir_read_name(reading, node, "node", &policy->node);
		return;
	}
	if (gethostname(host, sizeof(host) - 1) == 0 && weir_name_is_valid(host))
		weir_keep_text(reading, host, &policy->node);
	else
		weir_reading_fault(reading, root, "node",
				   "missing, and the host's name \"%s\" cannot stand for it; 1 to "
				   "63 letters, digits, '.', '_' and '-' would do",
				   weir_quote(host, quoted, sizeof(quoted)));
}

/* What the kernel takes as the name of an interface (dev_valid_name in net/core/dev.c). */
static bool is_interface_name(const char *name)
{
	return *name && strlen(name) <= INTERFACE_LEN && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && !strpbrk(name, "/: \t\n\v\f\r");
}

static void read_interface(struct weir_reading *reading, const yaml_node_t *node,
			   struct weir_policy *policy)
{
	static const char would_do[] = "the name of an interface, at most 15 letters,";
	const char *text = weir_scalar_text(reading, node, "interfaces", would_do);
	char found[WEIR_QUOTE_LEN + 3];
	char *copy;
	size_t i;

	if (!text)
		return;
	if (!is_interface_name(text)) {
		weir_reading_fault(reading, node, "interfaces", "found %s; %s would do",
				   weir_node_found(node, found), would_do);
		return;
	}
	for (i = 0; i < policy->n_interfaces; i++) {
		if (strcmp(policy->interfaces[i], text) == 0) {
			weir_reading_fault(reading, node, "interfaces",
					   "found %s twice; once would do",
					   weir_node_found(node, found));
			return;
		}
	}
	copy = strdup(text);
	if (copy)
		policy->interfaces[policy->n_interfaces++] = copy;
	else
		weir_reading_fault(reading, node, "interfaces", "out of memory");
}

static void read_interfaces(struct weir_reading *reading, yaml_node_t *node,
			    struct weir_policy *policy)
{
	char found[WEIR_QUOTE_LEN + 3];
	size_t i, n;

	if (!node)
		return;
	n = weir_items_count(node);
	policy->interfaces_mark = weir_node_mark(node);
	if (node->type != YAML_SEQUENCE_NODE || n == 0 || n > INTERFACES_MAX) {
		weir_reading_fault(
			reading, node, "interfaces",
			"found %s; a list of 1 to 64 interfaces, such as [eth0], would do",
			n == 0 ? "an empty list" : weir_node_found(node, found));
		return;
	}
	policy->interfaces = calloc(n, sizeof(policy->interfaces[0]));
	if (!policy->interfaces) {
		weir_reading_fault(reading, node, "interfaces", "out of memory");
		return;
	}
	policy->n_interfaces = 0;
	for (i = 0; i < n; i++)
		read_interface(reading, weir_items_at(reading, node, i), policy);
}

static void read_modes(struct weir_reading *reading, yaml_node_t **nodes,
		       struct weir_policy *policy)
{
	static const struct weir_choice attaches[] = {
		{ "auto", WEIR_ATTACH_AUTO },
		{ "native", WEIR_ATTACH_NATIVE },
		{ "generic", WEIR_ATTACH_GENERIC },
	};
	enum weir_run_mode mode = WEIR_RUN_ENFORCE;
	int attach = WEIR_ATTACH_AUTO;

	weir_read_choice(reading, nodes[ATTACH], "attach", attaches, 3, &attach);
	weir_read_run_mode(reading, nodes[MODE], &mode);
	policy->attach = attach;
	policy->observe = mode == WEIR_RUN_OBSERVE;
}

static void read_metrics(struct weir_reading *reading, yaml_node_t *section,
			 struct weir_policy *policy)
{
	static const struct weir_key keys[] = { { "listen", "an address such as 127.0.0.1:9477" } };
	struct weir_listen listen;
	struct weir_error error;
	yaml_node_t *node = NULL;
	const char *text;
	size_t was;

	weir_keep_text(reading, "127.0.0.1:9477", &policy->metrics_listen);
	if (!section)
		return;
	was = weir_path_enter(reading, "metrics");
	weir_mapping_collect(reading, section, keys, 1, &node);
	text = node ? weir_scalar_text(reading, node, "listen", keys[0].would_do) : NULL;
	if (text && weir_listen_parse(text, &error, &listen) != 0)
		weir_reading_fault(reading, node, "listen", "%s", error.text);
	else if (text && weir_keep_text(reading, text, &policy->metrics_listen) &&
		 !listen.is_loopback)
		weir_reading_warn(reading, node, "listen",
				  "is no loopback address: whoever reaches it reads the metrics");
	weir_path_leave(reading, was);
}

static void read_paths(struct weir_reading *reading, yaml_node_t *section,
		       struct weir_policy *policy)
{
	static const struct weir_key keys[] = { { "pins", NULL },
						{ "state", NULL },
						{ "run", NULL } };
	yaml_node_t *nodes[3] = { NULL };
	size_t was;

	weir_keep_text(reading, "/sys/fs/bpf/weir", &policy->pins_dir);
	weir_keep_text(reading, "/var/lib/weir", &policy->state_dir);
	weir_keep_text(reading, "/run/weir", &policy->run_dir);
	if (!section)
		return;
	was = weir_path_enter(reading, "paths");
	weir_mapping_collect(reading, section, keys, 3, nodes);
	weir_read_path(reading, nodes[0], "pins", PATH_LEN_MAX, &policy->pins_dir);
	weir_read_path(reading, nodes[1], "state", PATH_LEN_MAX, &policy->state_dir);
	weir_read_path(reading, nodes[2], "run", RUN_PATH_LEN_MAX, &policy->run_dir);
	weir_path_leave(reading, was);
}

static void read_root(struct weir_reading *reading, yaml_node_t *root, struct weir_policy *policy)
{
	yaml_node_t *nodes[N_KEYS];

	weir_keep_text(reading, reading->file, &policy->file);
	if (!weir_mapping_collect(reading, root, policy_keys, N_KEYS, nodes))
		return;
	read_node(reading, root, nodes[NODE], policy);
	read_interfaces(reading, nodes[INTERFACES], policy);
	read_modes(reading, nodes, policy);
	if (nodes[STORE])
		weir_read_store(reading, nodes[STORE], &policy->store);
	weir_read_lists(reading, nodes[NEVER_LIMIT], nodes[ALWAYS_DROP], policy);
	weir_read_limits(reading, nodes[LIMITS], policy);
	weir_read_quotas(reading, nodes[QUOTAS], policy);
	read_metrics(reading, nodes[METRICS], policy);
	read_paths(reading, nodes[PATHS], policy);
	weir_policy_validate(reading, policy);
	if (weir_faults_none(reading->faults))
		weir_policy_warn(reading, policy);
}

static void policy_cleanup(struct weir_policy **policy)
{
	weir_policy_free(*policy);
}

int weir_policy_read_text(const char *path, const char *text, size_t len,
			  struct weir_faults *ret_faults, struct weir_policy **ret_policy)
{
	_cleanup_(policy_cleanup) struct weir_policy *policy = calloc(1, sizeof(*policy));
	struct weir_reading reading = { .file = path, .faults = ret_faults };
	yaml_document_t yaml;
	int err;

	*ret_faults = (struct weir_faults){ .errors = NULL };
	if (!policy) {
		weir_faults_add(ret_faults, path, (struct weir_mark){ 0 }, "out of memory");
		return -ENOMEM;
	}
	err = weir_document_load(&reading, text, len, &yaml);
	if (err)
		return err;
	read_root(&reading, yaml_document_get_root_node(&yaml), policy);
	yaml_document_delete(&yaml);
	weir_faults_sort(ret_faults, path);
	if (!weir_faults_none(ret_faults))
		return -EINVAL;
	*ret_policy = TAKE_PTR(policy);
	return 0;
}

int weir_policy_read(const char *path, struct weir_faults *ret_faults,
		     struct weir_policy **ret_policy)
{
	_cleanup_free_ char *text = NULL;
	struct weir_error error;
	size_t len;
	int err;

	err = weir_file_read(path, WEIR_POLICY_BYTES_MAX, &error, &text, &len);
	if (err) {
		*ret_faults = (struct weir_faults){ .errors = NULL };
		weir_faults_add(ret_faults, path, (struct weir_mark){ 0 }, "policy: %s",
				error.text);
		return err;
	}
	return weir_policy_read_text(path, text, len, ret_faults, ret_policy);
}

/* Into @found, which is complete in nothing else. */
static void read_site(struct weir_reading *reading, yaml_node_t *root, struct weir_policy *found)
{
	struct weir_faults *faults = reading->faults, elsewhere = { .errors = NULL };
	yaml_node_t *nodes[N_KEYS];

	if (!root || root->type != YAML_MAPPING_NODE) {
		weir_mapping_collect(reading, root, policy_keys, N_KEYS, nodes);
		return;
	}
	reading->faults = &elsewhere;
	weir_mapping_collect(reading, root, policy_keys, N_KEYS, nodes);
	read_node(reading, root, nodes[NODE], found);
	read_interfaces(reading, nodes[INTERFACES], found);
	reading->faults = faults;
	read_paths(reading, nodes[PATHS], found);
	weir_faults_free(&elsewhere);
}

int weir_site_read(const char *path, struct weir_faults *ret_faults, struct weir_site *ret_site)
{
	struct weir_reading reading = { .file = path, .faults = ret_faults };
	_cleanup_free_ char *text = NULL;
	struct weir_policy found = { .file = NULL };
	struct weir_site site;
	struct weir_error error;
	yaml_document_t yaml;
	size_t len;
	int err;

	*ret_faults = (struct weir_faults){ .errors = NULL };
	err = weir_file_read(path, WEIR_POLICY_BYTES_MAX, &error, &text, &len);
	if (err) {
		weir_faults_add(ret_faults, path, (struct weir_mark){ 0 }, "policy: %s",
				error.text);
		return err;
	}
	err = weir_document_load(&reading, text, len, &yaml);
	if (err)
		return err;
	read_site(&reading, yaml_document_get_root_node(&yaml), &found);
	yaml_document_delete(&yaml);
	site = (struct weir_site){
		.node = found.node,
		.interfaces = found.interfaces,
		.n_interfaces = found.n_interfaces,
		.pins_dir = found.pins_dir,
		.state_dir = found.state_dir,
		.run_dir = found.run_dir,
	};
	if (!weir_faults_none(ret_faults)) {
		weir_site_clear(&site);
		return -EINVAL;
	}
	*ret_site = site;
	return 0;
}

void weir_site_clear(struct weir_site *site)
{
	size_t i;

	for (i = 0; i < site->n_interfaces; i++)
		free(site->interfaces[i]);
	free(site->interfaces);
	free(site->node);
	free(site->pins_dir);
	free(site->state_dir);
	free(site->run_dir);
	*site = (struct weir_site){ .node = NULL };
}
