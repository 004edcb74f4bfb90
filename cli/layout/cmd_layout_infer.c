/* SPDX-License-Identifier: Apache-2.0 */
/* msprof layout infer: a layout from a capture's bytes and the tables printed of it. */
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/layout/layout_job.h"
#include "cli/status.h"
#include "parsers/layouts/infer.h"
#include "parsers/layouts/info_keys.h"
#include "parsers/layouts/structure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LIMIT ((size_t)16 * 1024 * 1024)

/* Writes a finished text to stdout, or to the file of --output. Returns an exit status. */
static int put_text(const struct settings *settings, const struct strbuf *text)
{
    struct outfile out = {.path = NULL};
    struct err err = ERR_INIT;
    int result;

    if (settings->output == NULL) {
        console_output_begin();
        fwrite(text->data, 1, text->length, stdout);
        return console_output_end(false);
    }
    result = outfile_open(&out, settings->output, &err);
    if (result == 0) {
        outfile_add(&out, text);
        result = outfile_commit(&out, &err);
    }
    if (result == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot write '%s'", settings->output);
    console_error(&err);
    return status_of_error(&err);
}

/* A blank-free name from what the user gave, or from the size. */
static const char *layout_name(const struct settings *settings, const struct infer_result *result, char *buffer,
                               size_t size)
{
    if (settings->layout.name != NULL)
        return settings->layout.name;
    snprintf(buffer, size, "inferred-%zu", result->size);
    return buffer;
}

static int tell_found(const struct settings *settings, const struct infer_result *result)
{
    char buffer[40], source[200];
    const char *name = layout_name(settings, result, buffer, sizeof buffer);
    struct err err = ERR_INIT;
    struct strbuf text;
    bool certain = infer_is_certain(result);
    int status;

    snprintf(source, sizeof source, "inferred from %" PRIu64 " rows of tables and %" PRIu64 " records", result->rows,
             result->records);
    strbuf_init(&text, TEXT_LIMIT);
    if (infer_write(result, name, source, &text, &err) != 0) {
        console_error(&err);
        status = STATUS_FAILURE;
    } else {
        strbuf_addf(&text, "# To use it: --layout FILE, or put it as %s.layout into ~/.config/msprof/layouts/\n", name);
        status = put_text(settings, &text);
    }
    strbuf_release(&text);
    if (status != STATUS_DONE)
        return status;
    if (!certain)
        console_warning("not everything is certain: see the comments of the layout; a capture of another model, or one "
                        "with more rows, may tell");
    return certain ? STATUS_DONE : STATUS_DATA_PROBLEMS;
}

/* Whether a file is one whose structure is asked for: of the kind, or of any that is not text. */
static bool is_asked_for(const struct settings *settings, const struct capture_file *file)
{
    const char *kind = layout_job_kind(settings->layout.kind);

    if (file->size == 0 || (file->kind != NULL && file->kind->hooks != NULL && file->kind->hooks->text != NULL))
        return false;
    if (file->kind != NULL)
        return strcmp(file->kind->name, kind) == 0;
    /* a file of no kind is named by the beginning of its name */
    const char *slash = strrchr(file->name, '/'), *name = slash != NULL ? slash + 1 : file->name;
    return strncmp(name, kind, strlen(kind)) == 0 && name[strlen(kind)] == '.';
}

/* Prints what the bytes alone say of the records. Returns how many files it was. */
static size_t print_structure(const struct settings *settings, const struct layout_job *job)
{
    struct strbuf text;
    size_t files = 0;

    strbuf_init(&text, TEXT_LIMIT);
    for (size_t i = 0; i < job->capture.file_count; i++) {
        struct source source = {.items = NULL};
        struct err err = ERR_INIT;

        if (!is_asked_for(settings, &job->capture.files[i]))
            continue;
        if (source_add(&source, job->capture.files[i].path, job->capture.files[i].name, &err) == 0 &&
            structure_report(&source.items[0], &text, &err) == 0)
            files++;
        else
            console_error(&err);
        source_release(&source);
    }
    console_output_begin();
    fwrite(text.data, 1, text.length, stdout);
    strbuf_release(&text);
    console_output_end(false);
    return files;
}

/* Without tables the structure is all there is to say. */
static int tell_structure(const struct settings *settings, const struct layout_job *job)
{
    struct err err = ERR_INIT;

    if (print_structure(settings, job) == 0) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no records of kind %s", job->capture.directory,
                layout_job_kind(settings->layout.kind));
        err_hint(&err, "see 'msprof kinds' for the names of their files");
        console_error(&err);
        return STATUS_NOTHING;
    }
    err_set(&err, ERR_FORMAT, "no layout without tables to compare with");
    err_hint(&err,
             "bring the tables that the board's own tool prints of this capture, and give them with --tables DIR; "
             "to try it out, 'msprof export summary' makes tables of a capture whose records are known");
    console_error(&err);
    return STATUS_FAILURE;
}

/* A warning for each line of a text. */
static void warn_of_lines(const char *line)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        console_warning("%.*s", (int)length, line);
        line += length + (line[length] != '\0');
    }
}

static int tell_nothing_fits(const struct settings *settings, const struct layout_job *job,
                             const struct infer_result *result)
{
    struct err err = ERR_INIT;

    print_structure(settings, job);
    warn_of_lines(result->notes.data);
    err_set(&err, ERR_FORMAT, "no layout of the records of '%s' gives what the tables print", job->capture.directory);
    err_hint(&err,
             "are the tables of this capture, and is the frequency right? Bring a capture of another model, or one "
             "with more rows");
    console_error(&err);
    return STATUS_FAILURE;
}

#define SETS_LIMIT 64

/* A number of at most `most`, which *at moves behind. */
static bool take_number(const char **at, uint32_t most, uint32_t *ret)
{
    size_t length = strspn(*at, "0123456789");
    int64_t value;

    if (number_parse_integer(*at, length, &value) != 0 || value > most)
        return false;
    *at += length;
    *ret = (uint32_t)value;
    return true;
}

/* COLUMN=OFFSET:WIDTH[:FIRST-LAST]; the name goes into buffer. */
static bool parse_set(const struct printed_kind *kind, const char *text, char *buffer, size_t size,
                      struct infer_set *ret)
{
    size_t name = strcspn(text, "=");
    const char *at = text + name + 1;
    uint32_t last = 0;

    if (name == 0 || name >= size || text[name] != '=')
        return false;
    memcpy(buffer, text, name);
    buffer[name] = '\0';
    *ret = (struct infer_set){.column = buffer};
    if (!infer_knows(kind, buffer) || !take_number(&at, 65535, &ret->offset) || *at++ != ':' ||
        !take_number(&at, 8, &ret->width) || ret->width == 0)
        return false;
    if (*at == '\0')
        return true;
    if (*at++ != ':' || !take_number(&at, 8 * ret->width - 1, &ret->first_bit))
        return false;
    last = ret->first_bit;
    if (*at == '-' && (at++, !take_number(&at, 8 * ret->width - 1, &last)))
        return false;
    ret->bit_count = last - ret->first_bit + 1;
    return *at == '\0' && last >= ret->first_bit;
}

/* Reads every --set; returns an exit status. */
static int parse_sets(const struct settings *settings, const struct printed_kind *kind, char names[SETS_LIMIT][64],
                      struct infer_set *sets)
{
    struct err err = ERR_INIT;

    for (size_t i = 0; i < settings->layout.sets.count; i++) {
        if (i < SETS_LIMIT && parse_set(kind, settings->layout.sets.values[i], names[i], sizeof names[i], &sets[i]))
            continue;
        err_set(&err, ERR_USAGE, "--set '%s', expected COLUMN=OFFSET:WIDTH or COLUMN=OFFSET:WIDTH:FIRST-LAST",
                settings->layout.sets.values[i]);
        err_hint(&err, "the columns are those of 'msprof kinds %s', a width is 1 to 8 bytes", kind->kind);
        console_error(&err);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

static int infer_of(const struct settings *settings, struct layout_job *job)
{
    char names[SETS_LIMIT][64];
    struct infer_set sets[SETS_LIMIT];
    const struct infer_options options = {.seconds = settings->layout.search_seconds,
                                          .sets = sets,
                                          .set_count = settings->layout.sets.count,
                                          .core_khz = settings->clock_khz,
                                          .rounding = settings->layout.rounding,
                                          .progress = console_progress()};
    struct infer_result result;
    struct err err = ERR_INIT;
    int status = parse_sets(settings, job->tables.form->kind, names, sets);

    if (status != STATUS_DONE)
        return status;
    infer_result_init(&result, job->tables.form->kind);
    if (infer_layout(&job->capture, &job->tables, &options, &result, &err) != 0) {
        console_progress_end();
        console_error(&err);
        status = err.code == ERR_NOT_FOUND ? STATUS_NOTHING : status_of_error(&err);
    } else {
        console_progress_end();
        status = result.found ? tell_found(settings, &result) : tell_nothing_fits(settings, job, &result);
    }
    infer_result_release(&result);
    return status;
}

/* A name as layout files have it. */
static bool is_layout_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return length > 0 && length <= 64 && name[length] == '\0';
}

static int check_names(const struct settings *settings)
{
    struct err err = ERR_INIT;

    if (settings->layout.name != NULL && !is_layout_name(settings->layout.name))
        err_set(&err, ERR_USAGE, "--name '%s', expected 1 to 64 letters, digits, '.', '_' or '-'",
                settings->layout.name);
    if (err.code == ERR_NONE)
        return STATUS_DONE;
    console_error(&err);
    return STATUS_USAGE;
}

/* A board that writes other records may spell the keys of its texts otherwise, too. */
static void tell_unknown_keys(const struct layout_job *job)
{
    struct strbuf text;

    strbuf_init(&text, TEXT_LIMIT);
    info_keys_report(&job->capture, &text);
    warn_of_lines(text.data);
    strbuf_release(&text);
}

static int run_infer(const struct settings *settings)
{
    struct layout_job job = {.tables = {.items = NULL}};
    int status = check_names(settings);

    if (status != STATUS_DONE)
        return status;
    status = layout_job_open(&job, settings, NULL, layout_job_kind(settings->layout.kind));
    if (status == STATUS_DONE)
        tell_unknown_keys(&job);
    if (status == STATUS_DONE)
        status = job.tables.count > 0 ? infer_of(settings, &job) : tell_structure(settings, &job);
    layout_job_release(&job);
    return status;
}

static const struct example examples[] = {
    {"from the tables in the capture; the first command stands for the vendor's tool",
     "msprof export summary -dir JOBX && msprof layout infer -dir JOBX --output found.layout"},
    {"of the ACL calls, by their timeline; the process is the same in all of them, so that its place is given",
     "msprof export timeline -dir JOBX && msprof layout infer -dir JOBX --kind acl_api --set process_id=24:4 "
     "--output calls.layout"},
    {NULL, NULL},
};

const struct command command_layout_infer = {
    .path = "layout infer",
    .parent = COMMAND_LAYOUT,
    .summary = "find the layout of a board's records",
    .description = "Finds where the columns are in records of an unknown layout, by comparing a capture's bytes with\n"
                   "the tables that a tool printed of the same capture: those in --tables DIR, or in summary/ of the\n"
                   "capture, where the board's own tool leaves them and 'msprof export summary' those of known\n"
                   "records. Prints a layout file whose comments say how sure each column is. Statuses: 0 every\n"
                   "column that the tables show has one place, 3 something is ambiguous or not seen, 1 nothing fits\n"
                   "(what was found of the structure is printed) or there are no tables, 4 no data.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_infer,
};
