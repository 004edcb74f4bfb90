/* SPDX-License-Identifier: Apache-2.0 */
/* The second generation of the same, with wider numbers: *.compact.capture_stream_info_v2. */
#include "parsers/kinds/common/capture_stream.h"
#include "parsers/kinds/common/host/host_record.h"

static const struct field fields[] = {HOST_RECORD_FIELDS,
                                      FIELD("device_id", 24, 2),
                                      FIELD("status", 26, 1),
                                      FIELD("model_stream_id", 28, 4),
                                      FIELD("original_stream_id", 32, 4),
                                      FIELD("model_id", 36, 4)};

const struct record_kind kind_capture_stream_info_v2 = {
    .name = "capture_stream_info_v2",
    .families = FAMILY_CANN,
    .title = "Captured stream, second generation",
    .doc = "As capture_stream_info, in whose table they are stored. Ignored when the capture has records of the first "
           "generation, which say the same.",
    .instead_of = "capture_stream_info",
    .patterns = (const char *const[]){"{tag}.compact.capture_stream_info_v2.slice_{slice}", NULL},
    RECORDS_OF(
        capture_stream_columns,
        CANN_LAYOUT(
            "cann-capture-stream-info-v2", 64,
            "CANN compact record, 64 bytes: 24 bytes of header, device, status, 32 bits of model stream, original "
            "stream and model (docs/formats/cann.md 3.4)")),
    .hooks = &capture_stream_hooks,
};
