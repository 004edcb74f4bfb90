/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/extension.h"
#include "exporters/query_compile.h"
#include "exporters/report_scopes.h"
#include "exporters/table/merged_tables.h"
#include "exporters/table/report.h"

#include <stdio.h>

#define WALK_MAX 16 /* tables of one */

/* The reports of a capture's family. */
struct summary {
    struct report_session session;
    int family;
};

static bool is_wanted(const struct summary *summary, const struct report *report, bool of_device)
{
    const struct export_options *options = summary->session.options;
    return (report->families & FAMILY_OF(summary->family)) != 0 && !report->shown_only &&
           report->of_device == of_device &&
           (options->merged == NULL ||
            merged_tables_wants(options->merged, cann_version_file(options->cann_version, report->name)));
}

/* Reports that share a walk are made at the first of them. */
static int write_walk(struct summary *summary, bool of_device, const struct report *const *all,
                      const struct report *const *first, const struct report_scope *scope, struct err *err)
{
    const struct report *reports[WALK_MAX];
    size_t count = 0;
    for (const struct report *const *one = all; one < first; one++) {
        if ((*one)->walk == (*first)->walk && is_wanted(summary, *one, of_device))
            return 0;
    }
    for (const struct report *const *one = first; *one != NULL; one++) {
        bool there = (*one)->walk == (*first)->walk && is_wanted(summary, *one, of_device);
        if (there && count == WALK_MAX)
            return err_set(err, ERR_LIMIT, "more than %d tables of one walk", WALK_MAX);
        if (there && report_is_there(&summary->session, *one, &there, err) < 0)
            return err_status(err);
        if (there)
            reports[count++] = *one;
    }
    return (*first)->walk->files(&summary->session, scope, reports, count, err);
}

static int tell_absence(struct summary *summary, const struct report *report, struct err *err)
{
    const struct export_options *options = summary->session.options;
    struct strbuf reason;
    if (options->absent == NULL || summary->family == CAPTURE_SVP)
        return 0;
    strbuf_init(&reason, ERR_TEXT_SIZE);
    int status = extension_tell_absence(summary->session.db, report->name, &reason, err);
    if (status == 0)
        options->absent(reason.data);
    strbuf_release(&reason);
    return status;
}

/* Most kinds have no rows in a capture, and SQLite takes longer to understand their queries than all else. */
static int may_have_rows(sqlite3 *db, const struct report *report, bool *ret, struct err *err)
{
    char expression[128];
    int status = 0;
    *ret = report->tables[0] == NULL;
    for (size_t i = 0; status == 0 && !*ret && i < 2 && report->tables[i] != NULL; i++) {
        snprintf(expression, sizeof expression, "EXISTS(SELECT 1 FROM \"%s\")", report->tables[i]);
        status = query_ask(db, expression, ret, err);
    }
    return status;
}

static int write_report(struct summary *summary, const struct report *report, const struct report_scope *scope,
                        struct err *err)
{
    uint64_t rows = 0;
    bool may_have;
    if (may_have_rows(summary->session.db, report, &may_have, err) < 0)
        return err_status(err);
    int status = may_have ? report_write(&summary->session, report, scope, &rows, err) : 0;
    return status == 0 && rows == 0 ? tell_absence(summary, report, err) : status;
}

/* Every report that the family can have: those of a device, or those of the capture. */
static int write_reports(struct summary *summary, bool of_device, const struct report_scope *scope, struct err *err)
{
    const struct report *const *all = report_all(err), *const *report = all;
    int status = 0;
    if (all == NULL)
        return err_status(err);
    for (; status == 0 && *report != NULL; report++) {
        if (!is_wanted(summary, *report, of_device))
            continue;
        status = (*report)->walk != NULL ? write_walk(summary, of_device, all, report, scope, err)
                                         : write_report(summary, *report, scope, err);
    }
    return status;
}

/* Writes the reports of the capture as a whole. A user's own report is one, too: only the time of the export, where
 * there is one, stands behind its name. */
static int write_whole(struct summary *summary, const struct export_options *options, const char *suffix,
                       struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, suffix};
    const struct report_scope own_scope = {DB_NULL, DB_NULL, DB_NULL, summary->family == CAPTURE_CANN ? suffix : ""};
    const struct report_files *files = options->report_files;
    uint64_t rows;
    int status = write_reports(summary, false, &scope, err);
    for (size_t i = 0; status == 0 && files != NULL && i < files->count; i++)
        status = report_write(&summary->session, report_files_get(files, i), &own_scope, &rows, err);
    return status;
}

static int write_device(void *arg, const struct report_scope *scope, struct err *err)
{
    return write_reports(arg, true, scope, err);
}

static int is_cann(sqlite3 *db, bool *ret, struct err *err)
{
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    *ret = status == 0 && facts.family == CAPTURE_CANN;
    return status;
}

int export_communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                                  struct err *err)
{
    bool cann;
    *ret = (struct export_result){.files = 0};
    int status = is_cann(db, &cann, err);
    return status == 0 && cann ? extension_communication_database(db, options, ret, err) : status;
}

int export_communication(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    bool cann;
    *ret = (struct export_result){.files = 0};
    int status = is_cann(db, &cann, err);
    if (status == 0 && cann)
        status = extension_summary_files(db, options, ret, err);
    return status == 0 && cann ? extension_communication_database(db, options, ret, err) : status;
}

static int write_tables(sqlite3 *db, const struct export_options *options, struct export_result *result,
                        struct err *err)
{
    struct summary summary = {.family = CAPTURE_CANN};
    char suffix[64] = "";
    if (options->timestamp != NULL)
        snprintf(suffix, sizeof suffix, "_%s", options->timestamp);
    int status = report_session_open(&summary.session, db, options, result, err);
    if (status == 0)
        status = write_whole(&summary, options, suffix, err);
    report_session_release(&summary.session);
    return status;
}

static int write_cann(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    return write_tables(db, options, result, err) < 0 || extension_summary_files(db, options, result, err) < 0
               ? err_status(err)
               : 0;
}

static int write_earlier(sqlite3 *db, const struct export_options *options, int family, struct export_result *result,
                         struct err *err)
{
    struct summary summary = {.family = family};
    char name[TX_REPORT_NAME_MAX];
    bool failed = report_session_open(&summary.session, db, options, result, err) < 0 ||
                  report_scopes_each(db, family, options, write_device, &summary, err) < 0 ||
                  report_tx_name(name, db, options, "", err) < 0 ||
                  write_whole(&summary, options, name + strlen("msprof_tx"), err) < 0;
    report_session_release(&summary.session);
    return failed ? err_status(err) : 0;
}

/* Gives the rows of all captures in turn, and those of some tables once more where that is needed. */
static int merge_tables(const struct merge_part *parts, size_t count, struct export_options options,
                        struct export_result *result, struct err *err)
{
    for (bool again = true; again; options.absent = NULL) {
        for (size_t i = 0; i < count; i++) {
            options.database = parts[i].database;
            if (merged_tables_begin(options.merged, &parts[i], err) < 0 ||
                write_tables(parts[i].db, &options, result, err) < 0)
                return err_status(err);
        }
        if (merged_tables_end(options.merged, &again, err) < 0)
            return err_status(err);
    }
    return 0;
}

int export_merged_summary(const struct merge_part *parts, size_t count, const struct export_options *options,
                          struct export_result *ret, struct err *err)
{
    struct export_options merging = *options;
    *ret = (struct export_result){.files = 0};
    merging.merged = merged_tables_new(options, ret, err);
    int status = merging.merged != NULL ? merge_tables(parts, count, merging, ret, err) : err_status(err);
    merged_tables_free(merging.merged);
    for (size_t i = 0; status == 0 && i < count; i++) {
        merging.label = parts[i].label;
        status = extension_summary_files(parts[i].db, &merging, ret, err);
    }
    return status;
}

int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    if (facts.family == CAPTURE_CANN)
        return cann_export_iterations(write_cann, db, options, ret, err);
    return write_earlier(db, options, facts.family, ret, err);
}
