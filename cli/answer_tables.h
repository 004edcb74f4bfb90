/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that commands print: what 'show' and 'cluster' have in common. */
#ifndef MSPROF_CLI_ANSWER_TABLES_H
#define MSPROF_CLI_ANSWER_TABLES_H

#include "cli/options/options.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"
#include "exporters/table/writer.h"

/* The format and the rows that the command line chooses. */
enum table_format answer_format(const struct settings *settings);
struct table_choice answer_choice(const struct settings *settings);
/* The roofs that the command line gives. */
struct roofs roofs_of(const struct settings *settings);
/* How tables are printed; roofs and stream must outlive it. */
struct show_options answer_show_options(const struct settings *settings, const struct roofs *roofs,
                                        struct table_stream *stream);
/* Begins one of several tables with its name, where people read it. */
void answer_table_begin(const struct settings *settings, const char *table);
/* Prints what divides a table from the one before it. */
void answer_table_divide(const struct settings *settings);
/* Ends what went into a stream; an exit status. */
int answer_stream_end(struct table_stream *stream);
/* Checks that options for rows, columns or a format come with --table NAME, where NAME is neither 'list' nor word
 * (NULL: no such word), and that these two words stand alone. Reports a mistake; an exit status. hint: where names are
 * listed. */
int answer_check_tables(const struct show_settings *show, const char *word, const char *hint);

#endif
