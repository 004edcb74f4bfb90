#include "exporters/cann_show.h"

#include "exporters/cann_longest.h"
#include "exporters/cann_overlap.h"
#include "exporters/show_table.h"
#include "exporters/tx_report.h"

struct cann_show {
    struct show *show;
    struct export_options options; /* for what writes files as well */
    struct cann_texts names;
    struct cann_communications communications;
    bool has_host, has_device; /* the capture has such a part */
    int64_t tasks, operators;  /* operators with those of communication */
};

static void print_reason(struct show *show, const char *reason)
{
    show_field(show, "", reason);
    show_end_line(show);
}

static void begin_block(struct show *show, const char *title)
{
    show_title(show, title);
    show_end_line(show);
}

/* ---- operators ---- */

static const char *why_no_tasks(const struct cann_show *cann)
{
    return cann->has_device ? "No tasks: none could be read of what the devices recorded."
                            : "No device data: the capture has no device's half that can be read.";
}

static const char *why_no_operators(const struct cann_show *cann)
{
    if (cann->tasks == 0)
        return why_no_tasks(cann);
    return cann->has_host ? "No operators: nothing that the host recorded names the operator of a task."
                          : "No operators: the host's half, which names them, is missing or cannot be read.";
}

static int show_op_statistic(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->show;
    uint64_t rows = show->result->rows;
    begin_block(show, "Op statistic :");
    int status = cann_op_statistic(show->db, &cann->names, &cann->options, show->result, err);
    if (status == 0 && show->result->rows == rows)
        print_reason(show, why_no_operators(cann));
    return status;
}

/* Tasks without operators are better than nothing. */
static int show_longest(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->show;
    size_t top = (size_t)show->options->top;
    if (cann->operators > 0) {
        show_title(show, "Longest operators :");
        show_top(show, cann->operators, "op_summary");
        return cann_longest_operators(show->db, &cann->names, &cann->communications, top, &cann->options, show->result,
                                      err);
    }
    if (cann->tasks == 0)
        return 0;
    show_title(show, "Longest tasks :");
    show_top(show, cann->tasks, "task_time");
    return cann_longest_task_times(show->db, &cann->names, top, &cann->options, show->result, err);
}

static int show_communication(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->show;
    uint64_t rows = show->result->rows;
    if (cann->communications.count == 0)
        return 0;
    begin_block(show, "Communication statistic :");
    int status = cann_communication_statistic(&cann->communications, &cann->names, &cann->options, show->result, err);
    if (status == 0 && show->result->rows == rows)
        print_reason(show, "No types: none of the communication operators has one.");
    return status;
}

/* ---- what the devices did over time ---- */

static const char *const overlap_titles[] = {"Device_id",         "Elapsed(us)",
                                             "Computing(us)",     "Computing(%)",
                                             "Communication(us)", "Communication(Not Overlapped)(us)",
                                             "Free(us)",          "Free(%)"};
enum { OVERLAP_COLUMNS = sizeof overlap_titles / sizeof *overlap_titles };

struct overlap_sums {
    struct overlap overlap;
    struct show_table table;
    int64_t device_id;
    int64_t ns[OVERLAP_FREE + 1];
    bool any;
};

/* Of the device that the sums are of. */
static void keep_sums(struct overlap_sums *sums)
{
    const int64_t *ns = sums->ns;
    int64_t elapsed_ns = ns[OVERLAP_COMPUTING] + ns[OVERLAP_COMMUNICATION_ONLY] + ns[OVERLAP_FREE];
    const struct table_cell cells[OVERLAP_COLUMNS] = {
        cell_number(sums->device_id, 0),           cell_number(elapsed_ns, 3),
        cell_number(ns[OVERLAP_COMPUTING], 3),     cell_number(number_ratio(ns[OVERLAP_COMPUTING], elapsed_ns, 5), 3),
        cell_number(ns[OVERLAP_COMMUNICATION], 3), cell_number(ns[OVERLAP_COMMUNICATION_ONLY], 3),
        cell_number(ns[OVERLAP_FREE], 3),          cell_number(number_ratio(ns[OVERLAP_FREE], elapsed_ns, 5), 3),
    };
    if (sums->any)
        show_table_row(&sums->table, cells);
    sums->any = false;
    memset(sums->ns, 0, sizeof sums->ns);
}

static int add_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct overlap_sums *sums = arg;
    (void)err;
    if (sums->any && sums->device_id != span->device_id)
        keep_sums(sums);
    sums->any = true;
    sums->device_id = span->device_id;
    sums->ns[span->type] += span->end_ns - span->start_ns;
    return 0;
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct overlap_sums *sums = arg;
    return overlap_take(&sums->overlap, span, err);
}

static int show_overlap(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->show;
    static const struct show_columns numbers = {.texts = 0};
    struct overlap_sums sums = {.any = false};
    if (cann->tasks == 0)
        return 0;
    struct cann_span_reader *reader = cann_span_reader_new(show->db, err);
    if (reader == NULL)
        return -(int)err->code;
    overlap_init(&sums.overlap, &cann->communications, add_span, &sums);
    show_table_init(&sums.table, overlap_titles, OVERLAP_COLUMNS, &numbers);
    int status = cann_read_spans(reader, 1, INT64_MAX, take_span, &sums, err);
    if (status == 0)
        status = overlap_end(&sums.overlap, err);
    if (status == 0) {
        keep_sums(&sums);
        begin_block(show, "Overlap analysis :");
        status = show_table_print(&sums.table, show, err);
    }
    show_table_release(&sums.table);
    cann_span_reader_free(reader);
    return status;
}

/* ---- the host ---- */

static int show_api_statistic(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->show;
    uint64_t rows = show->result->rows;
    begin_block(show, "Api statistic :");
    int status = cann_api_statistic(show->db, &cann->names, &cann->options, show->result, err);
    if (status == 0 && show->result->rows == rows)
        print_reason(show, cann->has_host ? "No API calls."
                                          : "No API calls: the capture has no host's half that can be read.");
    return status;
}

/* ---- all of it ---- */

static int find_halves(struct cann_show *cann, struct err *err)
{
    struct cann_parts parts;
    int status = cann_parts_load(cann->show->db, &parts, err);
    for (size_t i = 0; status == 0 && i < parts.count; i++) {
        cann->has_host |= parts.parts[i].is_host;
        cann->has_device |= !parts.parts[i].is_host;
    }
    if (status == 0)
        cann_parts_release(&parts);
    return status;
}

static int load(struct cann_show *cann, struct err *err)
{
    sqlite3 *db = cann->show->db;
    int status = find_halves(cann, err);
    if (status == 0)
        status = cann_names_load(db, &cann->names, err);
    if (status == 0)
        status = cann_communications_load(db, &cann->communications, err);
    if (status < 0)
        return status;
    cann->tasks = cann_task_count(db);
    cann->operators = cann_operator_count(db) + (int64_t)cann->communications.count;
    return 0;
}

int cann_show(struct show *show, struct err *err)
{
    static int (*const blocks[])(struct cann_show * cann, struct err * err) = {
        show_op_statistic, show_longest, show_communication, show_overlap, show_api_statistic,
    };
    struct cann_show cann = {
        .show = show,
        .options = {.database = show->options->database, .format = TABLE_TERMINAL, .show = show},
    };
    int status = load(&cann, err);
    for (size_t i = 0; status == 0 && i < sizeof blocks / sizeof *blocks; i++)
        status = blocks[i](&cann, err);
    if (status == 0)
        status = tx_show(show, err);
    cann_communications_release(&cann.communications);
    cann_texts_release(&cann.names);
    return status;
}
