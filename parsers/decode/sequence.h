/* SPDX-License-Identifier: Apache-2.0 */
/* The 4-bit counter that the device's schedulers put into every record. */
#ifndef MSPROF_PARSERS_DECODE_SEQUENCE_H
#define MSPROF_PARSERS_DECODE_SEQUENCE_H

#include "parsers/decode/decode.h"

struct sequence {
    bool seen;
    int64_t last;
};

/* Reports a gap between the last counter and this one (0..15) at the current record. */
static inline void sequence_check(struct sequence *sequence, struct decoder *decoder, int64_t counter)
{
    int64_t expected = (sequence->last + 1) & 15;
    if (sequence->seen && counter != expected) {
        struct place place = decoder_place(decoder, "counter");
        diag_report(decoder_diag(decoder), DIAG_RECORD_LOST, &place,
                    "counter %lld after %lld; expected %lld: %lld records are lost, or 16, 32, ... more",
                    (long long)counter, (long long)sequence->last, (long long)expected,
                    (long long)((counter - expected) & 15));
    }
    sequence->last = counter;
    sequence->seen = true;
}

#endif
