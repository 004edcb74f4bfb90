/* SPDX-License-Identifier: Apache-2.0 */
/* What bytes say of their records without any table: size, byte order, what each byte does. */
#ifndef MSPROF_PARSERS_LAYOUTS_STRUCTURE_H
#define MSPROF_PARSERS_LAYOUTS_STRUCTURE_H

#include "base/strbuf.h"
#include "parsers/layouts/source.h"

#define STRUCTURE_SIZES 8

struct structure_size {
    size_t size;
    double score; /* share of bytes that are the same a record later */
};

/* The likeliest record sizes of a file, best first; returns how many there are. */
size_t structure_sizes(const struct source_file *file, struct structure_size sizes[STRUCTURE_SIZES], struct err *err);

/* A report in lines: sizes with their scores, byte order, header, and the fields of the likeliest size. */
int structure_report(const struct source_file *file, struct strbuf *text, struct err *err);

#endif
