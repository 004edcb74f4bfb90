/* op_statistic, communication_statistic and api_statistic of a new CANN capture: sums over all tasks and calls. */
#include "exporters/cann_table.h"

#include "base/number.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

/* What is counted together: operators of a type on a core type of a device, or calls of a name at a level. */
struct group {
    int64_t major, name_id, minor; /* device, type and core type; or level, name, 0 */
    int64_t count, total_ns, min_ns, max_ns;
    uint128 squares; /* of ns; only for calls */
};

struct groups {
    struct group *items; /* open addressing; count 0: empty */
    size_t capacity, used;
};

static size_t home(const struct group *group, size_t capacity)
{
    uint64_t key = (uint64_t)group->major * 0x9e3779b97f4a7c15u ^ (uint64_t)group->name_id * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)group->minor;
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
}

static bool same_group(const struct group *a, const struct group *b)
{
    return a->name_id == b->name_id && a->major == b->major && a->minor == b->minor;
}

static struct group *find_group(const struct groups *groups, const struct group *key)
{
    size_t i = home(key, groups->capacity);
    while (groups->items[i].count != 0 && !same_group(&groups->items[i], key))
        i = (i + 1) & (groups->capacity - 1);
    return &groups->items[i];
}

static int grow(struct groups *groups, struct err *err)
{
    struct groups larger = {.capacity = groups->capacity != 0 ? groups->capacity * 2 : 256, .used = groups->used};
    larger.items = calloc(larger.capacity, sizeof *larger.items);
    if (larger.items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < groups->capacity; i++) {
        if (groups->items[i].count != 0)
            *find_group(&larger, &groups->items[i]) = groups->items[i];
    }
    free(groups->items);
    *groups = larger;
    return 0;
}

static int count_in(struct groups *groups, const struct group *key, int64_t duration_ns, struct err *err)
{
    if (groups->used * 2 >= groups->capacity) {
        int status = grow(groups, err);
        if (status < 0)
            return status;
    }
    struct group *group = find_group(groups, key);
    if (group->count == 0) {
        *group = *key;
        group->min_ns = group->max_ns = duration_ns;
        groups->used++;
    }
    group->count++;
    group->total_ns += duration_ns;
    group->squares += (uint128)duration_ns * (uint128)duration_ns;
    if (duration_ns < group->min_ns)
        group->min_ns = duration_ns;
    if (duration_ns > group->max_ns)
        group->max_ns = duration_ns;
    return 0;
}

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

static int count_operator(void *arg, const struct cann_task *task, struct err *err)
{
    struct operators *operators = arg;
    if (!cann_is_operator(task))
        return 0;
    const struct group key = {.major = task->device_id, .name_id = task->op_type_id, .minor = task->op_task_type};
    return count_in(&operators->groups, &key, task->duration_ns, err);
}

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

static int write_op_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                              struct export_result *result, struct err *err)
{
    static const char *const titles[] = {"Device_id",    "OP Type",      "Core Type",    "Count",   "Total Time(us)",
                                         "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"};
    struct operators operators = {.names = names};
    struct cann_task_reader *reader = cann_task_reader_new(db, false, err);
    if (reader == NULL)
        return -(int)err->code;
    int status = cann_read_tasks(reader, 1, INT64_MAX, count_operator, &operators, err);
    cann_task_reader_free(reader);
    if (status == 0 && operators.groups.used > 0)
        sort_groups(&operators.groups, names, compare_operators);
    const struct statistic statistic = {"op_statistic", titles, sizeof titles / sizeof *titles, put_operator_group,
                                        &operators};
    if (status == 0)
        status = write_statistic(&statistic, &operators.groups, names, options, result, err);
    free(operators.groups.items);
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
static int write_communication_statistic(const struct cann_communications *communications,
                                         const struct cann_texts *names, const struct export_options *options,
                                         struct export_result *result, struct err *err)
{
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
    const struct statistic statistic = {"communication_statistic", titles, sizeof titles / sizeof *titles,
                                        put_communication_group, &operators};
    if (status == 0 && typed)
        status = write_statistic(&statistic, &operators.groups, names, options, result, err);
    free(operators.groups.items);
    return status;
}

/* ---- calls ---- */

static int count_call(void *arg, const struct cann_call *call, struct err *err)
{
    const struct group key = {.major = call->level, .name_id = call->name_id};
    return count_in(arg, &key, call->duration_ns, err);
}

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

static int write_api_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                               struct export_result *result, struct err *err)
{
    static const char *const titles[] = {"Device_id", "Level",   "API Name", "Time(us)", "Count",
                                         "Avg(us)",   "Min(us)", "Max(us)",  "Variance"};
    struct groups groups = {.items = NULL};
    struct cann_call_reader *reader = cann_call_reader_new(db, err);
    if (reader == NULL)
        return -(int)err->code;
    int status = cann_read_calls(reader, 1, INT64_MAX, count_call, &groups, err);
    cann_call_reader_free(reader);
    if (status == 0 && groups.used > 0)
        sort_groups(&groups, names, compare_calls);
    const struct statistic statistic = {"api_statistic", titles, sizeof titles / sizeof *titles, put_call_group, names};
    if (status == 0)
        status = write_statistic(&statistic, &groups, names, options, result, err);
    free(groups.items);
    return status;
}

int cann_statistics(sqlite3 *db, const struct cann_texts *names, const struct cann_communications *communications,
                    const struct export_options *options, struct export_result *result, struct err *err)
{
    int status = write_op_statistic(db, names, options, result, err);
    if (status == 0)
        status = write_communication_statistic(communications, names, options, result, err);
    return status == 0 ? write_api_statistic(db, names, options, result, err) : status;
}
