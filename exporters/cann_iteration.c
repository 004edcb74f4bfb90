/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of new CANN captures: of everything, or of some iterations of a model. */
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/query/iteration.h"
#include "exporters/cann_report.h"

#include <stdlib.h>
#include <unistd.h>

static int export_iterations(cann_export *export, sqlite3 *db, const struct export_options *options,
                             struct export_result *ret, struct err *err)
{
    struct export_options part = *options;
    sqlite3 *iteration = NULL;
    char *path = path_join(options->directory, ""), *temporary = NULL;
    int fd = path != NULL ? temporary_create(path, &temporary, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = fd < 0 ? fd : 0;
    if (status == 0)
        status = iteration_database_make(db, options->database, temporary, options->model_id, options->iteration_id,
                                         options->iteration_count > 0 ? options->iteration_count : 1, err);
    if (status == 0)
        status = database_open(temporary, &iteration, err);
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
        err_set(err, ERR_USAGE, "%s is given without %s; captures since 2023 want both or none",
                model ? "--model-id" : "--iteration-id", model ? "--iteration-id" : "--model-id");
        return err_hint(err, "'msprof query' tells which models and how many iterations there are");
    }
    return export_iterations(export, db, options, ret, err);
}
