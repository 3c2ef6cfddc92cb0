// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Which known key was probably meant: the optimal string alignment distance (Damerau 1964), small
 * words only.
 */
#include "policy/nearest.h"

#include <string.h>

#define KEY_LEN 32

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Both words are shorter than KEY_LEN. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int cost[KEY_LEN][KEY_LEN];
	unsigned int n = (unsigned int)strlen(a), m = (unsigned int)strlen(b), i, j;

	for (j = 0; j <= m; j++)
		cost[0][j] = j;
	for (i = 1; i <= n; i++) {
		cost[i][0] = i;
		for (j = 1; j <= m; j++) {
			unsigned int changed = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			cost[i][j] = least(changed, least(cost[i - 1][j], cost[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
		}
	}
	return cost[n][m];
}

/* "rate" in "node_rate", but not "ode" in it. */
static bool is_word_of(const char *word, const char *key)
{
	size_t len = strlen(word);
	const char *at = strstr(key, word);

	return len >= 3 && at && (at == key || at[-1] == '_') && (!at[len] || at[len] == '_');
}

const char *weir_nearest_key(const char *key, const struct weir_key *keys, size_t n_keys)
{
	unsigned int least_cost = (unsigned int)strlen(key) / 3 + 2;
	const char *nearest = NULL;
	size_t i;

	if (!*key || strlen(key) >= KEY_LEN)
		return NULL;
	for (i = 0; i < n_keys; i++) {
		unsigned int cost = distance(key, keys[i].name);

		if (cost < least_cost) {
			least_cost = cost;
			nearest = keys[i].name;
		}
	}
	/* One letter off is a slip; beyond that a word that stands there whole says more. */
	for (i = 0; least_cost > 1 && i < n_keys; i++) {
		if (is_word_of(key, keys[i].name))
			return keys[i].name;
	}
	return nearest;
}
