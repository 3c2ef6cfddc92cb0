/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The Prometheus text format, version 0.0.4: families, labels and values. Pure.
 *
 * A family is opened once, with its help and type, and then its series are written one by one.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef WEIR_AGENT_SERIES_H
#define WEIR_AGENT_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_SERIES_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct weir_series_label {
	const char *name;
	const char *value; /* any bytes; what is not printable ASCII is shown as \xNN */
};

/* The labels of a series, as an argument. */
#define WEIR_LABELS(...)                   \
	(const struct weir_series_label[]) \
	{                                  \
		__VA_ARGS__,               \
		{                          \
			NULL, NULL         \
		}                          \
	}

/**
 * Begins a family.
 * @type   "counter" or "gauge"
 * @about  what it counts: a constant, without line breaks
 */
void weir_series_family(FILE *out, const char *name, const char *type, const char *about);

/** @labels  ends with a NULL name; NULL: none */
void weir_series_u64(FILE *out, const char *name, const struct weir_series_label *labels,
		     uint64_t value);
void weir_series_double(FILE *out, const char *name, const struct weir_series_label *labels,
			double value);

#endif
