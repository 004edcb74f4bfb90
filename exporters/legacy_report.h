/* Reports of captures of the layout of 2022, named and laid out as Ascend's tool of 2022 did. */
#ifndef MSPROF_EXPORTERS_LEGACY_REPORT_H
#define MSPROF_EXPORTERS_LEGACY_REPORT_H

#include "exporters/export.h"
#include "exporters/legacy_data.h"
#include "exporters/table.h"

/* As export_summary and export_timeline (export.h); add to *ret. Files:
 * <report>_<device>[_<model>]_<iteration>. */
int legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int legacy_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* Writes "<report>_<device>[_<model>]_<iteration><suffix>". */
#define LEGACY_NAME_MAX 160
void legacy_report_name(char name[LEGACY_NAME_MAX], const struct legacy_device *device, const char *report,
                        const char *suffix);

/* fusion_op: which operators of the device's models were fused; no file when there are none. */
int legacy_write_fusion(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                        const struct legacy_device *device, struct err *err);

/* The row of a copy in task_time, after those of the kernels; its cells point into texts. Not of chip 0. */
enum { LEGACY_COPY_CELLS = 7 };
struct legacy_copy_texts {
    char duration[64], start[64], stop[64];
};
void legacy_copy_cells(const struct legacy_copy_time *copy, struct legacy_copy_texts *texts,
                       struct table_cell cells[LEGACY_COPY_CELLS]);

/* "ACL_OP"; NULL when the type has no name. */
const char *legacy_api_type(int64_t api_type);
/* Whether the function launches an operator. */
bool legacy_launches(const struct legacy_call *call);

/* Where the calls of an iteration begin: its model's execution. */
#define LEGACY_MODEL_CALL "aclmdlExecute"

#endif
