/* Durations of calls by name: read twice, first to count and then to keep, eight bytes a call. */
#include "db/query/operators/query_durations.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "exporters/workload/load.h"

#include "base/array.h"
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

struct call_load {
    struct intern names;
    const struct cann_texts *texts;
    size_t *offsets; /* of each name, then the end; counts while counting */
    size_t name_capacity;
    int64_t *durations; /* NULL: counting */
    size_t *next;
};

static int take_call(struct call_load *load, const char *name, int64_t duration_ns, struct err *err)
{
    uint32_t index;
    int status;

    if (duration_ns == DB_NULL || duration_ns < 0)
        return 0;
    status = intern_add(&load->names, name, strlen(name), &index, err);
    if (status == 0 && index + 1 >= load->name_capacity) {
        size_t before = load->name_capacity;
        status =
            array_grow(&load->offsets, &load->name_capacity, before, index + 2 - before, sizeof *load->offsets, err);
        if (status == 0)
            memset(load->offsets + before, 0, (load->name_capacity - before) * sizeof *load->offsets);
    }
    if (status != 0)
        return status;
    if (load->durations == NULL)
        load->offsets[index + 1]++;
    else
        load->durations[load->next[index]++] = duration_ns;
    return 0;
}

static int take_duration(void *arg, const struct duration *duration, struct err *err)
{
    struct call_load *load = arg;
    struct cann_text name = cann_text(load->texts, duration->name_id, 0);

    return take_call(load, name.text != NULL ? name.text : "N/A", duration->duration_ns, err);
}

static int take_acl_call(void *arg, const struct acl_call *call, struct err *err)
{
    return take_call(arg, call->name, interval_length(call->start_ns, call->end_ns), err);
}

struct model_load {
    struct call_load *load;
    sqlite3 *db;
};

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct model_load *each = arg;

    return acl_each_call(each->db, model, take_acl_call, each->load, err);
}

static int read_calls(sqlite3 *db, int family, struct call_load *load, struct err *err)
{
    struct duration_reader *reader;
    struct model_load each = {load, db};
    int64_t count;
    int status;

    if (family == DB_FAMILY_SVP)
        return svp_each_model(db, take_model, &each, err);
    reader = duration_reader_new(db, DURATION_CALLS, err);
    if (reader == NULL)
        return -(int)err->code;
    status = cann_call_count(db, &count, err);
    if (status == 0)
        status = read_durations(reader, 1, count + 1, take_duration, load, err);
    duration_reader_free(reader);
    return status;
}

/* From counts to offsets, and room for all durations. */
static int make_room(struct call_load *load, struct err *err)
{
    size_t count = load->names.count;

    for (size_t i = 0; i < count; i++)
        load->offsets[i + 1] += load->offsets[i];
    load->next = calloc(count + 1, sizeof *load->next);
    load->durations = malloc((count > 0 ? load->offsets[count] : 0) * sizeof *load->durations + 1);
    if (load->next == NULL || load->durations == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (count > 0)
        memcpy(load->next, load->offsets, count * sizeof *load->next);
    return 0;
}

int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err)
{
    struct call_load load = {.texts = NULL};
    struct cann_texts texts = {.items = NULL};
    struct db_facts facts;
    const char **names = NULL;
    int status = db_read_facts(db, &facts, err);

    if (status == 0 && facts.family != DB_FAMILY_SVP)
        status = cann_names_load(db, &texts, err);
    load.texts = &texts;
    if (status == 0)
        status = read_calls(db, facts.family, &load, err);
    if (status == 0)
        status = make_room(&load, err);
    if (status == 0)
        status = read_calls(db, facts.family, &load, err);
    if (status == 0 && (names = calloc(load.names.count + 1, sizeof *names)) == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == 0 && i < load.names.count; i++)
        names[i] = load.names.items[i].bytes;
    if (status == 0 && load.names.count > 0)
        status = profile_add_calls(profile, names, load.offsets, load.names.count, load.durations, err);
    free((void *)names);
    intern_release(&load.names);
    cann_texts_release(&texts);
    free(load.offsets);
    free(load.durations);
    free(load.next);
    return status;
}
