/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the parts of a chip with STARS: stars_soc_profile.data, records of several kinds. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/device_stream.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/split_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(FUNCTION, "function_type", "Function", INTEGER(NONE, TRANSIENT), "The record's kind.", BITS_AT(0, 2, 0, 6)) \
    STORED(COUNTER, "counter", "Counter", INTEGER(NONE, TRANSIENT),                                                    \
           "Counts records modulo 16; a gap means lost records.", BITS_AT(0, 2, 6, 4))

COLUMN_TABLES;

extern const struct record_kind kind_acc_pmu, kind_soc_bandwidth_level, kind_chip_transmission, kind_sio,
    kind_low_power, kind_die_qos;

static const struct record_kind *const parts[] = {
    &kind_acc_pmu, &kind_soc_bandwidth_level, &kind_chip_transmission, &kind_sio, &kind_low_power, &kind_die_qos, NULL,
};

struct state {
    struct split_stream split; /* first: it is the state of its functions */
    struct sequence sequence;
};

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    sequence_check(&state->sequence, decoder, row->cells[COUNTER].integer);
    return split_stream_take(decoder, &state->split, row, keep, err);
}

const struct record_kind kind_stars_soc_profile = {
    .name = "stars_soc_profile",
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Samples of the parts of a chip",
    .doc = "Samples of accelerators, links and buffers. Each record becomes a row of its kind.",
    .patterns = (const char *const[]){"stars_soc_profile.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("stars-soc-profile-64", 64, fields, "docs/formats/system.md 7: 64 bytes",
                               MAGICS(MAGIC(2, 2, 0x6bd3)))),
    HOOKS(.state_size = sizeof(struct state), .open = split_stream_open, .record = take_record,
          .close = split_stream_close),
    .parts = parts,
};
