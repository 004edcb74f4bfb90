/* SPDX-License-Identifier: Apache-2.0 */
/* The captures that a command works on, one after the other. */
#ifndef MSPROF_CLI_CAPTURE_CAPTURES_H
#define MSPROF_CLI_CAPTURE_CAPTURES_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "cli/capture/private_results.h"
#include "cli/capture/result_record.h"
#include "cli/options/options.h"
#include "exporters/table/report.h"
#include "parsers/decode/layout.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdbool.h>

/* The user's own reports: those of the two directories and of --report-file. */

/* Loads <prefix>/share/msprof/reports, $XDG_CONFIG_HOME/msprof/reports and the files of --report-file. A directory that
 * cannot be read is a warning. files must be empty; report_files_release() it whatever the result. */
int captures_load_reports(struct report_files *files, const struct settings *settings, struct err *err);

/* The layouts of one run: built in, from the layout directories, from --layout. */

/* Loads <prefix>/share/msprof/layouts, then the user's layout directory, then the files of --layout: the later wins.
 * set must be initialized; it is to be released also after a failure. */
int layouts_load(struct layout_set *set, const struct settings *settings, struct err *err);

/* Whose names the reports of a capture have. */

/* The version in --cann-version, or else the one that the capture states, which a note reports. framework: the version
 * in the settings of a framework, NULL: there is none; directory: of the capture, for the note. */
int capture_names_version(const struct settings *settings, sqlite3 *db, const char *framework, const char *directory,
                          int *ret, struct err *err);

/* Work on one capture. */
struct capture_visit {
    const struct settings *settings;
    int (*process)(struct capture_visit *visit); /* and below it: as the captures' processing was asked for */
    int (*open)(struct capture_visit *visit, sqlite3 **ret);
    int (*work)(struct capture_visit *visit, sqlite3 *db);
    void *context;
    const struct layout_set *layouts;
    const char *parameters;           /* what else than the capture the database depends on */
    int64_t clock_shift_ns;           /* one of these: of struct capture_options */
    char *directory;                  /* of the capture, absolute */
    char *shown;                      /* what messages call it (struct found_capture) */
    bool is_unpacked;                 /* of an archive: the directory is temporary */
    const char *framework;            /* the *_ascend_ms or *_ascend_pt directory that it was found in; NULL: none */
    char *results;                    /* where sqlite/, timeline/, summary/ and log/ are or come to be, absolute */
    char *database;                   /* <results>/sqlite/runtime.db */
    struct private_results temporary; /* where the capture cannot be written to */
    bool side_by_side;                /* --jobs may choose how many captures are processed at the same time */
    bool one_of_many;                 /* or the only one of a directory of captures */
    size_t capture_count;             /* of the command */
    bool owner_recorded;              /* the results say whose they are */
    int pin;                          /* of the database that is in use; -1: none (result_record.h) */
    struct collection_log log;        /* closed until a step opens it */
};

/* Finds the captures that a list names, which is mostly settings->captures, and calls process for each; a failure of
 * one does not keep the next from being processed, an interrupt does. Returns the worst exit status. */
int captures_process(const struct settings *settings, const struct value_list *captures,
                     int (*process)(struct capture_visit *visit), void *context);
/* Does likewise with settings->captures, --jobs of them at the same time, each in a process of its own: what process
 * changes in the context is lost. */
int captures_process_apart(const struct settings *settings, int (*process)(struct capture_visit *visit), void *context);
/* Does likewise the work on the database of each, which is closed behind it. open: visit_open_database, or
 * visit_open_prepared. */
int captures_query(const struct settings *settings, const struct value_list *captures,
                   int (*open)(struct capture_visit *visit, sqlite3 **ret),
                   int (*work)(struct capture_visit *visit, sqlite3 *db), void *context);

/* Several captures share one --output: each gets its own directory there, so equal names are reported as a usage
 * error. Each item of this size begins with a path, a char *. */
int captures_check_names(const void *items, size_t count, size_t size);

/* Imports the captures with these paths and exports the reports that are asked for, into the captures. Returns the
 * worst exit status. */
int captures_make_reports(const struct settings *settings, const struct value_list *captures, bool timeline,
                          bool summary);

/* The steps below print what went wrong and return an exit status. */

/* Makes <results>/<name>, of no name the results' own; free() *ret_path. */
int visit_make_directory(struct capture_visit *visit, const char *name, char **ret_path);
/* Opens the log for appending; that it cannot be written is only a warning. */
void visit_open_log(struct capture_visit *visit);
/* Builds the database anew. */
int visit_import(struct capture_visit *visit);
/* The same, unless it is up to date and nothing asks for it: reports what the import that made it did. */
int visit_import_changed(struct capture_visit *visit);
/* Builds the database when it is missing or out of date and opens it. STATUS_DONE and STATUS_DATA_PROBLEMS come with
 * *ret set (database_close() it), every other status without. */
int visit_open_database(struct capture_visit *visit, sqlite3 **ret);
/* Likewise, and has the features' extensions prepare it. A capture of no known family is reported, and *ret stays NULL.
 */
int visit_open_prepared(struct capture_visit *visit, sqlite3 **ret);
/* Whether nothing at all was recorded; then ret says why. */
bool visit_is_empty(const struct capture_visit *visit, sqlite3 *db, struct err *ret);
/* Reports that nothing of the capture was decoded, and why when db (may be NULL) knows it; returns STATUS_NOTHING. */
int visit_tell_nothing(struct capture_visit *visit, sqlite3 *db);
/* Reports an error of the work on a capture on the console and in the log; returns its exit status. */
int visit_fail(struct capture_visit *visit, const char *source, const struct err *err);

/* Answers take tens of megabytes for a while, one array after another. */

/* Makes the allocator give each large array back as soon as it is freed. By itself glibc's keeps arrays of up to 32 MB
 * for later use once one was freed, and then two of them are held where one is needed: measured on a million operators,
 * 65 MB instead of 51. Before the first large one. */
static inline void give_large_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

/* Gives the system what was freed, which threads' arenas and small texts would keep tens of megabytes of, and puts
 * large arrays away: behind an import or a capture that was read, before the next step. */
void give_spare_memory_back(void);

#endif
