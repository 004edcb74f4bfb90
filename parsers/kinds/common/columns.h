/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of a kind, each stated once: the number that hooks know it by, its name, title, type and meaning, and where
 * the kind's only layout has it.
 *
 *     #define COLUMNS(STORED, MADE)                                                        \
 *         STORED(FAN_ID, "fan_id", "Fan", NUMBER, "The fan.", AT(8, 2))                    \
 *         MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was, since 1970.")
 *
 *     COLUMN_TABLES; // FAN_ID, TIME_NS; columns[] and fields[]
 *
 * A kind with several layouts has rows of COLUMNS(MADE), MADE_COLUMNS and lists of fields beside them.
 */
#ifndef MSPROF_PARSERS_KINDS_COMMON_COLUMNS_H
#define MSPROF_PARSERS_KINDS_COMMON_COLUMNS_H

#include "parsers/record.h"

#define COLUMN_NUMBER(number, ...) number,
#define COLUMN_MADE(number, name, title, type, doc) {name, title, type, doc},
#define COLUMN_STORED(number, name, title, type, doc, ...) {name, title, type, doc},
#define COLUMN_FIELD(number, name, title, type, doc, ...) {.column = name, __VA_ARGS__},
#define COLUMN_NO_FIELD(number, ...)

#define COLUMN_TABLES                                                                                                  \
    enum { COLUMNS(COLUMN_NUMBER, COLUMN_NUMBER) };                                                                    \
    static const struct column columns[] = {COLUMNS(COLUMN_STORED, COLUMN_MADE)};                                      \
    static const struct field fields[] = {COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)}
#define MADE_COLUMNS                                                                                                   \
    enum { COLUMNS(COLUMN_NUMBER) };                                                                                   \
    static const struct column columns[] = {COLUMNS(COLUMN_MADE)}

/* Types: INTEGER(NS, DERIVED) has a unit and flags. */
#define NUMBER INTEGER(NONE, PLAIN)
#ifdef CPPCHECK /* takes the commas of a type for those of the macro that it is given to */
#define INTEGER(unit, flags) COLUMN_INTEGER
#define TEXT(flags) COLUMN_TEXT
#define NAMES(flags, names) COLUMN_INTEGER
#else
#define MADE_NUMBER INTEGER(NONE, DERIVED)
#define INTEGER(unit, flags) COLUMN_INTEGER, UNIT_##unit, COLUMN_##flags, NULL
#define TEXT(flags) COLUMN_TEXT, UNIT_NONE, COLUMN_##flags, NULL
#define NAMES(flags, names) COLUMN_INTEGER, UNIT_NONE, COLUMN_##flags, names
#endif

/* Places of a field in a record; bits are counted from the lowest. */
#define AT(at, bytes) .offset = at, .width = bytes
#define SIGNED_AT(at, bytes) AT(at, bytes), .is_signed = true
#define BITS_AT(at, bytes, first, count) AT(at, bytes), .first_bit = first, .bit_count = count

/* Fields of kinds with several layouts. */
#define FIELD(name, at, bytes)                                                                                         \
    {                                                                                                                  \
        .column = name, AT(at, bytes)                                                                                  \
    }
#define SIGNED_FIELD(name, at, bytes)                                                                                  \
    {                                                                                                                  \
        .column = name, SIGNED_AT(at, bytes)                                                                           \
    }
#define BITS_FIELD(name, at, bytes, first, count)                                                                      \
    {                                                                                                                  \
        .column = name, BITS_AT(at, bytes, first, count)                                                               \
    }

/* A layout: its name, the bytes of a record, its fields and where it is described; other members may follow. */
#define LAYOUT(title, size, list, ...)                                                                                 \
    {                                                                                                                  \
        .name = title, .record_size = size, FIELDS_OF(list), .source = __VA_ARGS__                                     \
    }
/* Magic numbers of a layout: MAGICS(MAGIC(0, 2, 0x5a5a)) is one of two bytes at the begin of a record. */
#define MAGICS(...) .magics = {__VA_ARGS__}
#define MAGIC(at, bytes, ...)                                                                                          \
    {                                                                                                                  \
        .offset = at, .width = bytes, .value = __VA_ARGS__                                                             \
    }
/* The only layout of a kind of CANN's records, which begin with a magic number. */
#define CANN_LAYOUT(title, size, text) LAYOUT(title, size, fields, text, MAGICS(MAGIC(0, 2, 0x5a5a)))
/* Likewise of records of 2022, by the name of their stream. */
#define FRAMEWORK_LAYOUT(title, stream, size)                                                                          \
    CANN_LAYOUT(title, size, "CANN " stream " record, magic 0x5A5A, " #size " bytes (docs/formats/cann.md 5.4)")
/* The members of a kind for its columns and layouts: RECORDS_OF(columns, LAYOUT(...), LAYOUT(...)). */
#define RECORDS_OF(columns, ...)                                                                                       \
    COLUMNS_OF(columns), .layouts = (const struct layout[]){__VA_ARGS__},                                              \
                         .layout_count = sizeof((const struct layout[]){__VA_ARGS__}) / sizeof(struct layout)

/* Patterns of the files of a stream, as tools before 2023 named them one after the other. */
#define FILES_OF_2022(stream)                                                                                          \
    stream ".{device_id}.slice_{slice}", stream ".dev.{device_id}.{slice}",                                            \
        stream ".dev.profiler_default_tag.{device_id}.slice_{slice}"
#define DEVICE_FILES_OF_2022(stream)                                                                                   \
    stream ".{device_id}.slice_{slice}", stream ".{number}.{device_id}.{slice}",                                       \
        stream ".{number}.dev.profiler_default_tag.{device_id}.slice_{slice}"

/* Columns that many kinds have, and short forms of the others. */
#define COLUMN(name, title, type, doc)                                                                                 \
    {                                                                                                                  \
        name, title, type, doc                                                                                         \
    }
#define FILE_COLUMN COLUMN("file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")
#define DEVICE_COLUMN                                                                                                  \
    COLUMN("device_id", "Device ID", INTEGER(NONE, DERIVED), "The device, from the file name; NULL: the host.")
#define TIME_COLUMN COLUMN("time_ns", "Time", INTEGER(NS, DERIVED), "When it was taken, on the clock of the host.")
#define SPAN_COLUMN                                                                                                    \
    COLUMN("span_ns", "Time span", INTEGER(NS, DERIVED),                                                               \
           "Time since the sample before of the same series; NULL: there is none.")
#define STAMP_COLUMN(name, doc) COLUMN(name, "Stamp", INTEGER(NONE, TRANSIENT), doc)
#define SAMPLE_COLUMNS(stamp, doc) FILE_COLUMN, DEVICE_COLUMN, STAMP_COLUMN(stamp, doc), TIME_COLUMN
#define NUMBER_COLUMN(name, title, doc) COLUMN(name, title, NUMBER, doc)
#define BYTES_COLUMN(name, title, doc) COLUMN(name, title, INTEGER(BYTE, PLAIN), doc)
#define NAMED_COLUMN(name, title, names, doc) COLUMN(name, title, NAMES(PLAIN, names), doc)
#define TEXT_COLUMN_OF(name, title, doc) COLUMN(name, title, TEXT(PLAIN), doc)

#endif
