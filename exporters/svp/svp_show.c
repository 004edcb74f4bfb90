#include "exporters/svp/svp_show.h"

#include "base/interrupt.h"
#include "exporters/svp/svp_walk.h"

#include <stdlib.h>

#define VALUES_MAX 1024 /* bytes of a cell of joined numbers */

static void print_block(struct show *show, const char *title)
{
    show_title(show, title);
    show_end_line(show);
}

static void print_empty(struct show *show, const char *message)
{
    show_field(show, "", message);
    show_end_line(show);
}

/* ---- AI Core Metrics ---- */

enum { METRIC_COLUMNS = 9, TEXT_COLUMNS = 4, JOINED_COLUMNS = METRIC_COLUMNS - TEXT_COLUMNS, JOINED_MAX = 4 };

static const struct text_column metric_columns[METRIC_COLUMNS] = {
    {"Task ID", NUMBER_COLUMN, false},
    {"Layer Name", TEXT_COLUMN, false},
    {"Layer Type", TEXT_COLUMN, false},
    {"Ori Layer Name", TEXT_COLUMN, false},
    {"Time(us)\nTime Ratio(%)", VALUES_COLUMN, false},
    {"Mac Ppen Ratio(%)\nVec Ppen Ratio(%)", VALUES_COLUMN, true},
    {"Dstr Ratio(%)\nDtrans Ratio(%)\nDLD Ratio(%)\nWLD Ratio(%)", VALUES_COLUMN, false},
    {"Memory Bound\nBandWidth(GB/s)", VALUES_COLUMN, false},
    {"DDR Read(KB)\nDDR Write(KB)\nDDR Total(KB)", VALUES_COLUMN, true},
};

static const struct {
    size_t count;
    enum svp_metric metrics[JOINED_MAX];
} joined_metrics[JOINED_COLUMNS] = {
    {2, {METRIC_TIME, METRIC_TIME_RATIO}},
    {2, {METRIC_MAC_PPEN, METRIC_VEC_PPEN}},
    {4, {METRIC_DSTR, METRIC_DTRANS, METRIC_DLD, METRIC_WLD}},
    {2, {METRIC_MEMORY_BOUND, METRIC_BANDWIDTH}},
    {3, {METRIC_DDR_READ_KB, METRIC_DDR_WRITE_KB, METRIC_DDR_TOTAL_KB}},
};

struct metrics_block {
    struct show *show;
    bool any;
    const struct svp_walk_stop *stop;
    struct text_table table;
    void (*take)(struct text_table *table, const struct table_cell *cells); /* text_table_measure or _row */
    struct svp_layer_lists lists;
    struct strbuf joined[JOINED_COLUMNS];
};

static void join_values(struct metrics_block *block, const struct svp_task *task, struct table_cell *cells)
{
    const struct svp_walk_stop *stop = block->stop;
    char buffer[NUMBER_MAX];
    for (size_t i = 0; i < JOINED_COLUMNS; i++) {
        struct strbuf *joined = &block->joined[i];
        strbuf_clear(joined);
        for (size_t k = 0; k < joined_metrics[i].count; k++) {
            enum svp_metric metric = joined_metrics[i].metrics[k];
            struct table_cell value = svp_metric_cell(metric, task, stop->network, stop->inference->core_khz);
            size_t length;
            const char *text = cell_as_text(&value, buffer, &length);
            if (k > 0)
                strbuf_addc(joined, '/');
            strbuf_add(joined, text, length);
        }
        cells[TEXT_COLUMNS + i] = cell_text_of_length(joined->data, joined->length);
    }
}

static int take_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct metrics_block *block = arg;
    const struct svp_layers *layers = block->stop->layers;
    struct table_cell cells[METRIC_COLUMNS];
    size_t first = 0, count = svp_layers_of_task(layers, task->task_id, false, &first);
    if (interrupted())
        return interrupt_error(err);
    int result = svp_layer_lists_set(&block->lists, count > 0 ? layers->layers + first : NULL, count, '\n', err);
    if (result < 0)
        return result;
    cells[0] = cell_number(task->task_id, 0);
    cells[1] = svp_layer_list_cell(&block->lists, &block->lists.names);
    cells[2] = svp_layer_list_cell(&block->lists, &block->lists.types);
    cells[3] = svp_layer_list_cell(&block->lists, &block->lists.ori_names);
    join_values(block, task, cells);
    block->take(&block->table, cells);
    return 0;
}

/* All rows of the table, the whole network first. */
static int take_rows(struct metrics_block *block, struct err *err)
{
    const struct svp_walk_stop *stop = block->stop;
    struct table_cell cells[METRIC_COLUMNS];
    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        cells[i] = cell_text("-");
    join_values(block, stop->network, cells);
    block->take(&block->table, cells);
    return svp_read_tasks(stop->tasks, stop->inference->id, take_task, block, err);
}

static int print_heading(struct show *show, const struct svp_walk_stop *stop, struct err *err)
{
    const struct svp_inference *inference = stop->inference;
    char *model = strdup(inference->model);
    if (model == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a model's name");
    err_mask_text(model);
    show_field(show, "Model name : ", model);
    free(model);
    show_number(show, "Model id : ", inference->model_id);
    show_number(show, "Batch num: ", inference->batch_num);
    show_number(show, "Current pic count: ", inference->current_pic_count);
    if (inference->input_pic_num != 1)
        show_number(show, "Input pic num: ", inference->input_pic_num);
    show_device(show, inference->device_id);
    show_end_line(show);
    show_number(show, "Fps : ", svp_frames_per_second(inference->batch_num, stop->network, inference->core_khz));
    show_field(show, " ", "(frames per second in model)");
    show_end_line(show);
    return 0;
}

static int print_metrics(void *arg, const struct svp_walk_stop *stop, struct err *err)
{
    struct metrics_block *block = arg;
    struct show *show = block->show;
    if (stop->inference->tasks == 0)
        return 0;
    block->any = true;
    block->stop = stop;
    int result = print_heading(show, stop, err);
    if (result < 0)
        return result;
    text_table_init(&block->table, metric_columns, METRIC_COLUMNS);
    block->take = text_table_measure;
    result = take_rows(block, err);
    if (result == 0) {
        text_table_begin(&block->table, show->stream, show->options->width);
        block->take = text_table_row;
        result = take_rows(block, err);
    }
    if (result == 0)
        result = text_table_end(&block->table, err);
    show->result->rows += block->table.rows;
    text_table_release(&block->table);
    return result;
}

static int show_metrics(struct show *show, struct err *err)
{
    struct metrics_block block = {.show = show};
    const struct svp_visitor visitor = {.inference = print_metrics, .arg = &block};
    svp_layer_lists_init(&block.lists);
    for (size_t i = 0; i < JOINED_COLUMNS; i++)
        strbuf_init(&block.joined[i], VALUES_MAX);
    print_block(show, "AI Core Metrics :");
    int result = svp_walk(show->db, &visitor, err);
    if (result == 0 && !block.any)
        print_empty(show, "No device data: the model was loaded but never executed.");
    svp_layer_lists_release(&block.lists);
    for (size_t i = 0; i < JOINED_COLUMNS; i++)
        strbuf_release(&block.joined[i]);
    return result;
}

/* ---- Op statistic and Acl statistic ---- */

enum { STATISTIC_COLUMNS = 10 };

/* Of both blocks: two ids, type and name, total time and its ratio, count, average and the two extremes. */
static const struct {
    enum text_column_kind kind;
    bool stackable;
} statistic_columns[STATISTIC_COLUMNS] = {
    {NUMBER_COLUMN, false}, {NUMBER_COLUMN, true}, {TEXT_COLUMN, false},   {TEXT_COLUMN, false},
    {NUMBER_COLUMN, false}, {NUMBER_COLUMN, true}, {NUMBER_COLUMN, false}, {NUMBER_COLUMN, false},
    {NUMBER_COLUMN, true},  {NUMBER_COLUMN, true},
};

/* The tables of one block: all with the same columns. */
struct statistic_block {
    struct show *show;
    bool any;
    struct text_column columns[STATISTIC_COLUMNS];
    struct text_table table;
    int64_t device_id, model_id; /* of the open table */
    bool open;
};

static void block_init(struct statistic_block *block, struct show *show, const struct column_titles *titles)
{
    *block = (struct statistic_block){.show = show};
    for (size_t i = 0; i < STATISTIC_COLUMNS; i++)
        block->columns[i] =
            (struct text_column){titles->texts[i], statistic_columns[i].kind, statistic_columns[i].stackable};
}

static int print_statistic(void *arg, const struct svp_report *report, const struct svp_statistic *statistic,
                           struct err *err)
{
    struct statistic_block *block = arg;
    struct show *show = block->show;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    int64_t total = svp_statistic_total(statistic);
    if (statistic->count == 0)
        return 0;
    block->any = true;
    show_number(show, "Model id : ", report->model_id);
    if (report->current_pic_count != 0)
        show_number(show, "Current pic count: ", report->current_pic_count);
    show_device(show, report->device_id);
    show_end_line(show);
    text_table_init(&block->table, block->columns, STATISTIC_COLUMNS);
    for (size_t i = 0; i < statistic->count; i++) {
        op_statistic_cells(COLUMNS_VENDOR, &statistic->rows[i], (int64_t)i, total, cells);
        text_table_measure(&block->table, cells);
    }
    text_table_begin(&block->table, show->stream, show->options->width);
    for (size_t i = 0; i < statistic->count; i++) {
        op_statistic_cells(COLUMNS_VENDOR, &statistic->rows[i], (int64_t)i, total, cells);
        text_table_row(&block->table, cells);
    }
    int result = text_table_end(&block->table, err);
    show->result->rows += block->table.rows;
    text_table_release(&block->table);
    return result;
}

static int show_op_statistic(struct show *show, struct err *err)
{
    struct statistic_block block;
    struct column_titles titles;
    const struct svp_visitor visitor = {.report = print_statistic, .arg = &block};
    op_statistic_titles(COLUMNS_VENDOR, &titles);
    block_init(&block, show, &titles);
    print_block(show, "Op statistic :");
    int result = svp_walk(show->db, &visitor, err);
    if (result == 0 && !block.any)
        print_empty(show, "No operators.");
    return result;
}

static int measure_acl_row(void *arg, const struct acl_statistic *row, struct err *err)
{
    struct statistic_block *block = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    (void)err;
    acl_statistic_cells(COLUMNS_VENDOR, row, cells);
    text_table_measure(&block->table, cells);
    return 0;
}

static int end_acl_table(struct statistic_block *block, struct err *err)
{
    if (!block->open)
        return 0;
    block->open = false;
    block->show->result->rows += block->table.rows;
    return text_table_end(&block->table, err);
}

static int print_acl_row(void *arg, const struct acl_statistic *row, struct err *err)
{
    struct statistic_block *block = arg;
    struct show *show = block->show;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    if (interrupted())
        return interrupt_error(err);
    if (!block->open || block->device_id != row->device_id || block->model_id != row->model_id) {
        int result = end_acl_table(block, err);
        if (result < 0)
            return result;
        show_number(show, "Model id : ", row->model_id);
        show_device(show, row->device_id);
        show_end_line(show);
        text_table_begin(&block->table, show->stream, show->options->width);
        block->open = block->any = true;
        block->device_id = row->device_id;
        block->model_id = row->model_id;
    }
    acl_statistic_cells(COLUMNS_VENDOR, row, cells);
    text_table_row(&block->table, cells);
    return 0;
}

static int show_acl_statistic(struct show *show, struct err *err)
{
    struct statistic_block block;
    struct column_titles titles;
    acl_statistic_titles(COLUMNS_VENDOR, &titles);
    block_init(&block, show, &titles);
    print_block(show, "Acl statistic :");
    /* All tables of this block share their widths, so that two ways through the rows are enough. */
    text_table_init(&block.table, block.columns, STATISTIC_COLUMNS);
    int result = acl_each_statistic(show->db, measure_acl_row, &block, err);
    if (result == 0)
        result = acl_each_statistic(show->db, print_acl_row, &block, err);
    if (result == 0)
        result = end_acl_table(&block, err);
    if (result == 0 && !block.any)
        print_empty(show, "No API calls.");
    text_table_release(&block.table);
    return result;
}

/* ---- Frequency ---- */

struct frequency_block {
    struct show *show;
    bool any;
    int64_t device_id, core_khz; /* printed last */
};

static void print_frequency(struct show *show, int64_t device_id, int64_t core_khz)
{
    char number[NUMBER_MAX], text[NUMBER_MAX + 8];
    size_t length;
    const struct table_cell cell = cell_number(core_khz, 3);
    const char *frequency = cell_as_text(&cell, number, &length);
    snprintf(text, sizeof text, "%.*s%s", (int)length, frequency, core_khz == DB_NULL ? "" : " Mhz");
    show_title(show, "Frequency :");
    show_field(show, "", text);
    show_device(show, device_id);
    show_end_line(show);
}

static int take_frequency(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct frequency_block *block = arg;
    if (block->any && block->device_id == inference->device_id && block->core_khz == inference->core_khz)
        return 0;
    block->any = true;
    block->device_id = inference->device_id;
    block->core_khz = inference->core_khz;
    print_frequency(block->show, inference->device_id, inference->core_khz);
    return interrupted() ? interrupt_error(err) : 0;
}

static int show_frequency(struct show *show, struct err *err)
{
    struct frequency_block block = {.show = show};
    int result = svp_each_inference(show->db, NULL, take_frequency, &block, err);
    if (result == 0 && !block.any)
        print_frequency(show, 0, DB_NULL);
    return result;
}

int svp_show(struct show *show, struct err *err)
{
    int result = show_metrics(show, err);
    if (result == 0)
        result = show_op_statistic(show, err);
    if (result == 0)
        result = show_acl_statistic(show, err);
    if (result == 0)
        result = show_frequency(show, err);
    return result;
}
