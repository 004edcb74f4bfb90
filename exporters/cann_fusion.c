/* fusion_op of a new CANN capture: which operators the graph compiler fused, and their memory. */
#include "exporters/cann_table.h"

#include <stdlib.h>

struct fusion_table {
    const struct cann_texts *names;
    struct cann_table table;
};

static const char *const titles[] = {"Device_id",         "Model Name",        "Model ID",
                                     "Fusion Op",         "Original Ops",      "Memory Input(KB)",
                                     "Memory Output(KB)", "Memory Weight(KB)", "Memory Workspace(KB)",
                                     "Memory Total(KB)"};

/* bytes / 1024, exactly. */
static void row_kilobytes(struct row_put *put, int64_t bytes)
{
    enum { KILO = 1024, PART = 9765625 }; /* 10^10 / 1024 */
    char fraction[NUMBER_MAX];
    if (bytes == DB_NULL) {
        row_missing(put);
        return;
    }
    row_key(put);
    put->p = number_put_signed(put->p, bytes / KILO);
    if (bytes % KILO == 0)
        return;
    const char *end = number_put_shortest(fraction, bytes % KILO * PART, 10);
    memcpy(put->p, fraction + 1, (size_t)(end - fraction) - 1); /* without the 0 in front of the point */
    put->p += end - fraction - 1;
}

/* The operators as one value: their encoded texts joined, in the quotes that any of them needs. */
static void row_operators(struct row_put *put, const struct cann_texts *names, const struct cann_fusion *fusion)
{
    struct cann_text texts[CANN_FUSED_OPERATORS];
    bool quoted = false, any = false;
    for (size_t i = 0; i < CANN_FUSED_OPERATORS; i++) {
        texts[i] = cann_text(names, fusion->op_ids[i], 0);
        quoted |= texts[i].text != NULL && texts[i].text[0] == '"';
    }
    row_key(put);
    if (quoted)
        *put->p++ = '"';
    for (size_t i = 0; i < CANN_FUSED_OPERATORS; i++) {
        size_t quotes = texts[i].text != NULL && texts[i].text[0] == '"' ? 1 : 0;
        if (texts[i].text == NULL)
            continue;
        if (any)
            *put->p++ = ';';
        any = true;
        memcpy(put->p, texts[i].text + quotes, texts[i].length - 2 * quotes);
        put->p += texts[i].length - 2 * quotes;
    }
    if (quoted)
        *put->p++ = '"';
}

static int put_fusion(void *arg, const struct cann_fusion *fusion, struct err *err)
{
    struct fusion_table *fusions = arg;
    const struct cann_texts *names = fusions->names;
    size_t texts = cann_text(names, fusion->model_name_id, 0).length + cann_text(names, fusion->name_id, 0).length + 2;
    for (size_t i = 0; i < CANN_FUSED_OPERATORS; i++)
        texts += cann_text(names, fusion->op_ids[i], 0).length + 1;
    struct row_put put;
    int status = cann_table_begin(&fusions->table, texts, &put, err);
    if (status < 0)
        return status;
    row_word(&put, "host");
    row_text(&put, cann_text(names, fusion->model_name_id, 0));
    row_integer(&put, fusion->model_id);
    row_text(&put, cann_text(names, fusion->name_id, 0));
    row_operators(&put, names, fusion);
    row_kilobytes(&put, fusion->input_bytes);
    row_kilobytes(&put, fusion->output_bytes);
    row_kilobytes(&put, fusion->weight_bytes);
    row_kilobytes(&put, fusion->workspace_bytes);
    row_kilobytes(&put, fusion->total_bytes);
    cann_table_end(&fusions->table, &put);
    return 0;
}

int cann_fusions(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                 struct export_result *result, struct err *err)
{
    struct fusion_table fusions = {.names = names};
    int status = cann_table_open(&fusions.table, "fusion_op", titles, sizeof titles / sizeof *titles,
                                 cann_fusion_count(db), options, result, err);
    if (status < 0)
        return status;
    status = cann_each_fusion(db, put_fusion, &fusions, err);
    return cann_table_close(&fusions.table, status, err);
}
