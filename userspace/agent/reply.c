// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A reply's line of JSON. Faults of a file may be a thousand, so it is built in memory of its own.
 */
#include "agent/reply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"

void weir_reply_clear(struct weir_reply *reply)
{
	weir_faults_free(&reply->faults);
	*reply = (struct weir_reply){ .ok = false };
}

static void write_faults(struct weir_json *json, const struct weir_faults *faults)
{
	size_t i;

	weir_json_array_open(json);
	for (i = 0; i < faults->n_errors; i++) {
		const struct weir_fault *fault = &faults->errors[i];

		weir_json_object_open(json);
		weir_json_key(json, "file");
		weir_json_string(json, fault->file);
		weir_json_key(json, "line");
		weir_json_u64(json, fault->line);
		weir_json_key(json, "column");
		weir_json_u64(json, fault->column);
		weir_json_key(json, "message");
		weir_json_string(json, fault->message);
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

int weir_reply_render(const struct weir_reply *reply, char **ret_line, size_t *ret_len)
{
	_cleanup_free_ char *line = NULL;
	struct weir_json json;
	size_t len = 0;
	FILE *out;
	int err;

	out = open_memstream(&line, &len);
	if (!out)
		return -ENOMEM;
	weir_json_begin(&json, out);
	weir_json_object_open(&json);
	weir_json_key(&json, "ok");
	weir_json_bool(&json, reply->ok);
	weir_json_key(&json, "message");
	weir_json_string(&json, reply->message.text);
	weir_json_key(&json, "errors");
	write_faults(&json, &reply->faults);
	weir_json_object_close(&json);
	err = weir_json_finish(&json);
	if (fclose(out) != 0 || err)
		return -ENOMEM;
	*ret_line = TAKE_PTR(line);
	*ret_len = len;
	return 0;
}
