/* fusion_op of captures of the layout of 2022, and the copies in their task_time. */
#include "db/query_models.h"
#include "exporters/legacy_report.h"
#include "exporters/pmu_rounding.h"
#include "exporters/summary_file.h"

#include <math.h>
#include <stdio.h>

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

/* All times stand in quotes of their own, the duration with one or two decimals as Python prints them. */
void legacy_copy_cells(const struct legacy_copy_time *copy, struct legacy_copy_texts *texts,
                       struct table_cell cells[LEGACY_COPY_CELLS])
{
    int64_t hundredths = (int64_t)pmu_round_decimal((copy->end - copy->start) / 1000, 2);
    snprintf(texts->duration, sizeof texts->duration, hundredths % 10 == 0 ? "\"%.1f\"" : "\"%.2f\"",
             (double)hundredths / 100);
    snprintf(texts->start, sizeof texts->start, "\"%.0f\"", trunc(copy->start));
    snprintf(texts->stop, sizeof texts->stop, "\"%.0f\"", trunc(copy->end));
    cells[0] = cell_text(LEGACY_COPY_NAME);
    cells[1] = cell_text(LEGACY_COPY_TYPE);
    cells[2] = cell_number(copy->stream_id, 0);
    cells[3] = cell_number(copy->task_id, 0);
    cells[4] = cell_text(texts->duration);
    cells[5] = cell_text(texts->start);
    cells[6] = cell_text(texts->stop);
}
