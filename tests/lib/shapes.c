/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/shapes.h"

#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const struct capture_shape capture_shapes[CAPTURE_SHAPES] = {
    {FAMILY_CANN,
     0,
     {"J/host", "J/host/data"},
     "host/data/",
     "host/info.json",
     "{\"platform_version\": \"5\", \"pid\": \"42\"}"},
    {FAMILY_ASCEND,
     0,
     {"J/device_0", "J/device_0/data"},
     "device_0/data/",
     "device_0/info.json.0",
     "{\"platform_version\": \"5\", \"pid\": \"42\", \"DeviceInfo\": [{\"id\": 0, \"hwts_frequency\": \"50\"}]}"},
    {FAMILY_2022 | FAMILY_JOB,
     0,
     {"J/data", NULL},
     "data/",
     "info.json.0",
     "{\"platform_version\": \"1\", \"DeviceInfo\": "
     "[{\"id\": 0, \"hwts_frequency\": \"100\", \"ai_core_num\": 30}]}"},
    {FAMILY_SVP, 0, {"J/data", NULL}, "data/", "info.json.0", "{\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}"},
    {FAMILY_JOB, 0, {"J/data", NULL}, "data/", NULL, NULL},
    {FAMILY_CANN,
     0,
     {"J/device_0", "J/device_0/data"},
     "device_0/data/",
     "device_0/info.json.0",
     "{\"platform_version\": \"5\", \"version\": \"2.0\", \"pid\": \"42\", \"DeviceInfo\": [{\"id\": 0, "
     "\"hwts_frequency\": "
     "\"50\"}]}"},
    {0, /* for the fixtures that ask for this chip */
     0,
     {"J/device_0", "J/device_0/data"},
     "device_0/data/",
     "device_0/info.json.0",
     "{\"platform_version\": \"0\", \"pid\": \"42\", \"DeviceInfo\": [{\"id\": 0, \"hwts_frequency\": \"50\"}]}"},
    {FAMILY_CANN,
     CHIPS_V6,
     {"J/device_0", "J/device_0/data"},
     "device_0/data/",
     "device_0/info.json.0",
     "{\"platform_version\": \"15\", \"pid\": \"42\", \"DeviceInfo\": [{\"id\": 0, \"hwts_frequency\": \"1000\"}]}"},
};

void shape_put(const char *name, const void *bytes, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, "J/%s", name);
    FILE *file = fopen(in_scratch(path), "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void shape_make(const struct capture_shape *shape)
{
    assert_int_equal(mkdir(in_scratch("J"), 0750), 0);
    for (size_t i = 0; i < 2 && shape->directories[i] != NULL; i++)
        assert_int_equal(mkdir(in_scratch(shape->directories[i]), 0750), 0);
    if (shape->info_name != NULL)
        shape_put(shape->info_name, shape->info, strlen(shape->info));
}

void shape_remove(const struct capture_shape *shape, const char *name)
{
    char path[256];
    const char *const files[] = {name, shape->info_name};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "J/%s", files[i] != NULL ? files[i] : "");
        if (files[i] != NULL)
            assert_int_equal(unlink(in_scratch(path)), 0);
    }
    for (size_t i = 2; i-- > 0;) {
        if (shape->directories[i] != NULL)
            assert_int_equal(rmdir(in_scratch(shape->directories[i])), 0);
    }
    assert_int_equal(rmdir(in_scratch("J")), 0);
}

bool files_hold(const struct record_kind *of_files, const struct record_kind *kind)
{
    if (of_files->patterns == NULL || of_files->patterns[0] == NULL)
        return false;
    for (size_t i = 0; of_files->parts != NULL && of_files->parts[i] != NULL; i++) {
        if (of_files->parts[i] == kind)
            return true;
    }
    return of_files == kind;
}

size_t typed_record_header(const struct record_kind *kind, const struct typed_record *typed)
{
    for (size_t i = 0; i < kind->layout_count; i++) {
        if (kind->layouts[i].record_size == typed->length &&
            (*typed->layout == '\0' || strcmp(typed->layout, kind->layouts[i].name) == 0))
            return kind->layouts[i].header;
    }
    return 0;
}

uint32_t typed_record_chips(const struct record_kind *kind, const struct typed_record *typed)
{
    uint32_t chips = kind->chips;
    for (size_t i = 0; i < kind->layout_count; i++) {
        if (strcmp(typed->layout, kind->layouts[i].name) == 0)
            chips |= kind->layouts[i].chips;
    }
    return chips;
}

void text_fixture_read(const char *fixture, char path[128], int *ret_chip, char *text, size_t size)
{
    char line[512];
    size_t length = 0;
    FILE *file = fopen(fixture, "re");
    assert_non_null(file);
    assert_true(fgets(line, sizeof line, file) != NULL && sscanf(line, "file %127[^\n]", path) == 1);
    assert_true(fgets(line, sizeof line, file) != NULL);
    *ret_chip = -1;
    if (sscanf(line, "chip %d", ret_chip) == 1)
        assert_true(fgets(line, sizeof line, file) != NULL);
    assert_string_equal(line, "text\n");
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "rows ", 5) != 0)
        length += (size_t)snprintf(text + length, size - length, "%s", line);
    assert_true(length < size);
    assert_int_equal(fclose(file), 0);
}

const struct capture_shape *shape_of_path(const char *path, int chip)
{
    assert_true(chip == -1 || chip == 0);
    if (chip == 0)
        return &capture_shapes[6];
    if (strncmp(path, "host/", 5) == 0)
        return &capture_shapes[0];
    return &capture_shapes[strncmp(path, "device_", 7) == 0 ? 1 : 4];
}
