/* SPDX-License-Identifier: Apache-2.0 */
/* Delays of the channels of the units that work for communication: ccu<die>.stat. */
#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/sample.h"

enum { FILE_ID, DEVICE_ID, DIE_ID, CHANNEL_0_LOW, TIME_NS, CHANNEL_ID, MEAN_DELAY, LEAST_DELAY, MOST_DELAY };

#define DELAY_COLUMN(name, title, doc) COLUMN(name, title, MADE_NUMBER, doc " of a packet of 4096 bytes, in ticks.")

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [DEVICE_ID] = DEVICE_COLUMN,
    [DIE_ID] = {"die_id", "Die", MADE_NUMBER, "The die, from the file name."},
    [CHANNEL_0_LOW] = STAMP_COLUMN("channel_0", "The counter of the device of channel 0, its low 32 bits."),
    [TIME_NS] = TIME_COLUMN,
    [CHANNEL_ID] = {"channel_id", "Channel", MADE_NUMBER, "The channel."},
    [MEAN_DELAY] = DELAY_COLUMN("mean_delay", "Mean delay", "The mean delay"),
    [LEAST_DELAY] = DELAY_COLUMN("least_delay", "Least delay", "The least delay"),
    [MOST_DELAY] = DELAY_COLUMN("most_delay", "Most delay", "The most delay"),
};

static const struct field fields[] = {FIELD("channel_0", 0, 4)};

/* Words of 4 bytes. A channel has five: counter low and high, mean, least, most. Behind every twelfth of the first 120
 * are four others; of the last eight the outer ones of each four have six others, in front in the first. */
enum { CHANNELS = 128, WORD = 4, CHANNEL_WORDS = 5, PLAIN = 120, IN_A_GROUP = 12, AFTER_A_GROUP = 4, OTHERS = 6 };

static size_t words_of(int channel)
{
    if (channel < PLAIN)
        return CHANNEL_WORDS + (channel % IN_A_GROUP == IN_A_GROUP - 1 ? AFTER_A_GROUP : 0);
    return CHANNEL_WORDS + (channel % 4 == 0 || channel % 4 == 3 ? OTHERS : 0);
}

static int emit_channel(struct decoder *decoder, const struct record_stream *file, const struct bytes *bytes,
                        size_t word, int channel, struct err *err)
{
    static const int delays[] = {MEAN_DELAY, LEAST_DELAY, MOST_DELAY};
    uint64_t tick, delay;
    struct row row;
    if (!bytes_read(bytes, word * WORD, 2 * WORD, false, &tick))
        return 0;
    if (tick > INT64_MAX) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "channel", "channel %d: a counter of 2^63 or more; expected less",
                       channel);
        return 0;
    }
    if (decoder_emit(decoder, file->kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, DEVICE_ID, file->device_id);
    row_set_integer(&row, DIE_ID, file->group_id);
    row_set_integer(&row, CHANNEL_ID, channel);
    row_set_integer(&row, TIME_NS, part_device_ns(file->part, (int64_t)tick));
    for (size_t i = 0; i < COUNT_OF(delays); i++) {
        if (bytes_read(bytes, (word + 2 + i) * WORD, WORD, false, &delay))
            row_set_integer(&row, (size_t)delays[i], (int64_t)delay);
    }
    return 0;
}

static int take_channels(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *file = opaque;
    const struct bytes bytes = decoder_bytes(decoder);
    size_t word = 0;
    int status = 0;
    (void)row;
    (void)keep;
    decoder_consume(decoder);
    for (int channel = 0; status == 0 && channel < CHANNELS; channel++) {
        status = emit_channel(decoder, file, &bytes, word + (channel >= PLAIN && channel % 4 == 0 ? OTHERS : 0),
                              channel, err);
        word += words_of(channel);
    }
    return status;
}

/* A delay of 0 is none. */
#define BANDWIDTH(delay) "CASE WHEN " delay " > 0 THEN 4096.0 / 1048576 / (" delay " / (device_hz + 0.0)) ELSE 0 END"

const struct record_kind kind_ccu_channel = {
    OWN_TABLE("ccu_channel"),
    .families = FAMILY_CANN,
    .title = "Channels of communication",
    .doc = "Delays of each channel of the units that work for communication, on chips 15 and 16.",
    .patterns = (const char *const[]){"ccu{group_id}.stat.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("ccu-channel-2816", 2816, fields,
                               "docs/formats/system.md 12: 2816 bytes, which are 128 channels and become rows")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_channels),
    ONE_SERIES(.name = "ccu_channel", .title = "Channels of communication",
               .doc = "Bandwidths of the channels of the units that work for communication.",
               .query =
                   {.from = "ccu_channel c LEFT JOIN (SELECT device_id AS device, device_hz FROM capture_part WHERE NOT"
                            " is_host) ON device IS c.device_id",
                    .order_by = "c.id"},
               .columns = VALUE_LIST({"Device_id", "c.device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                                     {"Channel Id", "channel_id", .flags = REPORT_NUMBER, .doc = "The channel."},
                                     {"Timestamp(us)", "time_ns", FORM_TIME, .doc = "When."},
                                     {"Max Bandwidth(MB/s)", BANDWIDTH("least_delay"), FORM_SHORTEST, 3,
                                      .doc = "A packet of 4096 bytes by the least delay."},
                                     {"Min Bandwidth(MB/s)", BANDWIDTH("most_delay"), FORM_SHORTEST, 3,
                                      .doc = "Bandwidth by the most delay."},
                                     {"Avg Bandwidth(MB/s)", BANDWIDTH("mean_delay"), FORM_SHORTEST, 3,
                                      .doc = "Bandwidth by the mean delay."})),
};
