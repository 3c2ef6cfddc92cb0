// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir version: what runs, and what of weir this kernel can carry.
 */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/show.h"
#include "cli/where.h"
#include "plane/host.h"

static void print_json(const struct utsname *kernel, const struct weir_feature *features)
{
	struct weir_json json;
	char libbpf[16];

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member(&json, "version", WEIR_VERSION);
	weir_json_member(&json, "libbpf", weir_plane_libbpf_version(libbpf));
	weir_json_member(&json, "kernel", kernel->release);
	weir_json_member_u64(&json, "abi", WEIR_ABI);
	weir_json_key(&json, "features");
	if (!features) {
		weir_json_null(&json);
	} else {
		weir_json_array_open(&json);
		for (; features->name; features++) {
			weir_json_object_open(&json);
			weir_json_member(&json, "name", features->name);
			weir_json_member_bool(&json, "found", features->found);
			weir_json_member_bool(&json, "required", features->required);
			weir_json_member(&json, "why", features->why);
			weir_json_object_close(&json);
		}
		weir_json_array_close(&json);
	}
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void feature_text(const struct weir_feature *feature)
{
	bool bad = !feature->found && feature->required;

	printf("  %-24s ", feature->name);
	weir_show_colour(feature->found ? WEIR_COLOUR_GOOD
			 : bad		? WEIR_COLOUR_BAD
					: WEIR_COLOUR_DIM);
	printf("%-7s", feature->found ? "found" : bad ? "MISSING" : "no");
	weir_show_colour(WEIR_COLOUR_PLAIN);
	printf("  %s\n", feature->why ? feature->why : "");
}

static void print_text(const struct utsname *kernel, const struct weir_feature *features)
{
	char libbpf[16];

	printf("weir %s\nlibbpf %s\nkernel ", WEIR_VERSION, weir_plane_libbpf_version(libbpf));
	weir_show_text(stdout, kernel->release);
	putchar('\n');
	if (!features)
		puts("features: only root can look at the kernel for them");
	for (; features && features->name; features++)
		feature_text(features);
}

enum weir_exit weir_cli_version(const struct weir_call *call)
{
	const struct weir_feature *features = NULL;
	struct utsname kernel;

	if (uname(&kernel) != 0)
		strcpy(kernel.release, "unknown");
	if (geteuid() == 0)
		features = weir_plane_features();
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(&kernel, features);
	else
		print_text(&kernel, features);
	return WEIR_DONE;
}
