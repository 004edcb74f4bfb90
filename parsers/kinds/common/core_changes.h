/* SPDX-License-Identifier: Apache-2.0 */
/* Records of changes: a count, and from byte 8 on up to 55 pairs of a counter and a value, which become rows of their
 * own (docs/formats/system.md 9). */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CORE_CHANGES_H
#define MSPROF_PARSERS_KINDS_COMMON_CORE_CHANGES_H

#include "parsers/decode/decode.h"

/* The columns that a kind of such records has; what its own layout gives beside the count may follow. */
enum {
    CORE_CHANGES_FILE_ID,
    CORE_CHANGES_DEVICE_ID,
    CORE_CHANGES_COUNT,
    CORE_CHANGES_TIME_NS,
    CORE_CHANGES_VALUE,
    CORE_CHANGES_OWN
};

#define CORE_CHANGES_SIZE 888
#define CORE_CHANGES_COLUMNS                                                                                           \
    [CORE_CHANGES_FILE_ID] =                                                                                           \
        {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL, "The file it came from (source_file.id)."},  \
    [CORE_CHANGES_DEVICE_ID] = {"device_id",                                                                           \
                                "Device ID",                                                                           \
                                COLUMN_INTEGER,                                                                        \
                                UNIT_NONE,                                                                             \
                                COLUMN_DERIVED,                                                                        \
                                NULL,                                                                                  \
                                "The device, from the file name."},                                                    \
    [CORE_CHANGES_COUNT] = {"changes",                                                                                 \
                            "Changes",                                                                                 \
                            COLUMN_INTEGER,                                                                            \
                            UNIT_NONE,                                                                                 \
                            COLUMN_TRANSIENT,                                                                          \
                            NULL,                                                                                      \
                            "How many changes the record holds, a row for each."},                                     \
    [CORE_CHANGES_TIME_NS] = {                                                                                         \
        "time_ns", "Time", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL, "When it changed, since 1970."}

#define CORE_CHANGES_OWN_MAX 2 /* columns that a kind has of its own */

extern const struct kind_hooks core_changes_hooks;

#endif
