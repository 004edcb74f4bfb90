/* A layout from bytes and a table: the table before a line "---" and the records after it. Whatever they are, the text
 * that comes out is a layout file, and the structure report ends. */
#include "tests/fuzz/support.h"

#include "parsers/infer/infer.h"
#include "parsers/infer/structure.h"

#define MOST_BYTES 8192 /* the search takes time by the square of them */

static int write_file(const char *name, const void *bytes, size_t size)
{
    FILE *stream = fopen(name, "wb");
    EXPECT(stream != NULL);
    size_t written = size > 0 ? fwrite(bytes, 1, size, stream) : 0;
    fclose(stream);
    return written == size ? 0 : -1;
}

static void infer(struct capture *capture, const char *table)
{
    struct printed_file item = {.path = strdup(table),
                                .device_id = -1,
                                .model_id = 1,
                                .batch_num = -1,
                                .input_pic_num = -1,
                                .current_pic_count = 5,
                                .core_khz = 600000};
    struct printed_files tables = {.items = &item, .count = 1, .capacity = 1};
    const struct infer_options options = {.rounding = ROUNDING_HALF};
    struct infer_result result;
    struct strbuf text;
    struct err err = ERR_INIT;
    EXPECT(item.path != NULL);
    infer_result_init(&result);
    strbuf_init(&text, (size_t)1024 * 1024);
    if (infer_pmu(capture, &tables, &options, &result, &err) == 0 && result.found) {
        struct layout_set set;
        layout_set_init(&set);
        EXPECT(infer_write(&result, "svp_pmu", "fuzz", "fuzz", &text, &err) == 0);
        EXPECT(layout_set_parse(&set, "fuzz.layout", text.data, text.length, &err) == 0);
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
    char directory[] = "/tmp/msprof-fuzz-XXXXXX", table[64], records[64], name[] = "data/aicore.0.1.1";
    if (end == NULL || size > MOST_BYTES)
        return 0;
    EXPECT(mkdtemp(directory) != NULL);
    snprintf(table, sizeof table, "%s/op_summary.csv", directory);
    snprintf(records, sizeof records, "%s/records", directory);
    const uint8_t *bytes = end + strlen(separator);
    size_t count = size - (size_t)(bytes - data);
    EXPECT(write_file(table, data, (size_t)(end - data) + 1) == 0 && write_file(records, bytes, count) == 0);
    struct diagnostics diag;
    struct err err = ERR_INIT;
    struct capture_file file = {.id = 1,
                                .path = records,
                                .name = name,
                                .kind = record_kind_find("svp_pmu"),
                                .size = count,
                                .identity = {0, 1, 1, 1, -1, -1, NULL, NULL, -1, false}};
    diag_init(&diag, false);
    struct capture capture = {.files = &file, .file_count = 1, .diag = &diag};
    infer(&capture, table);
    struct source source = {.items = NULL};
    struct strbuf report;
    strbuf_init(&report, (size_t)1024 * 1024);
    if (source_add(&source, records, name, &err) == 0)
        structure_report(&source.items[0], &report, &err);
    source_release(&source);
    strbuf_release(&report);
    diag_release(&diag);
    unlink(table);
    unlink(records);
    rmdir(directory);
    return 0;
}
