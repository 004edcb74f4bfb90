/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "base/strbuf.h"
#include "exporters/cluster/output/write.h"
#include "exporters/json_text.h"

#include <csv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096
#define RANKS_TEXT_MAX ((size_t)64 * 1024 * 1024)

void write_text(struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
}

void write_json(struct outfile *out, const char *text)
{
    size_t length = strlen(text);
    write_text(out, "\"");
    while (length > 0) {
        size_t piece = json_text_piece(text, length, PIECE);
        char *p = outfile_reserve(out, PIECE * JSON_TEXT_EXPANSION);
        outfile_advance(out, json_text_escape(p, text, piece));
        text += piece;
        length -= piece;
    }
    write_text(out, "\"");
}

void write_csv(struct outfile *out, const char *text)
{
    char buffer[2 * PIECE + 2];
    size_t length = strlen(text);
    if (strpbrk(text, ",\"\r\n") == NULL || length > PIECE) {
        write_text(out, text);
        return;
    }
    outfile_write(out, buffer, csv_write(buffer, sizeof buffer, text, length));
}

void write_integer(struct outfile *out, int64_t value)
{
    char *p = outfile_reserve(out, NUMBER_MAX);
    outfile_advance(out, (size_t)(number_put_signed(p, value) - p));
}

void write_decimal(struct outfile *out, int64_t value, unsigned decimals)
{
    char *p = outfile_reserve(out, NUMBER_MAX);
    outfile_advance(out, (size_t)(number_put_shortest(p, value, decimals) - p));
}

char *ranks_text(const int64_t *ranks, size_t count)
{
    struct strbuf text;
    strbuf_init(&text, RANKS_TEXT_MAX);
    strbuf_addc(&text, '(');
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, i == 0 ? "%" PRId64 : ", %" PRId64, ranks[i]);
    strbuf_adds(&text, count == 1 ? ",)" : ")");
    return strbuf_detach(&text);
}
