/* SPDX-License-Identifier: Apache-2.0 */
/* mindspore.record_shapes: the shapes that operators were called with. */
#include "parsers/frameworks/mindspore/mindspore.h"

#include "base/file/fsutil.h"

#include <stdlib.h>

#define FIXED 6 /* bytes: the head of a text; less says nothing */

enum { TEXT_NAME, TEXT_SHAPES, TEXT_COUNT };

struct reading {
    int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes, struct err *err);
    void *arg;
    const char *path;
    struct diagnostics *diag;
};

static int take_record(void *arg, const struct framework_record *record, struct err *err)
{
    const struct reading *reading = arg;
    const struct place place = {reading->path, (int64_t)record->number, record->offset, NULL};
    struct framework_text texts[TEXT_COUNT];
    if (!framework_texts(&record->value, 0, 0, texts, TEXT_COUNT))
        diag_report(reading->diag, DIAG_RECORD_TRUNCATED, &place, "the record's texts are cut off");
    return reading->each(reading->arg, &texts[TEXT_NAME], &texts[TEXT_SHAPES], err);
}

int mindspore_each_shape(const char *directory,
                         int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes,
                                     struct err *err),
                         void *arg, struct diagnostics *diag, struct err *err)
{
    char *path = path_join(directory, "FRAMEWORK/mindspore.record_shapes");
    struct reading reading = {each, arg, path, diag};
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = framework_read_tagged(path, FIXED, take_record, &reading, NULL, diag, err);
    free(path);
    return status;
}
