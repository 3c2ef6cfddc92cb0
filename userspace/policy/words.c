// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Numbers and matches in words. Four digits at most are shown of what is rounded; whole numbers
 * below a million are shown as they are.
 */
#include "policy/words.h"

#include <inttypes.h>
#include <netinet/in.h>

#define SHOWN_MAX 8

struct step {
	double size;
	const char *name;
};

static const char *scaled(double value, const struct step *steps, size_t n, const char *unit,
			  char *buf)
{
	size_t i;

	for (i = 0; i + 1 < n && value < steps[i].size; i++)
		;
	snprintf(buf, WEIR_WORDS_LEN, "%.4g %s%s", value / steps[i].size, steps[i].name, unit);
	return buf;
}

static const char *plain_or_scaled(double value, const char *unit, char *buf)
{
	static const struct step steps[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1, "" } };

	if (value < 1e6 && value == (double)(uint64_t)value)
		snprintf(buf, WEIR_WORDS_LEN, "%.0f %s", value, unit);
	else
		scaled(value, steps, 4, unit, buf);
	return buf;
}

const char *weir_words_amount(double tokens, enum weir_token token, char *buf)
{
	static const struct step bytes[] = {
		{ 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "K" }, { 1, "" }
	};

	if (token == WEIR_TOKEN_BYTE)
		return scaled(tokens, bytes, 5, "B", buf);
	if (token == WEIR_TOKEN_PACKET)
		return plain_or_scaled(tokens, tokens == 1 ? "packet" : "packets", buf);
	return plain_or_scaled(tokens, tokens == 1 ? "unit" : "units", buf);
}

const char *weir_words_rate(double per_s, enum weir_token token, char *buf)
{
	static const struct step periods[] = {
		{ 1, "s" }, { 60, "min" }, { 3600, "h" }, { 86400, "day" }
	};
	char amount[WEIR_WORDS_LEN];
	size_t i;

	for (i = 0; i < 3 && per_s > 0 && per_s * periods[i].size < 1; i++)
		;
	weir_words_amount(per_s * periods[i].size, token, amount);
	snprintf(buf, WEIR_WORDS_LEN, "%.50s/%s", amount, periods[i].name);
	return buf;
}

const char *weir_words_size(uint64_t bytes, char *buf)
{
	static const struct step steps[] = { { 1024.0 * 1024 * 1024, "GiB" },
					     { 1024.0 * 1024, "MiB" },
					     { 1024, "KiB" },
					     { 1, "B" } };

	return scaled((double)bytes, steps, 4, "", buf);
}

const char *weir_words_time(double seconds, char *buf)
{
	static const struct step steps[] = { { 86400, "days" }, { 3600, "h" },	{ 60, "min" },
					     { 1, "s" },	{ 1e-3, "ms" }, { 1e-6, "us" } };

	return scaled(seconds, steps, 6, "", buf);
}

const char *weir_words_count(double count, char *buf)
{
	static const struct step steps[] = { { 1e12, " trillion" },
					     { 1e9, " billion" },
					     { 1e6, " million" } };
	size_t i;

	for (i = 0; i < 3 && count < steps[i].size; i++)
		;
	if (i < 3)
		snprintf(buf, WEIR_WORDS_LEN, "%.3g%s", count / steps[i].size, steps[i].name);
	else if (count < 10)
		snprintf(buf, WEIR_WORDS_LEN, "%.2g", count);
	else
		snprintf(buf, WEIR_WORDS_LEN, "%.0f", count);
	return buf;
}

static void print_proto(FILE *out, uint8_t proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		fputs("tcp", out);
		break;
	case IPPROTO_UDP:
		fputs("udp", out);
		break;
	case IPPROTO_ICMP:
		fputs("icmp", out);
		break;
	case IPPROTO_ICMPV6:
		fputs("icmpv6", out);
		break;
	default:
		fprintf(out, "protocol %u", proto);
	}
}

static void print_more(FILE *out, size_t n)
{
	if (n > SHOWN_MAX)
		fprintf(out, " and %zu more", n - SHOWN_MAX);
}

static void print_ports(FILE *out, const struct weir_match *match)
{
	size_t i;

	for (i = 0; i < match->n_ports && i < SHOWN_MAX; i++) {
		fprintf(out, "%s%u", i ? " " : "", match->ports[i].first);
		if (match->ports[i].last != match->ports[i].first)
			fprintf(out, "-%u", match->ports[i].last);
	}
	print_more(out, match->n_ports);
}

static void print_prefixes(FILE *out, const struct weir_prefix *prefixes, size_t n)
{
	char buf[WEIR_PREFIX_STRLEN];
	size_t i;

	for (i = 0; i < n && i < SHOWN_MAX; i++)
		fprintf(out, "%s%s", i ? " " : "", weir_prefix_print(&prefixes[i], buf));
	print_more(out, n);
}

void weir_words_match(FILE *out, const struct weir_match *match)
{
	if (match->has_proto)
		print_proto(out, match->proto);
	else
		fputs(match->n_ports ? "tcp and udp" : "all IP packets", out);
	if (match->syn)
		fputs(", SYN", out);
	if (match->n_ports) {
		fputs(", to port ", out);
		print_ports(out, match);
	}
	if (match->n_to) {
		fputs(", to ", out);
		print_prefixes(out, match->to, match->n_to);
	}
	if (match->n_from) {
		fputs(", from ", out);
		print_prefixes(out, match->from, match->n_from);
	}
	if (match->fragment == WEIR_FRAGMENT_ONLY)
		fputs(", fragments only", out);
	if (match->fragment == WEIR_FRAGMENT_WHOLE)
		fputs(", no fragments", out);
}

void weir_words_source(FILE *out, const struct weir_source_spec *source)
{
	if (source->all)
		fputs("all sources together", out);
	else
		fprintf(out, "each IPv4 /%u and each IPv6 /%u", source->ipv4_bits,
			source->ipv6_bits);
}
