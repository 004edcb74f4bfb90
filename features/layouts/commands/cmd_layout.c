/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/number.h"
#include "cli/capture/captures.h"
#include "cli/capture/found.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "features/layouts/infer.h"
#include "features/layouts/printed.h"
#include "features/layouts/structure.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/layout.h"
#include "parsers/decode/layout_rate.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Subject of the commands of layouts: a capture, and the tables printed of it. */

struct layout_job {
    struct capture capture;
    struct diagnostics diag;
    struct printed_files tables;
};

/* Whether files of the kind have names that begin with the word and a dot. */
static bool names_begin_with(const struct record_kind *kind, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; kind->patterns != NULL && kind->patterns[i] != NULL; i++)
        if (strncmp(kind->patterns[i], word, length) == 0 && kind->patterns[i][length] == '.')
            return true;
    return false;
}

/* The kind that a word of the command line means: by its name, or by the beginning of the names of its files; the word
 * itself when it is none. NULL means device records. */
static const char *layout_job_kind(const char *word)
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

/* Opens the one capture of the settings, with layouts or without (NULL), and finds the tables of a kind; prints what
 * went wrong and returns an exit status. The job is to be released after a failure, too. */
static int layout_job_open(struct layout_job *job, const struct settings *settings, const struct layout_set *layouts,
                           const char *kind)
{
    const struct capture_options options = {.layouts = layouts, .only_named = true, .clock_khz = settings->clock_khz};
    SCOPED(found_captures_release) struct found_captures found = {.items = NULL};
    struct err err = ERR_INIT;

    *job = (struct layout_job){.tables = {.items = NULL}};
    diag_init(&job->diag, false);
    if (settings->captures.count != 1)
        return console_fail(ERR_USAGE, NULL, "'%s' takes one capture, but got %zu",
                            command_full_name(settings->command), settings->captures.count);
    const int status = found_captures_add(&found, settings, settings->captures.values[0]);
    if (found.count != 1)
        return status != STATUS_DONE
                   ? status
                   : console_fail(ERR_USAGE, NULL, "'%s' takes one capture, but '%s' contains %zu",
                                  command_full_name(settings->command), settings->captures.values[0], found.count);
    const char *directory = found.items[0].path;
    const char *tables = settings->layout.tables != NULL ? settings->layout.tables : directory;
    if (capture_open(&job->capture, directory, &options, &job->diag, &err) == 0 &&
        printed_find(&job->tables, kind, tables, &err) == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot use '%s'",
             found.items[0].shown != NULL ? found.items[0].shown : settings->captures.values[0]);
    return console_missing(&err);
}

static void layout_job_release(struct layout_job *job)
{
    printed_release(&job->tables);
    capture_release(&job->capture);
    diag_release(&job->diag);
}

/* msprof layout check: what a layout gives beside what the tables print. */

static int tell(const struct check_result *result)
{
    struct err err = ERR_INIT;

    if (result->cells == 0 && result->unmatched == 0)
        return console_fail(ERR_NOT_FOUND, "pass the tables of this capture with --tables DIR",
                            "nothing to compare: no table has columns of this layout");
    if (result->different == 0 && result->unmatched == 0) {
        console_output_begin();
        printf("equal: %" PRIu64 " cells of %" PRIu64 " rows\n", result->cells, result->rows);
        return console_output_end(false);
    }
    err_set(&err, ERR_FORMAT, "%s", result->first.data);
    err_hint(&err, "%" PRIu64 " of %" PRIu64 " cells differ, %" PRIu64 " of %" PRIu64 " rows have no record",
             result->different, result->cells, result->unmatched, result->rows);
    return console_error(&err);
}

/* Compares the records of one kind; adds to the result. Returns an exit status. */
static int check_kind(const struct settings *settings, const struct layout_set *layouts, const char *kind,
                      struct check_result *result)
{
    const struct infer_options options = {
        .core_khz = settings->clock_khz, .rounding = settings->layout.rounding, .progress = console_progress()};
    struct layout_job job;
    struct err err = ERR_INIT;
    int status = layout_job_open(&job, settings, layouts, kind);

    if (status == STATUS_DONE) {
        int failure = check_tables(&job.capture, &job.tables, &options, result, &err);
        console_progress_end();
        console_diagnostics(&job.diag);
        if (failure != 0)
            status = console_error(&err);
    }
    layout_job_release(&job);
    return status;
}

static bool is_first_of_its_kind(const struct layout_set *layouts, const struct loaded_layout *loaded)
{
    const struct loaded_layout *other = layouts->first;
    while (other->kind != loaded->kind)
        other = other->next;
    return other == loaded;
}

static int check_layouts(const struct settings *settings, const struct layout_set *layouts)
{
    struct check_result result = {.cells = 0};
    int status = STATUS_DONE;

    strbuf_init(&result.first, 8192);
    for (const struct loaded_layout *loaded = layouts->first; loaded != NULL && status == STATUS_DONE;
         loaded = loaded->next)
        if (is_first_of_its_kind(layouts, loaded))
            status = check_kind(settings, layouts, loaded->kind->name, &result);
    if (status == STATUS_DONE)
        status = tell(&result);
    strbuf_release(&result.first);
    return status;
}

static int run_check(const struct settings *settings)
{
    SCOPED(layout_set_release) struct layout_set layouts;
    struct err err = ERR_INIT;

    layout_set_init(&layouts);
    if (settings->operand_count != 1 || settings->captures.count != 1)
        return console_fail(ERR_USAGE, NULL,
                            "'msprof layout check' takes a layout file and one capture; try 'msprof layout check "
                            "--help'");
    return layout_set_load_named(&layouts, settings->operands[0], &err) == 0 ? check_layouts(settings, &layouts)
                                                                             : console_error(&err);
}

const struct command command_layout_check = {
    .path = "layout check",
    .parent = COMMAND_LAYOUT,
    .order = 200,
    .summary = "check a layout against printed tables",
    .description = "Decodes a capture with a layout file, in memory, and compares every number with tables "
                   "that\nanother tool printed of it. Prints the first cell that differs. Exit status: 0 equal,\n1 "
                   "different, 4 nothing to compare.\n",
    .operands = "FILE",
    .most_operands = 1,
    EXAMPLES({"find a layout and check it against the tables in the capture",
              "msprof export summary -dir JOBX && msprof layout infer -dir JOBX --output found.layout && "
              "msprof layout check found.layout -dir JOBX"}),
    .run = run_check,
};

/* msprof layout infer: a layout from a capture's bytes and the tables printed of it. */

#define TEXT_LIMIT ((size_t)16 * 1024 * 1024)

/* Writes a finished text to stdout, or to the file of --output. Returns an exit status. */
static int put_text(const struct settings *settings, const struct strbuf *text)
{
    struct outfile out = {.path = NULL};
    struct err err = ERR_INIT;

    if (settings->output == NULL) {
        console_output_begin();
        fwrite(text->data, 1, text->length, stdout);
        return console_output_end(false);
    }
    if (outfile_open(&out, settings->output, &err) == 0) {
        outfile_add(&out, text);
        if (outfile_commit(&out, &err) == 0)
            return STATUS_DONE;
    }
    err_wrap(&err, "cannot write '%s'", settings->output);
    return console_error(&err);
}

static int tell_found(const struct settings *settings, const struct infer_result *result)
{
    char buffer[40], source[200];
    const char *name = settings->layout.name != NULL ? settings->layout.name : buffer;
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf text;
    bool certain = infer_is_certain(result);
    int status;

    snprintf(buffer, sizeof buffer, "inferred-%zu", result->size);
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
    if (status != STATUS_DONE)
        return status;
    if (!certain)
        console_warning("some columns are uncertain, see the comments in the layout; a capture of another model, or "
                        "with more rows, may help");
    return certain ? STATUS_DONE : STATUS_DATA_PROBLEMS;
}

/* Whether a file is one whose structure is asked for: of the kind, or of any that is not text. */
static bool is_asked_for(const struct settings *settings, const struct capture_file *file)
{
    const char *kind = layout_job_kind(settings->layout.kind);

    if (file->size == 0 || (file->kind != NULL && kind_is_text(file->kind)))
        return false;
    if (file->kind != NULL)
        return strcmp(file->kind->name, kind) == 0;
    /* a file of no kind is named by the beginning of its name */
    const char *name = path_name(file->name);
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
        if (source_add(&source, &job->capture, &job->capture.files[i], &err) == 0 &&
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
    if (print_structure(settings, job) == 0)
        return console_fail(ERR_NOT_FOUND, "see 'msprof kinds' for the names of their files",
                            "'%s' has no records of kind %s", job->capture.directory,
                            layout_job_kind(settings->layout.kind));
    return console_fail(ERR_FORMAT,
                        "pass tables that the board's own tool printed of this capture with --tables DIR; to try it "
                        "out, 'msprof export summary' writes tables of a capture with known records",
                        "cannot infer a layout without tables to compare with");
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
    print_structure(settings, job);
    warn_of_lines(result->notes.data);
    return console_fail(ERR_FORMAT,
                        "check that the tables belong to this capture and that the frequency is right, or use a "
                        "capture of another model or with more rows",
                        "no layout of the records in '%s' matches the tables", job->capture.directory);
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
static bool parse_set(const struct printed_form *form, const char *text, char *buffer, size_t size,
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
    if (!infer_knows(form, buffer) || !take_number(&at, 65535, &ret->offset) || *at++ != ':' ||
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
static int parse_sets(const struct settings *settings, const struct printed_form *form, char names[SETS_LIMIT][64],
                      struct infer_set *sets)
{
    struct err err = ERR_INIT;

    for (size_t i = 0; i < settings->layout.sets.count; i++) {
        if (i < SETS_LIMIT && parse_set(form, settings->layout.sets.values[i], names[i], sizeof names[i], &sets[i]))
            continue;
        err_set(&err, ERR_USAGE, "--set '%s', expected COLUMN=OFFSET:WIDTH or COLUMN=OFFSET:WIDTH:FIRST-LAST",
                settings->layout.sets.values[i]);
        err_hint(&err, "the columns are those of 'msprof kinds %s', a width is 1 to 8 bytes", form->kind);
        return console_error(&err);
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
    int status = parse_sets(settings, job->tables.form, names, sets);

    if (status != STATUS_DONE)
        return status;
    infer_result_init(&result, job->tables.form);
    if (infer_layout(&job->capture, &job->tables, &options, &result, &err) != 0) {
        console_progress_end();
        status = console_missing(&err);
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

/* A board that writes other records may spell the keys of its texts otherwise, too. */
static void tell_unknown_keys(const struct layout_job *job)
{
    SCOPED(strbuf_release) struct strbuf text;

    strbuf_init(&text, TEXT_LIMIT);
    info_keys_report(&job->capture, &text);
    warn_of_lines(text.data);
}

static int run_infer(const struct settings *settings)
{
    SCOPED(layout_job_release) struct layout_job job = {.tables = {.items = NULL}};

    if (settings->layout.name != NULL && !is_layout_name(settings->layout.name))
        return console_fail(ERR_USAGE, NULL, "--name '%s', expected 1 to 64 letters, digits, '.', '_' or '-'",
                            settings->layout.name);
    int status = layout_job_open(&job, settings, NULL, layout_job_kind(settings->layout.kind));
    if (status == STATUS_DONE)
        tell_unknown_keys(&job);
    if (status == STATUS_DONE)
        status = job.tables.count > 0 ? infer_of(settings, &job) : tell_structure(settings, &job);
    return status;
}

const struct command command_layout_infer = {
    .path = "layout infer",
    .parent = COMMAND_LAYOUT,
    .order = 190,
    .summary = "find the record layout of a board",
    .description =
        "Finds where the columns are in records of an unknown layout. It compares the bytes of a\ncapture with tables "
        "that another tool printed of it. They are in --tables DIR, or in\nsummary/ of the capture, where the board's "
        "own tool writes them. Prints a layout file with\na comment on how certain each column is. Exit status: 0 each "
        "column of the tables has one\nplace; 3 a column is ambiguous or was not found; 1 no layout fits (the "
        "structure found so\nfar is printed) or there are no tables; 4 no data.\n",
    .needs_capture = true,
    EXAMPLES({"use the tables in the capture (here written by the first command instead of the vendor's tool)",
              "msprof export summary -dir JOBX && msprof layout infer -dir JOBX --output found.layout"},
             {"ACL calls, by their timeline; the process id never varies, so its place must be given",
              "msprof export timeline -dir JOBX && msprof layout infer -dir JOBX --kind acl_api --set process_id=24:4 "
              "--output calls.layout"}),
    .run = run_infer,
};

/* msprof layout show: a layout as a picture of the record. */

#define BYTES_A_LINE 16

/* The sign of the i-th column in the picture. */
static char sign_of(size_t i)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLNOPQRSTUVWXYZ0123456789";
    return signs[i % (sizeof signs - 1)];
}

/* Draws which column each byte of the record belongs to: its sign, M for a magic, '+' for several, '.' for nothing. */
static void fill_picture(const struct layout *layout, char *picture)
{
    memset(picture, '.', layout->record_size);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        memset(picture + layout->magics[i].offset, 'M', layout->magics[i].width);
    for (size_t i = 0; i < layout->field_count; i++)
        for (uint32_t k = 0; k < layout->fields[i].width; k++) {
            char *at = &picture[layout->fields[i].offset + k];
            *at = *at == '.' ? sign_of(i) : '+';
        }
}

static void print_field(const struct field *field, char sign)
{
    printf("  %c  %-18s offset %3" PRIu32 " width %" PRIu32, sign, field->column, field->offset, field->width);
    if (field->bit_count != 0)
        printf(" bits %u-%u", field->first_bit, field->first_bit + field->bit_count - 1u);
    if (field->is_signed)
        printf(" signed");
    if (field->multiply > 1 || field->divide > 1)
        printf(" scale %" PRId64, field->multiply != 0 ? field->multiply : 1);
    if (field->divide > 1)
        printf("/%" PRId64, field->divide);
    if (field->relation == FIELD_DELTA)
        printf(" delta");
    else if (field->relation != FIELD_PLAIN)
        printf(" %s %s",
               field->relation == FIELD_MINUS  ? "minus"
               : field->relation == FIELD_PLUS ? "plus"
                                               : "of",
               field->other);
    putchar('\n');
}

static void print_gaps(const struct layout *layout, const char *picture)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < layout->record_size; i++)
        bytes += picture[i] == '.';
    if (bytes > 0)
        printf("  .  %" PRIu32 " bytes that no column has\n", bytes);
}

static void print_layout(const struct record_kind *kind, const struct layout *layout)
{
    SCOPED_FREE char *picture = scoped_memory(layout->record_size, 1);
    char words[LAYOUT_RATE_SIZE];
    if (picture == NULL)
        return;
    fill_picture(layout, picture);
    printf("layout %s of kind %s: %" PRIu32 " bytes, %s endian", layout->name, kind->name, layout->record_size,
           layout->big_endian ? "big" : "little");
    if (layout->header > 0)
        printf(", behind a header of %" PRIu32 " bytes", layout->header);
    if (layout->core_khz > 0)
        printf(", of a board whose AI core has %" PRId64 " kHz", layout->core_khz);
    printf("\n      ");
    for (int i = 0; i < BYTES_A_LINE; i++)
        printf(" %2d", i);
    for (uint32_t i = 0; i < layout->record_size; i++) {
        if (i % BYTES_A_LINE == 0)
            printf("\n%5" PRIu32 " ", i);
        printf("  %c", picture[i]);
    }
    putchar('\n');
    for (size_t i = 0; i < layout->field_count; i++)
        print_field(&layout->fields[i], sign_of(i));
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        printf("  M  magic              offset %3" PRIu32 " width %" PRIu32 " value 0x%" PRIx64 "\n",
               layout->magics[i].offset, layout->magics[i].width, layout->magics[i].value);
    print_gaps(layout, picture);
    if (kind->rated != NULL)
        printf("  %s %s%s\n", LAYOUT_MISS_RATE, layout_rate_text(layout_rate_of(kind, layout), words),
               layout->icache_miss_rate.given ? "" : " (as built in)");
    putchar('\n');
}

/* Every layout, or those of this name or kind. Returns how many. */
static size_t print_layouts(const struct layout_set *set, const char *name)
{
    size_t count = 0;
    for (size_t k = 0; record_kinds[k] != NULL; k++) {
        const struct layout *layout;
        for (size_t i = 0; (layout = layout_candidate(set, record_kinds[k], i)) != NULL; i++) {
            if (name != NULL && strcmp(name, layout->name) != 0 && strcmp(name, record_kinds[k]->name) != 0)
                continue;
            print_layout(record_kinds[k], layout);
            count++;
        }
    }
    return count;
}

static size_t print_file(const struct layout_set *set)
{
    size_t count = 0;
    for (const struct loaded_layout *loaded = set->first; loaded != NULL; loaded = loaded->next, count++)
        print_layout(loaded->kind, &loaded->layout);
    return count;
}

static int run_show(const struct settings *settings)
{
    const char *what = settings->operand_count > 0 ? settings->operands[0] : NULL;
    bool is_file = what != NULL && access(what, F_OK) == 0;
    struct err err = ERR_INIT;
    SCOPED(layout_set_release) struct layout_set layouts;
    int status = STATUS_DONE;

    layout_set_init(&layouts);
    if ((is_file ? layout_set_load_file(&layouts, what, &err) : layouts_load(&layouts, settings, &err)) == 0) {
        console_output_begin();
        size_t count = is_file ? print_file(&layouts) : print_layouts(&layouts, what);
        status = console_output_end(false);
        if (count == 0) {
            err_set(&err, ERR_NOT_FOUND, "'%s' is neither a file nor the name of a layout or kind", what);
            err_hint(&err, "'msprof layout show' without a name shows all layouts");
        }
    }
    return err.code == ERR_NONE ? status : is_file ? console_error(&err) : console_missing(&err);
}

const struct command command_layout_show = {
    .path = "layout show",
    .parent = COMMAND_LAYOUT,
    .order = 210,
    .summary = "draw a layout: bytes, columns, gaps",
    .description = "Draws the records of a layout byte by byte: columns, magic numbers, gaps. FILE is a layout\nfile, "
                   "NAME a layout or a record kind. Without FILE or NAME all layouts are drawn.\n",
    .operands = "[FILE|NAME]",
    .most_operands = 1,
    EXAMPLES({"the built-in layout of device records", "msprof layout show svp_pmu"},
             {"a layout in a file", "msprof layout show board.layout"}),
    .run = run_show,
};

/* msprof layout: what its subcommands have in common is their name. */

const struct command command_layout = {
    .path = "layout",
    .parent = COMMAND_ROOT,
    .order = 180,
    .summary = "find, check and draw record layouts",
    .description =
        "For boards whose record layout is unknown: 'infer' finds the layout with the help of tables\nthat another "
        "tool printed of the same capture, 'check' checks a layout against such tables,\n'show' draws a layout.\n",
    EXAMPLES({"draw the built-in layout of device records", "msprof layout show svp_pmu"}),
};
