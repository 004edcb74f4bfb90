/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion tasks of chips 15 and 16: each a pair of records of stars_soc.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/stars/stars_record.h"

enum { ON_CPU, ON_AI_CPU, ON_AI_CORE, ON_CCU_0, ON_CCU_1 };

#define EACH_TYPE(X) X(0, "CPU") X(1, "AICPU") X(2, "AICORE") X(3, "CCU") X(4, "CCU")
#define VALUE_NAME(number, name) {number, name},
static const struct value_name types[] = {EACH_TYPE(VALUE_NAME){0, NULL}};

static const struct column columns[] = {FUSION_TASK_COLUMNS(COLUMN_MADE)};

#define WHEN_TYPE(number, name) " WHEN " #number " THEN '" name "'"
#define TYPE_NAME "coalesce(CASE type" EACH_TYPE(WHEN_TYPE) " END, 'UNKNOWN')"

const struct record_kind kind_fusion_task = {
    OWN_TABLE("fusion_task"),
    .families = FAMILY_CANN,
    .title = "Fusion task",
    .doc = "A fusion task of chips 15 and 16: from when to when it ran, and on what.",
    COLUMNS_OF(columns),
    ONE_SERIES(.name = "fusion_task", .title = "Fusion tasks",
               .doc = "From when to when each fusion task ran, and on what.", .process = "Fusion Task",
               .number = LAYER_FUSION,
               .counters =
                   ONE_COUNTER(.name = "'Fusion ' || " TYPE_NAME,
                               .values = VALUE_LIST(
                                   {"Task Id", "task_id", .form = FORM_TEXT},
                                   {"Acc Id", "accelerator_id", .form = FORM_TEXT},
                                   {"Task Type", "'FUSION'", .form = FORM_TEXT},
                                   {"Fusion Task Type", TYPE_NAME, .form = FORM_TEXT},
                                   {"Mission Id", "CASE WHEN type >= 3 THEN mission_id END", .form = FORM_TEXT},
                                   {"Ccu Die Id", "CASE WHEN type >= 3 THEN type - 3 END", .form = FORM_TEXT}),
                               .query = {.order_by = "device_id, start_ns, duration_ns DESC"}, .time = "start_ns",
                               .duration = "duration_ns", .ticks = true, .thread_name = "'Fusion Task'")),
};
