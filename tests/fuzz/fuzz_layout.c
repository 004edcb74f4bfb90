/* SPDX-License-Identifier: Apache-2.0 */
/* Layout files, and what the layouts in them do to a file: the text before a line "---" and the bytes after it. */
#include "tests/fuzz/support.h"

#include "parsers/decode/encode.h"
#include "parsers/decode/layout.h"

/* Decoding one record with any layout that passed its check, and writing it again, stays inside its bytes. */
static void try_record(const struct record_kind *kind, const struct layout *layout, const uint8_t *data, size_t size)
{
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present = 0;
    struct row row = {cells, &present};
    struct err err = ERR_INIT;
    struct decode_plan plan;
    int bad_column;
    unsigned char *record = calloc(2, layout->record_size);
    EXPECT(record != NULL && layout_check(kind, layout, &err) == 0);
    memcpy(record, data, size < layout->record_size ? size : layout->record_size);
    decode_plan_init(&plan, kind, layout);
    decode_record(&plan, record, &row, &bad_column);
    layout_matches(layout, record);
    encode_record(kind, layout, &row, record + layout->record_size, &err);
    free(record);
}

static void try_file(const struct layout_set *set, const struct record_kind *kind, char *path, size_t size)
{
    struct diagnostics diag;
    struct err err = ERR_INIT;
    struct checking_sink sink = CHECKING_SINK_INIT;
    char model_name[] = "m";
    struct capture_model model = {.name = model_name, .model_id = 1, .batch_num = -1};
    struct device_info device = {0, 600000, 100000};
    char directory[] = "";
    struct capture_part part = {.directory = directory, .device_id = 0, .chip = 5, .device_hz = 50000000};
    struct capture_file file = {.id = 1,
                                .name = path,
                                .kind = kind,
                                .size = size,
                                .identity = {0, 1, 1, 1, 0, -1, model_name, NULL, -1, false, -1, -1}};
    diag_init(&diag, false);
    struct capture capture = {
        .options = {.layouts = set},
        .files = &file,
        .file_count = 1,
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
    free(capture.rejections);
    diag_release(&diag);
    free(model.layer_tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separator[] = "\n---\n";
    const uint8_t *end = memmem(data, size, separator, strlen(separator));
    size_t length = end != NULL ? (size_t)(end - data) + 1 : size;
    const uint8_t *bytes = end != NULL ? end + strlen(separator) : data;
    size_t count = end != NULL ? size - length - strlen(separator) + 1 : size;
    struct layout_set set;
    struct err err = ERR_INIT;
    char path[64];
    layout_set_init(&set);
    if (layout_set_parse(&set, "fuzz.layout", (const char *)data, length, &err) == 0) {
        int fd = memory_file(bytes, count, path);
        for (const struct loaded_layout *loaded = set.first; loaded != NULL; loaded = loaded->next) {
            try_record(loaded->kind, &loaded->layout, bytes, count);
            try_file(&set, loaded->kind, path, count);
        }
        close(fd);
    } else {
        EXPECT(set.first == NULL && err.code != ERR_NONE && *err_message(&err) != '\0');
    }
    layout_set_release(&set);
    return 0;
}
