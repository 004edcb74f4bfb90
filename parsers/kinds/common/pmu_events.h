/* SPDX-License-Identifier: Apache-2.0 */
/* The event counters that every PMU record of an Ascend core has: eight, on chips 15 and 16 ten. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_PMU_EVENTS_H
#define MSPROF_PARSERS_KINDS_COMMON_PMU_EVENTS_H

#include "parsers/join/association.h"
#include "parsers/record.h"

#define PMU_EVENT_COLUMN(at, number)                                                                                   \
    [(at) + (number)] = {"event" #number,                                                                              \
                         "Event " #number,                                                                             \
                         COLUMN_INTEGER,                                                                               \
                         UNIT_NONE,                                                                                    \
                         0,                                                                                            \
                         NULL,                                                                                         \
                         "The counter of event " #number " of the profiled group."}
#define PMU_EVENT_COLUMNS(at)                                                                                          \
    PMU_EVENT_COLUMN(at, 0), PMU_EVENT_COLUMN(at, 1), PMU_EVENT_COLUMN(at, 2), PMU_EVENT_COLUMN(at, 3),                \
        PMU_EVENT_COLUMN(at, 4), PMU_EVENT_COLUMN(at, 5), PMU_EVENT_COLUMN(at, 6), PMU_EVENT_COLUMN(at, 7),            \
        PMU_EVENT_COLUMN(at, 8), PMU_EVENT_COLUMN(at, 9)

#define PMU_EVENT_FIELD(begin, number)                                                                                 \
    {                                                                                                                  \
        .column = "event" #number, .offset = (begin) + 8 * (number), .width = 8                                        \
    }
#define PMU_EVENT_FIELDS(begin)                                                                                        \
    PMU_EVENT_FIELD(begin, 0), PMU_EVENT_FIELD(begin, 1), PMU_EVENT_FIELD(begin, 2), PMU_EVENT_FIELD(begin, 3),        \
        PMU_EVENT_FIELD(begin, 4), PMU_EVENT_FIELD(begin, 5), PMU_EVENT_FIELD(begin, 6), PMU_EVENT_FIELD(begin, 7)
#define PMU_EVENT_FIELDS_V6(begin) PMU_EVENT_FIELDS(begin), PMU_EVENT_FIELD(begin, 8), PMU_EVENT_FIELD(begin, 9)

#endif
