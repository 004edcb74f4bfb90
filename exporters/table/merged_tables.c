/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/merged_tables.h"

#include "base/array.h"
#include "exporters/output_file.h"
#include "exporters/row_format.h"

#include <stdlib.h>
#include <string.h>

struct merged_table {
    char *name;
    struct title_list ARRAY_OF(const char *) titles; /* owned */
    struct table_file file;                          /* while no writer has it */
    bool again; /* columns came that the rows before do not have: it is made once more, when all are known */
};

struct merged_tables {
    const struct export_options *options;
    struct export_result *result;
    struct row_owner owner; /* whose rows come now */
    struct merged_table_list ARRAY_OF(struct merged_table) tables;
    bool second; /* tables are made once more */
};

struct merged_tables *merged_tables_new(const struct export_options *options, struct export_result *result,
                                        struct err *err)
{
    struct merged_tables *merged = calloc(1, sizeof *merged);
    if (merged == NULL) {
        err_no_memory(err);
        return NULL;
    }
    merged->options = options;
    merged->result = result;
    return merged;
}

int merged_tables_begin(struct merged_tables *merged, const struct merge_part *part, struct err *err)
{
    row_owner_release(&merged->owner);
    return part->names_host || part->names_device
               ? row_owner_init(&merged->owner, part->host, part->names_device, part->names_host, err)
               : 0;
}

static struct merged_table *find_table(const struct merged_tables *merged, const char *name)
{
    for (size_t i = 0; i < merged->tables.count; i++) {
        if (strcmp(merged->tables.items[i].name, name) == 0)
            return &merged->tables.items[i];
    }
    return NULL;
}

static struct merged_table *need_table(struct merged_tables *merged, const char *name, struct err *err)
{
    struct merged_table *table = find_table(merged, name);
    if (table != NULL)
        return table;
    char *copy = strdup(name);
    if (copy == NULL || array_reserve(&merged->tables, 1, err) < 0) {
        free(copy);
        err_no_memory(err);
        return NULL;
    }
    table = &merged->tables.items[merged->tables.count++];
    *table = (struct merged_table){.name = copy};
    return table;
}

/* ---- columns ---- */

/* The place among the table's titles of the one that the plan has at `own`, which is added where no capture before has
 * it. A title may stand there several times. */
static int find_title(struct merged_table *table, const struct report_plan *plan, size_t own, struct err *err)
{
    const char *title = plan->titles[own];
    size_t before = 0, i = 0;
    for (size_t k = 0; k < own; k++)
        before += strcmp(plan->titles[k], title) == 0;
    for (; i < table->titles.count; i++) {
        if (strcmp(table->titles.items[i], title) == 0 && before-- == 0)
            return (int)i;
    }
    char *copy = strdup(title);
    if (i == TABLE_MAX_COLUMNS || copy == NULL || array_reserve(&table->titles, 1, err) < 0) {
        free(copy);
        return err_set(err, ERR_LIMIT, "no room for the columns of '%s'", table->name);
    }
    table->titles.items[table->titles.count++] = copy;
    return (int)i;
}

/* Gives the plan's rows the columns of the table. */
static int unite_columns(struct merged_table *table, struct report_plan *plan, struct err *err)
{
    size_t steps[TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < TABLE_MAX_COLUMNS; i++)
        steps[i] = SIZE_MAX;
    for (size_t i = 0; i < plan->step_count; i++) {
        const int place = find_title(table, plan, i, err);
        if (place < 0)
            return place;
        steps[place] = i;
    }
    return report_plan_arrange(plan, steps, table->titles.count, err);
}

int merged_tables_head(const struct merged_tables *merged, const char *name, struct outfile *out, struct err *err)
{
    const struct merged_table *table = find_table(merged, name);
    SCOPED(row_format_release) struct row_format format;
    if (row_format_init(&format, TABLE_CSV, table->titles.items, table->titles.count, err) < 0)
        return err_status(err);
    row_format_head(&format, table->titles.items, out);
    return 0;
}

/* ---- files ---- */

/* Drops what is there of the files of a table; those that are complete are written over. */
static void drop(struct merged_tables *merged, struct merged_table *table)
{
    outfile_abort(&table->file.out);
    merged->result->files -= table->file.files;
    merged->result->rows -= table->file.files * ROWS_PER_FILE;
    table->file = (struct table_file){.rows = 0};
}

int merged_tables_take(struct merged_tables *merged, const char *name, struct report_plan *plan, struct table_file *ret,
                       struct err *err)
{
    struct merged_table *table = need_table(merged, name, err);
    if (table == NULL)
        return err_status(err);
    const size_t known = table->titles.count;
    if (unite_columns(table, plan, err) < 0)
        return err_status(err);
    if (merged->owner.text.length > 0)
        report_plan_name_owner(plan, &merged->owner);
    if (known > 0 && table->titles.count > known) {
        drop(merged, table);
        table->again = true;
    }
    *ret = table->file;
    ret->whole = table->again && !merged->second;
    table->file = (struct table_file){.rows = 0};
    return 0;
}

void merged_tables_keep(struct merged_tables *merged, const char *name, struct table_file *file)
{
    find_table(merged, name)->file = *file;
    *file = (struct table_file){.rows = 0};
}

int merged_tables_end(struct merged_tables *merged, bool *ret_again, struct err *err)
{
    int status = 0;
    *ret_again = false;
    for (size_t i = 0; status == 0 && i < merged->tables.count; i++) {
        struct merged_table *table = &merged->tables.items[i];
        if (table->again && !merged->second) {
            drop(merged, table);
            *ret_again = true;
        } else if (table->file.out.path != NULL) {
            status =
                output_file_done(&table->file.out, table->name, table->file.rows, merged->options, merged->result, err);
        }
    }
    merged->second = *ret_again;
    return status;
}

bool merged_tables_wants(const struct merged_tables *merged, const char *name)
{
    const struct merged_table *table = merged->second ? find_table(merged, name) : NULL;
    return !merged->second || (table != NULL && table->again);
}

void merged_tables_free(struct merged_tables *merged)
{
    if (merged == NULL)
        return;
    for (size_t i = 0; i < merged->tables.count; i++) {
        struct merged_table *table = &merged->tables.items[i];
        outfile_abort(&table->file.out);
        for (size_t k = 0; k < table->titles.count; k++)
            free((void *)(uintptr_t)table->titles.items[k]);
        free(table->titles.items);
        free(table->name);
    }
    free(merged->tables.items);
    row_owner_release(&merged->owner);
    free(merged);
}
