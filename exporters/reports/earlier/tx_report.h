/* SPDX-License-Identifier: Apache-2.0 */
/* Files of what programs say of themselves with msproftx, of captures before 2023. */
#ifndef MSPROF_EXPORTERS_REPORTS_EARLIER_TX_REPORT_H
#define MSPROF_EXPORTERS_REPORTS_EARLIER_TX_REPORT_H

#include "exporters/export.h"

/* Writes the name of a file, msprof_tx_[<device>_]<iteration>, with this suffix; the device when it is not the host
 * that recorded them. */
#define TX_REPORT_NAME_MAX 96
int tx_report_name(char name[TX_REPORT_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err);

#endif
