// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whole files, private folders, error text, quoting, clocks and clean-up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"

static char folder[] = "/tmp/weir-file-XXXXXX";

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "small", "replaced", "link" };
	static const char *const dirs[] = { "a/b/c", "a/b", "a", "wide" };
	size_t i;

	for (i = 0; i < 3; i++)
		unlink(at(names[i]));
	for (i = 0; i < 4; i++)
		rmdir(at(dirs[i]));
	return rmdir(folder);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	return status.st_mode & 07777;
}

static void a_file_is_read_whole_or_refused_for_its_length(void **state)
{
	struct weir_error error;
	char *text = NULL;
	size_t len = 0;

	assert_int_equal(weir_file_replace(at("small"), 0600, "ab\0cd", 5, &error), 0);
	assert_int_equal(weir_file_read(at("small"), 5, &error, &text, &len), 0);
	assert_int_equal(len, 5);
	assert_memory_equal(text, "ab\0cd", 6);
	free(text);
	text = NULL;
	assert_int_equal(weir_file_read(at("small"), 4, &error, &text, &len), -EFBIG);
	assert_non_null(strstr(error.text, "longer than 4 bytes"));
	assert_null(text);
}

static void a_file_without_a_size_is_read_to_its_end(void **state)
{
	struct weir_error error;
	char *text = NULL;
	size_t len = 0;

	assert_int_equal(weir_file_read("/proc/self/status", 65536, &error, &text, &len), 0);
	assert_true(len > 100);
	assert_int_equal(strlen(text), len);
	free(text);
	text = NULL;
	assert_int_equal(weir_file_read("/proc/self/status", 10, &error, &text, NULL), -EFBIG);
}

static void what_is_no_file_is_refused_at_once(void **state)
{
	struct weir_error error;
	char *text = NULL;

	assert_int_equal(weir_file_read(folder, 10, &error, &text, NULL), -EINVAL);
	assert_int_equal(weir_file_read("/dev/zero", 10, &error, &text, NULL), -EINVAL);
	assert_non_null(strstr(error.text, "no regular file"));
	assert_int_equal(weir_file_read(at("none"), 10, &error, &text, NULL), -ENOENT);
	assert_int_equal(mkfifo(at("link"), 0600), 0);
	assert_int_equal(weir_file_read(at("link"), 10, &error, &text, NULL), -EINVAL);
	assert_int_equal(unlink(at("link")), 0);
}

static void a_file_is_replaced_in_one_step_with_its_mode(void **state)
{
	struct weir_error error;
	char *text = NULL;

	assert_int_equal(weir_file_replace(at("replaced"), 0640, "one", 3, &error), 0);
	assert_int_equal(weir_file_replace(at("replaced"), 0600, "second", 6, &error), 0);
	assert_int_equal(weir_file_read(at("replaced"), 100, &error, &text, NULL), 0);
	assert_string_equal(text, "second");
	assert_int_equal(mode_of(at("replaced")), 0600);
	free(text);
}

static void a_failed_replacement_leaves_nothing_behind(void **state)
{
	struct weir_error error;

	assert_int_equal(weir_file_replace(folder, 0600, "x", 1, &error), -EISDIR);
	assert_int_equal(weir_file_replace(at("none/x"), 0600, "x", 1, &error), -ENOENT);
}

static void a_private_folder_is_made_with_its_parents(void **state)
{
	struct weir_error error = { .text = "" };

	assert_int_equal(weir_file_make_private_dir(at("a/b/c"), &error), 0);
	assert_int_equal(mode_of(at("a/b/c")), 0700);
	assert_int_equal(weir_file_make_private_dir(at("a/b/c"), &error), 0);
}

static void an_open_folder_is_tightened(void **state)
{
	struct weir_error error = { .text = "" };

	assert_int_equal(mkdir(at("wide"), 0755), 0);
	assert_int_equal(weir_file_make_private_dir(at("wide"), &error), 0);
	assert_int_equal(mode_of(at("wide")), 0700);
}

static void a_link_in_place_of_a_folder_is_refused(void **state)
{
	struct weir_error error = { .text = "" };

	assert_int_equal(symlink("/tmp", at("link")), 0);
	assert_int_equal(weir_file_make_private_dir(at("link"), &error), -ENOTDIR);
	assert_int_equal(unlink(at("link")), 0);
}

static void an_error_passes_its_code_and_gains_its_place(void **state)
{
	struct weir_error error;

	assert_int_equal(weir_error_set(&error, -EINVAL, "bad %s", "thing"), -EINVAL);
	assert_string_equal(error.text, "bad thing");
	assert_int_equal(weir_error_wrap(&error, -EIO, "file %d", 7), -EIO);
	assert_string_equal(error.text, "file 7: bad thing");
	assert_int_equal(weir_error_set(NULL, -EIO, "unseen"), -EIO);
	assert_int_equal(weir_error_wrap(NULL, -EIO, "unseen"), -EIO);
}

static void an_error_too_long_is_cut(void **state)
{
	struct weir_error error;
	char text[3000];

	memset(text, 'e', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	weir_error_set(&error, -EIO, "%s", text);
	assert_int_equal(strlen(error.text), WEIR_ERROR_LEN - 1);
	weir_error_wrap(&error, -EIO, "place");
	assert_int_equal(strlen(error.text), WEIR_ERROR_LEN - 1);
	assert_memory_equal(error.text, "place: eee", 10);
	weir_error_wrap(&error, -EIO, "%s", text);
	assert_int_equal(strlen(error.text), WEIR_ERROR_LEN - 1);
}

static void quoting_fits_every_size_of_buffer(void **state)
{
	char buf[64];
	size_t size;

	for (size = 8; size < sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		weir_quote("plain \x01\x02 and \"quoted\" and more", buf, size);
		assert_true(strlen(buf) < size);
		assert_int_equal(buf[size], '#');
	}
	assert_string_equal(weir_quote("abcdefg", buf, 8), "abcdefg");
	assert_string_equal(weir_quote("abcdefgh", buf, 8), "abcd...");
	assert_string_equal(weir_quote("", buf, 8), "");
}

static void clocks_run_forward_together(void **state)
{
	uint64_t before = weir_clock_monotonic_ns(), coarse = weir_clock_coarse_ns();
	uint64_t tick = weir_clock_coarse_tick_ns();

	assert_true(tick > 0 && tick <= 10000000);
	assert_true(coarse <= weir_clock_monotonic_ns());
	assert_true(coarse + 2 * tick >= before);
	assert_true(weir_clock_boottime_ns() >= before);
}

static void ownership_leaves_only_when_taken(void **state)
{
	_cleanup_close_ int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = strdup("kept");
	char *taken = TAKE_PTR(text);
	int taken_fd = TAKE_FD(fd);

	assert_null(text);
	assert_int_equal(fd, -1);
	assert_string_equal(taken, "kept");
	free(taken);
	{
		_cleanup_close_ int closed = taken_fd;

		assert_int_not_equal(fcntl(closed, F_GETFD), -1);
	}
	assert_int_equal(fcntl(taken_fd, F_GETFD), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_whole_or_refused_for_its_length),
		cmocka_unit_test(a_file_without_a_size_is_read_to_its_end),
		cmocka_unit_test(what_is_no_file_is_refused_at_once),
		cmocka_unit_test(a_file_is_replaced_in_one_step_with_its_mode),
		cmocka_unit_test(a_failed_replacement_leaves_nothing_behind),
		cmocka_unit_test(a_private_folder_is_made_with_its_parents),
		cmocka_unit_test(an_open_folder_is_tightened),
		cmocka_unit_test(a_link_in_place_of_a_folder_is_refused),
		cmocka_unit_test(an_error_passes_its_code_and_gains_its_place),
		cmocka_unit_test(an_error_too_long_is_cut),
		cmocka_unit_test(quoting_fits_every_size_of_buffer),
		cmocka_unit_test(clocks_run_forward_together),
		cmocka_unit_test(ownership_leaves_only_when_taken),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
