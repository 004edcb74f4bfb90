/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/device_stream.h"

#include <stdio.h>

#define TASK_TEXT_MAX 96

static const char *in_words(const struct task_key *key, char text[TASK_TEXT_MAX])
{
    if (key->context_id == WHOLE_TASK)
        snprintf(text, TASK_TEXT_MAX, "stream %u task %u", key->stream_id, key->task_id);
    else
        snprintf(text, TASK_TEXT_MAX, "stream %u task %u context %u thread %u", key->stream_id, key->task_id,
                 key->context_id, key->thread_id);
    return text;
}

static struct pair_key pack(const struct task_key *key)
{
    return (struct pair_key){(uint64_t)key->stream_id << 32 | key->task_id, key->context_id, key->thread_id};
}

int task_pairs_init(struct task_pairs *pairs, const struct capture_file *file, struct err *err)
{
    (void)err;
    *pairs = (struct task_pairs){.file_name = file->name, .open = PAIR_TABLE};
    return 0;
}

/* A start without its end is lost when it has no row of its own. */
static enum diag_id id_of_restarted(const struct open_half *half)
{
    return half->file != NULL ? DIAG_TASK_END_LOST : DIAG_TASK_UNMATCHED_START;
}

/* A start without its end where the capture ends was under way if no later task of the stream ended. */
static enum diag_id id_of_unfinished(const struct task_pairs *pairs, const struct task_key *key,
                                     const struct open_half *half)
{
    const struct stream_end *last = &pairs->last_ends[key->stream_id % LAST_ENDS];
    return last->stream_id == key->stream_id && last->tick > half->tick ? id_of_restarted(half)
                                                                        : DIAG_TASK_UNMATCHED_START;
}

static void check_order(struct task_pairs *pairs, struct decoder *decoder, int64_t tick)
{
    if (pairs->seen && tick < pairs->last_tick)
        decoder_report(decoder, DIAG_RECORD_ORDER, "tick", "tick %lld after %lld", (long long)tick,
                       (long long)pairs->last_tick);
    pairs->last_tick = tick;
    pairs->seen = true;
}

int task_pairs_start(struct task_pairs *pairs, struct decoder *decoder, const struct task_key *key, int64_t tick,
                     bool *keep, struct err *err)
{
    char text[TASK_TEXT_MAX];
    struct pair_key packed = pack(key);
    struct open_half *half = map_get(&pairs->open, &packed);
    check_order(pairs, decoder, tick);
    if (half != NULL) {
        enum diag_id id = id_of_restarted(half);
        decoder_report(decoder, id, NULL, "%s starts again; the start at tick %lld has no end", in_words(key, text),
                       (long long)half->tick);
        half_drop(half, id);
        half->tick = tick;
        half->file = decoder_joined_file(decoder);
        return 0;
    }
    if (pair_table_is_full(&pairs->open)) {
        decoder_report(decoder, DIAG_TASK_END_LOST, NULL, "more than %u tasks under way at once", PAIR_TABLE_MAX);
        *keep = decoder_joined_file(decoder) == NULL;
        return 0;
    }
    return pair_table_add(&pairs->open, &packed, tick, decoder_joined_file(decoder), err);
}

bool task_pairs_end(struct task_pairs *pairs, struct decoder *decoder, const struct task_key *key, int64_t tick,
                    struct open_half *ret_start, bool *keep)
{
    char text[TASK_TEXT_MAX];
    struct pair_key packed = pack(key);
    struct open_half *half = map_get(&pairs->open, &packed);
    check_order(pairs, decoder, tick);
    if (half == NULL) {
        decoder_report(decoder, DIAG_TASK_UNMATCHED_END, NULL, "%s ends without a start", in_words(key, text));
        *keep = decoder_joined_file(decoder) == NULL;
        return false;
    }
    if (key->context_id == WHOLE_TASK)
        pairs->last_ends[key->stream_id % LAST_ENDS] = (struct stream_end){key->stream_id, tick};
    *ret_start = *half;
    map_remove(&pairs->open, half);
    return true;
}

bool task_pairs_check_span(struct decoder *decoder, const struct task_key *key, const struct open_half *start,
                           int64_t start_ns, int64_t end_ns, bool *keep)
{
    char text[TASK_TEXT_MAX];
    /* Words only for those that are reported: they take longer than the rest of the record. */
    if (span_is_sound(start_ns, end_ns) || decoder_check_span(decoder, in_words(key, text), start_ns, end_ns))
        return true;
    half_drop(start, DIAG_RECORD_VALUE);
    *keep = decoder_joined_file(decoder) == NULL;
    return false;
}

void task_pairs_finish(struct task_pairs *pairs, struct decoder *decoder, bool failed)
{
    char text[TASK_TEXT_MAX];
    const struct open_half *half = NULL;
    while (!failed && (half = map_next(&pairs->open, half)) != NULL) {
        struct task_key key = {(uint32_t)(half->key.a >> 32), (uint32_t)half->key.a, (uint32_t)half->key.b,
                               (uint32_t)half->key.c};
        enum diag_id id = id_of_unfinished(pairs, &key, half);
        diag_report(decoder_diag(decoder), id, FILE_PLACE(pairs->file_name, NULL),
                    "%s started at tick %lld and did not end", in_words(&key, text), (long long)half->tick);
        half_drop(half, id);
    }
    map_release(&pairs->open);
}

int paired_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    struct paired_stream *paired = state;
    record_stream_open(decoder, &paired->stream, file, err);
    return task_pairs_init(&paired->pairs, file, err);
}

int paired_stream_close(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    (void)err;
    task_pairs_finish(&((struct paired_stream *)state)->pairs, decoder, failed);
    return 0;
}
