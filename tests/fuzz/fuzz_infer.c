/* SPDX-License-Identifier: Apache-2.0 */
/* A layout from bytes and a table, which may be of any form: the table before a line "---" and the records after it.
 * Whatever they are, the text that comes out is a layout file that check reads, and the structure report ends. */
#include "tests/fuzz/support.h"

#include "features/layouts/infer.h"
#include "features/layouts/printed.h"
#include "features/layouts/structure.h"

#define MOST_BYTES 8192 /* the search takes time by the square of them */

static int write_file(const char *name, const void *bytes, size_t size)
{
    FILE *stream = fopen(name, "wb");
    EXPECT(stream != NULL);
    size_t written = size > 0 ? fwrite(bytes, 1, size, stream) : 0;
    fclose(stream);
    return written == size ? 0 : -1;
}

/* Checks whatever is found; the verdict may be anything, but has to come. */
static void check(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                  const struct layout_set *set)
{
    struct check_result result = {.cells = 0};
    struct err err = ERR_INIT;
    capture->options = (struct capture_options){.layouts = set, .only_named = true};
    strbuf_init(&result.first, 8192);
    if (check_tables(capture, tables, options, &result, &err) < 0)
        EXPECT(*err_message(&err) != '\0');
    EXPECT(result.different <= result.cells && result.unmatched <= result.rows);
    strbuf_release(&result.first);
    capture->options = (struct capture_options){.layouts = NULL};
}

static void infer(struct capture *capture, const struct printed_form *form, const char *table, bool json)
{
    struct printed_file item = {.path = strdup(table),
                                .json = json,
                                .device_id = -1,
                                .model_id = 1,
                                .batch_num = -1,
                                .input_pic_num = -1,
                                .current_pic_count = 5,
                                .core_khz = 600000,
                                .miss_ppm = 5000000};
    struct printed_files tables = {.form = form, .items = &item, .count = 1, .capacity = 1};
    const struct infer_options options = {.rounding = ROUNDING_HALF, .seconds = 1};
    struct infer_result result;
    struct strbuf text;
    struct err err = ERR_INIT;
    EXPECT(item.path != NULL);
    infer_result_init(&result, tables.form);
    strbuf_init(&text, (size_t)1024 * 1024);
    if (infer_layout(capture, &tables, &options, &result, &err) == 0 && result.found) {
        struct layout_set set;
        layout_set_init(&set);
        EXPECT(infer_write(&result, "fuzz", "fuzz", &text, &err) == 0);
        EXPECT(layout_set_parse(&set, "fuzz.layout", text.data, text.length, &err) == 0);
        check(capture, &tables, &options, &set);
        layout_set_release(&set);
    } else if (!result.found && err.code != ERR_NONE) {
        EXPECT(*err_message(&err) != '\0');
    }
    strbuf_release(&text);
    infer_result_release(&result);
    free(item.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separator[] = "\n---\n";
    const uint8_t *end = memmem(data, size, separator, strlen(separator));
    char directory[] = "/tmp/msprof-fuzz-XXXXXX", table[64], records[64];
    if (end == NULL || size > MOST_BYTES)
        return 0;
    EXPECT(mkdtemp(directory) != NULL);
    snprintf(table, sizeof table, "%s/table", directory);
    snprintf(records, sizeof records, "%s/records", directory);
    const uint8_t *bytes = end + strlen(separator);
    size_t count = size - (size_t)(bytes - data);
    EXPECT(write_file(table, data, (size_t)(end - data) + 1) == 0 && write_file(records, bytes, count) == 0);
    struct diagnostics diag;
    struct err err = ERR_INIT;
    struct capture_file file = {
        .id = 1, .name = records, .size = count, .identity = {0, 1, 1, 1, -1, -1, NULL, NULL, -1, false, -1, -1}};
    diag_init(&diag, false);
    struct capture capture = {.files = &file, .file_count = 1, .diag = &diag};
    for (size_t i = 0; printed_forms[i] != NULL; i++) {
        file.kind = record_kind_find(printed_forms[i]->kind);
        infer(&capture, printed_forms[i], table, data[0] == '{' || data[0] == '[');
    }
    struct source source = {.items = NULL};
    struct strbuf report;
    strbuf_init(&report, (size_t)1024 * 1024);
    if (source_add(&source, &capture, &file, &err) == 0)
        structure_report(&source.items[0], &report, &err);
    source_release(&source);
    strbuf_release(&report);
    free(capture.rejections);
    diag_release(&diag);
    unlink(table);
    unlink(records);
    rmdir(directory);
    return 0;
}
