/* All reports: a file of exporters/reports/ is one, and so is each series of a record kind. */
#include "exporters/report/report.h"
#include "parsers/record.h"

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

#define REPORTS_MAX 256 /* the test of all reports tells when there are more */
#define SERIES_MAX 192

static struct report series_reports[SERIES_MAX];
static const struct report *all_reports[REPORTS_MAX + 1];
static once_flag made = ONCE_FLAG_INIT;

/* Where a family has a report of its own of this name, a kind's gives way. */
static unsigned free_families(const char *name)
{
    unsigned families = REPORT_OF_ALL;
    for (size_t i = 0; own_reports[i] != NULL; i++) {
        if (!own_reports[i]->shown_only && strcmp(own_reports[i]->name, name) == 0)
            families &= ~own_reports[i]->families;
    }
    return families;
}

static void take_series(const struct record_kind *kind, struct report **next, size_t *count)
{
    for (const struct series_report *series = kind->series; series != NULL && series->name != NULL; series++) {
        if (series->columns == NULL || *next == series_reports + SERIES_MAX || *count == REPORTS_MAX)
            continue;
        **next = (struct report){
            .name = series->name,
            .title = series->title,
            .doc = series->doc,
            .families = free_families(series->name),
            .when = series->when,
            .query = series->query,
            .columns = series->columns,
        };
        if ((*next)->query.from == NULL)
            (*next)->query.from = kind->table;
        all_reports[(*count)++] = (*next)++;
    }
}

static void make_list(void)
{
    struct report *next = series_reports;
    size_t count = 0;
    for (size_t i = 0; own_reports[i] != NULL && count < REPORTS_MAX; i++)
        all_reports[count++] = own_reports[i];
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        take_series(record_kinds[i], &next, &count);
}

const struct report *const *report_all(void)
{
    call_once(&made, make_list);
    return all_reports;
}

const struct report *report_find(const char *name, int family)
{
    const struct report *found = NULL;
    for (const struct report *const *report = report_all(); *report != NULL; report++) {
        if (((*report)->families & REPORT_OF(family)) == 0 || strcmp((*report)->name, name) != 0)
            continue;
        if (found == NULL || (*report)->shown_only)
            found = *report;
    }
    return found;
}
