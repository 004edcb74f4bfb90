/* SPDX-License-Identifier: Apache-2.0 */
/* Eight counters of a task of a device, of caches and address translation: what their kinds have in common. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TASK_COUNTERS_H
#define MSPROF_PARSERS_KINDS_COMMON_TASK_COUNTERS_H

#include "parsers/kinds/common/sample.h"

#define TASK_COUNTER_COLUMNS                                                                                           \
    FILE_COLUMN, DEVICE_COLUMN, NUMBER_COLUMN("task_type", "Task type", "Kind of task."),                              \
        NUMBER_COLUMN("stream_id", "Stream ID", "The stream."),                                                        \
        NUMBER_COLUMN("task_id", "Task ID", "The number of the task."),                                                \
        NUMBER_COLUMN("count0", "Count 0", "Count of the first event."),                                               \
        NUMBER_COLUMN("count1", "Count 1", "Count of the second event."),                                              \
        NUMBER_COLUMN("count2", "Count 2", "Count of the third event."),                                               \
        NUMBER_COLUMN("count3", "Count 3", "Count of the fourth event."),                                              \
        NUMBER_COLUMN("count4", "Count 4", "Count of the fifth event."),                                               \
        NUMBER_COLUMN("count5", "Count 5", "Count of the sixth event."),                                               \
        NUMBER_COLUMN("count6", "Count 6", "Count of the seventh event."),                                             \
        NUMBER_COLUMN("count7", "Count 7", "Count of the eighth event.")

#define TASK_COUNTER_FIELDS(head, counts) TASK_COUNTER_FIELDS_OF(head, 2, counts)
/* The number of the task has task_width bytes. */
#define TASK_COUNTER_FIELDS_OF(head, task_width, counts)                                                               \
    FIELD("task_type", (head), 2), FIELD("stream_id", (head) + 2, 2), FIELD("task_id", (head) + 4, (task_width)),      \
        FIELD("count0", (counts), 8), FIELD("count1", (counts) + 8, 8), FIELD("count2", (counts) + 16, 8),             \
        FIELD("count3", (counts) + 24, 8), FIELD("count4", (counts) + 32, 8), FIELD("count5", (counts) + 40, 8),       \
        FIELD("count6", (counts) + 48, 8), FIELD("count7", (counts) + 56, 8)

/* A layout of socpmu.data: the kind of record is at 14. */
#define SOC_PMU_MAGICS(kind) MAGICS(MAGIC(14, 2, (kind)))

/* On chips 15 and 16 it is at 6. */
#define SOC_PMU_MAGICS_V6(kind) MAGICS(MAGIC(6, 2, (kind)))

/* Which count is that of which event: e(device, place, event), of a list of hexadecimal numbers; and the sum of those
 * of some events, when a row is joined with all of them. */
#define TASK_COUNTER_EVENTS(list)                                                                                      \
    "e AS MATERIALIZED (SELECT p.device_id AS device, j.key AS place, lower(replace(trim(j.value), '0x', '')) AS"      \
    " event FROM capture_part AS p, json_each('[\"' || replace(" list ", ',', '\",\"') || '\"]') AS j"                 \
    " WHERE NOT p.is_host AND " list " <> '' AND j.key < 8)"
#define TASK_COUNTER_SUM(events)                                                                                       \
    "sum(CASE WHEN event IN (" events ") THEN CASE place WHEN 0 THEN count0 WHEN 1 THEN count1 WHEN 2 THEN count2"     \
    " WHEN 3 THEN count3 WHEN 4 THEN count4 WHEN 5 THEN count5 WHEN 6 THEN count6 ELSE count7 END ELSE 0 END)"

/* The operators by task: o(device, stream, task, op). */
#define TASK_COUNTER_OPERATORS                                                                                         \
    "o AS MATERIALIZED (SELECT t.device_id AS device, t.stream_id AS stream, t.task_id AS task, n.text AS op,"         \
    " min(t.id) FROM device_task AS t JOIN name AS n ON n.id = t.op_name_id GROUP BY t.device_id, t.stream_id,"        \
    " t.task_id)"
#define TASK_COUNTER_OPERATOR "LEFT JOIN o ON o.device IS r.device_id AND o.stream = r.stream_id AND o.task = r.task_id"
#define TASK_COUNTER_OPERATOR_COLUMN                                                                                   \
    {                                                                                                                  \
        "Op Name", "op", .doc = "The operator of the task.",                                                           \
                         .when = "EXISTS (SELECT 1 FROM device_task WHERE op_name_id IS NOT NULL)"                     \
    }

#endif
