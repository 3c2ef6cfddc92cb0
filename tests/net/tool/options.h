/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What `send` was asked for. */
#ifndef WEIR_TESTS_NET_OPTIONS_H
#define WEIR_TESTS_NET_OPTIONS_H

#include <stdint.h>

#include "frame.h"

struct options {
	const char *interface;
	double rate_per_s; /* 0: as fast as it goes */
	uint64_t volley;   /* packets sent back to back each time one is due */
	uint64_t count;	   /* packets; 0: no end but the time's */
	double seconds;	   /* 0: no end but the count's */
	struct frame_spec frame;
};

/** Reads the command line, or says what is wrong with it and exits with 2. */
struct options options_read(int argc, char **argv);

#endif
