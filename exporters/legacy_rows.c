#include "exporters/legacy_rows.h"

#include "base/interrupt.h"
#include "exporters/pmu_rounding.h"

#include <math.h>

#define DECIMALS 4

/* ---- cells ---- */

struct table_cell legacy_decimal(double value)
{
    return isnan(value) ? cell_missing() : cell_number(pmu_round_decimal(value, DECIMALS), DECIMALS);
}

struct table_cell legacy_microseconds(double nanoseconds)
{
    return legacy_decimal(nanoseconds / 1000);
}

/* Rounded twice, as the tool did. */
struct table_cell legacy_percent(double part, double whole)
{
    return legacy_decimal(pmu_round_binary(whole > 0 ? part / whole * 100 : 0, 6));
}

/* Hundredths of a nanosecond are all that chip 0's times have. */
struct table_cell legacy_nanoseconds(double time)
{
    return cell_number(pmu_round_decimal(time, 2), 2);
}

/* ---- tables ---- */

static int put_into_file(struct legacy_reports *run, const struct legacy_table *table, const struct table_cell *cells,
                         struct err *err)
{
    int status = 0;
    if (run->file.path == NULL) {
        char name[LEGACY_NAME_MAX];
        legacy_report_name(name, run->device, table->name, table_suffix(run->options->format));
        status = summary_open(&run->file, run->options, run->result, table->name, name, &table->titles, err);
    }
    if (status == 0)
        table_row(&run->file.table, cells);
    return status;
}

int legacy_put_row(struct legacy_reports *run, const struct legacy_table *table, const struct table_cell *cells,
                   struct err *err)
{
    if (interrupted())
        return interrupt_error(err);
    if (run->options->format != TABLE_TERMINAL)
        return put_into_file(run, table, cells, err);
    if (run->terminal.column_count == 0)
        show_table_init(&run->terminal, table->titles.texts, table->titles.count, &table->shown);
    show_table_row(&run->terminal, cells);
    return 0;
}

static int print_table(struct legacy_reports *run, int status, struct err *err)
{
    if (status == 0)
        status = show_table_print(&run->terminal, run->options->show, err);
    show_table_release(&run->terminal);
    run->terminal = (struct show_table){.column_count = 0};
    return status;
}

int legacy_close(struct legacy_reports *run, int status, struct err *err)
{
    if (run->options->format == TABLE_TERMINAL)
        return print_table(run, status, err);
    if (status == 0 && run->file.path != NULL)
        return summary_commit(&run->file, err);
    summary_abort(&run->file);
    return status;
}
