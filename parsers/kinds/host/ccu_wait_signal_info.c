/* SPDX-License-Identifier: Apache-2.0 */
/* Wait of the CCU: *.additional.ccu_wait_signal_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    CCU_RECORD_COLUMNS NUMBER_COLUMN("cke_id", "Signal", "The event that it waits for."),
    NUMBER_COLUMN("mask", "Mask", "Which bits of it."),
    CCU_LISTS_COLUMNS,
};

static const struct field fields[] = {CCU_LISTS_FIELDS, FIELD("cke_id", 72, 4), FIELD("mask", 76, 4)};

const struct record_kind kind_ccu_wait_signal_info = {
    OWN_TABLE("ccu_wait_signal_info"),
    .title = "Wait of the CCU",
    .doc = "Signals and channels that an instruction of the CCU waits for.",
    ADDITIONAL_RECORD("ccu_wait_signal_info", "ccu-wait-signal-info", ccu_record_take,
                      "operator, group, rank, stream, task, die, mission, instruction, signal, channels, ranks "
                      "(docs/formats/cann.md 3.7)"),
};
