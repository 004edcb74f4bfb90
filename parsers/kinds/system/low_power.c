/* SPDX-License-Identifier: Apache-2.0 */
/* Power and frequency of a die: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    NUMBER_COLUMN("die_id", "Die", "Which die."),
    NUMBER_COLUMN("mhz", "Frequency", "MHz of the AI cores (the eleventh of twenty values)."),
};

static const struct field fields[] = {
    SOC_PROFILE_STAMP,
    SOC_PROFILE_HIGH("die_id"),
    FIELD("mhz", 44, 2),
};

const struct record_kind kind_low_power = {
    OWN_TABLE("low_power"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Power of a die",
    .doc = "Frequency of the AI cores of a die, from the records of low power; not shown, Ascend's tool shows it of "
           "chips 15 and 16 only.",
    RECORDS_OF(columns, SOC_PROFILE_LAYOUT("soc-low-power", 0x1d, "docs/formats/system.md 7: low power, 64 bytes")),
    SOC_PROFILE_SAMPLES,
    .series = NULL,
};
