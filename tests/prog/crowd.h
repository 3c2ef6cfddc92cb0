/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Many sources: one frame whose source address is changed in place for each packet. */
#ifndef TESTS_PROG_CROWD_H
#define TESTS_PROG_CROWD_H

#include <stddef.h>
#include <stdint.h>

#include "lib/frames.h"

struct crowd {
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t size;
};

/** IPv4 and UDP to port 53, so many bytes in all from the Ethernet header on (0: the fewest). */
void crowd_begin(struct crowd *crowd, size_t frame_bytes);

/** A packet of a source: @number is its IPv4 address, host order. @return 1 when it passed */
int crowd_send(struct crowd *crowd, uint32_t number);

#endif
