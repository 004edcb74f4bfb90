/* SPDX-License-Identifier: Apache-2.0 */
/* log/collection.log in the line shape of the vendor's tool, which scripts grep for. */
#ifndef MSPROF_CLI_CAPTURE_COLLECTION_LOG_H
#define MSPROF_CLI_CAPTURE_COLLECTION_LOG_H

#include "base/diag.h"
#include "base/err.h"

enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

struct collection_log {
    int fd; /* -1: not open, lines are dropped */
};

/* Opens <results>/log/collection.log for appending and makes what is missing of it. On failure the log is closed and
 * takes lines all the same. */
int collection_log_open(struct collection_log *log, const char *results, struct err *err);
void collection_log_close(struct collection_log *log);

/* "Fri 12 Apr 2024 12:24:28 [INFO] [MSVP] [5323] msprof_common: ..." with the local time; names in English always. */
void collection_log_add(struct collection_log *log, enum log_level level, const char *source, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void collection_log_error(struct collection_log *log, const char *source, const struct err *err);
void collection_log_diagnostics(struct collection_log *log, const char *source, const struct diagnostics *diag);

/* "The op_summary summary data of device 0 for model m from input 0 has been exported to "<path>"."; what the name of
 * the file does not say is left out. type: "summary" or "timeline". */
void collection_log_exported(struct collection_log *log, const char *source, const char *report, const char *type,
                             const char *path);

#define LOG_SOURCE_COMMON "msprof_common"
#define LOG_SOURCE_EXPORT "msprof_export"

#endif
