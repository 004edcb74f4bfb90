/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/reports/analysis.h"

#include "base/number.h"
#include "db/query/cann_version.h"
#include "db/query/query_records.h"

#include <stdlib.h>
#include <string.h>

/* ---- relation ---- */

/* Connections are counted by the import; a database that others changed must not size anything. */
#define MOST_CONNECTIONS ((int64_t)1 << 31)

enum { LEVEL_NODE = 10000, TYPE_LAUNCH = 5 };

struct making {
    struct relation *relation;
    const struct framework *framework;
    bool open; /* a launch of a node on this thread, until then */
    int64_t thread_id, start_ns, end_ns;
    const struct framework_launch *launch; /* around that; NULL: none is */
};

/* Calls come by thread and start, so the launch around a call comes before it. */
static int take_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct making *making = arg;
    (void)err;
    if (call->level == LEVEL_NODE && call->type == TYPE_LAUNCH) {
        making->open = true;
        making->thread_id = call->thread_id;
        making->start_ns = call->start_ns;
        making->end_ns = call->start_ns + call->duration_ns;
        making->launch = framework_launch_at(making->framework, call->thread_id, call->start_ns);
    } else if (call->launches == 0) {
        return 0;
    }
    bool inside = making->open && making->thread_id == call->thread_id && call->start_ns <= making->end_ns;
    if (!inside || call->connection_id < 0 || (uint64_t)call->connection_id >= making->relation->count)
        return 0;
    if (making->launch != NULL)
        making->relation->launches[call->connection_id] = (uint32_t)(making->launch - making->framework->launches) + 1;
    return 0;
}

int relation_make(struct relation *relation, const struct framework *framework, sqlite3 *db, struct err *err)
{
    struct making making = {.relation = relation, .framework = framework};
    int64_t last;
    int status = cann_last_connection(db, &last, err);
    if (status < 0 || framework->launch_count == 0 || last <= 0)
        return status;
    if (last >= MOST_CONNECTIONS || framework->launch_count >= UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %lld connections", (long long)MOST_CONNECTIONS);
    relation->launches = calloc((size_t)last + 1, sizeof *relation->launches);
    if (relation->launches == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %lld connections", (long long)last);
    relation->count = (size_t)last + 1;
    return cann_each_call(db, CANN_CALLS, take_call, &making, err);
}

/* ---- until when devices worked for steps ---- */

struct ends {
    const struct relation *relation;
    struct framework *framework;
};

static int take_end(void *arg, const struct cann_task *task, struct err *err)
{
    const struct ends *ends = arg;
    const struct framework_launch *launch = relation_launch(ends->relation, ends->framework, task->connection_id);
    const struct framework_step *found = launch != NULL ? framework_step_at(ends->framework, launch->start_ns) : NULL;
    (void)err;
    if (found == NULL)
        return 0;
    struct framework_step *step = &ends->framework->steps.items[found - ends->framework->steps.items];
    if (task->start_ns + task->duration_ns > step->device_end_ns)
        step->device_end_ns = task->start_ns + task->duration_ns;
    return 0;
}

int relation_set_ends(const struct relation *relation, struct framework *framework, sqlite3 *db, struct err *err)
{
    struct ends ends = {relation, framework};
    return cann_each_task(db, CANN_TASKS, take_end, &ends, err);
}

void relation_release(struct relation *relation)
{
    free(relation->launches);
    *relation = (struct relation){NULL, 0};
}

bool framework_wants_step(const struct framework_analysis *analysis, const char *id)
{
    int64_t number;
    if (analysis->steps.count == 0)
        return true;
    if (number_parse_integer(id, strlen(id), &number) < 0)
        return false;
    for (size_t i = 0; i < analysis->steps.count; i++) {
        if (analysis->steps.items[i] == number)
            return true;
    }
    return false;
}

bool framework_names_device(const struct framework_analysis *analysis)
{
    return analysis->framework->info.kind == FRAMEWORK_PYTORCH &&
           !cann_version_has(analysis->options->cann_version, NAMING_NO_DEVICE);
}

bool framework_wants_time(const struct framework_analysis *analysis, int64_t time_ns)
{
    const struct framework *framework = analysis->framework;
    if (analysis->steps.count == 0)
        return true;
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        if (time_ns >= step->start_ns && time_ns <= framework_step_end_ns(step) &&
            framework_wants_step(analysis, framework_text(framework, step->id)))
            return true;
    }
    return false;
}

int framework_write_report(struct framework_analysis *analysis, const struct report *report, struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct report whole = *report;
    uint64_t rows;
    whole.whole = true;
    return report_write(&analysis->session, &whole, &scope, &rows, err);
}
