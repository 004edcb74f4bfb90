/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of captures of one operator as a file: 'msprof diff --save'. */
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/format/json_in.h"
#include "exporters/json_seal.h"
#include "exporters/json_text.h"
#include "features/diff/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define HEAD "{\"schema\":\"" SCHEMA_SAMPLES "\""

int measures_write(const char *path, const struct measures *measures, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;
    struct outfile out;

    strbuf_init(&text, FILE_BYTES_MAX);
    strbuf_adds(&text, HEAD ",\n\"samples\":[");
    for (size_t i = 0; i < measures->count; i++) {
        const struct measure_sample *sample = &measures->items[i];
        strbuf_adds(&text, i > 0 ? ",\n{\"measure\":" : "\n{\"measure\":");
        json_text_quote(&text, sample->key, strlen(sample->key));
        strbuf_adds(&text, ",\"operator\":");
        json_text_quote(&text, sample->operator_name, strlen(sample->operator_name));
        strbuf_addf(&text, ",\"value\":%.17g}", sample->value);
    }
    strbuf_adds(&text, "]");
    json_seal(&text);
    if (text.failed)
        return err_set(err, ERR_LIMIT, "the baseline would be longer than %zu MB", FILE_BYTES_MAX >> 20);
    if (outfile_open(&out, path, err) < 0)
        return err_status(err);
    outfile_add(&out, &text);
    return outfile_commit(&out, err);
}

static int take_samples(const struct json *root, struct measures *measures, struct err *err)
{
    const struct json *samples = json_member(root, "samples");

    if (!json_is_array(samples) || json_first(samples) == NULL)
        return err_set(err, ERR_FORMAT, "it has no samples");
    for (const struct json *sample = json_first(samples); sample != NULL; sample = json_next(sample)) {
        const char *name = json_string(json_member(sample, "operator"));
        const char *key = json_string(json_member(sample, "measure"));
        double value;
        if (name == NULL || key == NULL || !json_number(json_member(sample, "value"), &value) || !isfinite(value))
            return err_set(err, ERR_FORMAT, "a sample without measure, operator or value");
        if (measures_add(measures, name, key, value, err) < 0)
            return err_status(err);
    }
    return 0;
}

int measures_read(const char *path, struct measures *measures, bool *ret_is, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length = 0;
    struct err ignored = ERR_INIT;

    *ret_is = path_read_file(path, FILE_BYTES_MAX, &text, &length, &ignored) == 0 && length >= sizeof HEAD - 1 &&
              memcmp(text, HEAD, sizeof HEAD - 1) == 0;
    if (!*ret_is)
        return 0;
    SCOPED_JSON struct json *root = json_seal_check(text, length, err) == 0 ? json_parse(text, length, err) : NULL;
    if (root != NULL && take_samples(root, measures, err) == 0)
        return 0;
    err_wrap(err, "cannot use '%s' as a baseline", path);
    err_hint_caller(err, "create the baseline again");
    return err_hint(err, "create it again with 'msprof diff --save %s --base CAPTURE'", path);
}
