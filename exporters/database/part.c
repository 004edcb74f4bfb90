/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/part.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/database.h"
#include "db/query/iteration.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of framework_wants_time. */
static struct stretch *stretches_of(const struct framework_analysis *analysis, size_t *ret_count, struct err *err)
{
    const struct framework_steps *steps = &analysis->framework->steps;
    struct stretch *stretches = calloc(steps->count + 1, sizeof *stretches);
    *ret_count = 0;
    if (stretches == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu steps", steps->count);
        return NULL;
    }
    for (size_t i = 0; i < steps->count; i++) {
        if (framework_wants_step(analysis, framework_text(analysis->framework, steps->items[i].id)))
            stretches[(*ret_count)++] =
                (struct stretch){steps->items[i].start_ns, framework_step_end_ns(&steps->items[i])};
    }
    return stretches;
}

int framework_part_make(const struct framework_analysis *analysis, struct framework_part *ret, struct err *err)
{
    size_t count;
    struct stretch *stretches = stretches_of(analysis, &count, err);
    char *beside = path_join(analysis->options->directory, "");
    *ret = (struct framework_part){.fd = -1};
    int status = stretches == NULL ? -(int)err->code
                 : beside == NULL  ? err_set(err, ERR_NO_MEMORY, "out of memory")
                                   : 0;
    if (status == 0) {
        ret->fd = temporary_create(beside, &ret->path, err);
        status = ret->fd < 0 ? ret->fd : 0;
    }
    if (status == 0)
        status = stretches_database_make(analysis->db, analysis->database, ret->path, stretches, count, err);
    if (status == 0)
        status = database_open(ret->path, &ret->db, err);
    free(beside);
    free(stretches);
    return status;
}

void framework_part_release(struct framework_part *part)
{
    database_close(part->db);
    if (part->path != NULL)
        unlink(part->path);
    if (part->fd >= 0)
        close(part->fd);
    free(part->path);
    *part = (struct framework_part){.fd = -1};
}
