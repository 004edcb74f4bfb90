/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic between the dies of a chip: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    SPAN_COLUMN,
    NUMBER_COLUMN("die_id", "Die", "Which die."),
    BYTES_COLUMN("req_rx_bytes", "Requests received", "Bytes since the sample before."),
    BYTES_COLUMN("rsp_rx_bytes", "Responses received", "Bytes since the sample before."),
    BYTES_COLUMN("snp_rx_bytes", "Snoops received", "Bytes since the sample before."),
    BYTES_COLUMN("dat_rx_bytes", "Data received", "Bytes since the sample before."),
    BYTES_COLUMN("req_tx_bytes", "Requests sent", "Bytes since the sample before."),
    BYTES_COLUMN("rsp_tx_bytes", "Responses sent", "Bytes since the sample before."),
    BYTES_COLUMN("snp_tx_bytes", "Snoops sent", "Bytes since the sample before."),
    BYTES_COLUMN("dat_tx_bytes", "Data sent", "Bytes since the sample before."),
};

/* Four numbers of a direction stand one behind the other. */
#define WAY_FIELDS(way, at)                                                                                            \
    FIELD("req_" way "_bytes", (at), 4), FIELD("rsp_" way "_bytes", (at) + 4, 4),                                      \
        FIELD("snp_" way "_bytes", (at) + 8, 4), FIELD("dat_" way "_bytes", (at) + 12, 4)

static const struct field fields[] = {SOC_PROFILE_STAMP, FIELD("die_id", 18, 2), WAY_FIELDS("rx", 32),
                                      WAY_FIELDS("tx", 48)};

static const struct field fields_v6[] = {SOC_PROFILE_STAMP, SOC_PROFILE_HIGH("die_id"), WAY_FIELDS("rx", 28),
                                         WAY_FIELDS("tx", 48)};

#define RATE(die, column) "CASE WHEN die_id = " die " AND span_ns > 0 THEN " column " / 1048576.0 / (span_ns / 1e9) END"
#define DIES(column)                                                                                                   \
    VALUE_LIST({"die 0", RATE("0", column), .form = FORM_FLOAT}, {"die 1", RATE("1", column), .form = FORM_FLOAT})

#define PER_SECOND(bytes) bytes " * 1e9 / span_ns"

const struct record_kind kind_sio = {
    OWN_TABLE("sio"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic between dies",
    .doc = "Bytes that a die exchanged with the others of its chip since the sample before.",
    RECORDS_OF(columns,
               LAYOUT("soc-sio", 64, fields, "docs/formats/system.md 7: SIO, 64 bytes", .part = true,
                      SOC_PROFILE_MAGICS(0x19)),
               LAYOUT("soc-sio-v6", 64, fields_v6, "docs/formats/system.md 7: SIO of chips 15 and 16, 64 bytes",
                      .part = true, .chips = CHIPS_V6, SOC_PROFILE_MAGICS(0x19))),
    SAMPLES_OF(.stamps = {{"tick", CLOCK_DEVICE_TICK}}, .keys = {"die_id"}),
    ONE_SERIES(.name = "sio", .title = "Traffic between dies",
               .doc = "Megabytes a second between the dies of a chip, by kind of message.", .process = "SIO",
               .number = LAYER_SIO,
               .counters = COUNTER_LIST({.name = "'dat_rx'", .values = DIES("dat_rx_bytes"), .most = true},
                                        {.name = "'dat_tx'", .values = DIES("dat_tx_bytes"), .most = true},
                                        {.name = "'req_rx'", .values = DIES("req_rx_bytes"), .most = true},
                                        {.name = "'req_tx'", .values = DIES("req_tx_bytes"), .most = true},
                                        {.name = "'rsp_rx'", .values = DIES("rsp_rx_bytes"), .most = true},
                                        {.name = "'rsp_tx'", .values = DIES("rsp_tx_bytes"), .most = true},
                                        {.name = "'snp_rx'", .values = DIES("snp_rx_bytes"), .most = true},
                                        {.name = "'snp_tx'", .values = DIES("snp_tx_bytes"), .most = true})),
    EXPORTED_TABLE(.name = "SIO",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_NUMERIC},
                                               {"name", "'die ' || die_id", EXPORTED_NUMERIC_WORD},
                                               {"timestampNs", "time_ns", EXPORTED_NUMERIC},
                                               {"rxReq", PER_SECOND("req_rx_bytes"), EXPORTED_NUMERIC},
                                               {"rxRsp", PER_SECOND("rsp_rx_bytes"), EXPORTED_NUMERIC},
                                               {"rxSnp", PER_SECOND("snp_rx_bytes"), EXPORTED_NUMERIC},
                                               {"rxDat", PER_SECOND("dat_rx_bytes"), EXPORTED_NUMERIC},
                                               {"txReq", PER_SECOND("req_tx_bytes"), EXPORTED_NUMERIC},
                                               {"txRsp", PER_SECOND("rsp_tx_bytes"), EXPORTED_NUMERIC},
                                               {"txSnp", PER_SECOND("snp_tx_bytes"), EXPORTED_NUMERIC},
                                               {"txDat", PER_SECOND("dat_tx_bytes"), EXPORTED_NUMERIC}),
                   .query = {.where = "span_ns > 0", .order_by = "id"}),
};
