/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of text that knows no lines: entries, one behind the other, with blanks, line ends or zero bytes between them.
 */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LOG_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LOG_H

#include "base/strbuf.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/text/text_lines.h"

#define TEXT_LOG_FORMATS 8

/* The state of a stream; zeroed at first. The kind's lines say what entries are: one with LINE_BLOCK begins a row,
 * which the next one, with LINE_ROW, ends; either may stand alone. "device_id" is filled by the file's name. Text that
 * is no entry is reported; an entry may go on in the next slice. */
struct text_log {
    const struct record_kind *kind;
    struct line_pattern patterns[TEXT_LOG_FORMATS];
    size_t format_count;
    /* Sets derived columns of a row; NULL: there are none. *keep false: it is dropped, which has been reported. */
    void (*finish)(struct decoder *decoder, const void *arg, const struct place *place, struct row *row, bool *keep);
    const void *arg;
    const struct capture_file *file; /* the latest slice */
    struct strbuf text;              /* of it, behind what the one before left over */
    int64_t shift;                   /* from places in the text to those in the file */
    int64_t entry;                   /* of the file */
    bool ending;                     /* nothing goes on in a next slice */
    size_t refused;                  /* where what is no entry begins; SIZE_MAX: all before is one */
    bool in_row;                     /* of the row that the cells are of the first entry is taken */
    size_t row_start;
    struct place row_place;
    struct cell cells[RECORD_MAX_COLUMNS]; /* texts point into the text */
    uint64_t present;
};

/* Hooks of kinds whose state begins with a struct text_log. Opening fails when a line of the kind is no pattern of it.
 */
int text_log_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err);
int text_log_take(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                  size_t length, struct err *err);
int text_log_close(struct decoder *decoder, void *state, bool failed, struct err *err);

#endif
