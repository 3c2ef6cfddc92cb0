// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The agent as a process.
 */
#include "agent/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/log.h"

void weir_process_prepare(void)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	umask(077);
	signal(SIGPIPE, SIG_IGN);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		weir_log(WEIR_LOG_WARNING, "cannot give up gaining privileges",
			 WEIR_LOG_ERRNO(errno));
	/* Refused in many containers. Kernels from 5.11 on count maps by cgroup and do not ask. */
	if (setrlimit(RLIMIT_MEMLOCK, &unlimited) != 0)
		weir_log(WEIR_LOG_INFO,
			 "limit on locked memory stays, which this kernel may ignore",
			 WEIR_LOG_ERRNO(errno));
}

void weir_process_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void weir_process_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, weir_clock_monotonic_ns() / 1000);
}

void weir_process_stopping(void)
{
	sd_notify(0, "STOPPING=1\nSTATUS=ending; the limits stay on");
}

void weir_process_alive(void)
{
	uint64_t usec;

	if (sd_watchdog_enabled(0, &usec) > 0)
		sd_notify(0, "WATCHDOG=1");
}
