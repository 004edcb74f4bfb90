/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/databases.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/database.h"
#include "db/query/iteration.h"
#include "db/table_rows.h"
#include "exporters/database/cann_db.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *framework_database_path(const struct framework_analysis *analysis, const char *name, struct err *err)
{
    char *path = path_join(analysis->options->directory, name);
    if (path == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory");
    return path;
}

/* The capture knows its rank seldom, the framework always. */
static int set_rank(const struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    struct table_rows rows = {.db = NULL};
    char sql[128];
    int64_t rank = analysis->framework->info.rank;
    int status = 0;
    if (rank < 0)
        return 0;
    snprintf(sql, sizeof sql, "UPDATE RANK_DEVICE_MAP SET rankId = %" PRId64 " WHERE rankId = -1", rank);
    status = database_exec(db, sql, err);
    if (status < 0 || analysis->database != NULL)
        return status;
    status = table_rows_open(&rows, db, "RANK_DEVICE_MAP", "rankId, deviceId", err);
    if (status == 0) {
        table_put_integer(&rows, rank);
        table_put_integer(&rows, -1);
        status = table_end_row(&rows, err);
    }
    table_rows_close(&rows);
    return status;
}

static int add_tables(void *arg, struct unified *unified, struct err *err)
{
    struct framework_analysis *analysis = arg;
    sqlite3 *db = unified_sqlite(unified);
    int status = set_rank(analysis, db, err);
    return status == 0 && analysis->framework->torch != NULL ? pytorch_add_tables(analysis, db, err) : status;
}

/* Writes the database; when some steps are asked for, the capture's tables have what began in them. */
static int write_database(struct framework_analysis *analysis, const char *path, struct err *err)
{
    struct export_options options = *analysis->options;
    struct framework_part part;
    if (analysis->steps.count == 0 || analysis->database == NULL)
        return cann_db_write(analysis->db, &options, path, add_tables, analysis, analysis->result, err);
    bool failed = framework_part_make(analysis, &part, err) < 0;
    options.database = part.path;
    failed = failed || cann_db_write(part.db, &options, path, add_tables, analysis, analysis->result, err) < 0;
    framework_part_release(&part);
    return failed ? -(int)err->code : 0;
}

int framework_write_database(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    const char *framework = info->kind == FRAMEWORK_PYTORCH ? "pytorch" : "mindspore";
    char name[96];
    if (analysis->database == NULL && info->kind == FRAMEWORK_MINDSPORE)
        return err_set(err, ERR_NOT_FOUND, "there is no PROF capture, and nothing else is in it");
    if (info->rank >= 0)
        snprintf(name, sizeof name, "ascend_%s_profiler_%" PRId64 ".db", framework, info->rank);
    else
        snprintf(name, sizeof name, "ascend_%s_profiler.db", framework);
    char *path = framework_database_path(analysis, name, err);
    int status = path != NULL ? write_database(analysis, path, err) : -(int)err->code;
    free(path);
    return status;
}

/* ---- part ---- */

/* Those of framework_wants_time. */
static struct stretch *stretches_of(const struct framework_analysis *analysis, size_t *ret_count, struct err *err)
{
    const struct framework_steps *steps = &analysis->framework->steps;
    struct stretch *stretches = calloc(steps->count + 1, sizeof *stretches);
    *ret_count = 0;
    if (stretches == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu steps", steps->count);
        return NULL;
    }
    for (size_t i = 0; i < steps->count; i++) {
        if (framework_wants_step(analysis, framework_text(analysis->framework, steps->items[i].id)))
            stretches[(*ret_count)++] =
                (struct stretch){steps->items[i].start_ns, framework_step_end_ns(&steps->items[i])};
    }
    return stretches;
}

int framework_part_make(const struct framework_analysis *analysis, struct framework_part *ret, struct err *err)
{
    size_t count;
    struct stretch *stretches = stretches_of(analysis, &count, err);
    char *beside = path_join(analysis->options->directory, "");
    *ret = (struct framework_part){.fd = -1};
    int status = stretches == NULL ? -(int)err->code
                 : beside == NULL  ? err_set(err, ERR_NO_MEMORY, "out of memory")
                                   : 0;
    if (status == 0) {
        ret->fd = temporary_create(beside, &ret->path, err);
        status = ret->fd < 0 ? ret->fd : 0;
    }
    if (status == 0)
        status = stretches_database_make(analysis->db, analysis->database, ret->path, stretches, count, err);
    if (status == 0)
        status = database_open(ret->path, &ret->db, err);
    free(beside);
    free(stretches);
    return status;
}

void framework_part_release(struct framework_part *part)
{
    database_close(part->db);
    if (part->path != NULL)
        unlink(part->path);
    if (part->fd >= 0)
        close(part->fd);
    free(part->path);
    *part = (struct framework_part){.fd = -1};
}
