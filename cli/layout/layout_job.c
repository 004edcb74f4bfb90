#include "cli/layout/layout_job.h"

#include "cli/console.h"
#include "cli/status.h"

int layout_job_open(struct layout_job *job, const struct settings *settings, const struct layout_set *layouts)
{
    const struct capture_options options = {.layouts = layouts, .only_named = true, .clock_khz = settings->clock_khz};
    const char *directory = settings->captures.count > 0 ? settings->captures.values[0] : NULL;
    struct err err = ERR_INIT;
    int result;

    *job = (struct layout_job){.tables = {.items = NULL}};
    diag_init(&job->diag, false);
    if (settings->captures.count != 1) {
        err_set(&err, ERR_USAGE, "'%s' takes one capture, and these are %zu", command_full_name(settings->command),
                settings->captures.count);
        console_error(&err);
        return STATUS_USAGE;
    }
    result = capture_open(&job->capture, directory, &options, &job->diag, &err);
    if (result == 0)
        result =
            printed_find(&job->tables, settings->layout.tables != NULL ? settings->layout.tables : directory, &err);
    if (result == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot use '%s'", directory);
    console_error(&err);
    return err.code == ERR_NOT_FOUND ? STATUS_NOTHING : status_of_error(&err);
}

void layout_job_release(struct layout_job *job)
{
    printed_release(&job->tables);
    capture_release(&job->capture);
    diag_release(&job->diag);
}
