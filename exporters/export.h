/* SPDX-License-Identifier: Apache-2.0 */
/* The reports: what the command line asks exporters/ for. Each reads the database and writes whole files or one stream.
 */
#ifndef MSPROF_EXPORTERS_EXPORT_H
#define MSPROF_EXPORTERS_EXPORT_H

#include "base/err.h"
#include "base/progress.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* TABLE_TERMINAL is for show alone: rows of short tables on their way to the terminal. TABLE_SPREADSHEET is CSV with an
 * apostrophe before every text that a spreadsheet would run. TABLE_CELLS gives rows to a sink. */
enum table_format { TABLE_CSV, TABLE_JSON, TABLE_TERMINAL, TABLE_MARKDOWN, TABLE_SPREADSHEET, TABLE_CELLS };
#define TABLE_MAX_COLUMNS 224
#define TABLE_MISSING "N/A" /* how a value that does not exist is printed */

/* Formats of timelines. TRACE_PFTRACE: Perfetto's protobuf, its packets compressed, or as they are. TRACE_SPEEDSCOPE:
 * that of speedscope. TRACE_TAKEN gives events to a taker, and writes nothing. */
enum trace_format { TRACE_JSON, TRACE_JSON_GZ, TRACE_PFTRACE, TRACE_PFTRACE_RAW, TRACE_SPEEDSCOPE, TRACE_TAKEN };
enum trace_split { SPLIT_NONE, SPLIT_TIME, SPLIT_SIZE, SPLIT_STEPS };

enum column_set { COLUMNS_GUIDE, COLUMNS_VENDOR };

/* Weights of stacks, in the order of --weight: the time that devices ran operators, the time that threads of the host
 * were in calls, how often operators ran. */
enum flame_weight { FLAME_DEVICE, FLAME_HOST, FLAME_COUNT, FLAME_WEIGHTS };

struct show;          /* inside */
struct report;        /* exporters/table/report.h */
struct table_choice;  /* exporters/table/choice.h */
struct table_stream;  /* exporters/table/writer.h */
struct table_sink;    /* exporters/table/writer.h */
struct merged_tables; /* exporters/table/merged_tables.h */
struct trace_cuts;    /* inside of timeline/sink.c */
struct report_files;  /* exporters/table/report.h */
struct event_taker;   /* exporters/timeline/event.h */

/* Files of communication operators. */
enum communication_kind { COMMUNICATION_TIMES = 1, COMMUNICATION_MATRIX = 2 };

/* The most that the chip can do, as the user says; 0: not said. None is guessed. */
struct roofs {
    double flop_s, bytes_s;
};

struct export_options {
    const char *database;     /* path, for readers that run side by side with their own connection */
    const char *directory;    /* existing directory that the files go into: <capture>/summary or timeline */
    enum table_format format; /* summary only */
    enum column_set columns;  /* summary only */
    const char *timestamp;    /* "20250101120000", in names of the reports of CANN captures; NULL: not in them */
    int64_t iteration_id;     /* of CANN captures: the first iteration that is reported; 0: not given */
    int64_t iteration_count;  /* how many; 0: one */
    int64_t model_id;         /* of which model; -1: not given. New captures want both or none (everything); of those of
                                 the layout of 2022 it is the first that has iterations */
    int cann_version;         /* of CANN captures: whose names are written (db/query/cann_version.h); 0: the newest */
    bool trace_compat;        /* timelines of Ascend's captures: as Ascend's tool of their time writes them */
    const char *const *layers; /* of the timeline of everything of a new CANN capture, ended by NULL: those to be
                                  written; NULL: all */
    enum trace_format trace_format;
    int64_t from_ns, until_ns; /* of timelines: what is there between these times, since the capture's start; 0: from
                                  its first event on, to its last one */
    enum trace_split split;    /* of timelines: several files, each with the events that begin in its part */
    int64_t split_value;       /* nanoseconds or bytes of a part, at most so many */
    struct trace_cuts *cuts;   /* inside: the state of split */
    /* Told once for every file that is complete under its name: "op_summary", its path. May be NULL. */
    void (*written)(void *arg, const char *report, const char *path);
    void *written_arg;
    /* Told of every table of a summary of Ascend's captures that has no rows: why; and of layers of
     * a timeline that are asked for by name and have no events. May be NULL. */
    void (*absent)(const char *reason);
    const struct progress *progress;   /* may be NULL */
    unsigned communication;            /* of communication files: a bit of enum communication_kind each; 0: both */
    enum flame_weight flame_weight;    /* of flames alone, as the next one */
    bool flame_picture;                /* SVG; else collapsed stacks */
    const struct event_taker *taker;   /* TRACE_TAKEN: who takes the events */
    const struct table_choice *choice; /* of tables: which rows and columns; NULL: all */
    const struct report_files *report_files; /* the user's own, of summaries; NULL: none */
    const char *stream_path;      /* of tables: "/dev/stdout" instead of files in the directory; NULL: files */
    struct table_stream *stream;  /* of what goes to stream_path: tables become one; NULL: each is whole */
    struct table_sink *sink;      /* TABLE_CELLS: who takes the rows */
    struct merged_tables *merged; /* of CSV: the tables of several captures, to which the rows go; NULL: to files of
                                     their own */
    const char *label;            /* stands behind the names of documents that are no tables; NULL: nothing does */
    const struct roofs *roofs;    /* of the table roofline; NULL: none is known */
    struct show *show;            /* TABLE_TERMINAL: where tables are printed instead of written into files */
};

struct export_result {
    uint64_t files, rows; /* rows of tables, or events of timelines */
    const char *needs;    /* of a shown table without rows: what it is made of; NULL: not said */
    const char *note;     /* of a shown table: what to know when reading it; NULL: nothing */
    char recorded[80];    /* "1 of 5 inferences recorded": the inferences that the answer covers; "": all */
};

/* How names of timelines end: ".json". */
const char *export_trace_ending(enum trace_format format);

/* Writes every timeline (or summary) that the database has data for; *ret counts also on failure. Files written before
 * a failure stay; the failing one does not appear. */
int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
/* Write of CANN captures what 'analyze' of Ascend's tool does: the chosen communication.json and
 * communication_matrix.json, and communication_analyzer.db; or the database alone. Rows are operators. */
int export_communication(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int export_communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                                  struct err *err);

/* Stacks of Python, calls and operators in one file, flame_<weight>.collapsed or .svg; rows are stacks. */
int export_flame(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* One capture among several that become one result. */
struct merge_part {
    sqlite3 *db; /* of a new CANN capture; its times are by a clock that all have */
    const char *database;
    const char *label; /* distinguishes it from the others in the names of files that cannot be united */
    const char *host;  /* what its devices and its host are named after, where they are */
    bool names_device; /* devices are: their numbers do not distinguish them */
    bool names_host;   /* rows of the host are */
    int64_t shift_ns;  /* added to all its times: of timelines alone */
    bool by_itself;    /* its processes stand together, behind those of the parts before: of timelines alone */
};
/* The timeline of all of them in one file, each process by itself. */
int export_merged_timeline(const struct merge_part *parts, size_t count, const struct export_options *options,
                           struct export_result *ret, struct err *err);
/* Their tables, each with the rows of all in the order of the parts, as CSV. */
int export_merged_summary(const struct merge_part *parts, size_t count, const struct export_options *options,
                          struct export_result *ret, struct err *err);

/* Whether a timeline may have a layer of this name, as in the file of --reports. */
bool export_has_layer(const char *name);
/* Calls each with every name of a layer; a name that several layers share comes several times. */
void export_each_layer(void (*each)(void *arg, const char *name), void *arg);

/* The database that Ascend's viewers read; only of new CANN captures: others give no file. */
int export_database(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

struct show_options {
    const char *database; /* path, as in export_options */
    int width;            /* columns of the terminal; 0: no limit */
    bool color;           /* titles in cyan */
    bool plain;           /* tables have no frames */
    bool brief;           /* for a screen: sentences take a line each, and the summary leaves out what is 0 */
    bool ascii;           /* the terminal shows nothing but ASCII */
    const struct report_files *report_files; /* as in export_options */
    int64_t top; /* of tables with a row for each operator, task or message: at most this many, the longest */
    const struct roofs *roofs;   /* as in export_options */
    bool without_rows;           /* of show_table_list: also tables that have no rows */
    struct table_stream *stream; /* of show_one_table in other formats than TABLE_TERMINAL: where its rows go */
    struct table_sink *sink;     /* of give_table: likewise */
};

/* One table of a capture by its name to stdout or the terminal; choice: which rows and columns. -ERR_USAGE for a name
 * that the family does not have. */
int show_one_table(sqlite3 *db, FILE *stream, const char *name, enum table_format format,
                   const struct table_choice *choice, const struct show_options *options, struct export_result *ret,
                   struct err *err);
/* Gives the rows of one table to options->sink likewise, which begins also where there are none. */
int give_table(sqlite3 *db, const char *name, const struct table_choice *choice, const struct show_options *options,
               struct export_result *ret, struct err *err);
/* Likewise a report of any database; family: CAPTURE_..., whose devices a report of devices has. */
int show_report(sqlite3 *db, FILE *stream, const struct report *report, int family, enum table_format format,
                const struct table_choice *choice, const struct show_options *options, struct export_result *ret,
                struct err *err);
/* Lists reports, ended by NULL, likewise. */
int show_report_list(FILE *stream, int width, const struct report *const *reports, struct err *err);
/* The names of the tables that have rows in this capture, or of all that its family has, and of the user's, with the
 * ids of their columns. *ret_left: how many are not listed, because they have no rows. */
int show_table_list(sqlite3 *db, FILE *stream, const struct show_options *options, size_t *ret_left, struct err *err);
/* Calls each with the tables that have rows in this capture; database: its path. A result of each that is not 0 ends
 * it.
 */
int each_table(sqlite3 *db, const char *database, int (*each)(void *arg, const struct report *report, struct err *err),
               void *arg, struct err *err);
/* Lists those of captures of every family; a table that only some can have says which. Columns that only a capture
 * defines are not among them. */
int show_table_list_all(FILE *stream, int width, struct err *err);

/* Prints the capture's tables to stream; a write error is returned as -ERR_IO. */
int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err);

/* Which rows query_capture prints; DB_NULL: whichever. */
struct query_choice {
    int64_t device_id, model_id, iteration_id;
    bool iterations; /* a row for each iteration instead */
};

/* Prints the job table of a capture: a row for each of its devices and models; or its iterations, by device and end.
 * Rows are counted in *ret. */
int query_capture(sqlite3 *db, FILE *stream, const struct query_choice *choice, const struct show_options *options,
                  struct export_result *ret, struct err *err);
/* Gives each device of the capture with its rank, DB_NULL when it has none. */
int query_ranks(sqlite3 *db, int (*each)(void *arg, int64_t device_id, int64_t rank_id, struct err *err), void *arg,
                struct err *err);

#endif
