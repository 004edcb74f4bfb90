/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are the files of a capture: a byte says which directories are not there, then each entry is a byte for
 * its directory, a name, two bytes for the length of the content, and the content. */
#ifndef MSPROF_TESTS_FUZZ_TREE_H
#define MSPROF_TESTS_FUZZ_TREE_H

#include "tests/fuzz/directory.h"
#include "tests/fuzz/entries.h"

#define FILES_MAX 128
#define CAPTURE "capture"

static const char *const directories[] = {"",          "/data",          "/host",     "/host/data",
                                          "/device_0", "/device_0/data", "/device_1", "/device_1/data"};
#define DIRECTORIES (sizeof directories / sizeof *directories)

static inline void in_fuzz_directory(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", fuzz_directory, name);
}

static inline void make_file(struct input *input)
{
    const char *directory = directories[take_byte(input) % DIRECTORIES];
    char name[ENTRY_NAME_SIZE], path[256];
    const uint8_t *content;
    take_name(input, name);
    size_t length = take_byte(input);
    length = take_bytes(input, length << 8 | take_byte(input), &content);
    snprintf(path, sizeof path, CAPTURE "%s/%s", directory, name);
    fuzz_write_file(path, content, length);
}

/* The directories that files can be in; a half that has none is not there. */
static inline void make_tree(struct input *input)
{
    char path[256];
    in_fuzz_directory(path, CAPTURE);
    EXPECT(mkdir(path, 0700) == 0);
    uint8_t absent = take_byte(input); /* a bit for each directory but the first */
    for (size_t i = 1; i < DIRECTORIES; i++) {
        char name[64];
        snprintf(name, sizeof name, CAPTURE "%s", directories[i]);
        in_fuzz_directory(path, name);
        if ((absent >> (i - 1) & 1) == 0)
            mkdir(path, 0700);
    }
    for (int i = 0; i < FILES_MAX && input->at < input->end; i++)
        make_file(input);
}

#endif
