/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a user of libmsprof writes it: it knows the public header alone. usage: questions CAPTURE WORD...
 *   facts, tables, diagnostics; table NAME[/COLUMNS[/SORT[/TOP[/FILTER]]]]; sql QUERY; summary, advise, diff OTHER;
 *   export WHAT DIRECTORY; interrupt: the next call ends early */
#include <msprof/msprof.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int complain(struct msprof_error *error)
{
    printf("error %d: %s\n", msprof_error_code(error), msprof_error_message(error));
    if (msprof_error_hint(error)[0] != '\0')
        printf("hint: %s\n", msprof_error_hint(error));
    msprof_error_free(error);
    return 1;
}

static int print_table_name(void *arg, const char *name, const char *title)
{
    (void)arg;
    printf("%s\t%s\n", name, title);
    return 0;
}

static int print_diagnostic(void *arg, const struct msprof_diagnostic *diagnostic)
{
    (void)arg;
    printf("%s\t%s\t%d\t%" PRIu64 "\n", diagnostic->id, diagnostic->file, (int)diagnostic->severity, diagnostic->count);
    return 0;
}

static void print_written(void *arg, const char *path)
{
    (void)arg;
    printf("%s\n", path);
}

static void print_value(const struct msprof_column *column, size_t row)
{
    if ((column->valid[row / 8] >> row % 8 & 1) == 0)
        printf("N/A");
    else if (column->type == MSPROF_INTEGER)
        printf("%" PRId64, column->integers[row]);
    else if (column->type == MSPROF_REAL)
        printf("%.10g", column->reals[row]);
    else
        printf("%.*s", (int)(column->offsets[row + 1] - column->offsets[row]), column->text + column->offsets[row]);
}

static int print_rows(struct msprof_table *table, struct msprof_error **error)
{
    const struct msprof_block *block;
    int status = msprof_table_columns(table, &block, error);
    for (size_t i = 0; status == 0 && i < block->column_count; i++)
        printf("%s%s", i > 0 ? "\t" : "", block->columns[i].id);
    putchar('\n');
    while (status >= 0 && (status = msprof_table_next(table, &block, error)) == 1)
        for (size_t row = 0; row < block->rows; row++)
            for (size_t i = 0; i < block->column_count; i++) {
                print_value(&block->columns[i], row);
                putchar(i + 1 < block->column_count ? '\t' : '\n');
            }
    return status;
}

static int print_table(struct msprof_capture *capture, char *wanted, struct msprof_error **error)
{
    const char *parts[5] = {NULL}, *filters[2] = {NULL};
    struct msprof_table_options options = {.size = sizeof options};
    struct msprof_table *table;
    for (size_t i = 0; i < 5 && wanted != NULL; i++) {
        char *end = strchr(wanted, '/');
        parts[i] = wanted != end && wanted[0] != '\0' ? wanted : NULL;
        if (end != NULL)
            *end++ = '\0';
        wanted = end;
    }
    options.columns = parts[1];
    options.sort = parts[2];
    if (parts[3] != NULL)
        sscanf(parts[3], "%" SCNu64, &options.top);
    filters[0] = parts[4];
    options.filters = filters;
    options.block_rows = 7;
    int status = msprof_table_open(capture, parts[0], &options, &table, error);
    if (status == 0) {
        status = print_rows(table, error);
        msprof_table_close(table);
    }
    return status;
}

static int print_query(struct msprof_capture *capture, const char *query, struct msprof_error **error)
{
    struct msprof_table *table;
    int status = msprof_sql(capture, query, &table, error);
    if (status == 0) {
        status = print_rows(table, error);
        msprof_table_close(table);
    }
    return status;
}

static int print_answer(struct msprof_capture *capture, const char *question, const char *other,
                        struct msprof_error **error)
{
    struct msprof_capture *base = NULL;
    char *text;
    int status = other != NULL ? msprof_open(other, NULL, &base, error) : 0;
    if (status == 0)
        status = msprof_answer(capture, question, base, &text, error);
    if (status == 0) {
        fputs(text, stdout);
        msprof_free(text);
    }
    msprof_close(base);
    return status;
}

static int print_facts(struct msprof_capture *capture, struct msprof_error **error)
{
    struct msprof_facts facts = {.size = sizeof facts};
    int status = msprof_facts(capture, &facts, error);
    if (status == 0)
        printf("%s %s %" PRIu64 " decoded, %" PRIu64 " rejected, %" PRIu64 " problems, %s\n", facts.path, facts.family,
               facts.records_decoded, facts.records_rejected, facts.problems,
               facts.imported ? "imported" : "as it was");
    return status;
}

int main(int argc, char **argv)
{
    struct msprof_capture *capture;
    struct msprof_error *error = NULL;
    int status = 0;
    if (argc < 2 || msprof_open(argv[1], NULL, &capture, &error) < 0)
        return complain(error);
    for (int i = 2; status >= 0 && i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "facts") == 0)
            status = print_facts(capture, &error);
        else if (strcmp(word, "tables") == 0)
            status = msprof_tables(capture, print_table_name, NULL, &error);
        else if (strcmp(word, "diagnostics") == 0)
            status = msprof_diagnostics(capture, print_diagnostic, NULL, &error);
        else if (strcmp(word, "interrupt") == 0)
            msprof_interrupt(capture);
        else if (strcmp(word, "table") == 0 && i + 1 < argc)
            status = print_table(capture, argv[++i], &error);
        else if (strcmp(word, "sql") == 0 && i + 1 < argc)
            status = print_query(capture, argv[++i], &error);
        else if (strcmp(word, "diff") == 0 && i + 1 < argc)
            status = print_answer(capture, word, argv[++i], &error);
        else if (strcmp(word, "export") == 0 && i + 2 < argc) {
            status = msprof_export(capture, argv[i + 1], argv[i + 2], print_written, NULL, &error);
            i += 2;
        } else
            status = print_answer(capture, word, NULL, &error);
    }
    if (status < 0)
        complain(error);
    msprof_close(capture);
    return status < 0;
}
