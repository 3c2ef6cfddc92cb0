// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What is wrong with a policy file. The lists grow by doubling and stop at WEIR_FAULTS_MAX: a file
 * of the wrong kind should not fill memory with complaints.
 */
#include "policy/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Room for one more: doubled whenever the number in use is a power of two. */
static struct weir_fault *grown(struct weir_fault *list, size_t n)
{
	if (n & (n - 1))
		return list;
	return reallocarray(list, n ? n * 2 : 1, sizeof(*list));
}

static bool append(struct weir_fault **list, size_t *n, const char *file, struct weir_mark mark,
		   const char *format, va_list args)
{
	_cleanup_free_ char *message = NULL, *name = NULL;
	struct weir_fault *room;

	if (*n >= WEIR_FAULTS_MAX || vasprintf(&message, format, args) < 0)
		return false;
	name = strdup(file);
	if (!name)
		return false;
	room = grown(*list, *n);
	if (!room)
		return false;
	*list = room;
	room[(*n)++] = (struct weir_fault){
		.file = TAKE_PTR(name),
		.line = mark.line,
		.column = mark.column,
		.message = TAKE_PTR(message),
	};
	return true;
}

void weir_faults_vadd(struct weir_faults *faults, const char *file, struct weir_mark mark,
		      const char *format, va_list args)
{
	if (!append(&faults->errors, &faults->n_errors, file, mark, format, args))
		faults->n_more_errors++;
}

void weir_faults_vwarn(struct weir_faults *faults, const char *file, struct weir_mark mark,
		       const char *format, va_list args)
{
	append(&faults->warnings, &faults->n_warnings, file, mark, format, args);
}

void weir_faults_add(struct weir_faults *faults, const char *file, struct weir_mark mark,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	weir_faults_vadd(faults, file, mark, format, args);
	va_end(args);
}

void weir_faults_warn(struct weir_faults *faults, const char *file, struct weir_mark mark,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	weir_faults_vwarn(faults, file, mark, format, args);
	va_end(args);
}

bool weir_faults_none(const struct weir_faults *faults)
{
	return faults->n_errors == 0 && faults->n_more_errors == 0;
}

static int compare_places(const void *a, const void *b, void *file)
{
	const struct weir_fault *left = a, *right = b;
	int left_outside = strcmp(left->file, file) != 0;
	int right_outside = strcmp(right->file, file) != 0;
	int order = strcmp(left->file, right->file);

	if (left_outside != right_outside)
		return left_outside - right_outside;
	if (order)
		return order;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	if (left->column != right->column)
		return left->column < right->column ? -1 : 1;
	return strcmp(left->message, right->message);
}

void weir_faults_sort(struct weir_faults *faults, const char *file)
{
	if (faults->n_errors)
		qsort_r(faults->errors, faults->n_errors, sizeof(faults->errors[0]), compare_places,
			(void *)file);
	if (faults->n_warnings)
		qsort_r(faults->warnings, faults->n_warnings, sizeof(faults->warnings[0]),
			compare_places, (void *)file);
}

static void free_list(struct weir_fault *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(list[i].file);
		free(list[i].message);
	}
	free(list);
}

void weir_faults_free(struct weir_faults *faults)
{
	if (!faults)
		return;
	free_list(faults->errors, faults->n_errors);
	free_list(faults->warnings, faults->n_warnings);
	*faults = (struct weir_faults){ .errors = NULL };
}
