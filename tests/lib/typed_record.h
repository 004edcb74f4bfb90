/* SPDX-License-Identifier: Apache-2.0 */
/* Records typed by hand (testdata/kinds/README.md), and where a capture has files of their kind. */
#ifndef MSPROF_TESTS_TYPED_RECORD_H
#define MSPROF_TESTS_TYPED_RECORD_H

#include "parsers/record.h"

#include <stddef.h>

#define MAX_RECORD 4096
#define MAX_LINE 256

struct expectation {
    char column[64];
    char value[128];
};

struct typed_record {
    char path[512];
    unsigned char bytes[MAX_RECORD];
    size_t length;
    struct expectation expected[RECORD_MAX_COLUMNS];
    size_t expected_count;
    char layout[64]; /* "": the first that fits */
};

/* Reads the file that fixture->path names; a mistake in it fails the running test. */
void typed_record_read(struct typed_record *fixture);

/* A file name that follows the pattern of a kind. */
void name_by_pattern(const char *pattern, char *name, size_t size);

#endif
