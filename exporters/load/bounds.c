/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load.h"

#include "analysis/bound.h"
#include "db/query/query_cann.h"

#include <stdlib.h>

static int take_words(struct operator_bounds *bounds, const struct workload *workload, struct err *err)
{
    struct named_operators list;
    int status = named_operators_make(workload, &list, err);
    bounds->words = calloc(workload->texts.count + 1, sizeof *bounds->words);
    if (status == 0 && bounds->words == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory for the names of operators");
    for (size_t i = 0; status == 0 && list.counted && i < list.count; i++)
        bounds->words[list.items[i].name] = bound_name(unit_times_bound(&list.items[i].times));
    free(list.items);
    return status;
}

int operator_bounds_load(sqlite3 *db, struct operator_bounds *ret, struct err *err)
{
    struct workload workload;
    struct db_facts facts;
    bool counted = true;
    *ret = (struct operator_bounds){.words = NULL};
    int status = db_read_facts(db, &facts, err);
    if (status == 0 && facts.family != CAPTURE_SVP)
        status = cann_has_counters(db, &counted, err);
    if (status < 0 || !counted)
        return status;
    status = workload_load_sums(db, &workload, err);
    if (status < 0)
        return status;
    status = take_words(ret, &workload, err);
    ret->names = workload.texts;
    workload.texts = (struct intern){.items = NULL};
    workload_release(&workload);
    return status;
}

int operator_bounds_of(const struct workload *workload, struct operator_bounds *ret, struct err *err)
{
    *ret = (struct operator_bounds){.names = workload->texts, .borrowed = true};
    return take_words(ret, workload, err);
}

void operator_bounds_release(struct operator_bounds *bounds)
{
    if (!bounds->borrowed)
        intern_release(&bounds->names);
    free((void *)bounds->words);
    bounds->words = NULL;
}

const char *operator_bounds_find(const struct operator_bounds *bounds, const char *name, size_t length)
{
    uint32_t number;
    return bounds->words != NULL && intern_find(&bounds->names, name, length, &number) ? bounds->words[number] : NULL;
}
