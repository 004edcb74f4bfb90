/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/table_stream.h"

#include "base/file/outfile.h"
#include "base/strbuf.h"
#include "exporters/row_format.h"

#include <stdlib.h>
#include <string.h>

#define TITLES_MAX ((size_t)1 << 20)

static char *join_titles(const char *const *titles, size_t count, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, TITLES_MAX);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, "%s\n", titles[i]);
    char *joined = strbuf_detach(&text);
    if (joined == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for the titles of a table");
    return joined;
}

int table_stream_begin(struct table_stream *stream, enum table_format format, const char *const *titles, size_t count,
                       bool *ret_head, struct err *err)
{
    char *joined = join_titles(titles, count, err);
    *ret_head = !stream->begun;
    if (joined == NULL)
        return -(int)err->code;
    if (!stream->begun) {
        stream->begun = true;
        stream->format = format;
        stream->titles = joined;
        return 0;
    }
    bool same = format == TABLE_JSON || strcmp(joined, stream->titles) == 0;
    free(joined);
    if (same)
        return 0;
    err_set(err, ERR_FAILED, "the columns of this table are not those of the table before");
    return err_hint(err, "choose columns that all have with --columns, or take --format json");
}

int table_stream_end(struct table_stream *stream, struct err *err)
{
    const struct row_format format = {.format = stream->format};
    struct outfile out;
    int status = 0;
    if (stream->begun && stream->format == TABLE_JSON) {
        status = outfile_open(&out, stream->path, err);
        if (status == 0) {
            row_format_tail(&format, stream->rows > 0, &out);
            status = outfile_commit(&out, err);
        }
    }
    free(stream->titles);
    *stream = (struct table_stream){.path = stream->path};
    return status;
}
