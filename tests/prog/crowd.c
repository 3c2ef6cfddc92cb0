// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "crowd.h"

#include <string.h>

#include "world.h"

#define SOURCE_AT (14 + 12)

void crowd_begin(struct crowd *crowd, size_t frame_bytes)
{
	struct frame frame = { .family = 4, .proto = 17, .dport = 53 };

	crowd->size = frame_build(&frame, crowd->bytes);
	if (frame_bytes <= crowd->size)
		return;
	frame.body = frame_bytes - crowd->size;
	crowd->size = frame_build(&frame, crowd->bytes);
}

int crowd_send(struct crowd *crowd, uint32_t number)
{
	uint32_t address = htonl(number);

	memcpy(crowd->bytes + SOURCE_AT, &address, sizeof(address));
	return world_run(crowd->bytes, crowd->size, 1) == 2; /* XDP_PASS */
}
