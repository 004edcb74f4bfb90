/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of addresses, by task: records of socpmu.data. */
#include "parsers/kinds/common/task_counters.h"

static const struct column columns[] = {TASK_COUNTER_COLUMNS};

static const struct field fields[] = {TASK_COUNTER_FIELDS(8, 16)};

enum { SOC_PMU_SMMU = 2 };

static const struct field fields_v6[] = {TASK_COUNTER_FIELDS_OF(8, 4, 16)};

/* npuEvents is "SMMU:0x2,0x8a,...;HA:...". */
#define OPTION "setting('npuEvents', p.device_id)"
#define SMMU_EVENTS                                                                                                    \
    "CASE WHEN instr(" OPTION ", 'SMMU:') > 0 THEN substr(" OPTION ", instr(" OPTION                                   \
    ", 'SMMU:') + 5, instr(substr(" OPTION " || ';', instr(" OPTION ", 'SMMU:') + 5), ';') - 1) ELSE '' END"
/* clang-format off */
#define RATES                                                                                                          \
    TASK_COUNTER_EVENTS(SMMU_EVENTS) ", " TASK_COUNTER_OPERATORS                                                       \
    ", s AS (SELECT id, device_id, stream_id, task_id, " TASK_COUNTER_SUM("'8a'") " AS lookups, "                      \
    TASK_COUNTER_SUM("'8c', '8d'") " AS hits, " TASK_COUNTER_SUM("'2'") " AS misses FROM soc_pmu JOIN e ON e.device"   \
    " IS device_id GROUP BY soc_pmu.id), r AS (SELECT id, device_id, stream_id, task_id, round(ratio(hits, lookups),"  \
    " 6) AS hit, round(ratio(misses, lookups), 6) AS miss FROM s)"
/* clang-format on */

const struct record_kind kind_soc_pmu = {
    OWN_TABLE("soc_pmu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Translation of addresses by task",
    .doc = "Counts of up to eight events of the SMMU during a task; sample.json names them in npuEvents.",
    RECORDS_OF(columns,
               LAYOUT("soc-pmu-smmu-80", 80, fields, "docs/formats/memory.md 6: 80 bytes, kind 2", .part = true,
                      SOC_PMU_MAGICS(SOC_PMU_SMMU)),
               LAYOUT("soc-pmu-smmu-80-v6", 80, fields_v6,
                      "docs/formats/memory.md 6: 80 bytes, kind 2, chips 15 and 16", .part = true, .chips = CHIPS_V6,
                      SOC_PMU_MAGICS_V6(SOC_PMU_SMMU))),
    .hooks = &sample_hooks,
    ONE_SERIES(.name = "soc_pmu", .title = "Translation of addresses by task",
               .doc = "Hits and misses of the translation of addresses during each task.",
               .query = {.with = RATES, .from = "r " TASK_COUNTER_OPERATOR, .order_by = "device_id, id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .doc = "The device."}, {"Stream Id", "stream_id", .doc = "The stream."},
                   {"Task Id", "task_id", .doc = "The number of the task."},
                   {"TLB Hit Rate", "hit", FORM_SHORTEST, 6, .doc = "Lookups that found the address."},
                   {"TLB Miss Rate", "miss", FORM_SHORTEST, 6, .doc = "Lookups that did not."},
                   TASK_COUNTER_OPERATOR_COLUMN)),
};
