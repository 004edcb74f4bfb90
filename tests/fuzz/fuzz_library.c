/* SPDX-License-Identifier: Apache-2.0 */
/* libmsprof by its public functions: the input is a number of calls, each a byte for which and a text, and a capture
 * (tree.h) that they are about. */
#include "tests/fuzz/sqlite_memory.h"
#include "tests/fuzz/tree.h"

#include <msprof/msprof.h>

#define CALLS_MAX 12
#define ROWS_MAX 2000
#define TEXT_SIZE 256

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=1:max_malloc_fill_size=0";
}

/* 0 or more: fine. Below: there is an error, which has a text and the same code. */
static int checked(int status, struct msprof_error **error)
{
    EXPECT((status < 0) == (*error != NULL));
    if (*error != NULL) {
        EXPECT(msprof_error_code(*error) == status && msprof_error_message(*error)[0] != '\0');
        EXPECT(msprof_error_hint(*error) != NULL);
        msprof_error_free(*error);
        *error = NULL;
    }
    return status;
}

static uint64_t seen; /* so that every byte of a column is read */

static void look_at(const struct msprof_column *column, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        seen += column->valid[row / 8] >> row % 8 & 1;
        if (column->type == MSPROF_INTEGER)
            seen += (uint64_t)column->integers[row];
        else if (column->type == MSPROF_REAL)
            seen += column->reals[row] > 0;
        else
            EXPECT(column->offsets[row] <= column->offsets[row + 1]);
    }
    for (int32_t i = 0; column->type == MSPROF_TEXT && i < column->offsets[rows]; i++)
        seen += (unsigned char)column->text[i];
}

static void read_rows(struct msprof_table *table)
{
    const struct msprof_block *block;
    struct msprof_error *error = NULL;
    size_t rows = 0;
    EXPECT(msprof_table_columns(table, &block, &error) == 0 && block->rows == 0);
    const size_t columns = block->column_count;
    while (rows < ROWS_MAX && checked(msprof_table_next(table, &block, &error), &error) == 1) {
        EXPECT(block->rows > 0 && block->column_count == columns);
        for (size_t i = 0; i < columns; i++)
            look_at(&block->columns[i], block->rows);
        rows += block->rows;
    }
    msprof_table_close(table);
}

/* The text as choices of a table, parted by bars: name, columns, sort, filter, step, from, until. */
static void open_table(struct msprof_capture *capture, char *text)
{
    char *parts[7] = {text};
    struct msprof_table *table;
    struct msprof_error *error = NULL;
    for (size_t i = 1; i < 7 && parts[i - 1] != NULL; i++) {
        parts[i] = strchr(parts[i - 1], '|');
        if (parts[i] != NULL)
            *parts[i]++ = '\0';
    }
    const char *filters[] = {parts[3] != NULL && parts[3][0] != '\0' ? parts[3] : NULL, NULL};
    struct msprof_table_options options = {.size = sizeof options, .filters = filters, .block_rows = 5, .top = 300};
    options.columns = parts[1] != NULL && parts[1][0] != '\0' ? parts[1] : NULL;
    options.sort = parts[2] != NULL && parts[2][0] != '\0' ? parts[2] : NULL;
    options.step = parts[4] != NULL && parts[4][0] != '\0' ? parts[4] : NULL;
    options.from = parts[5] != NULL && parts[5][0] != '\0' ? parts[5] : NULL;
    options.until = parts[6] != NULL && parts[6][0] != '\0' ? parts[6] : NULL;
    if (checked(msprof_table_open(capture, parts[0], &options, &table, &error), &error) == 0)
        read_rows(table);
}

static int look_at_name(void *arg, const char *name, const char *title)
{
    size_t *left = arg;
    EXPECT(name[0] != '\0' && title != NULL);
    return *left > 0 && --*left == 0; /* enough */
}

static int look_at_diagnostic(void *arg, const struct msprof_diagnostic *diagnostic)
{
    (void)arg;
    EXPECT(diagnostic->id[0] != '\0' && diagnostic->file != NULL && diagnostic->count > 0);
    return 0;
}

static int look_at_bytes(void *arg, const char *name, const void *bytes, size_t length)
{
    (void)arg;
    EXPECT(name[0] != '\0' && strchr(name, '/') == NULL);
    for (size_t i = 0; i < length; i++)
        seen += ((const unsigned char *)bytes)[i];
    return 0;
}

static void ask(struct msprof_capture *capture, const char *question, struct msprof_capture *other)
{
    struct msprof_error *error = NULL;
    char *answer;
    if (checked(msprof_answer(capture, question, other, &answer, &error), &error) < 0)
        return;
    EXPECT(answer[0] != '\0');
    msprof_free(answer);
}

static void call(struct msprof_capture *capture, uint8_t which, char *text)
{
    static const char *const kinds[] = {"summary", "timeline", "perfetto", "db", "report"};
    struct msprof_facts facts = {.size = sizeof facts};
    struct msprof_error *error = NULL;
    struct msprof_table *table;
    size_t left = which;
    switch (which % 9) {
    case 0:
    case 1:
        open_table(capture, text);
        break;
    case 2:
        if (checked(msprof_sql(capture, text, &table, &error), &error) == 0)
            read_rows(table);
        break;
    case 3:
        ask(capture, text, NULL);
        break;
    case 4:
        ask(capture, "diff", capture);
        break;
    case 5:
        checked(msprof_tables(capture, look_at_name, &left, &error), &error);
        break;
    case 6:
        EXPECT(msprof_diagnostics(capture, look_at_diagnostic, NULL, &error) == 0);
        checked(msprof_facts(capture, &facts, &error), &error);
        break;
    case 7:
        checked(msprof_export_bytes(capture, kinds[(which / 9U) % 5], look_at_bytes, NULL, &error), &error);
        break;
    default:
        msprof_interrupt(capture);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    uint8_t which[CALLS_MAX];
    char texts[CALLS_MAX][TEXT_SIZE], path[256], results[256];
    struct msprof_capture *capture;
    struct msprof_error *error = NULL;
    const size_t calls = take_byte(&input) % (CALLS_MAX + 1);
    sqlite_memory_past_asan();
    for (size_t i = 0; i < calls; i++) {
        const uint8_t *text;
        which[i] = take_byte(&input);
        const size_t length = take_bytes(&input, take_byte(&input), &text);
        memcpy(texts[i], text, length);
        texts[i][length] = '\0';
    }
    fuzz_directory_make();
    fuzz_directory_clear();
    make_tree(&input);
    in_fuzz_directory(path, CAPTURE);
    in_fuzz_directory(results, "results");
    const struct msprof_open_options options = {.size = sizeof options, .results = results};
    if (checked(msprof_open(path, &options, &capture, &error), &error) < 0)
        return 0;
    for (size_t i = 0; i < calls; i++)
        call(capture, which[i], texts[i]);
    msprof_close(capture);
    return 0;
}
