/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/output_file.h"

#include "base/strbuf.h"

#include <inttypes.h>

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
        err_set(err, ERR_NO_MEMORY, "out of memory");
    return result;
}

int output_file_done(struct outfile *out, const char *name, const char *path, uint64_t rows,
                     const struct export_options *options, struct export_result *result, struct err *err)
{
    int status = outfile_commit(out, err);
    if (status < 0)
        return status;
    result->files++;
    result->rows += rows;
    if (options->written != NULL)
        options->written(options->written_arg, name, path);
    return 0;
}
