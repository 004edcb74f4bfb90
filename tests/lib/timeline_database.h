/* SPDX-License-Identifier: Apache-2.0 */
/* A database that a test fills, and the timelines made of it: of model "net", id 6, on device 0 (Ascend, JOB era: what
 * the test says). Failures end the running cmocka test, which needs scratch.h. */
#ifndef MSPROF_TESTS_TIMELINE_DATABASE_H
#define MSPROF_TESTS_TIMELINE_DATABASE_H

#include "exporters/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_ORIGIN INT64_C(54382576024666) /* where the capture begins; times below count from it */
#define TASK_TIME "task_time_0.net.6.1.json"
#define ACL "acl_0.net.6.1.json"
#define REPORTS_MAX 8

/* Begins the database of a capture of that family ("svp", "ascend-job"). */
void begin_database(const char *family);
void run_sql(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Begins an inference; its tasks follow one another from start_ns, which counts from 0 when the start is not known. */
void add_inference(int64_t start_ns, bool known);
/* Adds count tasks of the same kind to the last inference; stream_id -1: they have none. */
void add_tasks(int64_t count, int64_t stream_id, int64_t task_id, int64_t duration_ns);
/* Adds AI CPU tasks, of which each begins step_ns after the one before. */
void add_cpu_tasks(int64_t count, int64_t start_ns, int64_t step_ns, int64_t duration_ns, int64_t stream_id,
                   int64_t task_id);
void add_layer(int64_t layer_id, int64_t task_id, const char *engine, const char *ori_name);
void add_call(int64_t process_id, int64_t thread_id, int64_t start_ns, int64_t end_ns, const char *name);

/* Completes the database. */
void finish_database(void);
/* Exports the timelines of the complete database: 0 or -code. */
int export_to(const char *directory, struct export_result *result, struct err *err);
/* Both, into the scratch directory; a failure fails the test. */
struct export_result export_all(void);

/* Reports that the last export told of: "task_time task_time_0.net.6.1.json". */
extern char reports[REPORTS_MAX][64];
extern size_t report_count;

#endif
