/* SPDX-License-Identifier: Apache-2.0 */
/* Power and frequency of a die: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    NUMBER_COLUMN("die_id", "Die", "Which die."),
    NUMBER_COLUMN("mhz", "Frequency", "MHz of the AI cores, of chips 15 and 16; dies above 1 have no such cores."),
};

static const struct field fields[] = {SOC_PROFILE_STAMP, SOC_PROFILE_HIGH("die_id")};

/* The eleventh of twenty values, two of which stand in a word with the later one in front. */
static const struct field fields_v6[] = {SOC_PROFILE_STAMP, SOC_PROFILE_HIGH("die_id"), FIELD("mhz", 46, 2)};

const struct record_kind kind_low_power = {
    OWN_TABLE("low_power"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Power of a die",
    .doc = "Frequency of the AI cores of a die, from the records of low power. Records of chips other than 15 and 16 "
           "have values whose meaning nobody published.",
    RECORDS_OF(columns, SOC_PROFILE_LAYOUT("soc-low-power", 0x1d, "docs/formats/system.md 7: low power, 64 bytes"),
               LAYOUT("soc-low-power-v6", 64, fields_v6,
                      "docs/formats/system.md 7: low power of chips 15 and 16, 64 bytes", .part = true,
                      .chips = CHIPS_V6, SOC_PROFILE_MAGICS(0x1d))),
    SOC_PROFILE_SAMPLES,
    ONE_SERIES(.name = "low_power", .title = "Frequency of each die",
               .doc = "Frequency of the AI cores of each die that has any, on chips 15 and 16.", .layer = "freq",
               .process = "AI Core Freq", .number = LAYER_FREQUENCY,
               .counters = ONE_COUNTER(.name = "'AI Core Freq Die ' || die_id",
                                       .values = ONE_VALUE("MHz", "mhz", .form = FORM_TEXT),
                                       .query = {.where = "mhz IS NOT NULL AND die_id < 2"})),
};
