/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of stars_soc_profile.data, and bandwidths of the quality-of-service groups, which two
 * files have. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_STARS_SOC_PROFILE_H
#define MSPROF_PARSERS_KINDS_COMMON_STARS_SOC_PROFILE_H

#include "parsers/kinds/common/sample.h"

/* The magics of one function (6 bits). */
#define SOC_PROFILE_MAGICS(function) MAGICS(MAGIC(0, 2, (function), .mask = 0x3f), MAGIC(2, 2, 0x6bd3))
/* The layout of a kind by its function: name, function and where it is described. */
#define SOC_PROFILE_LAYOUT(title, function, text)                                                                      \
    LAYOUT(title, 64, fields, text, .part = true, SOC_PROFILE_MAGICS(function))
#define SOC_PROFILE_SAMPLES SAMPLES_OF(.stamps = {{"tick", CLOCK_DEVICE_TICK}})
#define SOC_PROFILE_STAMP FIELD("tick", 8, 8)
/* The highest 6 bits of the first word: the kind of the record, or the die. */
#define SOC_PROFILE_HIGH(name) BITS_FIELD(name, 0, 2, 10, 6)

#define QOS_BANDWIDTH_COLUMNS                                                                                          \
    NUMBER_COLUMN("bandwidth0", "Bandwidth 0", "Megabytes a second of the first group of qosEvents."),                 \
        NUMBER_COLUMN("bandwidth1", "Bandwidth 1", "Bandwidth of the second."),                                        \
        NUMBER_COLUMN("bandwidth2", "Bandwidth 2", "Bandwidth of the third."),                                         \
        NUMBER_COLUMN("bandwidth3", "Bandwidth 3", "Bandwidth of the fourth."),                                        \
        NUMBER_COLUMN("bandwidth4", "Bandwidth 4", "Bandwidth of the fifth."),                                         \
        NUMBER_COLUMN("bandwidth5", "Bandwidth 5", "Bandwidth of the sixth."),                                         \
        NUMBER_COLUMN("bandwidth6", "Bandwidth 6", "Bandwidth of the seventh."),                                       \
        NUMBER_COLUMN("bandwidth7", "Bandwidth 7", "Bandwidth of the eighth."),                                        \
        NUMBER_COLUMN("bandwidth8", "Bandwidth 8", "Bandwidth of the ninth."),                                         \
        NUMBER_COLUMN("bandwidth9", "Bandwidth 9", "Bandwidth of the tenth.")
#define QOS_BANDWIDTH_FIELDS                                                                                           \
    FIELD("bandwidth0", 24, 4), FIELD("bandwidth1", 28, 4), FIELD("bandwidth2", 32, 4), FIELD("bandwidth3", 36, 4),    \
        FIELD("bandwidth4", 40, 4), FIELD("bandwidth5", 44, 4), FIELD("bandwidth6", 48, 4),                            \
        FIELD("bandwidth7", 52, 4), FIELD("bandwidth8", 56, 4), FIELD("bandwidth9", 60, 4)

/* The groups that sample.json names, by their place: g(device, place, name); and the value of one of a record. */
#define QOS_GROUPS                                                                                                     \
    "g AS MATERIALIZED (SELECT p.device_id AS device, e.key AS place, e.value AS name FROM capture_part AS p,"         \
    " json_each('[\"' || replace(setting('qosEvents', p.device_id), ',', '\",\"') || '\"]') AS e WHERE NOT p.is_host"  \
    " AND setting('qosEvents', p.device_id) <> '' AND e.key < 10)"
#define QOS_VALUE                                                                                                      \
    "CASE place WHEN 0 THEN bandwidth0 WHEN 1 THEN bandwidth1 WHEN 2 THEN bandwidth2 WHEN 3 THEN bandwidth3 WHEN 4"    \
    " THEN bandwidth4 WHEN 5 THEN bandwidth5 WHEN 6 THEN bandwidth6 WHEN 7 THEN bandwidth7 WHEN 8 THEN bandwidth8"     \
    " ELSE bandwidth9 END"

#endif
