/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of new CANN captures: what the tables and the timeline share. */
#ifndef MSPROF_EXPORTERS_CANN_REPORT_H
#define MSPROF_EXPORTERS_CANN_REPORT_H

#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/export.h"

/* One of the two for what the options say: everything, or some iterations of a model. -ERR_USAGE when they name only
 * one of model and iteration, -ERR_NOT_FOUND when there is no such iteration. */
typedef int cann_export(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int cann_export_iterations(cann_export *export, sqlite3 *db, const struct export_options *options,
                           struct export_result *ret, struct err *err);

/* "<directory>/<report>[_slice_<n>]_<timestamp><suffix>" (free() it); slice < 0: not in slices. */
char *cann_report_path(const struct export_options *options, const char *report, int64_t slice, const char *suffix,
                       struct err *err);

/* The type that a device gives a task, or a part of one, as its reports write it. */
const char *cann_device_type(int64_t type, bool part);
/* Core of an operator's task by its op_task_type, as that version of CANN calls it. */
const char *cann_core_type(int version, int64_t type);
/* "host to device" for 1 and so on. */
const char *cann_copy_direction(int64_t direction);

/* Whether Ascend's tool knows measured frequencies of the AI cores of a device: those of chips 5 and 7. */
bool cann_measures_frequency(const struct cann_part *part);
bool cann_chip_measures_frequency(int64_t chip);

/* The facts that the metrics of a device are made of, and those of a task. */
struct pmu_input cann_pmu_input(const struct cann_part *part);
struct pmu_task cann_pmu_task(const struct cann_task *task, const struct cann_part *part,
                              const struct cann_frequencies *frequencies);

/* Whether a communication operator stands before an operator of this device and start. */
bool cann_stands_before(const struct cann_communication *communication, int64_t device_id, int64_t start_ns);

#endif
