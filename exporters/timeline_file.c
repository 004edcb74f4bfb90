#include "exporters/timeline_file.h"

#include "base/fsutil.h"

#include <stdlib.h>

int timeline_file_open(struct timeline_file *file, struct timeline_run *run, const char *report, const char *name,
                       struct err *err)
{
    *file = (struct timeline_file){.run = run, .report = report, .path = path_join(run->options->directory, name)};
    if (file->path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    int result = outfile_open(&file->out, file->path, err);
    if (result < 0) {
        free(file->path);
        return result;
    }
    trace_begin(&file->out);
    return 0;
}

int timeline_file_close(struct timeline_file *file, int result, const struct trace_info *info, uint64_t events,
                        struct err *err)
{
    if (result == 0 && events > 0)
        result = trace_end(&file->out, info, err);
    if ((result == 0 && events > 0) || outfile_failed(&file->out)) {
        result = outfile_commit(&file->out, err);
    } else {
        outfile_abort(&file->out);
        events = 0;
    }
    if (result == 0 && events > 0) {
        const struct export_options *options = file->run->options;
        file->run->result->files++;
        file->run->result->rows += events;
        if (options->written != NULL)
            options->written(options->written_arg, file->report, file->path);
    }
    free(file->path);
    file->path = NULL;
    return result;
}

void timeline_progress(struct timeline_run *run, uint64_t events)
{
    run->done += events;
    progress_update(run->options->progress, "timeline", run->done, run->total);
}
