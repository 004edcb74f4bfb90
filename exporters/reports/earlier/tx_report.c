/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/earlier/tx_report.h"

#include "db/database.h"
#include "db/query/query_tx.h"

#include <stdio.h>

int tx_report_name(char name[TX_REPORT_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err)
{
    char device[32] = "";
    int64_t device_id, iteration = options->iteration_id > 0 ? options->iteration_id : 1;
    int status = tx_recording_device(db, &device_id, err);
    if (status < 0)
        return status;
    if (device_id != DB_NULL)
        snprintf(device, sizeof device, "_%lld", (long long)device_id);
    snprintf(name, TX_REPORT_NAME_MAX, "msprof_tx%s_%lld%s", device, (long long)iteration, suffix);
    return 0;
}
