/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/core_pipes.h"

#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

#define CYCLES_MODULUS 4096 /* of the counters */

struct state {
    int64_t device_id, group_id, core_id;
    int64_t samples;
    int64_t counters[CORE_PIPES]; /* of the sample before */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    const struct file_identity *identity = &file->identity;
    (void)decoder;
    (void)err;
    *state = (struct state){.device_id = identity->device_id, .group_id = identity->group_id};
    state->core_id =
        identity->core_id < 0 ? identity->group_id : FIRST_VECTOR_CORE + 2 * identity->group_id + identity->core_id;
    return 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    struct cell *cells = row->cells;
    (void)decoder;
    (void)keep;
    (void)err;
    row_set_integer(row, CORE_PIPES_DEVICE, state->device_id);
    row_set_integer(row, CORE_PIPES_GROUP, state->group_id);
    row_set_integer(row, CORE_PIPES_CORE, state->core_id);
    row_set_integer(row, CORE_PIPES_SAMPLE, state->samples);
    for (size_t i = 0; i < CORE_PIPES; i++) {
        int64_t counter = cells[CORE_PIPES_FIRST + i].integer;
        cells[CORE_PIPES_FIRST + i].integer = (counter - state->counters[i] + CYCLES_MODULUS) % CYCLES_MODULUS;
        state->counters[i] = counter;
        if (state->samples == 0)
            *row->present &= ~(UINT64_C(1) << (CORE_PIPES_FIRST + i));
    }
    state->samples++;
    return 0;
}

const struct kind_hooks core_pipes_hooks = {
    .state_size = sizeof(struct state),
    .open = open_stream,
    .record = take_record,
};
