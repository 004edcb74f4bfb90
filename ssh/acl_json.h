/* SPDX-License-Identifier: Apache-2.0 */
/* acl.json, which switches profiling on in the program on the board: made, or patched in its text, so that every other
 * key stays as it was to the last byte. */
#ifndef MSPROF_SSH_ACL_JSON_H
#define MSPROF_SSH_ACL_JSON_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

#define ACL_JSON_LIMIT ((size_t)1024 * 1024) /* bytes */

/* The members of "profiler"; all values are strings there. */
struct acl_settings {
    const char *output; /* directory on the board */
    bool ai_cpu, acl_api, enabled;
    const char *metrics;
    int interval;
};

/* Whether the text has a "dump" object, and whether it is switched on. */
struct acl_dump {
    bool present, on;
};

/* Appends to ret the text with its "profiler" members set; text NULL gives a file with nothing else. Keys that stand
 * there in the vendor's other spelling ("aicpu", "aic_metrics") keep it. -ERR_FORMAT when text is no JSON object or
 * "profiler" no object. */
int acl_json_patch(const char *text, size_t length, const struct acl_settings *settings, struct strbuf *ret,
                   struct acl_dump *ret_dump, struct err *err);

/* The first character of a path that profiling does not take (letters, digits, '_', '-', '.', '/'); 0: it is fine. */
char acl_path_problem(const char *path);

#endif
