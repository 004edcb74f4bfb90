/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/profile.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts what runs in the steps that count, and whether it runs in each of them as often. */

/* Keys by the operators of executions, or by executions; the other is NULL. NO_TEXT: it has none. */
struct execution_keys {
    const uint32_t *of_operator, *of_execution;
    size_t count; /* of keys */
};

static bool is_wanted(const struct splits *splits, size_t i)
{
    return splits->groups.items[splits->items[i].group].source == splits->source && splits_counts(splits, i);
}

/* For each execution whether it is one of a step of the leading family that counts (splits_counts): totals a step are
 * of these. NULL where all count: there are no steps, or none that counts. free(*ret). */
static int counted_executions(const struct workload *workload, const struct splits *splits, bool **ret, struct err *err)
{
    struct execution_run last = {0, 0}; /* with the last end */
    bool any = false, *counted = NULL;

    *ret = NULL;
    for (size_t i = 0; !splits->whole && !any && i < splits->count; large_pass(i++))
        any = is_wanted(splits, i);
    if (!any)
        return 0;
    counted = large_new(workload->execution_count + 1, sizeof *counted, err);
    if (counted == NULL)
        return err_status(err);
    for (size_t i = 0; i < splits->count; large_pass(i++)) {
        if (!is_wanted(splits, i))
            continue;
        const struct execution_run run = split_executions(workload, &splits->items[i]);
        const size_t end = run.first + run.count;
        size_t k = run.first;
        if (k >= last.first && k < last.first + last.count) /* steps that overlap share executions */
            k = last.first + last.count;
        for (; k < end; k++)
            counted[k] = true;
        if (end > last.first + last.count || run.first < last.first)
            last = run;
    }
    *ret = counted;
    return 0;
}

/* Executions with each key. */
struct tally {
    const struct workload *workload;
    const struct execution_keys *keys;
    struct key_tally {
        size_t first, now;                /* in the first step of a group, in the one that is looked at */
        bool differs, seen, some_regular; /* some_regular: there is a group with as many in each step */
    } * items;
};

static struct key_tally *tally_of(const struct tally *tally, size_t execution)
{
    const struct execution_keys *keys = tally->keys;
    large_pass(execution);
    uint32_t key = keys->of_operator != NULL ? keys->of_operator[tally->workload->executions[execution].op]
                                             : keys->of_execution[execution];

    return key != NO_TEXT ? &tally->items[key] : NULL;
}

static void change(const struct tally *tally, size_t from, size_t until, size_t by)
{
    struct key_tally *key;

    for (size_t i = from; i < until; i++)
        if ((key = tally_of(tally, i)) != NULL) {
            key->now += by;
            key->seen = true;
        }
}

static void compare_with_first(const struct tally *tally, size_t from, size_t until)
{
    struct key_tally *key;

    for (size_t i = from; i < until; i++)
        if ((key = tally_of(tally, i)) != NULL && key->first > 0)
            key->differs = key->differs || key->now != key->first;
}

/* From the executions of one step to those of the next, which may share some: for all others the answer stays. */
static void move_on(const struct tally *tally, const struct execution_run *last, const struct execution_run *run)
{
    const size_t from = last->first, until = from + last->count, first = run->first, end = first + run->count;
    const struct {
        size_t from, until, by;
    } parts[] = {{from, until < first ? until : first, SIZE_MAX}, /* those that leave */
                 {from > end ? from : end, until, SIZE_MAX},
                 {first, end < from ? end : from, 1}, /* those that come */
                 {first > until ? first : until, end, 1}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        change(tally, parts[i].from, parts[i].until, parts[i].by);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        compare_with_first(tally, parts[i].from, parts[i].until);
}

static void tally_group(const struct tally *tally, const struct splits *splits, size_t group)
{
    struct execution_run first = {0, 0}, last = {0, 0};
    struct key_tally *key;
    bool any = false;

    for (size_t member = 0; member < splits->groups.items[group].count; large_pass(member++)) {
        const size_t i = splits_member(splits, group, member);
        if (!is_wanted(splits, i))
            continue;
        const struct execution_run run = split_executions(tally->workload, &splits->items[i]);
        if (!any)
            first = run;
        for (size_t k = 0; !any && k < first.count; k++)
            if ((key = tally_of(tally, first.first + k)) != NULL)
                key->first++;
        any = true;
        move_on(tally, &last, &run);
        last = run;
    }
    change(tally, last.first, last.first + last.count, SIZE_MAX);
    for (size_t i = 0; i < first.count; i++)
        if ((key = tally_of(tally, first.first + i)) != NULL)
            key->some_regular = key->some_regular || !key->differs;
    for (size_t i = 0; i < first.count; i++)
        if ((key = tally_of(tally, first.first + i)) != NULL) {
            key->first = 0;
            key->differs = false;
        }
}

/* ret[key]: whether there is no group of steps each of which has as many executions with this key as the others. */
static int find_varying(const struct workload *workload, const struct splits *splits, const struct execution_keys *keys,
                        bool *ret, struct err *err)
{
    struct tally tally = {workload, keys, calloc(keys->count + 1, sizeof *tally.items)};

    if (tally.items == NULL)
        return err_no_memory(err);
    for (size_t g = 0; !splits->whole && g < splits->groups.count; g++)
        if (splits->groups.items[g].source == splits->source)
            tally_group(&tally, splits, g);
    for (size_t i = 0; i < keys->count; i++)
        ret[i] = tally.items[i].seen && !tally.items[i].some_regular;
    free(tally.items);
    return 0;
}

ENUM_NAMES(profile_subject_name, enum subject, "op", "type", "shape", "layer", "stream", "step", "api", "line", "gap")

/* Tables are made of these, and into these. */
struct counting {
    const struct workload *workload;
    const struct splits *splits;
    bool *counted; /* which executions count: counted_executions; NULL: all of them */
    size_t top;    /* profile_choice */
    bool ai_cpu;   /* profile_choice */
    struct text_blocks *texts;
    const char **copies; /* of the workload's texts there; NULL: not yet */
};

static bool counts(const struct counting *counting, size_t execution)
{
    return counting->counted == NULL || counting->counted[execution];
}

/* Values by key: a key is a number, known by its text. */
struct grouping {
    struct intern keys;
    uint32_t (*text_of)(const struct workload_operator *op); /* its key, of the workload's texts; NULL: one of keys */
    struct group {
        uint32_t op;          /* the first with this key; NO_TEXT: the key is not of operators */
        bool varies, dropped; /* dropped: it gets no row */
        uint64_t order;
        size_t count, next;
        int64_t hz;     /* of the clock of its values (ticks_share_hz) */
        double rest_ns; /* by how much the sum of its values is below the sum before each was rounded */
    } * groups;
    size_t group_count, group_capacity;
    int64_t *values; /* of one group after the other */
    size_t top;      /* rows are wanted of so many groups, those of the largest totals; 0: of all */
};

static void grouping_release(struct grouping *grouping)
{
    intern_release(&grouping->keys);
    free(grouping->groups);
    large_free(grouping->values);
}

static int add_group(struct grouping *grouping, uint32_t op, uint64_t order, struct err *err)
{
    if (grouping->group_count == grouping->group_capacity &&
        array_grow(&grouping->groups, &grouping->group_capacity, grouping->group_count, 1, sizeof *grouping->groups,
                   err) < 0)
        return err_status(err);
    grouping->groups[grouping->group_count++] = (struct group){.op = op, .order = order};
    return 0;
}

static int find_group(struct grouping *grouping, const char *key, uint32_t op, uint64_t order, uint32_t *ret,
                      struct err *err)
{
    if (intern_text(&grouping->keys, key, ret, err) < 0)
        return err_status(err);
    return *ret == grouping->group_count ? add_group(grouping, op, order, err) : 0;
}

static int copy_text(char **ret, const char *text, struct err *err)
{
    *ret = strdup(text != NULL ? text : "");
    return *ret != NULL ? 0 : err_no_memory(err);
}

ARRAY_COMPARE(by_key, struct profile_row, ARRAY_BY_TEXT(key))

/* The profile's copy of a text of the workload; NULL: memory ran out. */
static const char *keep_text(const struct counting *counting, uint32_t text)
{
    if (text == NO_TEXT)
        return "";
    const struct interned *item = &counting->workload->texts.items[text];
    if (counting->copies[text] == NULL)
        counting->copies[text] = texts_add(counting->texts, item->bytes, item->length);
    return counting->copies[text];
}

static const char *group_key(const struct counting *counting, const struct grouping *grouping, size_t i)
{
    return grouping->text_of != NULL
               ? workload_text(counting->workload,
                               grouping->text_of(&counting->workload->operators[grouping->groups[i].op]))
               : grouping->keys.items[i].bytes;
}

static int make_row(const struct counting *counting, struct grouping *grouping, size_t i, struct profile_row *row,
                    struct err *err)
{
    const struct group *group = &grouping->groups[i];
    const struct workload_operator *op = group->op != NO_TEXT ? &counting->workload->operators[group->op] : NULL;
    int64_t *samples = texts_numbers(counting->texts, series_samples(group->count));

    *row = (struct profile_row){.order = group->order, .varies = group->varies, .name = "", .type = "", .shapes = ""};
    row->key = grouping->text_of != NULL
                   ? keep_text(counting, grouping->text_of(op))
                   : texts_add(counting->texts, grouping->keys.items[i].bytes, grouping->keys.items[i].length);
    if (op != NULL) {
        row->name = keep_text(counting, op->key.name);
        row->type = keep_text(counting, op->key.type);
        row->shapes = keep_text(counting, op->key.shapes);
        row->ai_cpu = op->key.work == WORK_AI_CPU;
    }
    if (samples == NULL || row->key == NULL || row->name == NULL || row->type == NULL || row->shapes == NULL)
        return err_no_memory(err);
    row->conversion = workload_is_conversion(row->type);
    series_fill(&row->durations, grouping->values + (group->next - group->count), group->count, group->hz, samples);
    row->durations.total += group->rest_ns;
    return 0;
}

struct chosen_group {
    double total_ns;
    const char *key;
    size_t group;
};

ARRAY_COMPARE(by_group_total, struct chosen_group, ARRAY_BY_MOST(total_ns), ARRAY_BY_TEXT(key))
ARRAY_COMPARE(by_group_key, struct chosen_group, ARRAY_BY_TEXT(key))

/* The groups that have values and are wanted, by key. */
static struct chosen_group *choose_groups(const struct counting *counting, struct profile_table *table,
                                          const struct grouping *grouping, size_t *ret_count, struct err *err)
{
    struct chosen_group *chosen = calloc(grouping->group_count + 1, sizeof *chosen);
    size_t count = 0;

    if (chosen == NULL)
        err_no_memory(err);
    for (size_t i = 0; chosen != NULL && i < grouping->group_count; i++) {
        const struct group *group = &grouping->groups[i];
        if (group->count == 0)
            continue;
        chosen[count] = (struct chosen_group){.key = group_key(counting, grouping, i), .group = i};
        for (size_t k = group->next - group->count; k < group->next; large_pass(k++))
            chosen[count].total_ns += (double)grouping->values[k];
        chosen[count].total_ns += group->rest_ns;
        count++;
    }
    *ret_count = count;
    if (chosen != NULL && grouping->top > 0 && grouping->top < count) {
        array_sort(chosen, count, sizeof *chosen, by_group_total);
        *ret_count = grouping->top;
    }
    table->left = count - *ret_count;
    if (chosen != NULL)
        array_sort(chosen, *ret_count, sizeof *chosen, by_group_key);
    return chosen;
}

/* A row for each group that has values and is wanted. */
static int make_rows(const struct counting *counting, struct grouping *grouping, struct profile_table *table,
                     struct err *err)
{
    size_t count;
    SCOPED_FREE struct chosen_group *chosen = choose_groups(counting, table, grouping, &count, err);

    table->rows = chosen != NULL ? large_new(count + 1, sizeof *table->rows, err) : NULL;
    if (table->rows == NULL)
        return err_status(err);
    for (; table->count < count; table->count++) {
        large_pass(table->count);
        if (make_row(counting, grouping, chosen[table->count].group, &table->rows[table->count], err) < 0)
            return err_status(err);
    }
    table->known = true;
    if (count * sizeof *table->rows >= LARGE_LEAST)
        large_put_away(); /* they are not read before all tables are there */
    return 0;
}

/* Things whose values make a table: executions, steps or gaps. */
struct valued {
    const struct counting *counting;
    const uint32_t *groups; /* of each; NO_TEXT: of none */
    const struct gaps *gaps;
    size_t count;
    /* Returns its group and value; false: it does not count. */
    bool (*take)(const struct valued *valued, size_t i, uint32_t *ret_group, int64_t *ret_value);
    int64_t (*rate)(const struct valued *valued, size_t i); /* of the clock of the value */
    double (*rest)(const struct valued *valued, size_t i);  /* what rounding took from the value; NULL: nothing */
};

/* Makes the rows, from the values of each group. */
static int fill_table(const struct valued *valued, struct grouping *grouping, struct profile_table *table,
                      struct err *err)
{
    const size_t count = grouping->group_count > 0 ? valued->count : 0;
    size_t total = 0;
    uint32_t group;
    int64_t value;

    for (size_t i = 0; i < count; i++)
        if (valued->take(valued, i, &group, &value))
            grouping->groups[group].count += !grouping->groups[group].dropped;
    for (size_t i = 0; i < grouping->group_count; i++) {
        grouping->groups[i].next = total;
        total += grouping->groups[i].count;
    }
    grouping->values = large_new(total, sizeof *grouping->values, err);
    if (grouping->values == NULL)
        return err_status(err);
    for (size_t i = 0; i < count; i++)
        if (valued->take(valued, i, &group, &value) && !grouping->groups[group].dropped) {
            grouping->values[grouping->groups[group].next++] = value;
            const int64_t rate = valued->rate(valued, i);
            ticks_share_hz(&grouping->groups[group].hz, rate);
            if (rate != TICKS_OF_NS && valued->rest != NULL)
                grouping->groups[group].rest_ns += valued->rest(valued, i);
        }
    return make_rows(valued->counting, grouping, table, err);
}

static bool take_execution(const struct valued *valued, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
    const struct execution *execution = &valued->counting->workload->executions[i];
    large_pass(i);
    *ret_group = valued->groups != NULL ? valued->groups[execution->op] : execution->stream;
    *ret_value = workload_length_ns(valued->counting->workload, execution);
    return *ret_group != NO_TEXT && counts(valued->counting, i);
}

static int64_t rate_of_execution(const struct valued *valued, size_t i)
{
    const struct workload *workload = valued->counting->workload;
    return workload_rate(workload, &workload->executions[i]);
}

static double rest_of_execution(const struct valued *valued, size_t i)
{
    const struct workload *workload = valued->counting->workload;
    const struct execution *execution = &workload->executions[i];
    return workload_length(workload, execution) - (double)workload_length_ns(workload, execution);
}

static bool take_step(const struct valued *valued, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
    *ret_group = valued->groups[i];
    *ret_value = valued->counting->splits->items[i].own.time_ns;
    return *ret_group != NO_TEXT && !splits_is_warmup(valued->counting->splits, i);
}

static int64_t rate_of_step(const struct valued *valued, size_t i)
{
    return split_rate(valued->counting->workload, &valued->counting->splits->items[i]);
}

static bool take_gap(const struct valued *valued, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
    large_pass(i);
    *ret_group = valued->groups[i];
    *ret_value = gap_exact_ns(valued->counting->workload, &valued->gaps->items[i]);
    return counts(valued->counting, valued->gaps->items[i].after);
}

static int64_t rate_of_gap(const struct valued *valued, size_t i)
{
    return gap_rate(valued->counting->workload, &valued->gaps->items[i]);
}

static double rest_of_gap(const struct valued *valued, size_t i)
{
    const struct workload *workload = valued->counting->workload;
    const struct gap *gap = &valued->gaps->items[i];
    return gap_whole_ns(workload, gap) - (double)gap_exact_ns(workload, gap);
}

/* Length of the part of a name that is its layer: the path without the last part. */
static size_t layer_length(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash != NULL && slash != name ? (size_t)(slash - name) : strlen(name);
}

static int operator_key(const struct workload *workload, const struct workload_operator *op, enum subject subject,
                        struct strbuf *key, struct err *err)
{
    const char *name = workload_text(workload, op->key.name), *shapes = workload_text(workload, op->key.shapes);

    strbuf_clear(key);
    if (subject == BY_LAYER)
        strbuf_add(key, name, layer_length(name));
    else
        strbuf_addf(key, "%s%s%s", workload_text(workload, op->key.type), shapes[0] != '\0' ? " " : "", shapes);
    return key->failed ? err_no_memory(err) : 0;
}

/* Sets varies in each group, for tables whose totals are compared. */
static int tell_varying(const struct counting *counting, struct grouping *grouping, struct execution_keys keys,
                        struct err *err)
{
    SCOPED_FREE bool *varies = scoped_memory(grouping->group_count + 1, sizeof *varies);
    bool failed = varies == NULL && err_no_memory(err) < 0;

    keys.count = grouping->group_count;
    failed = failed ||
             (counting->counted != NULL && find_varying(counting->workload, counting->splits, &keys, varies, err) < 0);
    for (size_t i = 0; !failed && i < grouping->group_count; i++)
        grouping->groups[i].varies = varies[i];
    return failed ? err_status(err) : 0;
}

static uint32_t name_of(const struct workload_operator *op)
{
    return op->key.name;
}

static uint32_t type_of(const struct workload_operator *op)
{
    return op->key.type;
}

/* Groups by a text of the operators that are wanted. */
static int group_by_text(struct grouping *grouping, const struct counting *counting, uint32_t *groups, struct err *err)
{
    const struct workload *workload = counting->workload;
    SCOPED_FREE uint32_t *of_text = scoped_memory(workload->texts.count + 1, sizeof *of_text); /* group + 1; last: "" */
    uint32_t none = NO_TEXT;

    if (of_text == NULL)
        return err_no_memory(err);
    intern_find(&workload->texts, "", 0, &none);
    for (size_t i = 0; i < workload->operator_count; i++) {
        groups[i] = NO_TEXT;
        if (counting->ai_cpu && workload->operators[i].key.work != WORK_AI_CPU)
            continue;
        const uint32_t text = grouping->text_of(&workload->operators[i]), known = text != NO_TEXT ? text : none;
        uint32_t *group = &of_text[known != NO_TEXT ? known : workload->texts.count];
        if (*group == 0 && add_group(grouping, (uint32_t)i, workload->operators[i].first, err) < 0)
            return err_status(err);
        *group = *group != 0 ? *group : (uint32_t)grouping->group_count;
        groups[i] = *group - 1;
    }
    return 0;
}

static int group_by_key(struct grouping *grouping, const struct workload *workload, enum subject subject,
                        uint32_t *groups, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf key;

    strbuf_init(&key, SIZE_MAX / 2);
    for (size_t i = 0; i < workload->operator_count; i++)
        if (operator_key(workload, &workload->operators[i], subject, &key, err) < 0 ||
            find_group(grouping, key.data, (uint32_t)i, workload->operators[i].first, &groups[i], err) < 0)
            return err_status(err);
    return 0;
}

/* Rows whose key follows from the operator. */
static int table_of_operators(const struct counting *counting, enum subject subject, struct profile_table *table,
                              struct err *err)
{
    const struct workload *workload = counting->workload;
    SCOPED(grouping_release)
    struct grouping grouping = {.text_of = subject == BY_OP     ? name_of
                                           : subject == BY_TYPE ? type_of
                                                                : NULL,
                                .top = counting->top};
    SCOPED_FREE uint32_t *groups = scoped_memory(workload->operator_count + 1, sizeof *groups);

    if (groups == NULL)
        return err_no_memory(err);
    if ((grouping.text_of != NULL ? group_by_text(&grouping, counting, groups, err)
                                  : group_by_key(&grouping, workload, subject, groups, err)) < 0)
        return err_status(err);
    for (size_t i = 0; i < workload->operator_count; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a group that an operator has is there
        if (groups[i] != NO_TEXT && workload->operators[i].first < grouping.groups[groups[i]].order)
            grouping.groups[groups[i]].order = workload->operators[i].first;
    const struct valued executions = {
        counting, groups, NULL, workload->execution_count, take_execution, rate_of_execution, rest_of_execution};
    return tell_varying(counting, &grouping, (struct execution_keys){.of_operator = groups}, err) < 0 ||
                   fill_table(&executions, &grouping, table, err) < 0
               ? err_status(err)
               : 0;
}

static int table_of_streams(const struct counting *counting, struct profile_table *table, struct err *err)
{
    const struct workload *workload = counting->workload;
    SCOPED(grouping_release) struct grouping grouping = {.groups = NULL};
    char key[64];
    uint32_t group;
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->stream_count; i++) {
        snprintf(key, sizeof key, "device %lld stream %lld", (long long)workload->streams[i].device,
                 (long long)workload->streams[i].id);
        status = find_group(&grouping, key, NO_TEXT, i, &group, err);
    }
    const struct valued executions = {
        counting, NULL, NULL, workload->execution_count, take_execution, rate_of_execution, rest_of_execution};
    return status == 0 ? fill_table(&executions, &grouping, table, err) : status;
}

static int table_of_steps(const struct counting *counting, struct profile_table *table, struct err *err)
{
    SCOPED(grouping_release) struct grouping grouping = {.groups = NULL};
    const struct splits *splits = counting->splits;
    SCOPED_FREE uint32_t *groups = scoped_memory(splits->count + 1, sizeof *groups);
    char key[GROUP_NAME_SIZE];
    bool failed = groups == NULL && err_no_memory(err) < 0;

    if (splits->whole)
        return failed ? err_status(err) : 0;
    for (size_t i = 0; !failed && i < splits->count; large_pass(i++)) {
        groups[i] = NO_TEXT;
        if (splits->groups.items[splits->items[i].group].source != splits->source)
            continue;
        splits_group_name(counting->workload, splits, splits->items[i].group, key);
        failed = find_group(&grouping, key, NO_TEXT, i, &groups[i], err) < 0;
    }
    const struct valued steps = {counting, groups, NULL, splits->count, take_step, rate_of_step, NULL};
    return failed || fill_table(&steps, &grouping, table, err) < 0 ? err_status(err) : 0;
}

/* Pairs of operators can be as many as gaps: only those with most time are kept. */
#define GAP_KEYS_MAX 500

struct gap_total {
    double total_ns;
    size_t group;
};

ARRAY_COMPARE(by_total, struct gap_total, ARRAY_BY_MOST(total_ns), ARRAY_BY(group))

static int keep_largest(struct grouping *grouping, const struct workload *workload, const struct gaps *gaps,
                        const uint32_t *groups, struct err *err)
{
    SCOPED_FREE struct gap_total *totals = scoped_memory(grouping->group_count + 1, sizeof *totals);

    if (totals == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < grouping->group_count; i++)
        totals[i].group = i;
    for (size_t i = 0; i < gaps->count; i++) {
        large_pass(i);
        totals[groups[i]].total_ns += gap_whole_ns(workload, &gaps->items[i]);
    }
    array_sort(totals, grouping->group_count, sizeof *totals, by_total);
    for (size_t i = GAP_KEYS_MAX; i < grouping->group_count; i++)
        grouping->groups[totals[i].group].dropped = true;
    return 0;
}

/* Names of what runs before and after a gap, and the group of its key. */
struct gap_pair {
    uint32_t names[2];
    uint32_t group, known; /* known 0: the group is not */
};

/* The group of a gap. Its key is written once for each pair of names. */
static int find_gap_group(struct grouping *grouping, struct map *pairs, const struct workload *workload,
                          const struct gap *gap, uint64_t order, uint32_t *ret, struct err *err)
{
    const uint32_t names[2] = {execution_name_id(workload, gap->before), execution_name_id(workload, gap->after)};
    struct gap_pair *pair = map_add(pairs, names, NULL, err);

    if (pair == NULL)
        return err_status(err);
    if (pair->known == 0) {
        SCOPED_FREE char *key = scoped_memory(
            strlen(workload_text(workload, names[0])) + strlen(workload_text(workload, names[1])) + sizeof " -> ", 1);
        if (key == NULL)
            return err_no_memory(err);
        stpcpy(stpcpy(stpcpy(key, workload_text(workload, names[0])), " -> "), workload_text(workload, names[1]));
        if (find_group(grouping, key, NO_TEXT, order, &pair->group, err) < 0)
            return err_status(err);
        pair->known = 1;
    }
    *ret = pair->group;
    return 0;
}

/* Gaps by what runs before and after them. */
static int table_of_gaps(const struct counting *counting, struct profile_table *table, struct err *err)
{
    const struct workload *workload = counting->workload;
    SCOPED(grouping_release) struct grouping grouping = {.groups = NULL};
    SCOPED(gaps_release) struct gaps gaps = {.items = NULL};
    SCOPED(map_release) struct map pairs = MAP_OF(struct gap_pair, names);
    uint32_t *groups = NULL, *behind = NULL; /* behind: of executions, the group of the gap in front */

    if (workload->facts.placed)
        return 0;
    bool failed = gaps_make(workload, &gaps, err) < 0 ||
                  (groups = large_new(gaps.count + 1, sizeof *groups, err)) == NULL ||
                  (behind = large_new(workload->execution_count + 1, sizeof *behind, err)) == NULL;
    for (size_t i = 0; !failed && i <= workload->execution_count; i++) {
        large_pass(i);
        behind[i] = NO_TEXT;
    }
    for (size_t i = 0; !failed && i < gaps.count; i++) {
        large_pass(i);
        failed = find_gap_group(&grouping, &pairs, workload, &gaps.items[i], i, &groups[i], err) < 0;
        behind[gaps.items[i].after] = groups[i];
    }
    const struct valued valued = {counting, groups, &gaps, gaps.count, take_gap, rate_of_gap, rest_of_gap};
    failed = failed || tell_varying(counting, &grouping, (struct execution_keys){.of_execution = behind}, err) < 0 ||
             keep_largest(&grouping, counting->workload, &gaps, groups, err) < 0 ||
             fill_table(&valued, &grouping, table, err) < 0;
    large_free(groups);
    large_free(behind);
    return failed ? err_status(err) : 0;
}

ENUM_NAMES(profile_measure_name, enum measure, "step_time", "device_busy", "period", "busy", "free", "exposed_comm")

/* values: room for one of each split. */
static int make_group(struct profile_group *group, const struct workload *workload, const struct splits *splits,
                      size_t g, int64_t *values, struct err *err)
{
    char key[GROUP_NAME_SIZE];

    splits_group_name(workload, splits, g, key);
    int status = copy_text(&group->key, key, err);
    group->batch = splits->groups.items[g].batch;
    group->fps = splits->whole ? -1 : splits_fps(&splits->groups.items[g].throughput);
    for (int m = 0; status == 0 && m < MEASURES; m++)
        status = splits_series(workload, splits, g, (enum measure)m, values, &group->measures[m], err);
    return status;
}

static int make_groups(struct profile *profile, const struct workload *workload, const struct splits *splits,
                       struct err *err)
{
    SCOPED_FREE int64_t *values = scoped_memory(splits->count + 1, sizeof *values);
    int status = values == NULL ? err_no_memory(err) : 0;

    profile->groups = calloc(splits->groups.count + 1, sizeof *profile->groups);
    if (profile->groups == NULL)
        status = err_no_memory(err);
    for (size_t g = 0; status == 0 && g < splits->groups.count; g++)
        if (splits->groups.items[g].source == splits->source)
            status = make_group(&profile->groups[profile->group_count++], workload, splits, g, values, err);
    profile->time_ns = (double)splits->all.time_ns;
    profile->busy_ns = (double)splits->all.busy_ns;
    profile->free_ns = (double)splits->all.free_ns;
    return status;
}

double profile_measure(const struct profile *profile, enum measure measure)
{
    double sum = 0, count = 0;

    for (size_t g = 0; g < profile->group_count; g++) {
        const struct series *series = &profile->groups[g].measures[measure];
        sum += series->median * (double)series->n;
        count += (double)series->n;
    }
    return count > 0 ? sum / count : -1;
}

/* Executions of one name can differ: each counts as what it is itself. */
static int make_sums(const struct counting *counting, struct profile *profile, struct err *err)
{
    const struct workload *workload = counting->workload;
    SCOPED_FREE double *times = scoped_memory(workload->operator_count + 1, sizeof *times);
    double cube_ns = 0, counted_ns = 0;

    if (times == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < workload->execution_count; i++) {
        large_pass(i);
        if (counts(counting, i))
            times[workload->executions[i].op] += workload_length(workload, &workload->executions[i]);
    }
    profile->read_write_bytes = -1;
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (op->read_bytes >= 0 && profile->read_write_bytes < 0)
            profile->read_write_bytes = 0;
        if (op->read_bytes >= 0)
            profile->read_write_bytes += op->read_bytes + op->write_bytes;
        if (op->units[UNIT_CUBE_ALL] >= 0 && op->units[UNIT_CUBE] > 0) {
            cube_ns += op->units[UNIT_CUBE_ALL];
            counted_ns += op->counted_ns;
        }
        profile->ai_cpu_ns += op->key.work == WORK_AI_CPU ? times[i] : 0;
        profile->conversion_ns += workload_is_conversion(workload_text(workload, op->key.type)) ? times[i] : 0;
    }
    profile->cube_share = counted_ns > 0 ? cube_ns / counted_ns : -1;
    return 0;
}

static int make_table(const struct counting *counting, enum subject subject, struct profile *profile, struct err *err)
{
    struct profile_table *table = &profile->tables[subject];

    switch (subject) {
    case BY_STREAM:
        return table_of_streams(counting, table, err);
    case BY_STEP:
        return table_of_steps(counting, table, err);
    case BY_GAP:
        return table_of_gaps(counting, table, err);
    default:
        return subject <= BY_LAYER ? table_of_operators(counting, subject, table, err) : 0; /* others are added */
    }
}

static int name_cut_steps(struct profile *profile, const struct splits *splits, struct err *err)
{
    char text[CUT_STEPS_TEXT_SIZE];

    cut_steps_text(splits->cuts, text);
    return copy_text(&profile->cut_steps, text, err);
}

/* What a profile has beside the rows of subjects. */
static int make_rest(struct counting *counting, struct splits *splits, const struct profile_choice *choice,
                     struct profile *ret, struct err *err)
{
    const struct workload *workload = counting->workload;

    if (splits_make(workload, splits, err) < 0 || name_cut_steps(ret, splits, err) < 0)
        return err_status(err);
    splits->warm_counts = choice->warmup;
    if (!choice->warmup && counted_executions(workload, splits, &counting->counted, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < splits->count; large_pass(i++)) {
        bool leads = !splits->whole && splits->groups.items[splits->items[i].group].source == splits->source;
        ret->warmup += leads && splits_is_warmup(splits, i);
        ret->steps += leads && splits_counts(splits, i);
    }
    return make_groups(ret, workload, splits, err) < 0 || make_sums(counting, ret, err) < 0 ? err_status(err) : 0;
}

int profile_make(const struct workload *workload, const char *name, const struct profile_choice *choice,
                 struct profile *ret, struct err *err)
{
    struct splits splits = {.items = NULL};
    SCOPED_FREE const char **copies = scoped_memory(workload->texts.count + 1, sizeof *copies);
    struct counting counting = {workload, &splits, NULL, choice->top, choice->ai_cpu, &ret->texts, copies};

    *ret = (struct profile){.facts = workload->facts,
                            .step_source = workload->step_source,
                            .executions = (int64_t)workload->execution_count,
                            .refused = (int64_t)workload->refused};
    ret->facts.models = ret->facts.metrics = NULL;
    if (copies == NULL)
        return err_no_memory(err);
    bool failed = copy_text(&ret->name, name, err) < 0 ||
                  copy_text(&ret->facts.models, workload->facts.models, err) < 0 ||
                  copy_text(&ret->facts.metrics, workload->facts.metrics, err) < 0 ||
                  (!choice->rows_alone && make_rest(&counting, &splits, choice, ret, err) < 0);
    for (int subject = BY_OP; !failed && subject <= BY_GAP; subject++)
        failed = (choice->subjects >> subject & 1) != 0 && make_table(&counting, (enum subject)subject, ret, err) < 0;
    splits_release(&splits);
    large_free(counting.counted);
    if (!failed)
        return 0;
    profile_release(ret);
    return err_status(err);
}

int profile_add_rows(struct profile *profile, enum subject subject, const struct named_times *times, struct err *err)
{
    struct profile_table *table = &profile->tables[subject];

    table->rows = large_new(times->count + 1, sizeof *table->rows, err);
    if (table->rows == NULL)
        return err_status(err);
    for (size_t i = 0; i < times->count; i++) {
        const struct durations *durations = &times->items[i].durations;
        const struct interned *name = &times->names.items[i];
        const char *key = texts_add(&profile->texts, name->bytes, name->length);
        int64_t *samples = texts_numbers(&profile->texts, series_samples(durations->count));
        if (key == NULL || samples == NULL)
            return err_no_memory(err);
        struct profile_row *row = &table->rows[table->count++];
        *row = (struct profile_row){.key = key, .name = key, .type = "", .shapes = "", .order = i};
        series_fill(&row->durations, durations->items, durations->count, durations->hz, samples);
        row->durations.total = times->items[i].total_ns;
    }
    array_sort(table->rows, table->count, sizeof *table->rows, by_key);
    table->known = true;
    return 0;
}

void profile_release(struct profile *profile)
{
    for (int t = 0; t < SUBJECTS; t++)
        large_free(profile->tables[t].rows);
    texts_release(&profile->texts);
    for (size_t g = 0; g < profile->group_count; g++) {
        for (int m = 0; m < MEASURES; m++)
            series_release(&profile->groups[g].measures[m]);
        free(profile->groups[g].key);
    }
    free(profile->groups);
    free(profile->cut_steps);
    free(profile->facts.models);
    free(profile->facts.metrics);
    free(profile->name);
    *profile = (struct profile){.name = NULL};
}
