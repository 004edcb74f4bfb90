/* The columns of the SVP reports, the guide's and the vendor tool's, and the cells of their rows. */
#ifndef MSPROF_EXPORTERS_SVP_SVP_COLUMNS_H
#define MSPROF_EXPORTERS_SVP_SVP_COLUMNS_H

#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/svp/svp_metric.h"
#include "exporters/svp/table.h"

/* Column titles of one report, for table_open. */
struct column_titles {
    size_t count;
    const char *texts[TABLE_MAX_COLUMNS];
};

/* The layers of one task as lists. */
struct svp_layer_lists {
    struct strbuf ids, names, types, ori_names;
    size_t layers;    /* how many; the lists are empty when none is known */
    int64_t first_id; /* a single id is a number, not a list */
};
void svp_layer_lists_init(struct svp_layer_lists *lists);
void svp_layer_lists_release(struct svp_layer_lists *lists);
/* Sets the lists for these layers: joined by commas for files or, with '\n' for the terminal, one item per line (then
 * original names, which are lists themselves, are split too). 0, or -ERR_LIMIT when a list is absurdly long. */
int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err);

/* One of the lists; missing when no layer is known. It must not be set again while the cell is in use. */
struct table_cell svp_layer_list_cell(const struct svp_layer_lists *lists, const struct strbuf *list);

/* op_summary: one row per AI core task. Its first columns say which task it is, the others hold its metrics. */
void op_summary_titles(enum column_set set, struct column_titles *ret);
/* How many columns say which task it is. */
size_t op_summary_identity_columns(enum column_set set);
/* Fills the cells of these columns. lists must outlive the cells. */
void op_summary_identity(enum column_set set, int64_t task_id, const struct svp_layer_lists *lists,
                         struct table_cell *cells);
/* Fills the cells of all other columns, at their places after those. */
void op_summary_metrics(enum column_set set, const struct svp_task *task, const struct svp_task *network,
                        int64_t core_khz, struct table_cell *cells);
/* Fills one cell per title for the row of the whole network. */
void op_summary_network(enum column_set set, const struct svp_task *network, int64_t core_khz,
                        struct table_cell *cells);

/* op_statistic: one row per layer type, engine and stream. */
struct op_statistic {
    char *type; /* of the layers; NULL when not known */
    bool ai_cpu;
    int64_t stream_id;
    int64_t count;                                      /* of layers */
    int64_t total_centi_us, max_centi_us, min_centi_us; /* DB_NULL: not known */
};
void op_statistic_titles(enum column_set set, struct column_titles *ret);
/* row_number counts from 0; report_centi_us is the total over all rows. */
void op_statistic_cells(enum column_set set, const struct op_statistic *row, int64_t row_number,
                        int64_t report_centi_us, struct table_cell *cells);

/* acl_statistic: one row per process, thread and API. */
void acl_statistic_titles(enum column_set set, struct column_titles *ret);
void acl_statistic_cells(enum column_set set, const struct acl_statistic *row, struct table_cell *cells);

#endif
