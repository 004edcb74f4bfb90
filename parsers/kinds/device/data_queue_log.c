/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of data for models in captures of 2020: DATA_PREPROCESS.dev.TDT.*, a log of text. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_log.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    {"time_ns", "Time", INTEGER(NS, ORIGIN), "When, on the counter of the device."},
    TEXT_COLUMN_OF("action", "Action", "Action on the queue."),
    TEXT_COLUMN_OF("source", "Source", "The queue."),
    NUMBER_COLUMN("item", "Item", "Which item of data."),
    NUMBER_COLUMN("size", "Size", "How many items are in the queue."),
};

const struct record_kind kind_data_queue_log = {
    OWN_TABLE("data_queue_log"),
    .families = FAMILY_JOB,
    .title = "Queue of data, of 2020",
    .doc = "An item of data was put into a queue or taken out. Text \"[<microseconds>] <action>, source:<queue>, "
           "index:<item>, size:<items>\".",
    .patterns = (const char *const[]){"DATA_PREPROCESS.dev.TDT.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.state_size = sizeof(struct text_log), .open = text_log_open, .text = text_log_take, .close = text_log_close),
    .lines = LISTED(line_format, {"[{time_ns:3}] {action}, source:{source}, index:{item}, size:{size}", LINE_ROW}),
};
