/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/layout/layout_job.h"

#include "cli/console.h"
#include "cli/status.h"

#include <string.h>

/* Whether files of the kind have names that begin with the word and a dot. */
static bool names_begin_with(const struct record_kind *kind, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; kind->patterns != NULL && kind->patterns[i] != NULL; i++)
        if (strncmp(kind->patterns[i], word, length) == 0 && kind->patterns[i][length] == '.')
            return true;
    return false;
}

const char *layout_job_kind(const char *word)
{
    if (word == NULL)
        return "svp_pmu";
    if (record_kind_find(word) != NULL)
        return word;
    const char *named = word;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (!names_begin_with(record_kinds[i], word))
            continue;
        if (printed_knows(record_kinds[i]->name))
            return record_kinds[i]->name;
        named = named == word ? record_kinds[i]->name : named;
    }
    return named;
}

int layout_job_open(struct layout_job *job, const struct settings *settings, const struct layout_set *layouts,
                    const char *kind)
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
        result = printed_find(&job->tables, kind, settings->layout.tables != NULL ? settings->layout.tables : directory,
                              &err);
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
