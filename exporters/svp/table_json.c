#include "exporters/json_text.h"
#include "exporters/svp/table.h"

#define MISSING_STRING "\"" TABLE_MISSING "\""

/* What stands before a value: the end of the line before it, the indent and the key. */
static int append_key(struct strbuf *buf, const char *title, bool first)
{
    if (strbuf_adds(buf, first ? "\n        \"" : ",\n        \"") < 0 ||
        json_text_append(buf, title, strlen(title)) < 0)
        return -1;
    return strbuf_adds(buf, "\": ");
}

static int append_string(struct strbuf *buf, const char *text, size_t length)
{
    if (strbuf_addc(buf, '"') < 0 || json_text_append(buf, text, length) < 0)
        return -1;
    return strbuf_addc(buf, '"');
}

static void json_begin(struct table *table, const char *const *titles)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (append_key(&table->keys, titles[i], i == 0) < 0)
            table->out_of_memory = true;
        table->key_ends[i] = table->keys.length;
    }
    outfile_write(&table->out, "[", 1);
}

static void put_string(struct table *table, const char *text, size_t length)
{
    strbuf_clear(&table->field);
    if (append_string(&table->field, text, length) < 0)
        table->out_of_memory = true;
    outfile_write(&table->out, table->field.data, table->field.length);
}

static void json_row(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells)
{
    const char *separator = table->rows == 0 ? "\n    {" : ",\n    {";
    outfile_write(&table->out, separator, strlen(separator));
    outfile_write(&table->out, beginning->text, beginning->length);
    for (size_t i = beginning->cells; i < table->columns; i++) {
        const struct table_cell *cell = &cells[i];
        size_t begin = i == 0 ? 0 : table->key_ends[i - 1], length = table->key_ends[i] - begin;
        char *start = outfile_reserve(&table->out, length + NUMBER_MAX);
        char *p = mempcpy(start, table->keys.data + begin, length);
        if (cell_is_missing(cell))
            p = mempcpy(p, MISSING_STRING, strlen(MISSING_STRING));
        else if (cell->kind != CELL_TEXT)
            p = cell_put_number(p, cell);
        outfile_advance(&table->out, (size_t)(p - start));
        if (cell->kind == CELL_TEXT && cell->text != NULL)
            put_string(table, cell->text, cell->length);
    }
    outfile_write(&table->out, "\n    }", 6);
}

static void json_end(struct table *table)
{
    const char *end = table->rows == 0 ? "]\n" : "\n]\n";
    outfile_write(&table->out, end, strlen(end));
}

static int json_render(struct strbuf *buf, const char *title, const struct table_cell *cell, bool first)
{
    char buffer[NUMBER_MAX];
    size_t length;
    const char *text = cell_as_text(cell, buffer, &length);
    if (append_key(buf, title, first) < 0)
        return -1;
    return cell->kind == CELL_TEXT || cell_is_missing(cell) ? append_string(buf, text, length)
                                                            : strbuf_add(buf, text, length);
}

const struct table_backend table_json = {.begin = json_begin, .row = json_row, .end = json_end, .render = json_render};
