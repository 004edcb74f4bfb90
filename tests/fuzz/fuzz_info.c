/* SPDX-License-Identifier: Apache-2.0 */
/* The small files beside the data: the first byte chooses which one the rest is. */
#include "tests/fuzz/directory.h"

#include "parsers/capture/capture_files.h"

#include <fcntl.h>

static const char *const names[] = {"info.json.0", "net.1.net.info", "x.done", "net.1.layer.info", "host_start.log.0"};

static void try_config(struct capture *capture, const char *name, size_t size)
{
    struct err err = ERR_INIT;
    char copy[32];
    snprintf(copy, sizeof copy, "%s", name);
    const struct entry entry = {.name = copy, .size = size, .mode = S_IFREG};
    EXPECT(capture_read_config(capture, &entry, &err) == 0);
    for (size_t i = 0; i < capture->device_count; i++)
        EXPECT(capture->devices[i].core_khz != 0 && capture->devices[i].counter_khz != 0 &&
               capture->devices[i].device_id >= 0);
}

static void try_done(struct capture *capture, const char *name)
{
    struct err err = ERR_INIT;
    struct done_info done;
    EXPECT(capture_read_done(capture, name, &done, &err) == 0);
    EXPECT(done.start_ns < 0 || done.end_ns < 0 || done.start_ns <= done.end_ns);
}

static void try_layers(struct capture *capture, const char *name, size_t size)
{
    struct err err = ERR_INIT;
    struct checking_sink sink = CHECKING_SINK_INIT;
    char copy[32];
    snprintf(copy, sizeof copy, "%s", name);
    const struct entry entry = {.name = copy, .size = size, .mode = S_IFREG};
    struct capture_file *file = capture_add_file(capture, &entry);
    EXPECT(file != NULL && capture_match_name("{model}.{model_id}.layer.info", name, &file->identity));
    EXPECT(capture_add_model(capture, file->identity.model, file->identity.model_id, &err) != NULL);
    file->kind = record_kind_find("layer");
    EXPECT(decode_capture(capture, &sink.sink, NULL, &err) == 0);
    EXPECT(sink.rows == file->decoded);
    expect_honest_counts(capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const char *name = names[data[0] % (sizeof names / sizeof *names)];
    struct diagnostics diag;
    fuzz_directory_make();
    fuzz_directory_clear();
    EXPECT(fuzz_write_file(name, data + 1, size - 1));
    diag_init(&diag, false);
    struct capture capture = {.diag = &diag, .directory = strdup(fuzz_directory), .at = open(fuzz_directory, O_PATH)};
    EXPECT(capture.directory != NULL && capture.at >= 0);
    if (strstr(name, ".done") != NULL)
        try_done(&capture, name);
    else if (strstr(name, ".layer.info") != NULL)
        try_layers(&capture, name, size - 1);
    else
        try_config(&capture, name, size - 1);
    capture_release(&capture);
    diag_release(&diag);
    return 0;
}
