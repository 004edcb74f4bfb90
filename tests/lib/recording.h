/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of the recorder: starting and stopping it in a scratch directory, and reading what it recorded.
 */
#ifndef MSPROF_TESTS_LIB_RECORDING_H
#define MSPROF_TESTS_LIB_RECORDING_H

#include "acl/recorder/recorder.h"

#include <sqlite3.h>
#include <sys/types.h>

#define TYPE_OUTER (RECORDER_ACL_MODEL << 16 | 1)
#define TYPE_INNER (RECORDER_ACL_RUNTIME << 16 | 2)

#define RECORDING_REPORT_MAX 2000

extern char recording_report[RECORDING_REPORT_MAX]; /* the recorder's last report */
extern int recording_reports;
extern uint64_t expected_problems; /* that importing finds */

/* Options for a capture in this directory of the scratch directory. */
struct recorder_options recording_options(const char *name);
void recording_start(const struct recorder_options *options);
void recording_stop(void);
/* The database of a capture, made anew; the caller closes it. */
sqlite3 *recording_import(const char *capture);
/* The first value of a query. */
int64_t recording_query(sqlite3 *db, const char *sql);
int64_t recording_count_calls(const char *capture);
/* The path of a file of the running or last capture. */
const char *recording_file(const char *name);
size_t recording_read(const char *path, unsigned char *bytes, size_t size);
uint64_t recording_little(const unsigned char *p, size_t width);
off_t recording_size(const char *path); /* -1: there is none */

#endif
