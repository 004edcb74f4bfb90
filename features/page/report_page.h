/* SPDX-License-Identifier: Apache-2.0 */
/* The report to hand on: one HTML file about one capture or several, which needs no network, no other file and no
 * script to be read.
 *
 *     struct html_report *report;
 *     int status = html_report_open(&options, &report, err);
 *     if (status == 0)
 *         status = html_report_add(report, db, &capture, err);
 *     status = html_report_close(report, status, err);
 */
#ifndef MSPROF_FEATURES_PAGE_REPORT_PAGE_H
#define MSPROF_FEATURES_PAGE_REPORT_PAGE_H

#include "base/progress.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct html_options {
    const char *path;                /* of the file, which appears whole or not at all */
    const char *title;               /* of the page; a name, which redact hides */
    const char *version;             /* of the program, for the last line */
    size_t captures;                 /* how many will be added: of one the page has no heading of its own */
    struct roofs roofs;              /* of the roofline */
    bool markdown;                   /* the text of the page as Markdown, for comments: its sections and cells */
    bool print_all;                  /* paper has every part and table; else what answers, on about two pages */
    const char *source;              /* the directory of a kernel's source; NULL: not given */
    bool redact;                     /* names of captures, operators, models, files and ranges are replaced by hashes */
    const struct progress *progress; /* may be NULL */
};

struct html_capture {
    const char *name;        /* "PROF_000001" */
    const char *database;    /* its path, for readers that run side by side */
    const struct side *base; /* that it is compared with; NULL: none */
};

struct html_report; /* opaque */

/* Begins the page. *ret is NULL on failure. */
int html_report_open(const struct html_options *options, struct html_report **ret, struct err *err);
/* Adds all parts of one capture. After a failure, as of each of those below, the page is as it was before. */
int html_report_add(struct html_report *report, sqlite3 *db, const struct html_capture *capture, struct err *err);
/* Adds the ranks of a job: of the directory that msprof cluster wrote. *ret_problems: rows of what these results lack.
 */
int html_report_add_cluster(struct html_report *report, const char *directory, uint64_t *ret_problems, struct err *err);
/* Adds what advise found in a capture alone; of one without executions its calls and ranges. */
struct advice;
int html_report_add_advice(struct html_report *report, sqlite3 *db, const struct html_capture *capture,
                           const struct advice *advice, int64_t executions, struct err *err);
/* Likewise of a capture that is a tree: findings, which its feature made, among the parts of its page (page.h), ended
 * by one without a title; NULL: the findings alone. */
struct html_part;
int html_report_add_tree(struct html_report *report, sqlite3 *db, const struct html_capture *capture,
                         const struct advice *advice, const struct html_part *list, struct err *err);
/* Adds a capture, a tree or not. *ret_is_tree: which. */
int html_report_add_any(struct html_report *report, sqlite3 *db, const struct html_capture *capture, bool *ret_is_tree,
                        struct err *err);
/* Adds parts, ended by one without a title, that are about no capture but a subject of their own (page->subject). */
int html_report_add_parts(struct html_report *report, const struct html_part *list, const void *subject,
                          struct err *err);
/* Adds a comparison alone; rows: at most so many, 0: all that a page may have. */
struct comparison;
int html_report_add_comparison(struct html_report *report, const struct comparison *comparison, size_t rows,
                               struct err *err);
/* Completes the page, or drops it when status < 0 or nothing was added; releases the report, which may be NULL. Returns
 * status or a failure of its own. */
int html_report_close(struct html_report *report, int status, struct err *err);

#endif
