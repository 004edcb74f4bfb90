/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the kinds of Framework records whose texts are given as an id of the hash dictionary or as
 * themselves, at the same place (MixData, docs/formats/cann.md 5.4). */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_MIXED_TEXT_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_MIXED_TEXT_H

#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

enum { MIXED_TEXT_ID = 0, MIXED_TEXT_STRING = 1 };

/* The three columns of one such text: which of the two it is, and both. They are a byte for the kind, seven of nothing,
 * then the id or so many bytes of text. */
#define MIXED_TEXT(STORED, number, name, title, what, at, bytes)                                                       \
    STORED(number, name "_kind", title " given as", INTEGER(NONE, TRANSIENT), "0 an id, 1 a text.", AT(at, 1))         \
    STORED(number##_ID, name "_id", title " id", NUMBER, what ", as an id of the hash dictionary.",                    \
           SIGNED_AT((at) + 8, 8))                                                                                     \
    STORED(number##_STRING, name, title, TEXT(PLAIN), what ".", AT((at) + 8, bytes))

/* Keeps the one of the two columns that the kind (the column before them) names. */
static inline void mixed_text_resolve(struct row *row, size_t at)
{
    bool is_string = row->cells[at].integer == MIXED_TEXT_STRING;
    *row->present &= ~(UINT64_C(1) << (is_string ? at + 1 : at + 2));
}

#endif
