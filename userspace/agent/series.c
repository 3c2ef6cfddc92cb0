// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The Prometheus text format. A label's value is made printable first and then escaped as the
 * format asks, so that no byte of an interface's name can break a page.
 */
#include "agent/series.h"

#include <inttypes.h>
#include <math.h>

void weir_series_family(FILE *out, const char *name, const char *type, const char *about)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, about, name, type);
}

static void write_value(FILE *out, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	for (; *at; at++) {
		if (*at == '\\' || *at == '"')
			fprintf(out, "\\%c", *at);
		else if (*at < ' ' || *at > '~')
			fprintf(out, "\\\\x%02x", *at);
		else
			fputc(*at, out);
	}
}

static void write_name(FILE *out, const char *name, const struct weir_series_label *labels)
{
	const struct weir_series_label *label = labels;

	fputs(name, out);
	if (!label || !label->name)
		return;
	for (; label->name; label++) {
		fprintf(out, "%c%s=\"", label == labels ? '{' : ',', label->name);
		write_value(out, label->value);
		fputc('"', out);
	}
	fputc('}', out);
}

void weir_series_u64(FILE *out, const char *name, const struct weir_series_label *labels,
		     uint64_t value)
{
	write_name(out, name, labels);
	fprintf(out, " %" PRIu64 "\n", value);
}

void weir_series_double(FILE *out, const char *name, const struct weir_series_label *labels,
			double value)
{
	write_name(out, name, labels);
	if (isnan(value))
		fputs(" NaN\n", out);
	else if (isinf(value))
		fputs(value > 0 ? " +Inf\n" : " -Inf\n", out);
	else
		fprintf(out, " %.9g\n", value);
}
