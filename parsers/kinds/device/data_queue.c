/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of data for models: DATA_PREPROCESS.DP, and records of aicpu.data. */
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("host_ns", "The monotonic clock of the host."),
    TEXT_COLUMN_OF("action", "Action", "Action on the queue."),
    TEXT_COLUMN_OF("source", "Source", "The queue."),
    NUMBER_COLUMN("item", "Item", "Which item of data."),
    NUMBER_COLUMN("size", "Size", "How many items are in the queue."),
};

static const struct field fields[] = {FIELD("host_ns", 8, 8), FIELD("action", 16, 16), FIELD("source", 32, 64),
                                      FIELD("item", 96, 8), FIELD("size", 104, 8)};

static const struct field record_fields[] = {FIELD("host_ns", 16, 8), FIELD("action", 24, 16), FIELD("source", 40, 64),
                                             FIELD("item", 104, 8), FIELD("size", 112, 8)};

const struct record_kind kind_data_queue = {
    OWN_TABLE("data_queue"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Queue of data",
    .doc = "An item of data was put into a queue or taken out.",
    .patterns = (const char *const[]){"DATA_PREPROCESS.DP.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns,
               LAYOUT("cann-data-queue-128", 128, fields, "docs/formats/aicpu.md 3: 128 bytes",
                      MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 100))),
               LAYOUT("cann-data-queue-256", 256, record_fields, "docs/formats/aicpu.md 1: 256 bytes, type 1",
                      .part = true, MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(4, 4, 1)))),
    SAMPLES_OF(.stamps = {{"host_ns", CLOCK_HOST_NS}}),
    ONE_SERIES(.name = "dp", .title = "Queues of data",
               .doc = "Items put into the queues of data for models, and taken out.",
               .query = {.order_by = "device_id, id"},
               .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                     {"Timestamp(us)", "time_ns", FORM_SCALED, 3, .doc = "When."},
                                     {"Action", "action", .doc = "Action on the queue."},
                                     {"Source", "source", .doc = "The queue."},
                                     {"Cached Buffer Size", "size", .doc = "How many items were in the queue."})),
};
