/* SPDX-License-Identifier: Apache-2.0 */
/* Records of changes: a count, and from byte 8 on up to 55 pairs of a counter and a value, which become rows of their
 * own (docs/formats/system.md 9). */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CORE_CHANGES_H
#define MSPROF_PARSERS_KINDS_COMMON_CORE_CHANGES_H

#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

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
    [CORE_CHANGES_FILE_ID] = FILE_COLUMN,                                                                              \
    [CORE_CHANGES_DEVICE_ID] = COLUMN("device_id", "Device ID", MADE_NUMBER, "The device, from the file name."),       \
    [CORE_CHANGES_COUNT] =                                                                                             \
        COLUMN("changes", "Changes", INTEGER(NONE, TRANSIENT), "How many changes the record holds, a row for each."),  \
    [CORE_CHANGES_TIME_NS] = COLUMN("time_ns", "Time", INTEGER(NS, DERIVED), "When it changed, since 1970.")

#define CORE_CHANGES_OWN_MAX 2 /* columns that a kind has of its own */

extern const struct kind_hooks core_changes_hooks;

#endif
