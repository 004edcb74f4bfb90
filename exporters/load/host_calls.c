/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/host_calls.h"

#include "db/query/operators/query_durations.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"

#include <stdlib.h>
#include <string.h>

struct call_reading {
    sqlite3 *db;
    struct intern *names;
    int (*each)(void *arg, const struct host_call *call, struct err *err);
    void *arg;
    struct cann_texts texts;
    uint32_t *numbers; /* of each id of texts, then of no name; NO_TEXT: not asked for yet */
};

static int add_name(struct call_reading *reading, const char *name, uint32_t *ret, struct err *err)
{
    return intern_add(reading->names, name, strlen(name), ret, err);
}

/* ---- Ascend ---- */

static int number_of(struct call_reading *reading, int64_t id, uint32_t *ret, struct err *err)
{
    size_t place = id >= 0 && (uint64_t)id < reading->texts.rows ? (size_t)id : reading->texts.rows;
    struct cann_text text = cann_text(&reading->texts, id, 0);

    *ret = reading->numbers[place];
    if (*ret != NO_TEXT)
        return 0;
    int status = add_name(reading, text.text != NULL ? text.text : "N/A", ret, err);
    reading->numbers[place] = *ret;
    return status;
}

static int take_host_call(void *arg, const struct timed_call *call, struct err *err)
{
    struct call_reading *reading = arg;
    struct host_call plain = {.thread = call->thread_id, .start_ns = call->start_ns, .launches = call->launches > 0};

    if (call->start_ns == DB_NULL || call->duration_ns == DB_NULL || call->duration_ns < 0 ||
        __builtin_add_overflow(call->start_ns, call->duration_ns, &plain.end_ns))
        return 0;
    int status = number_of(reading, call->name_id, &plain.name, err);
    return status == 0 ? reading->each(reading->arg, &plain, err) : status;
}

static int read_ascend(struct call_reading *reading, struct err *err)
{
    int status = cann_names_load(reading->db, &reading->texts, err);

    if (status == 0) {
        reading->numbers = malloc((reading->texts.rows + 1) * sizeof *reading->numbers);
        if (reading->numbers == NULL)
            status = err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == 0 && i <= reading->texts.rows; i++)
        reading->numbers[i] = NO_TEXT;
    if (status == 0)
        status = read_timed_calls(reading->db, take_host_call, reading, err);
    cann_texts_release(&reading->texts);
    free(reading->numbers);
    return status;
}

/* ---- SVP ---- */

static int take_acl_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_reading *reading = arg;
    struct host_call plain = {.thread = call->thread_id, .start_ns = call->start_ns, .end_ns = call->end_ns};
    int status = add_name(reading, call->name, &plain.name, err);

    return status == 0 ? reading->each(reading->arg, &plain, err) : status;
}

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct call_reading *reading = arg;

    return acl_each_call(reading->db, model, take_acl_call, reading, err);
}

int host_calls_each(sqlite3 *db, struct intern *names,
                    int (*each)(void *arg, const struct host_call *call, struct err *err), void *arg, struct err *err)
{
    struct call_reading reading = {.db = db, .names = names, .each = each, .arg = arg};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    if (status != 0)
        return status;
    return facts.family == CAPTURE_SVP ? svp_each_model(db, take_model, &reading, err) : read_ascend(&reading, err);
}
