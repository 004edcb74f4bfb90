/* SPDX-License-Identifier: Apache-2.0 */
/* Files of records that frameworks' profilers leave behind: {u16 type, u32 length, value}, little endian, or records of
 * one size. A file is read in pieces; memory does not grow with it. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_RECORDS_H
#define MSPROF_FEATURES_FRAMEWORKS_RECORDS_H

#include "base/bytes.h"
#include "base/diag.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Remembers for framework_file_was_read that this file was read to its end. */
void records_note_read(const struct stat *info);

/* Text files of frameworks' profilers, line by line. */

/* The numbers that CANN gives names: host/data/unaging.additional.hash_dic.*, lines "<number>:<name>". */

struct hashed_name {
    const char *name;
    uint64_t number;
};

/* Sets the numbers of names (sorted by name); those that the capture does not say are calculated as CANN does. prof
 * NULL: all are. */
int records_hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag,
                         struct err *err);

struct framework_line {
    const char *path;
    const char *text; /* NUL-terminated, without its end of line */
    size_t length;
    uint64_t number; /* from 1 */
};

/* Calls take for each line of a file of a directory; a line that is too long or holds a NUL is reported and left out.
 * *ret_found (may be NULL): whether there is such a file. A link, or what is no file, is reported and not read. */
int framework_read_lines(const char *directory, const char *name,
                         int (*take)(void *arg, const struct framework_line *line, struct err *err), void *arg,
                         bool *ret_found, struct diagnostics *diag, struct err *err);

#define FRAMEWORK_RECORD_LIMIT ((size_t)64 * 1024 * 1024) /* bytes of one record */

struct framework_record {
    struct bytes value;
    const char *path; /* of its file */
    uint64_t number;  /* from 1 */
    int64_t offset;   /* in the file, of its head */
};
static inline struct place framework_place(const struct framework_record *record)
{
    return (struct place){record->path, (int64_t)record->number, record->offset, NULL};
}

/* Function that takes records: 0, or a negative code that ends the reading. */
typedef int framework_take(void *arg, const struct framework_record *record, struct err *err);

/* Bytes of records: the least, and all that there are in words. */
struct framework_lengths {
    size_t least;
    const char *text; /* "76 or 77 bytes" */
};
/* Calls take for every record whose value has at least so many bytes; shorter ones, and what the end of the file cuts
 * off, are reported to diag. A file that is not there has none; a link, or what is no file, is reported and not read.
 */
int framework_read_tagged(const char *directory, const char *name, struct framework_lengths lengths,
                          framework_take *take, void *arg, struct diagnostics *diag, struct err *err);
/* Reports a record whose length no layout has. */
void framework_report_length(const struct framework_record *record, size_t length, struct framework_lengths lengths,
                             struct diagnostics *diag);
/* Reads likewise records that all have this size and no head. */
int framework_read_plain(const char *directory, const char *name, size_t size, framework_take *take, void *arg,
                         struct diagnostics *diag, struct err *err);

struct framework_text {
    const char *text; /* NULL: not given; not NUL-terminated */
    size_t length;
};

/* The texts behind the fixed part of a record, by their types: of type first into texts[0] and so on; a type that comes
 * again: the last. A text that is no UTF-8 becomes "N/A". These are reported, as are texts that are cut off and those
 * of another type than the `known` ones from first on. */
struct framework_texts {
    size_t fixed;
    unsigned first, known;
};
void framework_read_texts(const struct framework_record *record, const struct framework_texts *where,
                          struct framework_text *texts, size_t count, struct diagnostics *diag);

/* Whether behind a fixed part of so many bytes texts stand up to the end of the record, or nothing does. *ret_types: a
 * bit (1 << type) for each. */
bool framework_texts_fit(const struct framework_record *record, size_t fixed, uint32_t *ret_types);

/* Reports a text that is not safe for people. Whoever writes it makes it safe; "\r\n", which parts stacks, is. */
void framework_check_text(const char *text, size_t length, const struct place *place, struct diagnostics *diag);

#endif
