/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder: the first byte chooses the record kind, the second how the rest is cut into slices and whether the
 * capture is one whose records are joined. */
#include "tests/fuzz/support.h"

#define MAX_SLICES 3
#define JOINED 3 /* in the low bits of the second byte: one slice of a CANN capture */

/* The kinds that files can be of. */
static const struct record_kind *choose_kind(uint8_t byte)
{
    size_t count = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        count += record_kinds[i]->patterns != NULL;
    EXPECT(count > 0);
    size_t wanted = byte % count;
    for (size_t i = 0;; i++) {
        if (record_kinds[i]->patterns != NULL && wanted-- == 0)
            return record_kinds[i];
    }
}

/* A sound binary file leaves nothing out. */
static void expect_complete(const struct capture *capture, uint64_t size)
{
    const struct record_kind *kind = capture->files[0].kind;
    uint64_t decoded = 0;
    for (size_t i = 0; i < capture->file_count; i++)
        decoded += capture->files[i].decoded;
    if (kind->layout_count == 0)
        return;
    uint32_t smallest = kind->layouts[0].record_size;
    for (size_t i = 1; i < kind->layout_count; i++)
        smallest = kind->layouts[i].record_size < smallest ? kind->layouts[i].record_size : smallest;
    EXPECT(decoded <= size / smallest);
    /* In an ageing stream the rest of an overwritten record in front is no problem. */
    uint64_t aged = capture->family == CAPTURE_CANN ? size % smallest : 0;
    if (kind->layout_count == 1 && size > 0 && diag_problems(capture->diag) == 0)
        EXPECT(decoded * smallest == size - aged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char paths[MAX_SLICES][64], model_name[] = "m";
    struct capture_file files[MAX_SLICES];
    struct capture_model model = {.name = model_name, .model_id = 1, .batch_num = -1};
    struct device_info device = {0, 600000, 100000};
    char directory[] = "device_0";
    struct capture_part part = {.directory = directory,
                                .device_id = 0,
                                .chip = data[1] & 4 ? 5 : 0,
                                .host_hz = 100000000,
                                .device_hz = 38400000};
    struct diagnostics diag;
    struct err err = ERR_INIT;
    struct checking_sink sink = CHECKING_SINK_INIT;
    const struct record_kind *kind = choose_kind(data[0]);
    if (kind->hooks != NULL && kind->hooks->file != NULL) /* reads files by their paths, which these have not */
        return 0;
    size_t slices = 1 + (data[1] & 3) % MAX_SLICES, rest = size - 2, first = rest * (data[1] >> 2) / 64;
    int fds[MAX_SLICES];
    for (size_t i = 0; i < slices; i++) {
        size_t start = i == 0 ? 0 : first + (rest - first) * (i - 1) / (slices - 1);
        size_t end = i + 1 == slices ? rest : first + (rest - first) * i / (slices - 1);
        fds[i] = memory_file(data + 2 + start, end - start, paths[i]);
        files[i] = (struct capture_file){
            .id = (int64_t)i + 1,
            .name = paths[i],
            .kind = kind,
            .identity = {0, 1, 1, 1, -1, (int64_t)i, model_name, NULL, -1, false, -1, -1},
            .size = end - start,
        };
    }
    diag_init(&diag, false);
    struct capture capture = {
        .family = (data[1] & 3) == JOINED ? CAPTURE_CANN
                  : data[0] & 0x80        ? CAPTURE_JOB
                                          : CAPTURE_SVP,
        .files = files,
        .file_count = slices,
        .models = &model,
        .model_count = 1,
        .devices = &device,
        .device_count = 1,
        .parts = &part,
        .part_count = 1,
        .diag = &diag,
    };
    EXPECT(decode_capture(&capture, &sink.sink, NULL, &err) == 0);
    expect_honest_counts(&capture);
    expect_complete(&capture, rest);
    free(capture.rejections);
    diag_release(&diag);
    free(model.layer_tasks);
    for (size_t i = 0; i < slices; i++)
        close(fds[i]);
    return 0;
}
