/* What a file format must offer to table.c. */
#ifndef MSPROF_EXPORTERS_TABLE_BACKEND_H
#define MSPROF_EXPORTERS_TABLE_BACKEND_H

#include "exporters/table.h"

/* All set table->out_of_memory when memory runs out; write errors stay in table->out. */
struct table_backend {
    void (*begin)(struct table *table, const char *const *titles);
    void (*row)(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells);
    void (*end)(struct table *table);
    /* Appends one cell with what stands before it in a row; 0, or -1 with buf->failed set. */
    int (*render)(struct strbuf *buf, const char *title, const struct table_cell *cell, bool first);
};

extern const struct table_backend table_csv;  /* as Python's csv module writes it, with "\n" as line end */
extern const struct table_backend table_json; /* as Python's json.dump(..., indent=4) writes a list of objects */

#endif
