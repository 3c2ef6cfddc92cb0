// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The fuzzer's seeds are the kinds of frames, one file each. With WRITE_CORPUS=1 in the environment
 * this program writes them anew instead.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/frames.h"

#define CORPUS "tests/fuzz/corpus/packet/"

static FILE *open_seed(const char *name, const char *mode)
{
	char path[256];

	snprintf(path, sizeof(path), CORPUS "%s", name);
	return fopen(path, mode);
}

static void each_kind_of_frame_is_a_seed(void **state)
{
	uint8_t wanted[FRAME_BYTES_MAX], found[FRAME_BYTES_MAX];

	for (const struct frame_kind *kind = frame_kinds; kind->name; kind++) {
		size_t size = frame_build(&kind->frame, wanted), n;
		FILE *file;

		if (getenv("WRITE_CORPUS")) {
			file = open_seed(kind->name, "wb");
			assert_non_null(file);
			assert_int_equal(fwrite(wanted, 1, size, file), size);
			assert_int_equal(fclose(file), 0);
		}
		file = open_seed(kind->name, "rb");
		if (!file)
			fail_msg("no " CORPUS "%s: run this with WRITE_CORPUS=1", kind->name);
		n = fread(found, 1, sizeof(found), file);
		fclose(file);
		assert_int_equal(n, size);
		assert_memory_equal(found, wanted, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_frame_is_a_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
