/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic between chips: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

enum { LINK_PCIE = 0x22, LINK_PA = 0x3f };

static const struct value_name links[] = {{LINK_PCIE, "PCIE"}, {LINK_PA, "PA link"}, {0, NULL}};

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    NAMED_COLUMN("link_type", "Link type", links, "Link between the chips."),
    NUMBER_COLUMN("link_id", "Link", "Which link."),
    NUMBER_COLUMN("first_bandwidth", "First bandwidth", "Received over a PA link, written over PCIE."),
    NUMBER_COLUMN("second_bandwidth", "Second bandwidth", "Sent over a PA link, read over PCIE."),
};

static const struct field fields[] = {SOC_PROFILE_STAMP, SOC_PROFILE_HIGH("link_type"),
                                      BITS_FIELD("link_id", 18, 2, 0, 6), FIELD("first_bandwidth", 32, 8),
                                      FIELD("second_bandwidth", 40, 8)};

/* Fields of PCIE alone, by die. */
static const struct field fields_v6[] = {SOC_PROFILE_STAMP, SOC_PROFILE_HIGH("link_id"),
                                         FIELD("first_bandwidth", 16, 8), FIELD("second_bandwidth", 24, 8)};

#define OURS(what, column) .values = ONE_VALUE(what, column, .form = FORM_TEXT), .only = COUNTER_OURS
/* Ascend's tool draws the number of a link as if it were a measurement, on a thread whose number is the link type in
 * binary, read as a decimal one. */
enum { THREAD_PA = 111111, THREAD_PCIE = 100010 };
#define VENDOR(what, number, column, link)                                                                             \
    .values = VALUE_LIST({what, column, .form = FORM_TEXT}, {number, "link_id", .form = FORM_TEXT}),                   \
    .only = COUNTER_VENDOR, .counter_thread = (link)

#define OF_PA .query = {.where = "link_type = 63"}
#define OF_PCIE .query = {.where = "coalesce(link_type, 34) = 34"}
#define OF_PCIE_VENDOR .query = {.where = "link_type = 34"}
/* Of chips 15 and 16 it has a value for each die, under its name. */
#define OF_PCIE_DIES .query = {.where = "link_type IS NULL"}
#define ON_DIE(number, column)                                                                                         \
    {                                                                                                                  \
        "U-Die" number, "iif(link_id = " number ", " column ", NULL)", .form = FORM_TEXT                               \
    }
#define VENDOR_DIES(column)                                                                                            \
    .values = VALUE_LIST(ON_DIE("0", column), ON_DIE("1", column), ON_DIE("2", column), ON_DIE("3", column)),          \
    .only = COUNTER_VENDOR, .counter_thread = THREAD_PCIE

static const struct series_counter counters[] = {
    {.name = "'PA Link Rx ' || link_id", OURS("PA Link Rx", "first_bandwidth"), OF_PA},
    {.name = "'PA Link Rx'", VENDOR("PA Link Rx", "PA Link ID", "first_bandwidth", THREAD_PA), OF_PA},
    {.name = "'PA Link Tx ' || link_id", OURS("PA Link Tx", "second_bandwidth"), OF_PA},
    {.name = "'PA Link Tx'", VENDOR("PA Link Tx", "PA Link ID", "second_bandwidth", THREAD_PA), OF_PA},
    {.name = "'PCIE Write Bandwidth ' || link_id", OURS("PCIE Write Bandwidth", "first_bandwidth"), OF_PCIE},
    {.name = "'PCIE Write Bandwidth'",
     VENDOR("PCIE Write Bandwidth", "PCIE ID", "first_bandwidth", THREAD_PCIE),
     OF_PCIE_VENDOR},
    {.name = "'PCIE Write Bandwidth'", VENDOR_DIES("first_bandwidth"), OF_PCIE_DIES},
    {.name = "'PCIE Read Bandwidth ' || link_id", OURS("PCIE Read Bandwidth", "second_bandwidth"), OF_PCIE},
    {.name = "'PCIE Read Bandwidth'",
     VENDOR("PCIE Read Bandwidth", "PCIE ID", "second_bandwidth", THREAD_PCIE),
     OF_PCIE_VENDOR},
    {.name = "'PCIE Read Bandwidth'", VENDOR_DIES("second_bandwidth"), OF_PCIE_DIES},
    {.name = NULL},
};

const struct record_kind kind_chip_transmission = {
    OWN_TABLE("chip_transmission"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic between chips",
    .doc = "Bandwidth of a link between chips.",
    RECORDS_OF(columns,
               LAYOUT("soc-chip-transmission", 64, fields, "docs/formats/system.md 7: chip transmission, 64 bytes",
                      .part = true, SOC_PROFILE_MAGICS(0x1b)),
               LAYOUT("soc-chip-transmission-v6", 64, fields_v6,
                      "docs/formats/system.md 7: chip transmission of chips 15 and 16, 64 bytes", .part = true,
                      .chips = CHIPS_V6, SOC_PROFILE_MAGICS(0x1b))),
    SOC_PROFILE_SAMPLES,
    ONE_SERIES(.name = "stars_chip_trans", .title = "Traffic between chips",
               .doc = "Bandwidth of the links between chips.", .process = "Stars Chip Trans",
               .number = LAYER_CHIP_TRANSMISSION, .counters = counters),
};
