/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults, by task: records of socpmu.data. */
#include "parsers/kinds/common/task_counters.h"

static const struct column columns[] = {TASK_COUNTER_COLUMNS};

static const struct field fields[] = {TASK_COUNTER_FIELDS(8, 16)};

enum { SOC_PMU_PAGE_FAULT = 4 };

static const struct field fields_v6[] = {TASK_COUNTER_FIELDS_OF(8, 4, 16)};

const struct record_kind kind_page_fault = {
    OWN_TABLE("page_fault"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Page faults by task",
    .doc = "How many page faults there were during a task; the first of the counts.",
    RECORDS_OF(columns,
               LAYOUT("soc-pmu-page-fault-80", 80, fields, "docs/formats/memory.md 6: 80 bytes, kind 4", .part = true,
                      SOC_PMU_MAGICS(SOC_PMU_PAGE_FAULT)),
               LAYOUT("soc-pmu-page-fault-80-v6", 80, fields_v6,
                      "docs/formats/memory.md 6: 80 bytes, kind 4, chips 15 and 16", .part = true, .chips = CHIPS_V6,
                      SOC_PMU_MAGICS_V6(SOC_PMU_PAGE_FAULT))),
    .hooks = &sample_hooks,
    ONE_SERIES(.name = "page_fault", .title = "Page faults by task",
               .doc = "How many page faults there were during each task.",
               .query = {.with = TASK_COUNTER_OPERATORS,
                         .from = "page_fault AS r " TASK_COUNTER_OPERATOR,
                         .order_by = "device_id, id"},
               .columns = VALUE_LIST(
                   {"Device Id", "device_id", .doc = "The device."}, {"Stream Id", "stream_id", .doc = "The stream."},
                   {"Task Id", "task_id", .doc = "The number of the task."},
                   {"Page Fault Num", "count0", .doc = "How many page faults there were during the task."},
                   TASK_COUNTER_OPERATOR_COLUMN)),
};
