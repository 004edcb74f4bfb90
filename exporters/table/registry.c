/* SPDX-License-Identifier: Apache-2.0 */
/* All reports: a file of exporters/reports/ is one, and so is each series of a record kind. */
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define REPORT(name) extern const struct report report_##name;
#include "report_list.h"
#undef REPORT

static const struct report *const own_reports[] = {
#define REPORT(name) &report_##name,
#include "report_list.h"
#undef REPORT
    NULL,
};

static struct report *series_reports;
static const struct report **all_reports; /* NULL: memory ran out */
static once_flag made = ONCE_FLAG_INIT;

/* Where a family has a report of its own of this name, a kind's gives way. */
static unsigned free_families(const char *name)
{
    unsigned families = FAMILY_ANY;
    for (size_t i = 0; own_reports[i] != NULL; i++) {
        if (!own_reports[i]->shown_only && strcmp(own_reports[i]->name, name) == 0)
            families &= ~own_reports[i]->families;
    }
    return families;
}

static size_t count_series(const struct record_kind *kind)
{
    size_t count = 0;
    for (const struct series_report *series = kind->series; series != NULL && series->name != NULL; series++)
        count += series->columns != NULL;
    return count;
}

static void take_series(const struct record_kind *kind, struct report **next)
{
    for (const struct series_report *series = kind->series; series != NULL && series->name != NULL; series++) {
        if (series->columns == NULL)
            continue;
        **next = (struct report){
            .name = series->name,
            .title = series->title,
            .doc = series->doc,
            .families = free_families(series->name) & (series->families != 0 ? series->families : FAMILY_ANY),
            .of_kind = true,
            .tables = {kind->table, series->also},
            .when = series->when,
            .query = series->query,
            .columns = series->columns,
        };
        if ((*next)->query.from == NULL)
            (*next)->query.from = kind->table;
        ++*next;
    }
}

/* Made once, and never released. */
static void make_list(void)
{
    size_t own = sizeof own_reports / sizeof *own_reports - 1, series = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        series += count_series(record_kinds[i]);
    const struct report **all = calloc(own + series + 1, sizeof(const struct report *));
    series_reports = calloc(series + 1, sizeof *series_reports);
    if (all == NULL || series_reports == NULL) {
        free(all);
        return;
    }
    struct report *next = series_reports;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        take_series(record_kinds[i], &next);
    for (size_t i = 0; i < own; i++)
        all[i] = own_reports[i];
    for (size_t i = 0; i < series; i++)
        all[own + i] = &series_reports[i];
    all_reports = all;
}

const struct report *const *report_all(struct err *err)
{
    call_once(&made, make_list);
    if (all_reports == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for the list of reports");
    return all_reports;
}

static bool is_named(const struct report *report, const char *name, int family)
{
    return (report->families & FAMILY_OF(family)) != 0 && strcmp(report->name, name) == 0;
}

const struct report *report_find_file(const struct report *const *all, const char *name, int family)
{
    for (const struct report *const *report = all; *report != NULL; report++) {
        if (!(*report)->shown_only && is_named(*report, name, family))
            return *report;
    }
    return NULL;
}

const struct report *report_find(const struct report *const *all, const char *name, int family)
{
    for (const struct report *const *report = all; *report != NULL; report++) {
        if ((*report)->shown_only && is_named(*report, name, family))
            return *report;
    }
    return report_find_file(all, name, family);
}
