/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts at run time: the built-in ones and those from layout files; choosing one for a file. */
#ifndef MSPROF_PARSERS_DECODE_LAYOUT_H
#define MSPROF_PARSERS_DECODE_LAYOUT_H

#include "base/err.h"
#include "parsers/record.h"

/* One layout from a layout file. */
struct loaded_layout {
    struct loaded_layout *next;
    const struct record_kind *kind;
    struct layout layout;  /* its texts and fields are the members below */
    char *name, *source;   /* owned */
    struct field *fields;  /* owned */
    size_t field_capacity; /* entries allocated */
    bool named;            /* by the user, for this run */
    bool shipped;          /* with msprof, for boards of others: used where nothing else fits */
    bool replaced;         /* by a later file's layout of the same kind and name: never tried */
};

/* Layouts loaded from text files. Owns everything it holds. */
struct layout_set {
    struct loaded_layout *first; /* newest first: a later file wins over an earlier one */
};

void layout_set_init(struct layout_set *set);
void layout_set_release(struct layout_set *set);

#define LAYOUT_FILE_LIMIT 262144 /* bytes */
#define LAYOUT_HEADER_MAX 65536  /* bytes */
#define LAYOUT_KHZ_MAX 100000000

/* Parses the text of one layout file (format: msprof-records(5), LAYOUT FILES) and adds what it defines; inside one
 * file the first layout of a kind is tried first. On a mistake nothing is added and err says name:line, what was found
 * and what was expected: -ERR_FORMAT, -ERR_LIMIT when the text is longer than LAYOUT_FILE_LIMIT, -ERR_NO_MEMORY. */
int layout_set_parse(struct layout_set *set, const char *name, const char *text, size_t length, struct err *err);
int layout_set_load_file(struct layout_set *set, const char *path, struct err *err);
/* Loads likewise a file that the user names: its layouts outrank all others that fit. */
int layout_set_load_named(struct layout_set *set, const char *path, struct err *err);
/* Every *.layout file of a directory in name order; a directory that does not exist is fine. A mistake in one file ends
 * it, with the files before it added. */
int layout_set_load_directory(struct layout_set *set, const char *path, struct err *err);

/* The i-th layout to try for a kind: loaded ones first, then built-in ones whose name no loaded one took; NULL at the
 * end. */
const struct layout *layout_candidate(const struct layout_set *set, const struct record_kind *kind, size_t i);

/* The frequency in kHz that the first layout of a kind says that says one; 0: none does. */
int64_t layout_frequency(const struct layout_set *set, const struct record_kind *kind);

/* Marks the layouts loaded so far as those that are installed with msprof. */
void layout_set_mark_shipped(struct layout_set *set);
bool layout_is_shipped(const struct layout_set *set, const struct layout *layout);

/* Whether it comes from a file that the user named. */
bool layout_is_named(const struct layout_set *set, const struct layout *layout);

/* Checks a layout against its kind: sizes, widths, offsets, columns. The built-in ones are checked by a test.
 * -ERR_FORMAT with what was found and what was expected. */
int layout_check(const struct record_kind *kind, const struct layout *layout, struct err *err);
/* The parts of it, for one magic and for the field at an index (also against the fields before it). */
int layout_check_magic(const struct layout *layout, const struct magic *magic, struct err *err);
int layout_check_field(const struct record_kind *kind, const struct layout *layout, size_t index, struct err *err);

/* Whether devices of this chip (-1: not known) write records of a kind in this layout of it. */
bool layout_is_of_chip(const struct record_kind *kind, const struct layout *layout, int64_t chip);
/* True when all magics of the layout stand in this record (record_size bytes). */
bool layout_matches(const struct layout *layout, const unsigned char *record);

#endif
