/* SPDX-License-Identifier: Apache-2.0 */
/* Streams whose tasks are captured into a model: *.compact.capture_stream_info. */
#include "parsers/kinds/common/capture_stream.h"
#include "parsers/kinds/common/host/host_record.h"

static const struct field fields[] = {HOST_RECORD_FIELDS,
                                      FIELD("status", 24, 2),
                                      FIELD("model_stream_id", 26, 2),
                                      FIELD("original_stream_id", 28, 2),
                                      FIELD("model_id", 30, 2),
                                      FIELD("device_id", 32, 2)};

const struct record_kind kind_capture_stream_info = {
    OWN_TABLE("capture_stream_info"),
    .families = FAMILY_CANN,
    .title = "Captured stream",
    .doc = "A model stream that takes the tasks of an original stream from now on, until it is destroyed.",
    .patterns = (const char *const[]){"{tag}.compact.capture_stream_info.slice_{slice}", NULL},
    RECORDS_OF(
        capture_stream_columns,
        CANN_LAYOUT("cann-capture-stream-info", 64,
                    "CANN compact record, 64 bytes: 24 bytes of header, status, model stream, original stream, model, "
                    "device (docs/formats/cann.md 3.4)")),
    .hooks = &capture_stream_hooks,
};
