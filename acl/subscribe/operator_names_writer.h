/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a table of operator names (acl/subscribe/operator_names.h). */
#ifndef MSPROF_ACL_SUBSCRIBE_OPERATOR_NAMES_WRITER_H
#define MSPROF_ACL_SUBSCRIBE_OPERATOR_NAMES_WRITER_H

#include "base/array.h"
#include "base/err.h"
#include "base/file/outfile.h"
#include "base/intern.h"

#include <stddef.h>
#include <stdint.h>

/* A table that is being put together; each text is held once. All zero is empty; needs a release. */
struct operator_names_writer {
    struct {
        unsigned char (*items)[8]; /* as they stand in the table */
        size_t count, capacity;
    } entries;
    struct intern texts;
    struct ARRAY_OF(uint32_t) offsets; /* of the texts in the table */
    size_t texts_length;
};

/* Appends the next operator. -ERR_NO_MEMORY; -ERR_LIMIT when the table grows beyond what is read. */
int operator_names_writer_add(struct operator_names_writer *writer, const char *type, const char *name,
                              struct err *err);

/* Writes the table for records of record_size bytes, whose first operator has the index first. Failed writes are kept
 * in the file until outfile_commit reports them. */
void operator_names_writer_write(const struct operator_names_writer *writer, uint32_t record_size, uint64_t first,
                                 struct outfile *out);

void operator_names_writer_release(struct operator_names_writer *writer);

#endif
