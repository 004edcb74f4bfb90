/* What programs say of themselves with msproftx, in the terminal. */
#include "db/query_tx.h"
#include "exporters/show_table.h"
#include "exporters/tx_report.h"

#include <inttypes.h>

static const char *const titles[] = {"event_type",   "message",      "Count",       "Total Time(us)",
                                     "Min Time(us)", "Avg Time(us)", "Max Time(us)"};
enum { COLUMNS = sizeof titles / sizeof *titles };

static int keep_total(void *arg, const struct tx_total *total, struct err *err)
{
    struct show_table *table = arg;
    const char *event_type = tx_event_type_name(total->event_type);
    int64_t average_ns = total->total_ns == DB_NULL ? DB_NULL : number_ratio(total->total_ns, total->count, 0);
    (void)err;
    const struct table_cell cells[COLUMNS] = {
        event_type != NULL ? cell_text(event_type) : cell_number(total->event_type, 0),
        cell_text_of_length(total->message, total->message_length),
        cell_number(total->count, 0),
        cell_number(total->total_ns, 3),
        cell_number(total->min_ns, 3),
        cell_number(average_ns, 3),
        cell_number(total->max_ns, 3),
    };
    show_table_row(table, cells);
    return 0;
}

int tx_show(struct show *show, struct err *err)
{
    enum { TYPE = 1 << 0, MESSAGE = 1 << 1, MEAN = 1 << 5, LONGEST = 1 << 6 };
    static const struct show_columns columns = {.texts = TYPE | MESSAGE, .stackable = MEAN | LONGEST};
    struct show_table table;
    int64_t messages = tx_total_count(show->db);
    if (messages == 0)
        return 0;
    show_title(show, "Msproftx statistic :");
    show_top(show, messages, "msprof_tx");
    show_table_init(&table, titles, COLUMNS, &columns);
    int status = tx_each_total(show->db, show->options->top, keep_total, &table, err);
    if (status == 0)
        status = show_table_print(&table, show, err);
    show_table_release(&table);
    return status;
}
