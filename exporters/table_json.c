#include "exporters/json_text.h"
#include "exporters/table_backend.h"

#define PIECE (OUTFILE_RESERVE_MAX / JSON_TEXT_EXPANSION)

/* What stands before each value: the end of the previous line, the indent and the key. */
static void json_begin(struct table *table, const char *const *titles)
{
    for (size_t i = 0; i < table->columns; i++) {
        strbuf_adds(&table->keys, i == 0 ? "\n        \"" : ",\n        \"");
        json_text_append(&table->keys, titles[i], strlen(titles[i]));
        strbuf_adds(&table->keys, "\": ");
        table->key_ends[i] = table->keys.length;
    }
    table->out_of_memory = table->keys.failed;
    outfile_write(&table->out, "[", 1);
}

static void put_string(struct table *table, const char *text, size_t length)
{
    outfile_write(&table->out, "\"", 1);
    while (length > 0) {
        size_t piece = json_text_piece(text, length, PIECE);
        char *p = outfile_reserve(&table->out, piece * JSON_TEXT_EXPANSION);
        outfile_advance(&table->out, json_text_escape(p, text, piece));
        text += piece;
        length -= piece;
    }
    outfile_write(&table->out, "\"", 1);
}

static void json_row(struct table *table, const struct table_cell *cells)
{
    char buffer[NUMBER_MAX];
    const char *separator = table->rows == 0 ? "\n    {" : ",\n    {";
    outfile_write(&table->out, separator, strlen(separator));
    for (size_t i = 0; i < table->columns; i++) {
        size_t begin = i == 0 ? 0 : table->key_ends[i - 1], length;
        const char *text = cell_as_text(&cells[i], buffer, &length);
        outfile_write(&table->out, table->keys.data + begin, table->key_ends[i] - begin);
        if (cells[i].kind == CELL_TEXT || cell_is_missing(&cells[i]))
            put_string(table, text, length);
        else
            outfile_write(&table->out, text, length);
    }
    outfile_write(&table->out, "\n    }", 6);
}

static void json_end(struct table *table)
{
    const char *end = table->rows == 0 ? "]\n" : "\n]\n";
    outfile_write(&table->out, end, strlen(end));
}

const struct table_backend table_json = {.begin = json_begin, .row = json_row, .end = json_end};
