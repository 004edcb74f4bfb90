/* SPDX-License-Identifier: Apache-2.0 */
/* Text dictionaries of CANN: lines "<key>:<text>" that may be cut in two where one slice ends and the next begins. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_DICTIONARY_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_DICTIONARY_H

#include "base/strbuf.h"
#include "parsers/decode/decode.h"

/* The state of a stream; zeroed at first. */
struct dictionary {
    const char *file_name; /* of the latest slice; NULL: none yet */
    struct strbuf rest;    /* a line that goes on in the next slice */
    bool skipping;         /* the rest of a line that is too long */
};

#define DICTIONARY_LINE_MAX (64 * 1024) /* bytes; the longest known lines have less than 4 KiB */

typedef int (*dictionary_line)(struct decoder *decoder, const struct capture_file *file, const char *line,
                               size_t length, const struct place *place, struct err *err);
/* For text hooks: hands every line of a slice to each as decoder_each_line does, also one that began in the slice
 * before. A line that goes on from slice to slice for more than DICTIONARY_LINE_MAX is reported and left out. */
int dictionary_take(struct decoder *decoder, struct dictionary *dictionary, const struct capture_file *file,
                    const char *data, size_t length, dictionary_line each, struct err *err);
/* Close hook: reports a line that never ended. */
int dictionary_close(struct decoder *decoder, void *state, bool failed, struct err *err);

/* Kinds of lines "<64-bit id>:<text>", which have rows where the kind has a table. */
#define HASH_COLUMNS 3
extern const struct column hash_columns[HASH_COLUMNS];
extern const struct kind_hooks hash_hooks;

/* Splits "<key>:<text>" at its first colon; the text, or NULL when there is no colon. */
const char *dictionary_split(const char *line, size_t length, size_t *ret_key_length, size_t *ret_text_length);
/* A decimal number of at most 64 bits. */
bool dictionary_parse_id(const char *text, size_t length, uint64_t *ret);
/* Reports a line that is not as expected. */
void dictionary_report(struct decoder *decoder, const char *line, size_t length, const struct place *place,
                       const char *expected);

#endif
