/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of layouts work on: a capture, and the tables printed of it. */
#ifndef MSPROF_CLI_LAYOUT_LAYOUT_JOB_H
#define MSPROF_CLI_LAYOUT_LAYOUT_JOB_H

#include "base/diag.h"
#include "cli/options/options.h"
#include "parsers/capture/capture.h"
#include "parsers/layouts/printed_form.h"

struct layout_job {
    struct capture capture;
    struct diagnostics diag;
    struct printed_files tables;
};

/* The kind that a word of the command line means: by its name, or by the beginning of the names of its files; the word
 * itself when it is none. NULL means device records. */
const char *layout_job_kind(const char *word);

/* Opens the one capture of the settings, with layouts or without (NULL), and finds the tables of a kind; tells what
 * went wrong and returns an exit status. The job is to be released after a failure, too. */
int layout_job_open(struct layout_job *job, const struct settings *settings, const struct layout_set *layouts,
                    const char *kind);
void layout_job_release(struct layout_job *job);

#endif
