/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cann_report.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/number.h"
#include "db/query/cann_version.h"
#include "db/query/iteration.h"
#include "db/warm_up.h"
#include "exporters/output_file.h"
#include "parsers/record.h"

#include <stdlib.h>
#include <unistd.h>

char *cann_report_path(const struct export_options *options, const char *report, int64_t slice, const char *suffix,
                       struct err *err)
{
    const char *end[3] = {suffix, "", ""};
    if (options->timestamp != NULL) {
        end[0] = "_";
        end[1] = options->timestamp;
        end[2] = suffix;
    }
    return output_file_path(options, report, slice, end, err);
}

const char *cann_device_type(int64_t type, bool part)
{
    const char *name = value_name_find(part ? device_part_names : device_task_names, type);
    return name != NULL ? name : "UNKNOWN";
}

const char *cann_core_type(int version, int64_t type)
{
    return type == TASK_COMMUNICATES ? cann_version_communication(version)
                                     : value_name_find(core_names_or_unknown, type);
}

const char *cann_copy_direction(int64_t direction)
{
    const char *name = value_name_find(copy_direction_names, direction);
    return name != NULL ? name : "other";
}

bool cann_chip_measures_frequency(int64_t chip)
{
    enum { CHIP_910B = 5, CHIP_310B = 7 };
    return chip == CHIP_910B || chip == CHIP_310B;
}

bool cann_measures_frequency(const struct cann_part *part)
{
    return !part->is_host && cann_chip_measures_frequency(part->chip);
}

struct pmu_input cann_pmu_input(const struct cann_part *part)
{
    return (struct pmu_input){
        .chip = part->chip,
        .aic_hz = part->aic_hz,
        .aiv_hz = part->aiv_hz,
        .ai_core_num = part->ai_core_num,
        .aiv_num = part->aiv_num,
        .metrics = part->metrics,
        .events = part->events,
        .aiv_metrics = part->aiv_metrics,
        .aiv_events = part->aiv_events,
    };
}

struct pmu_task cann_pmu_task(const struct cann_task *task, const struct cann_part *part,
                              const struct cann_frequencies *frequencies)
{
    const bool loose = cann_has_loose_blocks(task->op_task_type, task->op_state, task->mix_block_num);
    struct pmu_task result = {
        .has_aic = task->has_aic && (!loose || task->op_task_type == TASK_MIX_AIC),
        .has_aiv = task->has_aiv && (!loose || task->op_task_type == TASK_MIX_AIV),
        .aic_total_cycle = task->aic_total_cycle,
        .aiv_total_cycle = task->aiv_total_cycle,
        .block_num = task->block_num != DB_NULL ? task->block_num : 0,
        .mix_block_num = task->mix_block_num != DB_NULL ? task->mix_block_num : 0,
        .began_on_aiv = task->op_task_type == TASK_MIX_AIV,
        .duration_ns = task->duration_ns,
        .aic_time_ns = task->aic_time_ns != DB_NULL ? task->aic_time_ns : 0,
        .aiv_time_ns = task->aiv_time_ns != DB_NULL ? task->aiv_time_ns : 0,
        .time_hz = cann_measures_frequency(part)
                       ? cann_frequency_hz(frequencies, task->device_id, number_add(task->start_ns, task->duration_ns))
                       : 0,
    };
    memcpy(result.aic_counters, task->aic_counters, sizeof result.aic_counters);
    memcpy(result.aiv_counters, task->aiv_counters, sizeof result.aiv_counters);
    return result;
}

bool cann_stands_before(const struct cann_communication *communication, int64_t device_id, int64_t start_ns)
{
    return communication->device_id < device_id ||
           (communication->device_id == device_id && communication->start_ns < start_ns);
}

/* Reports of new CANN captures: of everything, or of some iterations of a model. */

static int export_iterations(cann_export *export, sqlite3 *db, const struct export_options *options,
                             struct export_result *ret, struct err *err)
{
    struct export_options part = *options;
    sqlite3 *iteration = NULL;
    char *path = path_join(options->directory, ""), *temporary = NULL;
    int fd = path != NULL ? temporary_create(path, &temporary, err) : err_no_memory(err);
    int status = fd < 0 ? fd : 0;
    if (status == 0)
        status = iteration_database_make(db, options->database, temporary, options->model_id, options->iteration_id,
                                         options->iteration_count > 0 ? options->iteration_count : 1, err);
    if (status == 0)
        status = warm_up_open(temporary, &iteration, err);
    part.database = temporary;
    if (status == 0)
        status = export(iteration, &part, ret, err);
    database_close(iteration);
    if (temporary != NULL)
        unlink(temporary);
    if (fd >= 0)
        close(fd);
    free(temporary);
    free(path);
    return status;
}

int cann_export_iterations(cann_export *export, sqlite3 *db, const struct export_options *options,
                           struct export_result *ret, struct err *err)
{
    bool model = options->model_id >= 0, iteration = options->iteration_id > 0;
    if (!model && !iteration)
        return export(db, options, ret, err);
    if (!model || !iteration) {
        err_set(err, ERR_USAGE, "%s is given without %s; captures since 2023 need both or neither",
                model ? "--model-id" : "--iteration-id", model ? "--iteration-id" : "--model-id");
        err_hint_caller(err, "the view step lists models and their iterations");
        return err_hint(err, "'msprof query' lists models and their number of iterations");
    }
    return export_iterations(export, db, options, ret, err);
}
