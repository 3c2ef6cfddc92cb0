// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What programs ask about the machine under the packet path.
 */
#include "plane/host.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"

#define L2_BYTES_MAX (14 + 2 * 4)

int weir_plane_frame_bytes(const char *interface, uint64_t *ret_bytes)
{
	_cleanup_close_ int fd = -1;
	struct ifreq request = { .ifr_mtu = 0 };

	if (!*interface || strlen(interface) >= sizeof(request.ifr_name))
		return -ENODEV;
	memcpy(request.ifr_name, interface, strlen(interface) + 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFMTU, &request) < 0)
		return -errno;
	*ret_bytes = (uint64_t)request.ifr_mtu + L2_BYTES_MAX;
	return 0;
}

const char *weir_plane_libbpf_version(char buf[16])
{
	snprintf(buf, 16, "%u.%u", libbpf_major_version(), libbpf_minor_version());
	return buf;
}
