/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/emptiness.h"

#include "db/database.h"
#include "db/query/query.h"
#include "parsers/record.h"

#include <stdbool.h>

/* Names the switches of sample.json as where they are set, and says who records it. */
static const struct asked {
    const char *setting, *name;
    enum recorded_by { BY_DEVICE, BY_CALLS, BY_MARKS } by;
} switches[] = {
    {"taskTime", "task_time", BY_DEVICE},      {"ai_core_profiling", "aic_metrics", BY_DEVICE},
    {"l2CacheTaskProfiling", "l2", BY_DEVICE}, {"hbmProfiling", "sys_hardware_mem_freq", BY_DEVICE},
    {"ascendcl", "ascendcl", BY_CALLS},        {"runtimeApi", "runtime_api", BY_CALLS},
    {"msproftx", "msproftx", BY_MARKS},
};

static int ask(sqlite3 *db, const char *sql, const char *parameter, int64_t *ret, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int step = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (step == SQLITE_OK && parameter != NULL)
        sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
    if (step == SQLITE_OK)
        step = sqlite3_step(statement);
    *ret = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? 0 : database_error(err, db, "cannot tell why the capture is empty");
}

static int is_on(sqlite3 *db, const struct asked *asked, int64_t *ret, struct err *err)
{
    return ask(db, "SELECT count(*) FROM setting WHERE name = ?1 AND value NOT IN ('', 'off', '0')", asked->setting,
               ret, err);
}

/* "task_time and aic_metrics": those that are on and recorded by somebody; "" when there are none. */
static int list_asked(sqlite3 *db, enum recorded_by by, struct strbuf *ret, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof switches / sizeof *switches; i++) {
        int64_t on = 0;
        if (switches[i].by == by && (status = is_on(db, &switches[i], &on, err)) == 0 && on > 0)
            strbuf_addf(ret, "%s%s", ret->length > 0 ? " and " : "", switches[i].name);
    }
    return status;
}

/* A clause of the sentence. */
static void add_reason(struct strbuf *ret, bool *any, const char *before, const char *names, const char *after)
{
    strbuf_addf(ret, "%s%s%s%s", *any ? "; " : "", before, names, after);
    *any = true;
}

struct circumstances {
    int64_t said;    /* the capture says what was switched on */
    int64_t ended;   /* and when it ended */
    int64_t devices; /* that took part */
    int64_t by_us;   /* our own library made it, which drives no device */
};

static int ask_circumstances(sqlite3 *db, struct circumstances *ret, struct err *err)
{
    int status = ask(db, "SELECT count(*) FROM setting WHERE name = 'taskTime'", NULL, &ret->said, err);
    if (status == 0)
        status = ask(db, "SELECT count(end_ns) FROM capture_part", NULL, &ret->ended, err);
    if (status == 0)
        status = ask(db, "SELECT count(*) FROM capture_part WHERE NOT is_host", NULL, &ret->devices, err);
    if (status == 0)
        status = ask(db, "SELECT count(*) FROM setting WHERE name = 'collector' AND value LIKE 'libmsprof_acl%'", NULL,
                     &ret->by_us, err);
    return status;
}

static int add_reasons(sqlite3 *db, const struct circumstances *now, struct strbuf *ret, struct err *err)
{
    struct strbuf names[BY_MARKS + 1] = {{.data = NULL}};
    bool any = false;
    int status = 0;
    for (int by = BY_DEVICE; by <= BY_MARKS; by++) {
        strbuf_init(&names[by], ERR_TEXT_SIZE);
        status = status == 0 ? list_asked(db, (enum recorded_by)by, &names[by], err) : status;
    }
    bool no_device = now->devices == 0 || now->by_us > 0;
    if (now->said > 0 && now->ended == 0)
        add_reason(ret, &any, "the program ended early, before profiling was stopped (there is no end_info)", "", "");
    if (names[BY_DEVICE].length > 0 && no_device)
        add_reason(ret, &any, "there was no device, which alone records ", names[BY_DEVICE].data, "");
    if (names[BY_CALLS].length > 0)
        add_reason(ret, &any, "no call of what ", names[BY_CALLS].data,
                   now->by_us > 0 ? " asks for was seen (msprof run sees them)" : " asks for was made");
    if (names[BY_MARKS].length > 0)
        add_reason(ret, &any, "the program set no mark, which ", names[BY_MARKS].data, " asks for");
    if (now->said > 0 && names[BY_DEVICE].length + names[BY_CALLS].length + names[BY_MARKS].length == 0)
        add_reason(ret, &any, "the mask asks for nothing that is recorded", "", "");
    if (!any)
        add_reason(ret, &any, "no model was executed, the program ended early, or profiling was not switched on", "",
                   "");
    for (int by = BY_DEVICE; by <= BY_MARKS; by++)
        strbuf_release(&names[by]);
    return status;
}

int emptiness_tell(sqlite3 *db, struct strbuf *ret, struct err *err)
{
    struct circumstances now = {.said = 0};
    int64_t records = 0, foreign = 0;
    int status =
        ask(db, "SELECT coalesce(sum(records_decoded + records_rejected), 0) FROM source_file", NULL, &records, err);
    if (status == 0)
        status = ask(db, "SELECT count(*) FROM diagnostics WHERE code LIKE 'file-%' AND code <> 'file-absent'", NULL,
                     &foreign, err);
    if (status < 0 || records > 0 || foreign > 0)
        return status;
    status = ask_circumstances(db, &now, err);
    if (status < 0)
        return status;
    strbuf_adds(ret, "nothing was recorded, because ");
    status = add_reasons(db, &now, ret, err);
    return status == 0 && ret->failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : status;
}
