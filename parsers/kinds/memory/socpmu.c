/* SPDX-License-Identifier: Apache-2.0 */
/* Counters outside of the cores, by task: socpmu.data, records of several kinds. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/split_record.h"

static const struct column columns[] = {
    {"record_kind", "Kind", INTEGER(NONE, TRANSIENT), "1 L2 cache, 2 translation of addresses, 4 page faults."},
};

static const struct field fields[] = {FIELD("record_kind", 14, 2)};

static const struct field fields_v6[] = {FIELD("record_kind", 6, 2)};

extern const struct record_kind kind_l2_cache, kind_soc_pmu, kind_page_fault;

static const struct record_kind *const parts[] = {&kind_l2_cache, &kind_soc_pmu, &kind_page_fault, NULL};

const struct record_kind kind_socpmu = {
    .name = "socpmu",
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Counters outside of the cores",
    .doc = "Counters of caches and of the translation of addresses during a task. Each record becomes a row of the "
           "its kind.",
    .patterns = (const char *const[]){"socpmu.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("soc-pmu-80", 80, fields, "docs/formats/memory.md 6: 80 bytes"),
               LAYOUT("soc-pmu-80-v6", 80, fields_v6, "docs/formats/memory.md 6: 80 bytes, chips 15 and 16",
                      .chips = CHIPS_V6)),
    .hooks = &split_hooks,
    .parts = parts,
};
