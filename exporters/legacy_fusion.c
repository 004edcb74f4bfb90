/* fusion_op of captures of the layout of 2022. */
#include "db/query_models.h"
#include "exporters/legacy_report.h"
#include "exporters/summary_file.h"

enum { FUSION_COLUMNS = 9 };

static const struct column_titles titles = {
    .count = FUSION_COLUMNS,
    .texts = {"Model Name", "Model ID", "Fusion Op", "Original Ops", "Memory Input(Bytes)", "Memory Output(Bytes)",
              "Memory Weight(Bytes)", "Memory Workspace(Bytes)", "Memory Total(Bytes)"},
};

struct run {
    const struct export_options *options;
    struct export_result *result;
    const struct legacy_device *device;
    struct summary_file file;
};

static struct table_cell text_or_missing(const char *text)
{
    return text != NULL ? cell_text(text) : cell_missing();
}

static int put_fusion(void *arg, const struct legacy_fusion *fusion, struct err *err)
{
    struct run *run = arg;
    if (run->file.path == NULL) {
        char name[LEGACY_NAME_MAX];
        legacy_report_name(name, run->device, "fusion_op", table_suffix(run->options->format));
        int status = summary_open(&run->file, run->options, run->result, "fusion_op", name, &titles, err);
        if (status < 0)
            return status;
    }
    const struct table_cell cells[FUSION_COLUMNS] = {
        text_or_missing(fusion->model),     cell_number(fusion->model_id, 0),  text_or_missing(fusion->name),
        text_or_missing(fusion->operators), cell_number(fusion->input, 0),     cell_number(fusion->output, 0),
        cell_number(fusion->weight, 0),     cell_number(fusion->workspace, 0), cell_number(fusion->total, 0),
    };
    table_row(&run->file.table, cells);
    return 0;
}

int legacy_write_fusion(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                        const struct legacy_device *device, struct err *err)
{
    struct run run = {.options = options, .result = ret, .device = device};
    int status = legacy_each_fusion(db, device->part.device_id, put_fusion, &run, err);
    if (status == 0 && run.file.path != NULL)
        return summary_commit(&run.file, err);
    summary_abort(&run.file);
    return status;
}
