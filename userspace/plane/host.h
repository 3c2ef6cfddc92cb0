/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What programs ask about the machine under the packet path, with nothing pinned or attached.
 */
#ifndef WEIR_PLANE_HOST_H
#define WEIR_PLANE_HOST_H

#include <stdint.h>

/**
 * The largest frame an interface carries at its present MTU: Ethernet header and two VLAN tags
 * included, without FCS, which is how limits count bytes.
 * Returns 0, -ENODEV when there is no such interface, or what the system said.
 */
int weir_plane_frame_bytes(const char *interface, uint64_t *ret_bytes);

/** libbpf's version as it is at run time, "1.1". */
const char *weir_plane_libbpf_version(char buf[16]);

#endif
