/* SPDX-License-Identifier: Apache-2.0 */
/* ASCEND_PROFILER_OUTPUT: what is written of a framework's directory, as the framework's own analysis writes it. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_REPORTS_ANALYSIS_H
#define MSPROF_FEATURES_FRAMEWORKS_REPORTS_ANALYSIS_H

#include "base/file/large.h"
#include "exporters/busy.h"
#include "exporters/table/report.h"
#include "features/frameworks/framework.h"
#include "features/frameworks/mindspore/minddata.h"

/* Which operator of the framework launched what a device ran. */

/* All zero: nothing is known. */
struct relation {
    uint32_t *launches; /* by connection: which launch of the framework, counted from 1; 0: none */
    size_t count;
};

/* Relates connections of the capture to launches: the one around the time at which CANN launched. */
int relation_make(struct relation *relation, const struct framework *framework, sqlite3 *db, struct err *err);
/* Sets, for MindSpore, when devices were done with what each step launched. */
int relation_set_ends(const struct relation *relation, struct framework *framework, sqlite3 *db, struct err *err);
void relation_release(struct relation *relation);

/* The launch of a connection (DB_NULL: of none); NULL: not known. */
static inline const struct framework_launch *relation_launch(const struct relation *relation,
                                                             const struct framework *framework, int64_t connection_id)
{
    large_passed(32); /* each may be in pages of its own */
    return connection_id >= 0 && (uint64_t)connection_id < relation->count && relation->launches[connection_id] > 0
               ? &framework->launches[relation->launches[connection_id] - 1]
               : NULL;
}

struct comm_document;
struct minddata;
struct torch_work;

struct step_filter_list {
    const int64_t *items; /* ascending */
    size_t count;         /* 0: all steps */
};

/* One directory on its way. */
struct framework_analysis {
    struct framework *framework;
    const char *directory; /* *_ascend_ms, *_ascend_pt */
    sqlite3 *db;           /* of its PROF capture, or empty tables */
    const char *prof;      /* its PROF capture; NULL: there is none */
    const char *database;  /* its path; NULL: there is no PROF capture */
    const struct export_options *options;
    struct export_result *result;
    struct diagnostics *diag;
    bool texts, databases; /* which are written */
    bool for_cluster;      /* of texts those alone that a cluster's analysis reads */
    bool relative_times, pretty;
    struct step_filter_list steps;
    const struct framework_clock *clock;
    /* Told of a file that is not written although there are data for it. */
    void (*not_written)(void *arg, const char *file, const char *because);
    void *not_written_arg;

    /* Made by framework_write: */
    struct relation relation;
    struct torch_work *work;             /* of PyTorch: torch_relation.h */
    struct report_session session;       /* its context is this */
    struct comm_document *communication; /* features/communication/communication.h; NULL: not read yet */
    const struct minddata *minddata;     /* of the report that is being made */
};

/* Whether a step's rows and events are written. */
bool framework_wants_step(const struct framework_analysis *analysis, const char *id);

/* Whether tables have the device: PyTorch's, not those of the older versions of CANN. */
bool framework_names_device(const struct framework_analysis *analysis);

/* Whether what begins then does: what a step did on the host, and until the device was done with it. */
bool framework_wants_time(const struct framework_analysis *analysis, int64_t time_ns);

/* ---- its files ---- */

int framework_write_kernel_details(struct framework_analysis *analysis, struct err *err);
int framework_write_step_trace_time(struct framework_analysis *analysis, struct err *err);
int framework_write_communication(struct framework_analysis *analysis, struct err *err);

/* A report of the analysis, in one file however many rows it has: without any there is none. Its functions find the
 * analysis with report_analysis. */
int framework_write_report(struct framework_analysis *analysis, const struct report *report, struct err *err);
static inline struct framework_analysis *report_analysis(const struct report_run *run)
{
    return run->session->context;
}

/* Inside of the frameworks' files: those that one framework alone has. */

int framework_write_copies(struct framework_analysis *analysis, struct err *err);
/* operator_details.csv, dataset.csv */
int mindspore_write_tables(struct framework_analysis *analysis, struct err *err);
/* minddata_pipeline_* */
int mindspore_write_minddata(struct framework_analysis *analysis, struct err *err);

/* operator_details.csv */
int pytorch_write_tables(struct framework_analysis *analysis, struct err *err);
/* operator_memory.csv, memory_record.csv */
int framework_write_memory(struct framework_analysis *analysis, struct err *err);

#define TORCH_TEXT_LIMIT ((size_t)16 * 1024 * 1024)
/* A text with an end of line behind each ';'. */
void torch_put_lines(struct strbuf *buf, const char *text);

/* A stage with its figures, in per cent; -1: unknown. */
struct minddata_stage {
    const struct minddata_op *op;
    char name[128];                     /* "Map(id=2)" */
    double average, utilization, empty; /* of the queue that it fills */
    double cpu, per_worker;
    const struct minddata_stage *input; /* that fills its input; NULL: none */
};
int minddata_each_stage(const struct minddata *data,
                        int (*each)(void *arg, const struct minddata_stage *stage, struct err *err), void *arg,
                        struct err *err);

/* All files of ASCEND_PROFILER_OUTPUT. */

/* Writes all files that there are data for into options->directory. A file that fails is reported and the next one is
 * made, but for lack of space or memory and interrupts, which end the work. */
int framework_write(struct framework_analysis *analysis, struct err *err);

/* Prepares what files are made with: the session, and who launched what on devices. framework_unrelate whatever the
 * result. */
int framework_relate(struct framework_analysis *analysis, struct err *err);
void framework_unrelate(struct framework_analysis *analysis);

/* The computing and communication of each step: sums over the spans of a device. */

/* A step, or the whole capture. Times in ns; DB_NULL: nothing began. */
struct step_sum {
    bool works;               /* the device computed or communicated in it */
    const char *id;           /* NULL: the whole capture */
    int64_t start_ns, end_ns; /* which spans count: those that begin in it */
    int64_t host_start_ns;
    int64_t spans_ns[OVERLAP_FREE + 1]; /* by enum overlap_type */
    int64_t bubble_ns, excluding_ns;
    int64_t first_ns, last_end_ns; /* of what stage is measured by */
    int64_t last_start_ns;
    int64_t first_work_ns; /* of computing or communication at or after its start */
};

/* The reported times of a step, in ns. */
struct step_times {
    int64_t computing, only, overlapped, communication, free, stage, bubble, excluding, preparing;
};
struct step_times step_times_of(const struct framework_analysis *analysis, const struct step_sum *step);

struct step_sums {
    struct step_sum *items;
    size_t count;
    bool known; /* what the device computed */
};

/* Calls each for every step that is wanted, of one device after the other. A step in which the device did nothing is
 * left out, as the frameworks leave it out. */
int step_sums_each(struct framework_analysis *analysis,
                   int (*each)(void *arg, int64_t device_id, const struct step_sum *step, struct err *err), void *arg,
                   struct err *err);

#endif
