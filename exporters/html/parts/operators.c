/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by type and by name, and gaps. */
#include "exporters/html/page.h"

static int put_tables(struct html_page *page, const struct html_table *tables, size_t count, struct err *err)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < count; i++)
        status = html_put_table(page, &tables[i], NULL, err);
    return status;
}

int html_put_operators(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {
        {.report = "types", .bars = "share"},
        {.report = "shapes", .bars = "share"},
        {.report = "ops", .bars = "share", .anchor = "name"},
    };
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

int html_put_gaps(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "gaps", .anchor = "start"}};
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}
