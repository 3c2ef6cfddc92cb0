// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* weir-bench: the measuring part of `make bench`, started by tools/bench/run. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int usage(void)
{
	fputs("usage: weir-bench micro|net --pins DIR --scratch DIR [--slices N] [--slice-ms N]\n"
	      "                  [--sender NAMESPACE KIND:NAMESPACE:RECEIVER:SENDER...]\n",
	      stderr);
	return 2;
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *end || value > 100000 ? 0 : (unsigned int)value;
}

static bool read_options(int argc, char **argv, struct bench_options *options)
{
	static const struct option known[] = {
		{ "pins", required_argument, NULL, 'p' },
		{ "scratch", required_argument, NULL, 't' },
		{ "slices", required_argument, NULL, 'n' },
		{ "slice-ms", required_argument, NULL, 'm' },
		{ "sender", required_argument, NULL, 's' },
		{},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 'p':
			options->pins = optarg;
			break;
		case 't':
			options->scratch = optarg;
			break;
		case 'n':
			options->slices = number(optarg);
			break;
		case 'm':
			options->slice_ms = number(optarg);
			break;
		case 's':
			options->sender = optarg;
			break;
		default:
			return false;
		}
	}
	options->lanes = argv + optind;
	options->n_lanes = argc - optind;
	return options->pins && options->scratch && options->slices && options->slice_ms;
}

int main(int argc, char **argv)
{
	struct bench_options options = { .slices = 15, .slice_ms = 20 };
	struct weir_error error = {};
	int err;

	if (argc < 2 || !read_options(argc - 1, argv + 1, &options))
		return usage();
	if (!strcmp(argv[1], "micro") && !options.n_lanes)
		err = bench_micro(&options, &error);
	else if (!strcmp(argv[1], "net") && options.n_lanes && options.sender)
		err = bench_net(&options, &error);
	else
		return usage();
	if (err)
		fprintf(stderr, "weir-bench: %s\n", error.text);
	return err ? 1 : 0;
}
