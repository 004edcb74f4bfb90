/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/rank_arguments.h"

#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "exporters/json_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define METADATA_LIMIT ((size_t)128 * 1024 * 1024)
#define TEXT_LIMIT 1024 /* of one member's name, or value */

static bool put_text(struct strbuf *out, const char *text)
{
    char escaped[TEXT_LIMIT * JSON_TEXT_EXPANSION + 1];
    if (strlen(text) > TEXT_LIMIT)
        return false;
    escaped[json_text_escape(escaped, text, strlen(text))] = '\0';
    strbuf_addf(out, "\"%s\"", escaped);
    return true;
}

/* False: it is of another type. */
static bool put_value(struct strbuf *out, const struct json *value)
{
    char number[REAL_SHORTEST_MAX];
    int64_t integer;
    double real;
    bool flag;
    if (json_string(value) != NULL)
        return put_text(out, json_string(value));
    if (json_integer(value, &integer))
        strbuf_addf(out, "%" PRId64, integer);
    else if (json_boolean(value, &flag))
        strbuf_adds(out, flag ? "true" : "false");
    else if (json_number(value, &real) && number_print_real(number, real) > 0)
        strbuf_adds(out, number);
    else
        return false;
    return true;
}

static void put_members(struct strbuf *out, const struct json *arguments)
{
    const char *separator = "{";
    for (const struct json *member = json_first(arguments); member != NULL; member = json_next(member)) {
        const size_t before = out->length;
        strbuf_adds(out, separator);
        if (!put_text(out, json_key(member)) || (strbuf_adds(out, ": "), !put_value(out, member)))
            strbuf_cut(out, before);
        else
            separator = ", ";
    }
    if (*separator == ',')
        strbuf_adds(out, "}");
}

int rank_arguments_read(const char *directory, char *ret, size_t size, struct err *err)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *path = path_join(directory, "profiler_metadata.json"), *text = NULL;
    SCOPED(strbuf_release) struct strbuf out;
    size_t length = 0;
    *ret = '\0';
    strbuf_init(&out, size - 1);
    if (path == NULL)
        return err_no_memory(err);
    if (path_read_file(path, METADATA_LIMIT, &text, &length, err) < 0)
        return err->code == ERR_NOT_FOUND ? 0 : err_status(err);
    SCOPED_JSON struct json *root = json_parse(text, length, &ignored);
    const struct json *arguments = json_member(root, "distributed_args");
    if (json_is_object(arguments))
        put_members(&out, arguments);
    if (!out.failed && out.length < size)
        memcpy(ret, out.data != NULL ? out.data : "", out.length + 1);
    return 0;
}
