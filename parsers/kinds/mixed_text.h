/* A text of a Framework record that is given as an id of the hash dictionary or as itself, at the same place. */
#ifndef MSPROF_PARSERS_KINDS_MIXED_TEXT_H
#define MSPROF_PARSERS_KINDS_MIXED_TEXT_H

#include "parsers/decode.h"

enum { MIXED_TEXT_ID = 0, MIXED_TEXT_STRING = 1 };

/* Of the two columns keeps the one that the kind (the column before them) names. */
static inline void mixed_text_resolve(struct row *row, size_t kind, size_t id, size_t text)
{
    bool is_string = row->cells[kind].integer == MIXED_TEXT_STRING;
    *row->present &= ~(UINT64_C(1) << (is_string ? id : text));
}

#endif
