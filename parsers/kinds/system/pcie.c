/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the PCIe link: pcie.data. */
#include "parsers/kinds/common/sample.h"

/* Least, most and mean of one quantity; bandwidths in bytes a microsecond, latencies in ns. */
#define RANGE_COLUMNS(name, title, what)                                                                               \
    NUMBER_COLUMN(name "_min", title " min", "Least " what "."),                                                       \
        NUMBER_COLUMN(name "_max", title " max", "Most " what "."),                                                    \
        NUMBER_COLUMN(name "_avg", title " mean", "Mean " what ".")
#define RANGE_FIELDS(name, at)                                                                                         \
    FIELD(name "_min", (at), 4), FIELD(name "_max", (at) + 4, 4), FIELD(name "_avg", (at) + 8, 4)

static const struct column columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    RANGE_COLUMNS("tx_post", "Posted writes sent", "posted writes sent, bytes a microsecond"),
    RANGE_COLUMNS("tx_nonpost", "Non-posted requests sent", "non-posted requests sent, bytes a microsecond"),
    RANGE_COLUMNS("tx_completion", "Completions sent", "completions sent, bytes a microsecond"),
    RANGE_COLUMNS("tx_latency", "Latency of non-posted requests", "latency of non-posted requests, ns"),
    RANGE_COLUMNS("rx_post", "Posted writes received", "posted writes received, bytes a microsecond"),
    RANGE_COLUMNS("rx_nonpost", "Non-posted requests received", "non-posted requests received, bytes a microsecond"),
    RANGE_COLUMNS("rx_completion", "Completions received", "completions received, bytes a microsecond"),
};

static const struct field fields[] = {
    FIELD("device_ns", 0, 8),          RANGE_FIELDS("tx_post", 12),       RANGE_FIELDS("tx_nonpost", 24),
    RANGE_FIELDS("tx_completion", 36), RANGE_FIELDS("tx_latency", 48),    RANGE_FIELDS("rx_post", 60),
    RANGE_FIELDS("rx_nonpost", 72),    RANGE_FIELDS("rx_completion", 84),
};

/* Chip 5 gives what its last record says, the others the mean of all. A record whose most is less than its least had no
 * traffic. */
#define MEAN(name)                                                                                                     \
    "round(avg(" name "_min), 6) AS " name "_min, round(avg(" name "_max), 6) AS " name "_max, round(avg(" name        \
    "_avg), 6) AS " name "_avg"
/* clang-format off */
#define MEANS                                                                                                          \
    "m AS (SELECT device_id, " MEAN("tx_post") ", " MEAN("tx_nonpost") ", " MEAN("tx_completion") ", "                 \
    MEAN("tx_latency") ", " MEAN("rx_post") ", " MEAN("rx_nonpost") ", " MEAN("rx_completion") " FROM pcie WHERE CASE" \
    " WHEN chip(device_id) = 5 THEN id = (SELECT max(id) FROM pcie AS l WHERE l.device_id IS pcie.device_id) ELSE"     \
    " tx_post_max >= tx_post_min END GROUP BY device_id)"
/* clang-format on */
#define NO_MINIMUM "1048575" /* what a least is before anything was measured */
#define ROW(place, title, name, factor)                                                                                \
    "SELECT " place " AS place, device_id, '" title "' AS mode, CASE " name "_min WHEN " NO_MINIMUM                    \
    " THEN 0 ELSE " name "_min" factor " END AS least, " name "_max" factor " AS most, " name "_avg" factor            \
    " AS mean FROM m"
#define MEGABYTES " * 1e6 / 1048576"
#define MICROSECONDS " / 1000.0"

static const struct report_column post_values[] = {{"Tx", "tx_post_avg" MEGABYTES, .form = FORM_FLOAT},
                                                   {"Rx", "rx_post_avg" MEGABYTES, .form = FORM_FLOAT},
                                                   {.title = NULL}};
static const struct report_column nonpost_values[] = {{"Tx", "tx_nonpost_avg" MEGABYTES, .form = FORM_FLOAT},
                                                      {"Rx", "rx_nonpost_avg" MEGABYTES, .form = FORM_FLOAT},
                                                      {.title = NULL}};
static const struct report_column completion_values[] = {{"Tx", "tx_completion_avg" MEGABYTES, .form = FORM_FLOAT},
                                                         {"Rx", "rx_completion_avg" MEGABYTES, .form = FORM_FLOAT},
                                                         {.title = NULL}};
static const struct report_column latency_values[] = {
    {"Tx", "tx_latency_avg" MICROSECONDS, .form = FORM_FLOAT}, {"Rx", "0.0", .form = FORM_FLOAT}, {.title = NULL}};

#define MEASURED                                                                                                       \
    {                                                                                                                  \
        .where = "tx_post_max >= tx_post_min"                                                                          \
    }

static const struct series_report
    series[] =
        {
            {
                .name = "pcie",
                .title = "PCIe link",
                .doc = "Bandwidth and latency of the PCIe link, for each kind of transaction.",
                .query =
                    {
                        .with = MEANS,
                        .from = "(" ROW("0", "Tx_p_avg(MB/s)", "tx_post", MEGABYTES) " UNION ALL " ROW("1", "Tx_np_avg(MB/s)", "tx_nonpost", MEGABYTES) " UNION ALL " ROW(
                            "2", "Tx_cpl_avg(MB/s)",
                            "tx_completion",
                            MEGABYTES) " UNION ALL " ROW("3", "Tx_latency_avg(us)", "tx_latency",
                                                         MICROSECONDS) " UNION ALL " ROW("4", "Rx_p_avg(MB/s)",
                                                                                         "rx_post",
                                                                                         MEGABYTES) " UNION "
                                                                                                    "ALL"
                                                                                                    " " ROW("5", "Rx_np_avg(MB/s)", "rx_nonpost", MEGABYTES) " UNION ALL " ROW(
                                                                                                        "6", "Rx_cpl_avg(MB/s)", "rx_completion",
                                                                                                        MEGABYTES) ")",
                        .order_by = "device_id, place",
                    },
                .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                      {"Mode", "mode",
                                       .doc = "Metric of the row: posted and non-posted requests and completions, sent "
                                              "(Tx) and received (Rx)."},
                                      {"Min", "least", FORM_SHORTEST, 3, .doc = "The least."},
                                      {"Max", "most", FORM_SHORTEST, 3, .doc = "The most."},
                                      {"Avg", "mean", FORM_SHORTEST, 3, .doc = "The mean."}),
                .process = "PCIe",
                .number = LAYER_PCIE,
                .counters =
                    COUNTER_LIST({.name = "'PCIe_post'", .values = post_values, .query = MEASURED},
                                 {.name = "'PCIe_nonpost'", .values = nonpost_values, .query = MEASURED},
                                 {.name = "'PCIe_cpl'", .values = completion_values, .query = MEASURED},
                                 {.name = "'PCIe_nonpost_latency'", .values = latency_values, .query = MEASURED}),
            },
            {.name = NULL},
};

const struct record_kind kind_pcie = {
    OWN_TABLE("pcie"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic of the PCIe link",
    .doc = "Bandwidth and latency of each kind of PCIe transaction since the sample before.",
    .patterns = (const char *const[]){"pcie.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("pcie-96", 96, fields, "docs/formats/system.md 5: 96 bytes")),
    SAMPLES_OF(.stamps = {{"device_ns", CLOCK_DEVICE_NS}}),
    .series = series,
    EXPORTED_TABLE(.name = "PCIE",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_INTEGER},
                                               {"timestampNs", "time_ns", EXPORTED_INTEGER},
                                               {"txPostMin", "tx_post_min * 1000000", EXPORTED_NUMERIC},
                                               {"txPostMax", "tx_post_max * 1000000", EXPORTED_NUMERIC},
                                               {"txPostAvg", "tx_post_avg * 1000000", EXPORTED_NUMERIC},
                                               {"txNonpostMin", "tx_nonpost_min * 1000000", EXPORTED_NUMERIC},
                                               {"txNonpostMax", "tx_nonpost_max * 1000000", EXPORTED_NUMERIC},
                                               {"txNonpostAvg", "tx_nonpost_avg * 1000000", EXPORTED_NUMERIC},
                                               {"txCplMin", "tx_completion_min * 1000000", EXPORTED_NUMERIC},
                                               {"txCplMax", "tx_completion_max * 1000000", EXPORTED_NUMERIC},
                                               {"txCplAvg", "tx_completion_avg * 1000000", EXPORTED_NUMERIC},
                                               {"txNonpostLatencyMin", "tx_latency_min", EXPORTED_NUMERIC},
                                               {"txNonpostLatencyMax", "tx_latency_max", EXPORTED_NUMERIC},
                                               {"txNonpostLatencyAvg", "tx_latency_avg", EXPORTED_NUMERIC},
                                               {"rxPostMin", "rx_post_min * 1000000", EXPORTED_NUMERIC},
                                               {"rxPostMax", "rx_post_max * 1000000", EXPORTED_NUMERIC},
                                               {"rxPostAvg", "rx_post_avg * 1000000", EXPORTED_NUMERIC},
                                               {"rxNonpostMin", "rx_nonpost_min * 1000000", EXPORTED_NUMERIC},
                                               {"rxNonpostMax", "rx_nonpost_max * 1000000", EXPORTED_NUMERIC},
                                               {"rxNonpostAvg", "rx_nonpost_avg * 1000000", EXPORTED_NUMERIC},
                                               {"rxCplMin", "rx_completion_min * 1000000", EXPORTED_NUMERIC},
                                               {"rxCplMax", "rx_completion_max * 1000000", EXPORTED_NUMERIC},
                                               {"rxCplAvg", "rx_completion_avg * 1000000", EXPORTED_NUMERIC}),
                   .query = {.order_by = "id"}),
};
