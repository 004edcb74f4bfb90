/* Reports of what programs say of themselves with msproftx: marks and ranges with messages. */
#ifndef MSPROF_EXPORTERS_TX_REPORT_H
#define MSPROF_EXPORTERS_TX_REPORT_H

#include "base/outfile.h"
#include "exporters/cann_trace.h"
#include "exporters/export.h"

/* Appends to a timeline of a new CANN capture the program's marks and ranges by thread, what the devices saw of them
 * and arrows between the two, as far as trace shows them. *ret_events counts them without metadata and
 * arrows; nothing is written when it is 0. */
int tx_trace_write(sqlite3 *db, struct cann_trace *trace, struct outfile *out, uint64_t *ret_events, struct err *err);

/* New CANN captures: msprof_tx_<timestamp>.json with the same events, and the table msprof_tx_<timestamp>. No file
 * without events. */
int tx_timeline(sqlite3 *db, const struct cann_trace *trace, const struct export_options *options,
                struct export_result *result, struct err *err);
int tx_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err);

/* Of all families: prints a row for each message of marks and ranges; nothing, not even a title, without any. */
struct show;
int tx_show(struct show *show, struct err *err);

/* Captures before 2023: msprof_tx_[<device>_]<iteration>, the device when it is not the host that recorded them. */
int tx_legacy_timeline(sqlite3 *db, const struct export_options *options, struct export_result *result,
                       struct err *err);
int tx_legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err);
/* Writes the name of their file with this suffix. */
#define TX_LEGACY_NAME_MAX 96
int tx_legacy_name(char name[TX_LEGACY_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err);

#endif
