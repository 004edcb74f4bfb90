/* SPDX-License-Identifier: Apache-2.0 */
/* The 24 bytes in front of every compact (64 bytes) and additional (256 bytes) record of CANN's host side, and what the
 * kinds of those records share. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_HOST_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_HOST_RECORD_H

#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_source.h"
#include "parsers/kinds/common/record_stream.h"

/* The first columns of every such kind, in this order. */
enum host_record_column { FILE_ID, LEVEL, TYPE, THREAD_ID, DATA_LENGTH, TICK, TIME_NS, HOST_RECORD_COLUMN_COUNT };

#define HOST_RECORD_COLUMNS                                                                                            \
    [FILE_ID] = FILE_COLUMN,                                                                                           \
    [LEVEL] = COLUMN("level", "Level", NAMES(PLAIN, level_names), "The layer of CANN that reported."),                 \
    [TYPE] = COLUMN("type", "Type", NUMBER, "The type within its level; the type dictionary names it."),               \
    [THREAD_ID] = COLUMN("thread_id", "Thread ID", NUMBER, "The reporting thread."),                                   \
    [DATA_LENGTH] =                                                                                                    \
        COLUMN("data_length", "Data length", INTEGER(BYTE, TRANSIENT), "Used bytes of the payload after the header."), \
    [TICK] = COLUMN("tick", "Host counter", INTEGER(TICK, TRANSIENT), "When it was reported, on the host's counter."), \
    [TIME_NS] = COLUMN("time_ns", "Time", INTEGER(NS, DERIVED), "When it was reported, since the epoch.")

#define HOST_RECORD_FIELDS                                                                                             \
    FIELD("level", 2, 2), FIELD("type", 4, 4), FIELD("thread_id", 8, 4), FIELD("data_length", 12, 4),                  \
        FIELD("tick", 16, 8)

/* As COLUMN_TABLES, behind these. */
#define HOST_RECORD_TABLES                                                                                             \
    enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER, COLUMN_NUMBER) };                        \
    static const struct column columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_STORED, COLUMN_MADE)};                 \
    static const struct field fields[] = {HOST_RECORD_FIELDS, COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)}

#define HOST_RECORD_MAGICS MAGICS(MAGIC(0, 2, 0x5a5a))

/* The members of a kind of such records that follow from its form: COMPACT_RECORD("memcpy_info", "memcpy-info",
 * take_copy, "24 bytes of header, ...") has the name in the names of its files and that of its layout, the record hook,
 * and what its bytes are. */
#define COMPACT_RECORD(name, layout, take, text)                                                                       \
    HOST_RECORD("compact", 64, name, layout, take, "CANN compact record, 64 bytes: " text)
#define ADDITIONAL_RECORD(name, layout, take, text)                                                                    \
    HOST_RECORD("additional", 256, name, layout, take, "CANN additional record, 256 bytes: " text)
#define HOST_RECORD(form, size, name, layout, take, text)                                                              \
    HOST_RECORD_OF(form, size, name, layout, text),                                                                    \
        HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take)
#define HOST_RECORD_OF(form, size, name, layout, text)                                                                 \
    .families = FAMILY_CANN, .patterns = (const char *const[]){"{tag}." form "." name ".slice_{slice}", NULL},         \
    RECORDS_OF(columns, CANN_LAYOUT("cann-" layout, size, text))

/* Likewise of RECORD_HOOKS(take, fields, TIME_NS, 1). */
#define DIRECT_COMPACT_RECORD(name, layout, take, text)                                                                \
    HOST_RECORD_OF("compact", 64, name, layout, "CANN compact record, 64 bytes: " text), HOST_RECORD_HOOKS(take)
#define DIRECT_ADDITIONAL_RECORD(name, layout, take, text)                                                             \
    HOST_RECORD_OF("additional", 256, name, layout, "CANN additional record, 256 bytes: " text), HOST_RECORD_HOOKS(take)
#define HOST_RECORD_HOOKS(take)                                                                                        \
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take##_row,                \
          DIRECT(take, fields))

/* Fills time_ns; for kinds that are stored as they are. */
int host_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);

/* Likewise of a task on a DPU, whose record is written when it ends: start_ns and duration_ns stand behind each other.
 * *keep false: it cannot be, which has been reported. */
int host_record_take_span(struct decoder *decoder, void *state, struct row *row, size_t start_tick, size_t start_ns,
                          bool *keep, struct err *err);

#endif
