/* SPDX-License-Identifier: Apache-2.0 */
/* The tree building and the joining of host and device: each byte of the input begins a record of one of the kinds
 * that are joined, made sound with small numbers, so that they meet; some are then damaged. All go through the
 * decoder as one capture of a host and two devices. The joined rows must hang together, and be the same whether the
 * interpreter read every record or the kinds took those from their bytes that they can. */
#include "tests/fuzz/support.h"

#include "parsers/kinds/common/cann_rows.h"

#define HOST_MAGIC 0x5a5a
#define DEVICE_MAGIC 0x6bd3
#define TIME_UNIT 1000 /* ticks, which are ns */

enum stream_id { CALLS, NODES, TENSORS, ATTRIBUTES, CONTEXTS, TRACKS, CAPTURES, TYPES, FLIPS, LOG, PMU, STREAMS };
static const char *const kind_names[STREAMS] = {
    "api_event",           "node_basic_info", "tensor_info", "node_attr_info", "context_id_info", "task_track",
    "capture_stream_info", "type_info_dic",   "ts_track",    "stars_soc",      "ffts_profile"};
#define FIRST_OF_DEVICE FLIPS
#define DEVICES 2
#define MAX_FILES (FIRST_OF_DEVICE + DEVICES * (STREAMS - FIRST_OF_DEVICE))
#define STREAM_LIMIT 65536

struct buffer {
    uint8_t bytes[STREAM_LIMIT];
    size_t used;
};
static struct buffer host[FIRST_OF_DEVICE], device[DEVICES][STREAMS - FIRST_OF_DEVICE];

struct input {
    const uint8_t *at, *end;
};

static uint8_t take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

/* A zeroed record at the end of a stream; one that is thrown away when the stream is full. */
static uint8_t *record(struct buffer *buffer, size_t size)
{
    static uint8_t rest[256];
    uint8_t *p = buffer->used + size <= STREAM_LIMIT ? buffer->bytes + buffer->used : rest;
    buffer->used += p != rest ? size : 0;
    memset(p, 0, size);
    return p;
}

static void put(uint8_t *p, size_t offset, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++)
        p[offset + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t time_of(struct input *input)
{
    return (1 + (uint64_t)take(input)) * TIME_UNIT;
}

/* Header of the host's compact and additional records. */
static uint8_t *host_record(struct buffer *buffer, size_t size, struct input *input)
{
    uint8_t *p = record(buffer, size);
    put(p, 0, 2, HOST_MAGIC);
    put(p, 8, 4, take(input) & 3);
    put(p, 12, 4, take(input) & 1 ? 40 : 24);
    put(p, 16, 8, time_of(input));
    return p;
}

static void add_call(struct input *input)
{
    static const uint16_t levels[] = {20000, 15000, 10000, 5500, 5000, 7};
    uint8_t *p = record(&host[CALLS], 40);
    uint8_t choice = take(input);
    uint64_t begin = time_of(input), length = (uint64_t)take(input) * TIME_UNIT;
    put(p, 0, 2, HOST_MAGIC);
    put(p, 2, 2, levels[choice % 6]);
    put(p, 4, 4, choice & 64 ? 5 : choice >> 3 & 1);
    put(p, 8, 4, choice >> 4 & 3);
    put(p, 16, 8, begin);
    put(p, 24, 8, choice & 128 ? UINT64_MAX : begin + length); /* a half of a call */
    put(p, 32, 8, take(input) & 7);
}

static void add_node(struct input *input)
{
    uint8_t *p = host_record(&host[NODES], 64, input), choice = take(input);
    put(p, 2, 2, 10000);
    put(p, 24, 8, choice & 7);
    put(p, 32, 4, choice >> 3 & 7);
    put(p, 36, 8, choice >> 6);
    put(p, 44, 4, take(input) | (uint32_t)(choice & 1) << 16);
}

static void add_tensors(struct input *input)
{
    uint8_t *p = host_record(&host[TENSORS], 256, input), choice = take(input);
    put(p, 24, 8, choice & 7);
    put(p, 32, 4, choice >> 3);
    for (size_t i = 0; i < 5; i++)
        put(p, 36 + 44 * i, 4, choice >> i & 1);
}

static void add_attribute(struct input *input)
{
    uint8_t *p = host_record(&host[ATTRIBUTES], 64, input), choice = take(input);
    put(p, 24, 8, choice & 7);
    put(p, 36, 8, choice >> 3);
}

static void add_contexts(struct input *input)
{
    uint8_t *p = host_record(&host[CONTEXTS], 256, input), choice = take(input);
    put(p, 24, 8, choice & 7);
    put(p, 32, 4, choice >> 3);
    for (size_t i = 0; i < 4; i++)
        put(p, 36 + 4 * i, 4, (choice + i) & 3);
}

static void add_track(struct input *input)
{
    static const uint8_t types[] = {0, 0, 1, 66, 4, 5, 98, 6}; /* two kernels, mixed, split, a flip, maintenance */
    uint8_t *p = host_record(&host[TRACKS], 64, input), choice = take(input), numbers = take(input);
    put(p, 2, 2, 5000);
    put(p, 24, 2, (choice & 1) | (choice >> 7) * 0x1000u);
    put(p, 26, 2, choice >> 1 & 3);
    put(p, 28, 2, numbers & 15);
    put(p, 30, 2, numbers >> 6 == 3 ? 65535 : numbers >> 6);
    put(p, 32, 8, types[choice >> 3 & 7]);
    put(p, 40, 8, numbers >> 4 & 3);
    put(p, 48, 2, numbers);
}

static void add_capture(struct input *input)
{
    uint8_t *p = host_record(&host[CAPTURES], 64, input), choice = take(input);
    put(p, 24, 2, choice & 1);
    put(p, 26, 2, choice >> 1 & 3);
    put(p, 30, 2, choice >> 4);
    put(p, 32, 2, choice >> 3 & 1);
}

static struct buffer *device_stream(enum stream_id stream, uint8_t choice)
{
    return &device[choice >> 7][stream - FIRST_OF_DEVICE];
}

static void add_log(struct input *input)
{
    static const uint8_t functions[] = {0, 1, 0x22, 0x23};
    uint8_t choice = take(input), numbers = take(input);
    uint8_t *p = record(device_stream(LOG, choice), 64);
    put(p, 0, 2, functions[choice & 3] | (choice >> 5 & 3) << 10);
    put(p, 2, 2, DEVICE_MAGIC);
    put(p, 4, 2, (choice >> 2 & 3) | (numbers & 64 ? 0x1000u : 0) | (numbers & 128 ? 0x2000u : 0));
    put(p, 6, 2, numbers & 15);
    put(p, 8, 8, time_of(input));
    put(p, 18, 2, numbers >> 4 & 3);
}

static void add_pmu(struct input *input)
{
    uint8_t choice = take(input), numbers = take(input), parts = take(input);
    uint8_t *p = record(device_stream(PMU, choice), 128);
    put(p, 0, 2, choice & 1 ? 0x29 : 0x28);
    put(p, 2, 2, DEVICE_MAGIC);
    put(p, 4, 2, choice >> 2 & 3);
    put(p, 6, 2, numbers & 15);
    put(p, 16, 2, (parts & 15) | (parts & 128 ? 0x400u : 0));
    put(p, 18, 2, numbers >> 4 & 3);
    put(p, 20, 2, (choice >> 4 & 1) | (parts & 64 ? 4u << 13 : parts & 32 ? 1u << 13 : 0));
    put(p, 32, 8, numbers);
    put(p, 48, 8, parts & 16 ? UINT64_MAX : parts);
    uint64_t begin = time_of(input);
    put(p, 112, 8, begin);
    put(p, 120, 8, begin + (parts & 7) * TIME_UNIT);
}

static void add_flip(struct input *input)
{
    uint8_t choice = take(input);
    uint8_t *p = record(device_stream(FLIPS, choice), 40);
    put(p, 1, 1, 14);
    put(p, 2, 2, 40);
    put(p, 8, 8, time_of(input));
    put(p, 16, 2, choice & 3);
    put(p, 18, 2, choice & 64 ? 65535 : choice >> 2 & 3);
    put(p, 22, 2, choice >> 4 & 3);
}

/* A byte of what is there already becomes another. */
static void damage(struct input *input)
{
    uint8_t choice = take(input);
    struct buffer *buffer =
        choice & 128 ? &device[choice & 1][choice % (STREAMS - FIRST_OF_DEVICE)] : &host[choice % FIRST_OF_DEVICE];
    size_t back = (size_t)take(input) + 1;
    if (back <= buffer->used)
        buffer->bytes[buffer->used - back] = take(input);
}

static void make_streams(struct input *input)
{
    static void (*const adders[])(struct input * input) = {
        add_call,    add_call, add_node, add_tensors, add_attribute, add_contexts, add_track, add_track,
        add_capture, add_log,  add_log,  add_log,     add_pmu,       add_pmu,      add_flip,  damage};
    static const char types[] = "5000_0:KERNEL_AICORE\n5000_66:KERNEL_AIVEC\n5000_1:KERNEL_AICPU\n"
                                "5000_4:KERNEL_MIX_AIC\n5000_5:FFTS_PLUS\n10000_5:launch\n";
    for (size_t i = 0; i < FIRST_OF_DEVICE; i++)
        host[i].used = 0;
    for (size_t i = 0; i < DEVICES * (STREAMS - FIRST_OF_DEVICE); i++)
        device[i % DEVICES][i / DEVICES].used = 0;
    memcpy(host[TYPES].bytes, types, sizeof types - 1);
    host[TYPES].used = sizeof types - 1;
    while (input->at < input->end)
        adders[take(input) & 15](input);
}

/* ---- what comes out ---- */

#define MAX_ROWS 8192

struct seen_call {
    int64_t thread_id, start_ns, end_ns;
};
struct seen_task {
    int64_t device_id, start_ns;
};
static struct {
    struct seen_call calls[MAX_ROWS];
    size_t call_count, names;
    struct seen_task last_task;
    int64_t connections; /* of calls, the largest */
    int64_t task_connections, task_names;
    uint64_t digest; /* of all cells */
} seen;

static void mix(uint64_t value)
{
    seen.digest = (seen.digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    seen.digest ^= seen.digest >> 29;
}

static void mix_row(const struct row_batch *batch, size_t row)
{
    const struct cell *cells = batch->cells + row * batch->kind->column_count;
    mix((uintptr_t)batch->kind);
    mix(batch->present[row]);
    for (size_t i = 0; i < batch->kind->column_count; i++) {
        if ((batch->present[row] >> i & 1) == 0)
            continue;
        if (batch->kind->columns[i].type == COLUMN_INTEGER)
            mix((uint64_t)cells[i].integer);
        for (uint32_t k = 0; batch->kind->columns[i].type == COLUMN_TEXT && k < cells[i].length; k++)
            mix((unsigned char)cells[i].text[k]);
    }
}

static int64_t integer(const struct row_batch *batch, size_t row, size_t column, int64_t missing)
{
    if ((batch->present[row] >> column & 1) == 0)
        return missing;
    return batch->cells[row * batch->kind->column_count + column].integer;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A call comes behind the one around it, which is of the same thread and lasts as long at least. */
static void check_call(const struct row_batch *batch, size_t row)
{
    struct seen_call call = {.thread_id = integer(batch, row, HOST_CALL_THREAD_ID, -1),
                             .start_ns = integer(batch, row, HOST_CALL_START_NS, -1)};
    int64_t parent = integer(batch, row, HOST_CALL_PARENT_ID, 0);
    call.end_ns = call.start_ns + integer(batch, row, HOST_CALL_DURATION_NS, -1);
    EXPECT(call.start_ns >= 0 && call.end_ns >= call.start_ns);
    EXPECT(parent >= 0 && (size_t)parent <= seen.call_count);
    if (parent > 0 && parent <= MAX_ROWS) {
        const struct seen_call *around = &seen.calls[parent - 1];
        EXPECT(around->thread_id == call.thread_id && around->start_ns <= call.start_ns &&
               around->end_ns >= call.end_ns);
    }
    seen.connections = larger(seen.connections, integer(batch, row, HOST_CALL_CONNECTION_ID, 0));
    EXPECT(integer(batch, row, HOST_CALL_LAUNCHES, 0) == 0 || integer(batch, row, HOST_CALL_CONNECTION_ID, 0) > 0);
    if (seen.call_count < MAX_ROWS)
        seen.calls[seen.call_count] = call;
    seen.call_count++;
}

/* Tasks come by device and start; what they refer to is there. */
static void check_task(const struct row_batch *batch, size_t row)
{
    const struct seen_task task = {integer(batch, row, DEVICE_TASK_DEVICE_ID, -1),
                                   integer(batch, row, DEVICE_TASK_START_NS, -1)};
    EXPECT(task.device_id >= 0 && task.device_id < DEVICES);
    EXPECT(task.start_ns >= 0 && integer(batch, row, DEVICE_TASK_DURATION_NS, -1) >= 0);
    EXPECT(task.device_id > seen.last_task.device_id ||
           (task.device_id == seen.last_task.device_id && task.start_ns >= seen.last_task.start_ns));
    seen.last_task = task;
    seen.task_connections = larger(seen.task_connections, integer(batch, row, DEVICE_TASK_CONNECTION_ID, 0));
    seen.task_names = larger(seen.task_names, integer(batch, row, DEVICE_TASK_OP_NAME_ID, 0));
    seen.task_names = larger(seen.task_names, integer(batch, row, DEVICE_TASK_HOST_TYPE_ID, 0));
    /* A call may name an operator that no record describes. */
    EXPECT(integer(batch, row, DEVICE_TASK_OP_NAME_ID, 0) > 0 || integer(batch, row, DEVICE_TASK_OP_STATE, -1) < 0);
}

static int check_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    for (size_t row = 0; row < batch->rows; row++) {
        if (batch->kind == &kind_host_call)
            check_call(batch, row);
        else if (batch->kind == &kind_device_task)
            check_task(batch, row);
        seen.names += batch->kind == &kind_name;
        mix_row(batch, row);
    }
    return checking_commit(sink, batch, err);
}

/* ---- the capture ---- */

static void add_file(struct capture *capture, struct capture_file *file, size_t part, enum stream_id stream,
                     const struct buffer *buffer, int *ret_fd)
{
    static char paths[MAX_FILES][64], tag[] = "unaging";
    if (buffer->used == 0)
        return;
    size_t number = capture->file_count++;
    *ret_fd = memory_file(buffer->bytes, buffer->used, paths[number]);
    *file = (struct capture_file){
        .id = (int64_t)number + 1,
        .name = paths[number],
        .part = part,
        .kind = record_kind_find(kind_names[stream]),
        .identity = {(int64_t)part - 1, -1, -1, -1, -1, 0, NULL, tag, -1, false, -1, -1},
        .size = buffer->used,
    };
}

/* Decodes the streams, with hooks that take records from their bytes or without; returns a digest of what came out. */
static uint64_t decode(bool interpreted)
{
    static char host_name[] = "host", device_names[DEVICES][16] = {"device_0", "device_1"};
    struct capture_part parts[1 + DEVICES] = {{.directory = host_name, .device_id = -1, .is_host = true, .chip = 5}};
    struct capture_file files[MAX_FILES];
    struct diagnostics diag;
    struct err err = ERR_INIT;
    struct checking_sink sink = {.sink = {checking_begin, check_batch, NULL}};
    int fds[MAX_FILES];
    diag_init(&diag, false);
    struct capture capture = {
        .family = CAPTURE_CANN, .files = files, .parts = parts, .part_count = 1 + DEVICES, .diag = &diag};
    capture.options.interpreted = interpreted;
    memset(&seen, 0, sizeof seen);
    seen.last_task = (struct seen_task){-1, 0};
    add_file(&capture, files, 0, TYPES, &host[TYPES], fds); /* dictionaries come first */
    for (enum stream_id stream = CALLS; stream < TYPES; stream++)
        add_file(&capture, &files[capture.file_count], 0, stream, &host[stream], &fds[capture.file_count]);
    for (size_t i = 0; i < DEVICES; i++) {
        parts[1 + i] = (struct capture_part){
            .directory = device_names[i], .device_id = (int64_t)i, .chip = 5, .device_hz = 1000000000};
        for (enum stream_id stream = FIRST_OF_DEVICE; stream < STREAMS; stream++)
            add_file(&capture, &files[capture.file_count], 1 + i, stream, &device[i][stream - FIRST_OF_DEVICE],
                     &fds[capture.file_count]);
    }
    EXPECT(decode_capture(&capture, &sink.sink, NULL, &err) == 0);
    expect_honest_counts(&capture);
    EXPECT(seen.task_connections <= seen.connections);
    EXPECT(seen.task_names <= (int64_t)seen.names);
    for (size_t i = 0; i < capture.file_count; i++) {
        mix(files[i].decoded);
        mix(files[i].joined);
        mix(files[i].rejected);
    }
    mix(diag_reports(&diag));
    free(capture.rejections);
    diag_release(&diag);
    for (size_t i = 0; i < capture.file_count; i++)
        close(fds[i]);
    return seen.digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    make_streams(&input);
    EXPECT(decode(false) == decode(true));
    return 0;
}
