/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/output_file.h"

#include "base/number.h"
#include "base/utf8.h"
#include "db/database.h"

#include <inttypes.h>
#include <string.h>

#define PATH_LIMIT 8192

char *output_file_path(const struct export_options *options, const char *name, int64_t slice,
                       const char *const suffixes[3], struct err *err)
{
    struct strbuf path;
    strbuf_init(&path, PATH_LIMIT);
    strbuf_addf(&path, "%s/%s", options->directory, name);
    if (slice >= 0)
        strbuf_addf(&path, "_slice_%" PRId64, slice);
    strbuf_addf(&path, "%s%s%s", suffixes[0], suffixes[1], suffixes[2]);
    if (path.failed) {
        err_set(err, ERR_LIMIT, "the path of '%s' is too long", name);
        strbuf_release(&path);
        return NULL;
    }
    char *result = strbuf_detach(&path);
    if (result == NULL)
        err_no_memory(err);
    return result;
}

int output_file_done(struct outfile *out, const char *name, uint64_t rows, const struct export_options *options,
                     struct export_result *result, struct err *err)
{
    SCOPED_FREE char *path = scoped_text(out->path, strlen(out->path));
    if (path == NULL)
        outfile_abort(out);
    if (path == NULL || outfile_commit(out, err) < 0)
        return path == NULL ? err_no_memory(err) : err_status(err);
    result->files++;
    result->rows += rows;
    if (options->written != NULL)
        options->written(options->written_arg, name, path);
    return 0;
}

/* ---- report name ---- */

void report_name_number(struct strbuf *name, int64_t number)
{
    char buffer[NUMBER_MAX];
    if (number == DB_NULL)
        strbuf_adds(name, "unknown");
    else
        strbuf_add(name, buffer, (size_t)(number_put_signed(buffer, number) - buffer));
}

void report_name_model(struct strbuf *name, const char *model, size_t tail_length)
{
    size_t taken = name->length + tail_length, begin = name->length;
    size_t room = taken < REPORT_NAME_MAX ? REPORT_NAME_MAX - taken : 0;
    size_t length = strlen(model);
    strbuf_add(name, model, length <= room ? length : utf8_cut(model, room));
    for (size_t i = begin; i < name->length; i++) {
        unsigned char c = (unsigned char)name->data[i];
        if (c == '/' || c < 0x20 || c == 0x7F)
            name->data[i] = '_';
    }
}
