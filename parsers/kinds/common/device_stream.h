/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the kinds of device records of CANN. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_DEVICE_STREAM_H
#define MSPROF_PARSERS_KINDS_COMMON_DEVICE_STREAM_H

#include "parsers/kinds/common/pair_table.h"
#include "parsers/kinds/common/record_stream.h"

/* The 4-bit counter that the device's schedulers put into every record. */

struct sequence {
    bool seen;
    int64_t last;
};

/* Reports a gap between the last counter and this one (0..15) at the current record. */
static inline void sequence_check(struct sequence *sequence, struct decoder *decoder, int64_t counter)
{
    int64_t expected = (sequence->last + 1) & 15;
    if (sequence->seen && counter != expected)
        decoder_report(decoder, DIAG_RECORD_LOST, "counter",
                       "counter %lld after %lld; expected %lld: %lld records are lost, or 16, 32, ... more",
                       (long long)counter, (long long)sequence->last, (long long)expected,
                       (long long)((counter - expected) & 15));
    sequence->last = counter;
    sequence->seen = true;
}

/* Stream and task id of chips with STARS, which put task bits into the stream's word and the other way round. */
static inline void stars_decode_ids(uint32_t stream_word, uint32_t task_word, uint32_t *ret_stream_id,
                                    uint32_t *ret_task_id)
{
    uint32_t stream_id = stream_word, task_id = task_word;
    if ((stream_word & 0x1000) != 0) {
        stream_id = stream_word & 0x7ff;
        task_id = (task_word & 0x1fff) | (stream_word & 0xe000);
    } else if ((stream_word & 0x2000) != 0) {
        stream_id = task_word & 0xfff;
        task_id = (stream_word & 0xfff) | (task_word & 0xf000);
    }
    *ret_stream_id = stream_id % 2048;
    *ret_task_id = task_id;
}

/* Entries of the submission queue whose words never stand for each other when streams are expanded. */
#define STARS_PLACE_HOLDER 3
#define STARS_EVENT_RECORD 4

/* Stream and task id likewise, when streams are expanded to 15 bits; type: of the entry. */
static inline void stars_decode_expanded_ids(int64_t type, uint32_t stream_word, uint32_t task_word,
                                             uint32_t *ret_stream_id, uint32_t *ret_task_id)
{
    bool exchanged = (stream_word & 0x8000) != 0 && type != STARS_PLACE_HOLDER && type != STARS_EVENT_RECORD;
    *ret_stream_id = (exchanged ? task_word : stream_word) & 0x7fff;
    *ret_task_id = exchanged ? (task_word & 0x8000) | (stream_word & 0x7fff) : task_word;
}

/* Either of them, as the capture's streams are; type: of the entry. */
static inline void stars_ids(const struct association *association, int64_t type, int64_t stream_word,
                             int64_t task_word, uint32_t *ret_stream_id, uint32_t *ret_task_id)
{
    if (association_has_expanded_streams(association))
        stars_decode_expanded_ids(type, (uint32_t)stream_word, (uint32_t)task_word, ret_stream_id, ret_task_id);
    else
        stars_decode_ids((uint32_t)stream_word, (uint32_t)task_word, ret_stream_id, ret_task_id);
}

/* A task as its start and end name it. */
struct task_key {
    uint32_t stream_id, task_id;
    uint32_t context_id; /* WHOLE_TASK, or the part of a split task */
    uint32_t thread_id;  /* of a part; 0 */
};

#define WHOLE_TASK UINT32_MAX

#define LAST_ENDS 2048 /* as many as a device has streams */

/* Pairs the starts and ends of tasks: of several starts the latest counts, an end without a start is dropped; both are
 * reported, as are records out of time order. */
struct task_pairs {
    struct map open; /* of struct open_half */
    struct stream_end {
        uint32_t stream_id;
        int64_t tick;       /* 0: none */
    } last_ends[LAST_ENDS]; /* of whole tasks, by the stream's number modulo LAST_ENDS */
    const char *file_name;
    int64_t last_tick;
    bool seen;
};

int task_pairs_init(struct task_pairs *pairs, const struct capture_file *file, struct err *err);
int task_pairs_start(struct task_pairs *pairs, struct decoder *decoder, const struct task_key *key, int64_t tick,
                     bool *keep, struct err *err);
/* True: *ret_start is the start of the task that ends here. False: *keep is, too, unless the record has a row of its
 * own. */
bool task_pairs_end(struct task_pairs *pairs, struct decoder *decoder, const struct task_key *key, int64_t tick,
                    struct open_half *ret_start, bool *keep);
/* Whether the task may last that long; else it has been reported, and neither of its records counts. */
bool task_pairs_check_span(struct decoder *decoder, const struct task_key *key, const struct open_half *start,
                           int64_t start_ns, int64_t end_ns, bool *keep);
/* Reports every start that never ended (unless failed) and releases. */
void task_pairs_finish(struct task_pairs *pairs, struct decoder *decoder, bool failed);

/* The state of a stream of starts and ends, of whole tasks or of one kind of parts, and its hooks. */
struct paired_stream {
    struct record_stream stream; /* first */
    struct task_pairs pairs;
    struct sequence sequence;
};

int paired_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err);
int paired_stream_close(struct decoder *decoder, void *state, bool failed, struct err *err);

#endif
