/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "parsers/frameworks/mindspore/mindspore.h"

#include <stdlib.h>

/* mindspore.record_shapes: the shapes that operators were called with. */

#define SHAPES_FIXED 6 /* bytes: the head of a text; less says nothing */

enum { TEXT_NAME, TEXT_SHAPES, TEXT_TYPES, TEXT_COUNT };

struct shapes_reading {
    int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes, struct err *err);
    void *arg;
    const char *path;
    struct diagnostics *diag;
};

static int take_shapes(void *arg, const struct framework_record *record, struct err *err)
{
    const struct shapes_reading *reading = arg;
    const struct framework_texts where = {.known = TEXT_COUNT, .path = reading->path};
    struct framework_text texts[TEXT_COUNT];
    framework_read_texts(record, &where, texts, TEXT_COUNT, reading->diag);
    return reading->each(reading->arg, &texts[TEXT_NAME], &texts[TEXT_SHAPES], err);
}

int mindspore_each_shape(const char *directory,
                         int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes,
                                     struct err *err),
                         void *arg, struct diagnostics *diag, struct err *err)
{
    char *path = path_join(directory, "FRAMEWORK/mindspore.record_shapes");
    struct shapes_reading reading = {each, arg, path, diag};
    if (path == NULL)
        return err_no_memory(err);
    int status = framework_read_tagged(path, SHAPES_FIXED, take_shapes, &reading, NULL, diag, err);
    free(path);
    return status;
}

/* mindspore.memory_usage: allocations and releases of device memory. */

#define MEMORY_FIXED 100
#define MEMORY_FIRST_TEXT 13
#define SIZE_LIMIT (UINT64_C(1) << 48) /* bytes: no device has as many; all bits set is a release */

struct memory_reading {
    struct framework *framework;
    struct mindspore_memories *memories;
    const char *path;
    struct diagnostics *diag;
};

static int take_memory(void *arg, const struct framework_record *record, struct err *err)
{
    struct memory_reading *reading = arg;
    const unsigned char *p = record->value.data;
    const struct place place = {reading->path, (int64_t)record->number, record->offset, NULL};
    const struct framework_texts where = {MEMORY_FIXED, MEMORY_FIRST_TEXT, 1, reading->path};
    struct framework_text owner;
    struct mindspore_memory memory = {
        .device = (int32_t)bytes_load(p, 4, false),
        .time_ns = (int64_t)bytes_load(p + 20, 8, false),
        .address = bytes_load(p + 28, 8, false),
        .size = bytes_load(p + 36, 8, false),
        .used = (int64_t)bytes_load(p + 44, 8, false),
        .peak = (int64_t)bytes_load(p + 52, 8, false),
        .reserved = (int64_t)bytes_load(p + 60, 8, false),
        .stream = (int64_t)bytes_load(p + 84, 8, false),
    };
    framework_read_texts(record, &where, &owner, 1, reading->diag);
    if (memory.time_ns < 0 || !framework_time_fits(reading->framework, memory.time_ns)) {
        diag_report(reading->diag, DIAG_RECORD_VALUE, &place, "a time months away from the capture");
        return 0;
    }
    if (memory.size > SIZE_LIMIT && memory.size != UINT64_MAX) {
        diag_report(reading->diag, DIAG_RECORD_VALUE, &place, "a block of %llu bytes", (unsigned long long)memory.size);
        return 0;
    }
    if (intern_add(&reading->framework->texts, owner.text != NULL ? owner.text : "", owner.length, &memory.owner, err) <
            0 ||
        array_reserve(reading->memories, 1, err) < 0)
        return -(int)err->code;
    reading->memories->items[reading->memories->count++] = memory;
    return 0;
}

int mindspore_memory_load(struct framework *framework, const char *directory, struct mindspore_memories *ret,
                          struct diagnostics *diag, struct err *err)
{
    char *path = path_join(directory, "FRAMEWORK/mindspore.memory_usage");
    *ret = (struct mindspore_memories){.count = 0};
    struct memory_reading reading = {framework, ret, path, diag};
    if (path == NULL)
        return err_no_memory(err);
    int status = framework_read_tagged(path, MEMORY_FIXED, take_memory, &reading, NULL, diag, err);
    free(path);
    return status;
}
