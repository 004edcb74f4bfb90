/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a row on its way into a table. */
#ifndef MSPROF_EXPORTERS_TABLE_VALUE_H
#define MSPROF_EXPORTERS_TABLE_VALUE_H

#include "base/number.h"
#include "db/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum value_kind {
    VALUE_MISSING, /* does not exist: N/A */
    VALUE_INTEGER, /* what its column's form makes of it */
    VALUE_SCALED,  /* in units of 10^-decimals, whatever the form: without zeros at the end */
    VALUE_REAL,
    VALUE_STRING,
    VALUE_NAME,  /* an id of table name: the text of that row, whatever the form */
    VALUE_CELLS, /* cells as the table's format has them, from this value's on: report_leading_columns returns whether
                    there may be one */
};

struct report_value {
    union {
        int64_t integer;
        double real;
        const char *text; /* not necessarily NUL-terminated; lives until the row is put */
    };
    uint32_t length;  /* of the text */
    uint8_t kind;     /* enum value_kind */
    uint8_t decimals; /* VALUE_CELLS: of how many columns */
};

static inline struct report_value value_none(void)
{
    return (struct report_value){.kind = VALUE_MISSING};
}

/* DB_NULL does not exist. */
static inline struct report_value value_integer(int64_t integer)
{
    return (struct report_value){.integer = integer, .kind = integer == DB_NULL ? VALUE_MISSING : VALUE_INTEGER};
}

/* The nearest integer. */
static inline struct report_value value_rounded(double real)
{
    return value_integer(number_rounded(real));
}

static inline struct report_value value_scaled(int64_t integer, unsigned decimals)
{
    return (struct report_value){
        .integer = integer, .kind = integer == DB_NULL ? VALUE_MISSING : VALUE_SCALED, .decimals = (uint8_t)decimals};
}

static inline struct report_value value_name(int64_t id)
{
    return (struct report_value){.integer = id, .kind = id == DB_NULL ? VALUE_MISSING : VALUE_NAME};
}

/* The text that report_plan_encode made of so many columns. */
static inline struct report_value value_cells(const char *text, size_t length, size_t columns)
{
    return (struct report_value){
        .text = text, .length = (uint32_t)length, .kind = VALUE_CELLS, .decimals = (uint8_t)columns};
}

static inline struct report_value value_real(double real)
{
    return (struct report_value){.real = real, .kind = VALUE_REAL};
}

/* NULL does not exist. */
static inline struct report_value value_text_of(const char *text, size_t length)
{
    return (struct report_value){
        .text = text, .length = (uint32_t)length, .kind = text == NULL ? VALUE_MISSING : VALUE_STRING};
}

static inline struct report_value value_text(const char *text)
{
    return value_text_of(text, text == NULL ? 0 : strlen(text));
}

/* A value as programs take it. */
struct typed_value {
    enum typed_kind { TYPED_MISSING, TYPED_INTEGER, TYPED_REAL, TYPED_TEXT } kind;
    uint32_t length; /* of the text */
    union {
        int64_t integer;
        double real;
        const char *text; /* not necessarily NUL-terminated */
    };
};

/* How a member of a row is read. An integer that is DB_NULL, a real that is not a number and a text that is NULL do not
 * exist; a real whose column has a form of integers (FORM_SCALED, _FIXED, FORM_TIME) is rounded. */
enum field_type {
    FIELD_INTEGER,
    FIELD_INT32,
    FIELD_UINT64,
    FIELD_UINT32,
    FIELD_UINT16,
    FIELD_BOOL,
    FIELD_REAL,
    FIELD_TEXT,
    FIELD_VALUE, /* a struct report_value: for what is of more than one type */
};

/* Says in a column that it shows this member of the row which report_put gets; form and decimals follow:
 *     {"Total(us)", REPORT_FIELD(struct row, total_ns), FORM_SCALED, 3, .doc = "..."} */
#define REPORT_FIELD(row, member)                                                                                      \
    .field = {.offset = (uint16_t)offsetof(row, member),                                                               \
              .row_size = (uint16_t)sizeof(row),                                                                       \
              .type = _Generic(((const row *)(const void *)"")->member, \
                  int64_t: FIELD_INTEGER,                                                                              \
                  int32_t: FIELD_INT32,                                                                                \
                  uint64_t: FIELD_UINT64,                                                                              \
                  uint32_t: FIELD_UINT32,                                                                              \
                  uint16_t: FIELD_UINT16,                                                                              \
                  bool: FIELD_BOOL,                                                                                    \
                  double: FIELD_REAL,                                                                                  \
                  const char *: FIELD_TEXT,                                                                            \
                  struct report_value: FIELD_VALUE)},                                                                  \
    .sql = NULL
/* In a file whose rows are a `struct shown`. */
#define SHOWN(member) REPORT_FIELD(struct shown, member)

#endif
