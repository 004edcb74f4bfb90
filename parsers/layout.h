/* Layouts at run time: the built-in ones and those from layout files; choosing one for a file. */
#ifndef MSPROF_PARSERS_LAYOUT_H
#define MSPROF_PARSERS_LAYOUT_H

#include "base/err.h"
#include "parsers/record.h"

/* Layouts loaded from text files. Owns everything it holds. */
struct layout_set {
    struct loaded_layout *first; /* newest first: a later file wins over an earlier one */
};

void layout_set_init(struct layout_set *set);
void layout_set_release(struct layout_set *set);

#define LAYOUT_FILE_LIMIT (256 * 1024) /* bytes */

/* Parses the text of one layout file (format: msprof-records(5), LAYOUT FILES) and adds what it defines. On a mistake
 * nothing is added and err says name:line, what was found and what was expected. */
int layout_set_parse(struct layout_set *set, const char *name, const char *text, size_t length, struct err *err);
int layout_set_load_file(struct layout_set *set, const char *path, struct err *err);
/* Every *.layout file of a directory in name order; a directory that does not exist is fine. */
int layout_set_load_directory(struct layout_set *set, const char *path, struct err *err);

/* The i-th layout to try for a kind: loaded ones first, then built-in ones whose name no loaded one took; NULL at the end. */
const struct layout *layout_candidate(const struct layout_set *set, const struct record_kind *kind, size_t i);

/* Checks a layout against its kind: sizes, widths, offsets, columns. The built-in ones are checked by a test. */
int layout_check(const struct record_kind *kind, const struct layout *layout, struct err *err);

/* True when all magics of the layout stand in this record (record_size bytes). */
bool layout_matches(const struct layout *layout, const unsigned char *record);

#endif
