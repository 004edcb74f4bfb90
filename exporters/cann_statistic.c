/* op_statistic, communication_statistic and api_statistic of a new CANN capture: sums over all tasks and calls. */
#include "exporters/cann_table.h"

#include "base/number.h"
#include "exporters/cann_groups.h"

#include <stdlib.h>

/* Moves the groups to the front and sorts them. */
static void sort_groups(struct groups *groups, const struct cann_texts *names,
                        int (*compare)(const void *a, const void *b, void *names))
{
    size_t kept = 0;
    for (size_t i = 0; i < groups->capacity; i++) {
        if (groups->items[i].count != 0)
            groups->items[kept++] = groups->items[i];
    }
    qsort_r(groups->items, kept, sizeof *groups->items, compare, (void *)(uintptr_t)names);
}

static int compare_names(const struct group *x, const struct group *y, const struct cann_texts *names)
{
    struct cann_text a = cann_text(names, x->name_id, 0), b = cann_text(names, y->name_id, 0);
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = a.text == NULL || b.text == NULL ? 0 : memcmp(a.text, b.text, shorter);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* ---- tables ---- */

/* A table with one row for each group, written here and now. */
struct statistic {
    const char *name;
    const char *const *titles;
    size_t columns;
    uint64_t text_columns;
    void (*put)(const void *arg, struct row_put *put, const struct group *group);
    const void *arg;
};

static int write_statistic(const struct statistic *statistic, const struct groups *groups,
                           const struct cann_texts *names, const struct export_options *options,
                           struct export_result *result, struct err *err)
{
    struct cann_table table;
    int status = cann_table_open(&table, statistic->name, statistic->titles, statistic->columns, groups->used, options,
                                 result, err);
    if (status < 0)
        return status;
    table.shown.texts = statistic->text_columns;
    for (size_t i = 0; status == 0 && i < groups->used; i++) {
        struct row_put put;
        status = cann_table_begin(&table, cann_text(names, groups->items[i].name_id, 0).length, &put, err);
        if (status < 0)
            break;
        statistic->put(statistic->arg, &put, &groups->items[i]);
        cann_table_end(&table, &put);
    }
    return cann_table_close(&table, status, err);
}

/* ---- operators ---- */

struct operators {
    const struct cann_texts *names;
    struct groups groups;
};

static int compare_operators(const void *a, const void *b, void *names)
{
    const struct group *x = a, *y = b;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    int order = compare_names(x, y, names);
    return order != 0 ? order : (x->minor > y->minor) - (x->minor < y->minor);
}

static int64_t device_total(const struct groups *groups, int64_t device_id)
{
    int64_t total = 0;
    for (size_t i = 0; i < groups->used; i++)
        total += groups->items[i].major == device_id ? groups->items[i].total_ns : 0;
    return total;
}

static void put_operator_group(const void *arg, struct row_put *put, const struct group *group)
{
    const struct operators *operators = arg;
    row_integer(put, group->major);
    row_text(put, cann_text(operators->names, group->name_id, 0));
    row_word(put, cann_core_type(group->minor));
    row_integer(put, group->count);
    row_decimal(put, group->total_ns, 3);
    row_decimal(put, group->min_ns, 3);
    row_decimal(put, group->total_ns / group->count, 3); /* cut, not rounded, as Ascend's tool does here */
    row_decimal(put, group->max_ns, 3);
    row_decimal(put, number_ratio(group->total_ns, device_total(&operators->groups, group->major), 5), 3);
}

int cann_op_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                      struct export_result *result, struct err *err)
{
    enum { TYPE = 1 << 1, CORE_TYPE = 1 << 2 };
    static const char *const titles[] = {"Device_id",    "OP Type",      "Core Type",    "Count",   "Total Time(us)",
                                         "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"};
    struct operators operators = {.names = names};
    int status = groups_of_operators(options->database, cann_task_count(db), &operators.groups, err);
    if (status == 0 && operators.groups.used > 0)
        sort_groups(&operators.groups, names, compare_operators);
    const struct statistic statistic = {"op_statistic",     titles,    sizeof titles / sizeof *titles, TYPE | CORE_TYPE,
                                        put_operator_group, &operators};
    if (status == 0)
        status = write_statistic(&statistic, &operators.groups, names, options, result, err);
    groups_release(&operators.groups);
    return status;
}

/* ---- communication ---- */

static int compare_communications(const void *a, const void *b, void *names)
{
    const struct group *x = a, *y = b;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return compare_names(x, y, names);
}

static void put_communication_group(const void *arg, struct row_put *put, const struct group *group)
{
    const struct operators *operators = arg;
    row_integer(put, group->major);
    row_text(put, cann_text(operators->names, group->name_id, 0));
    row_integer(put, group->count);
    row_decimal(put, group->total_ns, 3);
    row_decimal(put, group->min_ns, 3);
    row_decimal(put, number_ratio(group->total_ns, group->count, 0), 3);
    row_decimal(put, group->max_ns, 3);
    row_decimal(put, number_ratio(group->total_ns, device_total(&operators->groups, group->major), 5), 3);
}

/* Without the type of a single operator there is nothing to tell them apart by, and no table. */
int cann_communication_statistic(const struct cann_communications *communications, const struct cann_texts *names,
                                 const struct export_options *options, struct export_result *result, struct err *err)
{
    enum { TYPE = 1 << 1 };
    static const char *const titles[] = {"Device_id",    "OP Type",      "Count",        "Total Time(us)",
                                         "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"};
    struct operators operators = {.names = names};
    bool typed = false;
    int status = 0;
    for (size_t i = 0; status == 0 && i < communications->count; i++) {
        const struct cann_communication *communication = &communications->items[i];
        const struct group key = {.major = communication->device_id, .name_id = communication->type_id};
        typed |= communication->type_id != DB_NULL;
        status = count_in(&operators.groups, &key, communication->all_duration_ns, err);
    }
    if (status == 0 && operators.groups.used > 0)
        sort_groups(&operators.groups, names, compare_communications);
    const struct statistic statistic = {"communication_statistic", titles,    sizeof titles / sizeof *titles, TYPE,
                                        put_communication_group,   &operators};
    if (status == 0 && typed)
        status = write_statistic(&statistic, &operators.groups, names, options, result, err);
    free(operators.groups.items);
    return status;
}

/* ---- calls ---- */

static int compare_calls(const void *a, const void *b, void *names)
{
    const struct group *x = a, *y = b;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    return compare_names(x, y, names);
}

/* Mean of the squared distances from the mean, which is rounded to nanoseconds first; in
 * thousandths of us^2. */
static int64_t variance(const struct group *group)
{
    uint128 mean = (uint128)number_ratio(group->total_ns, group->count, 0), count = (uint128)group->count;
    /* Sum of (d - m)^2 = sum of d^2 - 2 m sum of d + n m^2, never negative */
    uint128 sum = group->squares + count * mean * mean - 2 * mean * (uint128)group->total_ns;
    uint128 thousandths = (sum + count * 500) / (count * 1000);
    return thousandths > INT64_MAX ? INT64_MAX : (int64_t)thousandths;
}

static void put_call_group(const void *arg, struct row_put *put, const struct group *group)
{
    const struct cann_texts *names = arg;
    const char *level = cann_level_name(group->major);
    row_word(put, "host");
    if (level != NULL)
        row_word(put, level);
    else
        row_integer(put, group->major);
    row_text(put, cann_text(names, group->name_id, 0));
    row_decimal(put, group->total_ns, 3);
    row_integer(put, group->count);
    row_decimal(put, number_ratio(group->total_ns, group->count, 0), 3);
    row_decimal(put, group->min_ns, 3);
    row_decimal(put, group->max_ns, 3);
    row_decimal(put, variance(group), 3);
}

int cann_api_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                       struct export_result *result, struct err *err)
{
    enum { DEVICE = 1, LEVEL = 1 << 1, NAME = 1 << 2 };
    static const char *const titles[] = {"Device_id", "Level",   "API Name", "Time(us)", "Count",
                                         "Avg(us)",   "Min(us)", "Max(us)",  "Variance"};
    struct groups groups = {.items = NULL};
    int status = groups_of_calls(options->database, cann_call_count(db), &groups, err);
    if (status == 0 && groups.used > 0)
        sort_groups(&groups, names, compare_calls);
    const struct statistic statistic = {"api_statistic",       titles,         sizeof titles / sizeof *titles,
                                        DEVICE | LEVEL | NAME, put_call_group, names};
    if (status == 0)
        status = write_statistic(&statistic, &groups, names, options, result, err);
    groups_release(&groups);
    return status;
}
