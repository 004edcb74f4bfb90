/* SPDX-License-Identifier: Apache-2.0 */
/* Frequency of the AI cores over time: lpmFreqConv.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/core_changes.h"

static const struct column columns[] = {
    CORE_CHANGES_COLUMNS,
    [CORE_CHANGES_VALUE] = {"mhz", "Frequency", MADE_NUMBER, "MHz from then on."},
};

static const struct field fields[] = {
    FIELD("changes", 0, 4),
};

const struct record_kind kind_core_frequency = {
    OWN_TABLE("core_frequency"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Frequency of the AI cores",
    .doc = "When the AI cores of a device changed their frequency, and to which.",
    .patterns = (const char *const[]){"lpmFreqConv.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT("cann-lpm-freq-conv", CORE_CHANGES_SIZE, fields,
               "CANN lpmFreqConv.data record, 888 bytes: count, and from 8 on up to 55 pairs of system counter and "
               "MHz, 16 bytes each (docs/formats/cann.md 7)")),
    .hooks = &core_changes_hooks,
};
