/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The agent as a process: what it gives up at its start, and what it tells the service that
 * started it.
 */
#ifndef WEIR_AGENT_PROCESS_H
#define WEIR_AGENT_PROCESS_H

/** No new privileges, files for nobody else, no signal for a closed pipe, memory for maps. */
void weir_process_prepare(void);

/* To systemd, or to nobody. */
void weir_process_ready(const char *status);
void weir_process_reloading(void);
void weir_process_stopping(void);
/** For WatchdogSec=. As often as the heartbeat. */
void weir_process_alive(void);

#endif
