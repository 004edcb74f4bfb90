/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of one file in the scratch directory, of every family: where records of any kind can be tried. */
#ifndef MSPROF_TESTS_SHAPES_H
#define MSPROF_TESTS_SHAPES_H

#include "tests/lib/typed_record.h"

#include <stdbool.h>

#define CAPTURE_SHAPES 8

extern const struct capture_shape {
    unsigned families; /* that captures of this shape are of */
    uint32_t chips;    /* of records that come from these chips alone; 0: of all others */
    const char *directories[2], *data, *info_name, *info;
} capture_shapes[CAPTURE_SHAPES];

/* The capture J with its description and no data; both fail the running test when they cannot. */
void shape_make(const struct capture_shape *shape);
/* Removes it, and its data file of this name. */
void shape_remove(const struct capture_shape *shape, const char *name);
/* Writes a file of the capture. */
void shape_put(const char *name, const void *bytes, size_t length);

/* Whether files of a kind hold records of another, or of itself. */
bool files_hold(const struct record_kind *of_files, const struct record_kind *kind);
/* How many bytes stand in front of the first record of a file of such records. */
size_t typed_record_header(const struct record_kind *kind, const struct typed_record *typed);
/* The chips that alone record such records; 0: they are not of certain ones. */
uint32_t typed_record_chips(const struct record_kind *kind, const struct typed_record *typed);

/* The path, the chip (-1: any) and the text of a fixture of a text kind (testdata/kinds/README.md). */
void text_fixture_read(const char *fixture, char path[128], int *ret_chip, char *text, size_t size);
/* Where a path of such a fixture is one: of the host, of a device, or in a capture of 2020, which is this file alone.
 */
const struct capture_shape *shape_of_path(const char *path, int chip);

#endif
