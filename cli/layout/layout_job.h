/* What the commands of layouts work on: a capture, and the tables printed of it. */
#ifndef MSPROF_CLI_LAYOUT_LAYOUT_JOB_H
#define MSPROF_CLI_LAYOUT_LAYOUT_JOB_H

#include "base/diag.h"
#include "cli/options/options.h"
#include "parsers/capture/capture.h"
#include "parsers/infer/printed.h"

struct layout_job {
    struct capture capture;
    struct diagnostics diag;
    struct printed_files tables;
};

/* Opens the one capture of the settings, with layouts or without (NULL), and finds its tables; tells what went wrong
 * and returns an exit status. The job is to be released after a failure, too. */
int layout_job_open(struct layout_job *job, const struct settings *settings, const struct layout_set *layouts);
void layout_job_release(struct layout_job *job);

#endif
