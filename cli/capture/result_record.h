/* SPDX-License-Identifier: Apache-2.0 */
/* Records in a directory of results, beside the results: whose they are, and which files an export wrote, so that the
 * next one replaces them. Both are small files in log/; without them nothing is removed or refused. */
#ifndef MSPROF_CLI_CAPTURE_RESULT_RECORD_H
#define MSPROF_CLI_CAPTURE_RESULT_RECORD_H

#include "base/diag.h"
#include "base/err.h"
#include "base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether results (a directory that need not exist) may take those of this capture: -ERR_USAGE when it holds another
 * capture's. A capture that was moved is recognised by its files. capture: its path, or what stands for that;
 * directory: where its files are. */
int result_owner_check(const char *results, const char *capture, const char *directory, struct err *err);
/* Makes them this capture's. results/log must exist. fingerprint (capture_fingerprint): NULL where nobody knows it. */
int result_owner_record(const char *results, const char *capture, const char *directory, const char *fingerprint,
                        struct err *err);

/* files: absolute paths of those of one export, which are sorted. Removes what the record of that name lists and the
 * export did not write again, unless it was changed since (then it is kept), and records the files of this export.
 * ending: of names that the export writes; those that end otherwise stay, in the record, too. complete: false keeps
 * what was there before in the record. */
int result_files_replace(const struct words *files, const char *results, const char *record, const char *ending,
                         bool complete, struct err *err);

/* log/collection.log in the line shape of the vendor's tool, which scripts grep for. */

enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

struct collection_log {
    int fd; /* -1: not open, lines are dropped */
    /* Lines of collection_log_output: */
    uint64_t room; /* bytes that are still written as they come */
    uint64_t held; /* bytes that came afterwards */
    char *tail;    /* the last COLLECTION_LOG_TAIL of those, a ring */
};

/* Opens <results>/log/collection.log for appending and makes what is missing of it. On failure the log is closed and
 * takes lines all the same. */
int collection_log_open(struct collection_log *log, const char *results, struct err *err);
/* Whether a file in a directory log/ is msprof's own: a log that it began, a list of results, or whose results they
 * are. */
bool result_record_is_own(const char *log, const char *name);
void collection_log_close(struct collection_log *log);

/* "Fri 12 Apr 2024 12:24:28 [INFO] [MSVP] [5323] msprof_common: ..." with the local time; names in English always. */
void collection_log_add(struct collection_log *log, enum log_level level, const char *source, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The like for a line that a program printed, of which there may be any number. They are written until the log has
 * COLLECTION_LOG_HEAD bytes; of the others collection_log_output_end writes the last ones, and how many are left out.
 */
void collection_log_output(struct collection_log *log, const char *source, const char *line);
void collection_log_output_end(struct collection_log *log, const char *source);
#define COLLECTION_LOG_HEAD ((uint64_t)4 * 1024 * 1024)
#define COLLECTION_LOG_TAIL ((size_t)1024 * 1024)
/* A longer log is shortened to these when it is opened. */
#define COLLECTION_LOG_MOST ((uint64_t)6 * 1024 * 1024)
void collection_log_error(struct collection_log *log, const char *source, const struct err *err);
void collection_log_diagnostics(struct collection_log *log, const struct diagnostics *diag);

/* "The op_summary summary data of device 0 for model m from input 0 has been exported to "<path>"."; what the name of
 * the file does not say is left out. type: "summary" or "timeline". */
void collection_log_exported(struct collection_log *log, const char *report, const char *type, const char *path);

#define LOG_SOURCE_COMMON "msprof_common"
#define LOG_SOURCE_EXPORT "msprof_export"

#endif
