// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The parser on any bytes at all: it reads none beyond the end, and what it says holds together, for
 * one buffer and for the first of several.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/packet.h>

#include "lib/sound.h"

/* The network header is aligned as in the kernel (NET_IP_ALIGN). */
#define ALIGN	      2
#define FIRST_BUFFER  2048
#define LATER_BUFFERS 8192

static void check(const uint8_t *bytes, size_t readable, size_t size)
{
	uint8_t *block = malloc(ALIGN + readable);
	struct weir_packet pkt;
	enum weir_parse parsed;
	const char *fault;

	if (!block)
		abort();
	memcpy(block + ALIGN, bytes, readable);
	parsed = weir_packet_parse(block + ALIGN, block + ALIGN + readable, (__u32)size, &pkt);
	fault = parse_fault(parsed, &pkt, size);
	free(block);
	if (fault) {
		fprintf(stderr, "%zu bytes of %zu: %s\n", readable, size, fault);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size > FIRST_BUFFER)
		return -1;
	check(bytes, size, size);
	check(bytes, size, size + LATER_BUFFERS);
	return 0;
}
