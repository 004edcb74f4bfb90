/* SPDX-License-Identifier: Apache-2.0 */
/* Wait of the CCU: *.additional.ccu_wait_signal_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

enum { CKE = CCU_RECORD_COLUMN_COUNT, MASK, CHANNELS, RANKS };

static const struct column columns[] = {
    CCU_RECORD_COLUMNS,
    [CKE] = CCU_NUMBER("cke_id", "Signal", "The event that it waits for."),
    [MASK] = CCU_NUMBER("mask", "Mask", "Which bits of it."),
    [CHANNELS] = CCU_CHANNELS_COLUMN,
    [RANKS] = CCU_RANKS_COLUMN,
};

static const struct field fields[] = {CCU_LISTS_FIELDS, FIELD("cke_id", 72, 4), FIELD("mask", 76, 4)};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    static const struct ccu_lists lists = {CHANNELS, RANKS};
    return ccu_record_take(decoder, state, row, keep, &lists, err);
}

const struct record_kind kind_ccu_wait_signal_info = {
    OWN_TABLE("ccu_wait_signal_info"),
    .families = FAMILY_CANN,
    .title = "Wait of the CCU",
    .doc = "Which signals of which channels an instruction of the CCU waits for.",
    .patterns = (const char *const[]){"{tag}.additional.ccu_wait_signal_info.slice_{slice}", NULL},
    RECORDS_OF(columns,
               CANN_LAYOUT(
                   "cann-ccu-wait-signal-info", 256,
                   "CANN additional record, 256 bytes: operator, group, rank, stream, task, die, mission, instruction, "
                   "signal, channels, ranks (docs/formats/cann.md 3.7)")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
