/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of the exporters to the database. No SQL above this line, no formatting below it. Integers that are NULL
 * are given as DB_NULL, texts that are NULL as NULL. Texts handed to callbacks live until the callback returns. A
 * callback that returns non-zero ends the loop and becomes its result; so err must be the one the callback filled. */
#ifndef MSPROF_DB_QUERY_QUERY_H
#define MSPROF_DB_QUERY_QUERY_H

#include "base/diag.h"
#include "base/err.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts that the import knew about the capture as a whole. */
struct db_facts {
    int family;        /* CAPTURE_... (parsers/record.h) */
    int64_t origin_ns; /* the earliest absolute time; timelines of SVP boards count from it; 0 when there is none. ns,
                          device or host monotonic */
    int64_t problems;  /* reports of severity warning or error at import */
};
int db_read_facts(sqlite3 *db, struct db_facts *ret, struct err *err);
#define PROBLEMS_TEXT_SIZE 640

/* The data problem that an import reports first: a missing half of the capture, else an error, else a warning. id:
 * DIAG_COUNT where there is none. message: with its place and remedy, ready for a terminal. */
struct first_problem {
    enum diag_id id;
    char message[PROBLEMS_TEXT_SIZE - 64];
};
int query_first_problem(sqlite3 *db, struct first_problem *ret, struct err *err);

/* "2 data problems at import, the first: data/aicore.0.1.1: ..."; "" where there is none. */
int query_problems(sqlite3 *db, char text[PROBLEMS_TEXT_SIZE], struct err *err);
/* Likewise; "" too where all that was found is records out of order, of which none is missing. */
int query_losses(sqlite3 *db, char text[PROBLEMS_TEXT_SIZE], struct err *err);

struct capture_origin {
    int64_t time_ns; /* the start of the capture, as its events' times are stored */
    /* One moment by two clocks; DB_NULL: not known. */
    int64_t origin_ns;      /* by the clock that the capture's times were taken with: monotonic, or a counter's */
    int64_t origin_unix_ns; /* since 1970 */
};
/* The start of the collection, where it is known; else the earliest event. family: CAPTURE_... */
int query_origin(sqlite3 *db, int family, struct capture_origin *ret, struct err *err);

/* ---- SVP ---- */

/* A model on a device with one batch number: one pair of timeline files. */
struct svp_model {
    int64_t id; /* of its row */
    int64_t device_id;
    const char *name; /* never NULL: "unknown" when nothing names it */
    int64_t model_id, batch_num;
    int64_t inferences, ai_core_tasks, ai_cpu_tasks, acl_calls;
};
int svp_each_model(sqlite3 *db, int (*each)(void *arg, const struct svp_model *model, struct err *err), void *arg,
                   struct err *err);

enum {
    SVP_MAC_BUSY,
    SVP_MAC_PPEN,
    SVP_VEC_BUSY,
    SVP_VEC_PPEN,
    SVP_DSTR,
    SVP_DTRANS,
    SVP_DLD,
    SVP_WLD,
    SVP_CYCLE_KINDS
};

struct svp_inference {
    int64_t id;
    int64_t device_id;
    const char *model; /* never NULL */
    int64_t model_id, batch_num, input_pic_num, current_pic_count;
    int64_t start_ns, end_ns; /* of its AI core tasks */
    int64_t start_known;      /* 0: start_ns counts from the capture's start, else absolute */
    int64_t tasks;            /* AI core tasks */
    int64_t icache_miss_ppm;  /* misses of the instruction cache as the board rates them; DB_NULL: not known */
    int64_t core_khz;         /* DB_NULL: not known; then times are DB_NULL too */
    /* Sums over its tasks: */
    int64_t total_cycle, cycles[SVP_CYCLE_KINDS], ddr_read_bytes, ddr_write_bytes;
};
/* In order of device, model, batch, input, then start time. model NULL: all; else only this model's. */
int svp_each_inference(sqlite3 *db, const struct svp_model *model,
                       int (*each)(void *arg, const struct svp_inference *inference, struct err *err), void *arg,
                       struct err *err);

struct svp_task { /* one AI core task: a layer group in one inference */
    int64_t start_ns, duration_ns, stream_id, task_id, total_cycle;
    int64_t cycles[SVP_CYCLE_KINDS];
    int64_t ddr_read_bytes, ddr_write_bytes;
};
/* Reads tasks of one inference after another with statements that are prepared once. */
struct svp_task_reader; /* opaque */
/* with_counters: false leaves all but start_ns, duration_ns, stream_id, task_id and bytes unset, which is faster. NULL
 * with err set. */
struct svp_task_reader *svp_task_reader_new(sqlite3 *db, bool with_counters, struct err *err);
void svp_task_reader_free(struct svp_task_reader *reader);
/* All tasks of an inference in execution order. */
int svp_read_tasks(struct svp_task_reader *reader, int64_t inference_id,
                   int (*each)(void *arg, const struct svp_task *task, struct err *err), void *arg, struct err *err);

struct svp_ai_cpu_task {
    int64_t start_ns, duration_ns, stream_id, task_id;
    int64_t input_pic_num, current_pic_count;
    bool touches; /* another one starts at the nanosecond where it ends */
};
/* AI CPU tasks of one model (batch number included) by start time. */
int svp_each_ai_cpu_task(sqlite3 *db, const struct svp_model *model,
                         int (*each)(void *arg, const struct svp_ai_cpu_task *task, struct err *err), void *arg,
                         struct err *err);

/* Gives them one by one: svp_ai_cpu_tasks makes the statement that the other takes them from. */
int svp_ai_cpu_tasks(sqlite3 *db, const struct svp_model *model, sqlite3_stmt **ret, struct err *err);
int svp_next_ai_cpu_task(sqlite3 *db, sqlite3_stmt *tasks, struct svp_ai_cpu_task *ret, bool *ret_found,
                         struct err *err);

/* Scope of one operator statistic: everything with the same device, model id and picture count, whatever its model
 * name, batch number and input. The numbers may be DB_NULL. */
struct svp_report {
    int64_t device_id, model_id, current_pic_count;
};
/* Every such triple that an inference or an AI CPU task has, each once, ascending in that order. */
int svp_each_report(sqlite3 *db, int (*each)(void *arg, const struct svp_report *report, struct err *err), void *arg,
                    struct err *err);
/* Reads one report after another with statements that are prepared once; the time for one report does not grow with the
 * number of reports. */
struct svp_report_reader;                                                      /* opaque */
struct svp_report_reader *svp_report_reader_new(sqlite3 *db, struct err *err); /* NULL with err set */
void svp_report_reader_free(struct svp_report_reader *reader);
/* The inferences of one report in order of model, batch, input, then start time. */
int svp_read_report_inferences(struct svp_report_reader *reader, const struct svp_report *report,
                               int (*each)(void *arg, const struct svp_inference *inference, struct err *err),
                               void *arg, struct err *err);
/* The AI CPU tasks of one report, those of one model (name) together. */
int svp_read_report_ai_cpu_tasks(struct svp_report_reader *reader, const struct svp_report *report,
                                 int (*each)(void *arg, const char *model, const struct svp_ai_cpu_task *task,
                                             struct err *err),
                                 void *arg, struct err *err);

/* The layer table of one model in memory. */
struct svp_layer {
    int64_t layer_id, task_id;
    const char *name, *type, *ori_name; /* NULL: not given */
    bool ai_cpu;                        /* engine AI_CPU, else AI_CORE */
};
struct svp_layers {
    struct svp_layer *layers; /* sorted by task_id, then layer_id */
    size_t count;
    char *texts; /* owns the layers' texts */
};
int svp_layers_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layers *ret, struct err *err);
void svp_layers_release(struct svp_layers *layers);
/* The layers of one task on one engine: first index and how many (0: none known). */
size_t svp_layers_of_task(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, size_t *ret_first);

struct acl_call {
    int64_t model_row; /* struct svp_model.id of what it belongs to */
    int64_t device_id; /* of the model */
    int64_t start_ns, end_ns, process_id, thread_id, api_type;
    const char *name; /* never NULL */
    bool touches;     /* another call starts at the nanosecond where it ends */
};
/* ACL calls of one model, NULL: of all, by (process, thread, start, longest first): a parent comes before what it
 * contains. */
int acl_each_call(sqlite3 *db, const struct svp_model *model,
                  int (*each)(void *arg, const struct acl_call *call, struct err *err), void *arg, struct err *err);

/* A call that starts an inference of a model (svp_acl_mdl_execute and relatives). */
struct svp_execute {
    int64_t device_id, model_id;
    const char *model; /* never NULL */
    int64_t start_ns, end_ns;
};
int svp_each_execute(sqlite3 *db, int (*each)(void *arg, const struct svp_execute *call, struct err *err), void *arg,
                     struct err *err);

struct acl_statistic {
    int64_t device_id, model_id; /* a new pair begins a new report; DB_NULL model: the file names none */
    int64_t process_id, thread_id, api_type;
    const char *name;
    int64_t count, total_ns, min_ns, max_ns;
    int64_t report_total_ns; /* over all rows of the same device and model */
};
/* Ordered by device, model, process, thread, total time descending, name. */
int acl_each_statistic(sqlite3 *db, int (*each)(void *arg, const struct acl_statistic *row, struct err *err), void *arg,
                       struct err *err);
/* "model", "runtime", "op", "others"; "N/A" for other numbers. */
const char *acl_mode_name(int64_t api_type);

#endif
