/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"
#include "cli/doctor/doctor.h"
#include "db/database.h"
#include "exporters/schemas.h"

#include <inttypes.h>
#include <string.h>

#define LINE_WIDTH 79
#define HEAD_WIDTH 11
#define TEXT_LIMIT 65536
#define KINDS_SHOWN 6

/* "head  first, second, third", on as many lines as that takes. */
static void print_list(FILE *stream, const char *head, const char *items)
{
    size_t length = strlen(items);

    fprintf(stream, "%-*s", HEAD_WIDTH, head);
    while (length > LINE_WIDTH - HEAD_WIDTH) {
        size_t cut = LINE_WIDTH - HEAD_WIDTH;
        while (cut > 0 && items[cut] != ' ')
            cut--;
        if (cut == 0)
            break;
        fprintf(stream, "%.*s\n%*s", (int)cut, items, HEAD_WIDTH, "");
        items += cut + 1;
        length -= cut + 1;
    }
    fprintf(stream, "%s\n", items);
}

/* Prints what was added, and empties it. */
static void print_built(FILE *stream, const char *head, struct strbuf *text)
{
    print_list(stream, head, text->length > 0 ? text->data : "none");
    strbuf_clear(text);
}

static void add_item(struct strbuf *text, const char *item)
{
    strbuf_addf(text, "%s%s", text->length > 0 ? ", " : "", item);
}

static void add_bytes(struct strbuf *text, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    if (bytes == DOCTOR_NOT_KNOWN) {
        strbuf_adds(text, "not known");
        return;
    }
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    strbuf_addf(text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

static void add_limit(struct strbuf *text, const char *name, int64_t limit, bool is_bytes)
{
    add_item(text, name);
    strbuf_addc(text, ' ');
    if (limit == DOCTOR_NOT_KNOWN)
        strbuf_adds(text, "unlimited");
    else if (is_bytes)
        add_bytes(text, limit);
    else
        strbuf_add_integer(text, limit);
}

static void add_library(struct strbuf *text, const struct library_version *library)
{
    add_item(text, library->name);
    strbuf_addf(text, " %s", library->running != NULL ? library->running : library->compiled);
    if (library->running != NULL && strcmp(library->running, library->compiled) != 0)
        strbuf_addf(text, " (compiled with %s)", library->compiled);
}

static void print_program(const struct doctor *doctor, FILE *stream, struct strbuf *text)
{
    static const char *const documents[] = SCHEMA_LIST;

    strbuf_addf(text, "msprof %s%s%s%s, %s, %s", MSPROF_VERSION, *doctor->commit != '\0' ? " (commit " : "",
                doctor->commit, *doctor->commit != '\0' ? ")" : "", DOCTOR_COMPILER, DOCTOR_MACHINE);
    print_built(stream, "Program", text);
    strbuf_addf(text, "database %d", DATABASE_USER_VERSION);
    for (size_t i = 0; documents[i] != NULL; i++)
        add_item(text, documents[i] + strlen("msprof."));
    print_built(stream, "Schemas", text);
    for (size_t i = 0; i < doctor->machine.library_count; i++)
        add_library(text, &doctor->machine.libraries[i]);
    print_built(stream, "Libraries", text);
    strbuf_addf(text, "collect %s, run %s, mpi %s", doctor->machine.has_collect ? "yes" : "no",
                doctor->machine.has_run ? "yes" : "no", doctor->machine.has_mpi ? "yes" : "no");
    print_built(stream, "Features", text);
}

static void print_machine(const struct machine *machine, FILE *stream, struct strbuf *text)
{
    strbuf_addf(text, "Linux %s, %s, %" PRId64 " processors, memory ", machine->kernel, machine->distribution,
                machine->processors);
    add_bytes(text, machine->memory_total);
    strbuf_adds(text, " (");
    add_bytes(text, machine->memory_available);
    strbuf_adds(text, " free)");
    print_built(stream, "System", text);
    add_limit(text, "open files", machine->open_files, false);
    if (machine->open_files_most != machine->open_files && machine->open_files_most != DOCTOR_NOT_KNOWN)
        strbuf_addf(text, " of %" PRId64, machine->open_files_most);
    add_limit(text, "size of a file", machine->file_size, true);
    add_limit(text, "memory", machine->address_space, true);
    print_built(stream, "Limits", text);
    strbuf_addf(text, "%s, %s, free ", machine->temporary_is_named ? "TMPDIR" : "/tmp",
                machine->temporary.writable ? "writable" : "NOT writable");
    add_bytes(text, machine->temporary.free_bytes);
    print_built(stream, "Temporary", text);
    strbuf_addf(text, "%s, characters %s, tables in %s; terminal %s", machine->locale, machine->characters,
                machine->shows_utf8 ? "UTF-8" : "ASCII", machine->has_terminal ? "yes" : "no");
    print_built(stream, "Locale", text);
    for (size_t i = 0; machine_variables[i] != NULL; i++)
        if (machine_has_variable(machine_variables[i]))
            add_item(text, machine_variables[i]);
    print_built(stream, "Variables", text);
}

/* Of those that are not built in: how many of each origin, and for which records. */
static void add_loaded(struct strbuf *text, const struct doctor *doctor, enum layout_origin origin)
{
    const char *head = "";

    for (const struct loaded_layout *layout = doctor->layouts.first; layout != NULL; layout = layout->next) {
        if (layout_origin_of(layout) != origin)
            continue;
        if (*head == '\0')
            strbuf_addf(text, "; %s: ", layout_origin_names[origin]);
        strbuf_addf(text, "%s%s of %" PRIu32 " bytes", head, layout->kind->name, layout->layout.record_size);
        head = ", ";
    }
}

static void print_layouts(const struct doctor *doctor, FILE *stream, struct strbuf *text)
{
    strbuf_addf(text, "%zu built in", doctor->built_in_layouts);
    for (int origin = 0; origin < LAYOUT_ORIGINS; origin++)
        add_loaded(text, doctor, (enum layout_origin)origin);
    if (doctor->layouts_failed)
        strbuf_adds(text, "; others cannot be loaded");
    print_built(stream, "Layouts", text);
    for (size_t i = 0; i < doctor->remark_count; i++)
        print_list(stream, "Remark", doctor->remarks[i]);
}

static void print_kind(FILE *stream, const char *name, const struct inventory_kind *kind)
{
    fprintf(stream, "%-25.25s%7" PRId64 "%13" PRId64 "%12" PRId64 "%12" PRId64 "%10" PRId64 "\n", name, kind->files,
            kind->bytes, kind->rows, kind->joined, kind->rejected);
}

/* Those with losses and the largest; what is left in one row. */
static void print_kinds(const struct inventory_kinds *kinds, FILE *stream)
{
    struct inventory_kind rest = {.files = 0};
    size_t shown = kinds->count > KINDS_SHOWN + 1 ? KINDS_SHOWN : kinds->count;
    char name[32];

    if (kinds->count > 0)
        fprintf(stream, "%-25s%7s%13s%12s%12s%10s\n", "Kind", "Files", "Bytes", "Rows", "Joined", "Rejected");
    for (size_t i = 0; i < kinds->count; i++) {
        const struct inventory_kind *kind = &kinds->items[i];
        if (i < shown)
            print_kind(stream, kind->kind != NULL ? kind->kind->name : "(of no kind)", kind);
        rest.files += i < shown ? 0 : kind->files;
        rest.bytes += i < shown ? 0 : kind->bytes;
        rest.rows += i < shown ? 0 : kind->rows;
        rest.joined += i < shown ? 0 : kind->joined;
        rest.rejected += i < shown ? 0 : kind->rejected;
    }
    snprintf(name, sizeof name, "(%zu more)", kinds->count - shown);
    if (kinds->count > shown)
        print_kind(stream, name, &rest);
}

static void add_chips(struct strbuf *text, const struct inventory_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].is_host)
            strbuf_adds(text, ", host");
        else if (parts->items[i].chip != DB_NULL)
            strbuf_addf(text, ", chip %" PRId64, parts->items[i].chip);
}

static void print_capture(const struct inventory *capture, size_t number, FILE *stream, struct strbuf *text)
{
    static const char *const severities[] = {"note", "warning", "error"};
    char head[32];

    snprintf(head, sizeof head, "Capture %zu", number);
    if (!capture->opened) {
        strbuf_addf(text, "cannot be imported (status %d); free for results ", capture->status);
        add_bytes(text, capture->results.free_bytes);
        print_built(stream, head, text);
        return;
    }
    strbuf_addf(text, "%s, %" PRId64 " device%s", capture->family, capture->devices, capture->devices == 1 ? "" : "s");
    add_chips(text, &capture->parts);
    strbuf_addf(text, "; %" PRId64 " file%s (%" PRId64 " of no kind), ", capture->files, capture->files == 1 ? "" : "s",
                capture->undecoded_files);
    add_bytes(text, capture->bytes);
    strbuf_adds(text, "; free for results ");
    add_bytes(text, capture->results.free_bytes);
    print_built(stream, head, text);
    strbuf_addf(text, "%" PRId64 " = %" PRId64 " rows + %" PRId64 " joined + %" PRId64 " rejected",
                capture->rows + capture->joined + capture->rejected, capture->rows, capture->joined, capture->rejected);
    print_built(stream, "Records", text);
    for (int severity = DIAG_ERROR; severity >= DIAG_NOTE; severity--)
        if (capture->by_severity[severity] > 0)
            strbuf_addf(text, "%s%" PRId64 " %s%s", text->length > 0 ? ", " : "", capture->by_severity[severity],
                        severities[severity], capture->by_severity[severity] == 1 ? "" : "s");
    for (size_t i = 0; i < capture->problems.count; i++)
        strbuf_addf(text, "%s %s %" PRId64, i == 0 ? ":" : ",", diag_info(capture->problems.items[i].id)->id,
                    capture->problems.items[i].occurrences);
    print_built(stream, "Problems", text);
    print_kinds(&capture->kinds, stream);
}

void doctor_print_text(const struct doctor *doctor, FILE *stream)
{
    struct strbuf text;

    strbuf_init(&text, TEXT_LIMIT);
    print_program(doctor, stream, &text);
    print_machine(&doctor->machine, stream, &text);
    print_layouts(doctor, stream, &text);
    for (size_t i = 0; i < doctor->captures.count; i++)
        print_capture(&doctor->captures.items[i], i + 1, stream, &text);
    strbuf_release(&text);
}
