/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/doctor.h"
#include "db/database.h"
#include "exporters/schemas.h"

#include <inttypes.h>

/* Objects and arrays one inside the other; the words are this program's, or kept to characters that need no escape. */
struct json_writer {
    FILE *stream;
    bool any; /* there is something before it in the same object or array */
};

static void begin_member(struct json_writer *json, const char *name)
{
    fputs(json->any ? "," : "", json->stream);
    if (name != NULL)
        fprintf(json->stream, "\"%s\":", name);
    json->any = true;
}

static void open_with(struct json_writer *json, const char *name, char bracket)
{
    begin_member(json, name);
    fputc(bracket, json->stream);
    json->any = false;
}

static void close_with(struct json_writer *json, char bracket)
{
    fputc(bracket, json->stream);
    json->any = true;
}

static void put_text(struct json_writer *json, const char *name, const char *text)
{
    begin_member(json, name);
    fprintf(json->stream, text != NULL && *text != '\0' ? "\"%s\"" : "null", text);
}

static void put_number(struct json_writer *json, const char *name, int64_t number)
{
    begin_member(json, name);
    if (number == DOCTOR_NOT_KNOWN)
        fputs("null", json->stream);
    else
        fprintf(json->stream, "%" PRId64, number);
}

static void put_truth(struct json_writer *json, const char *name, bool truth)
{
    begin_member(json, name);
    fputs(truth ? "true" : "false", json->stream);
}

static void put_space(struct json_writer *json, const char *name, const struct doctor_space *space)
{
    open_with(json, name, '{');
    put_number(json, "free_bytes", space->free_bytes);
    put_truth(json, "writable", space->writable);
    close_with(json, '}');
}

static void put_kinds(struct json_writer *json, const struct inventory_kinds *kinds)
{
    open_with(json, "kinds", '[');
    for (size_t i = 0; i < kinds->count; i++) {
        const struct inventory_kind *kind = &kinds->items[i];

        open_with(json, NULL, '{');
        put_number(json, "bytes", kind->bytes);
        put_number(json, "files", kind->files);
        put_number(json, "joined", kind->joined);
        put_text(json, "kind", kind->kind != NULL ? kind->kind->name : NULL);
        put_number(json, "rejected", kind->rejected);
        put_number(json, "rows", kind->rows);
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_parts(struct json_writer *json, const struct inventory_parts *parts)
{
    open_with(json, "parts", '[');
    for (size_t i = 0; i < parts->count; i++) {
        open_with(json, NULL, '{');
        put_number(json, "chip", parts->items[i].chip);
        put_number(json, "device_id", parts->items[i].device_id);
        put_truth(json, "host", parts->items[i].is_host);
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_problems(struct json_writer *json, const struct inventory_problems *problems)
{
    open_with(json, "problems", '[');
    for (size_t i = 0; i < problems->count; i++) {
        const struct inventory_problem *problem = &problems->items[i];

        open_with(json, NULL, '{');
        put_text(json, "code", diag_info(problem->id)->id);
        put_number(json, "files", problem->files);
        put_number(json, "occurrences", problem->occurrences);
        put_number(json, "rejected", problem->rejected);
        put_text(json, "severity", diag_severity_name(diag_info(problem->id)->severity));
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_capture(struct json_writer *json, const struct inventory *capture)
{
    open_with(json, NULL, '{');
    put_number(json, "bytes", capture->bytes);
    put_number(json, "devices", capture->devices);
    put_text(json, "family", capture->family);
    put_number(json, "files", capture->files);
    put_number(json, "joined", capture->joined);
    put_kinds(json, &capture->kinds);
    put_truth(json, "opened", capture->opened);
    put_parts(json, &capture->parts);
    put_problems(json, &capture->problems);
    put_number(json, "rejected", capture->rejected);
    put_space(json, "results", &capture->results);
    put_number(json, "rows", capture->rows);
    put_number(json, "status", capture->status);
    put_number(json, "undecoded_files", capture->undecoded_files);
    close_with(json, '}');
}

static void put_layouts(struct json_writer *json, const struct doctor *doctor)
{
    open_with(json, "layouts", '{');
    put_number(json, "built_in", (int64_t)doctor->built_in_layouts);
    put_truth(json, "failed", doctor->layouts_failed);
    open_with(json, "loaded", '[');
    for (const struct loaded_layout *layout = doctor->layouts.first; layout != NULL; layout = layout->next) {
        open_with(json, NULL, '{');
        put_text(json, "kind", layout->kind->name);
        put_text(json, "origin", layout_origin_names[layout_origin_of(layout)]);
        put_number(json, "record_size", layout->layout.record_size);
        put_truth(json, "replaced", layout->replaced);
        close_with(json, '}');
    }
    close_with(json, ']');
    close_with(json, '}');
}

static void put_libraries(struct json_writer *json, const struct machine *machine)
{
    open_with(json, "libraries", '[');
    for (size_t i = 0; i < machine->library_count; i++) {
        open_with(json, NULL, '{');
        put_text(json, "compiled", machine->libraries[i].compiled);
        put_text(json, "name", machine->libraries[i].name);
        put_text(json, "running", machine->libraries[i].running);
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void put_limits(struct json_writer *json, const struct machine *machine)
{
    open_with(json, "limits", '{');
    put_number(json, "address_space", machine->address_space);
    put_number(json, "file_size", machine->file_size);
    put_number(json, "open_files", machine->open_files);
    put_number(json, "open_files_most", machine->open_files_most);
    close_with(json, '}');
    open_with(json, "locale", '{');
    put_text(json, "characters", machine->characters);
    put_text(json, "name", machine->locale);
    put_truth(json, "terminal", machine->has_terminal);
    put_truth(json, "utf8", machine->shows_utf8);
    close_with(json, '}');
    open_with(json, "memory", '{');
    put_number(json, "available", machine->memory_available);
    put_number(json, "total", machine->memory_total);
    close_with(json, '}');
}

static void put_program(struct json_writer *json, const struct doctor *doctor)
{
    open_with(json, "program", '{');
    put_text(json, "commit", doctor->commit);
    put_text(json, "compiler", DOCTOR_COMPILER);
    put_text(json, "machine", DOCTOR_MACHINE);
    put_text(json, "version", MSPROF_VERSION);
    close_with(json, '}');
}

static void put_schemas(struct json_writer *json)
{
    static const char *const documents[] = SCHEMA_LIST;

    put_text(json, "schema", SCHEMA_DOCTOR);
    open_with(json, "schemas", '{');
    put_number(json, "database", DATABASE_USER_VERSION);
    open_with(json, "documents", '[');
    for (size_t i = 0; documents[i] != NULL; i++)
        put_text(json, NULL, documents[i]);
    close_with(json, ']');
    close_with(json, '}');
}

static void put_environment(struct json_writer *json)
{
    open_with(json, "environment", '[');
    for (size_t i = 0; machine_variables[i] != NULL; i++)
        if (machine_has_variable(machine_variables[i]))
            put_text(json, NULL, machine_variables[i]);
    close_with(json, ']');
}

static void put_features(struct json_writer *json, const struct machine *machine)
{
    open_with(json, "features", '{');
    put_truth(json, "collect", machine->has_collect);
    put_truth(json, "mpi", machine->has_mpi);
    put_truth(json, "run", machine->has_run);
    close_with(json, '}');
}

static void put_system(struct json_writer *json, const struct machine *machine)
{
    open_with(json, "system", '{');
    put_text(json, "distribution", machine->distribution);
    put_text(json, "kernel", machine->kernel);
    put_number(json, "processors", machine->processors);
    close_with(json, '}');
    open_with(json, "temporary", '{');
    put_number(json, "free_bytes", machine->temporary.free_bytes);
    put_truth(json, "named", machine->temporary_is_named);
    put_truth(json, "writable", machine->temporary.writable);
    close_with(json, '}');
}

void doctor_print_json(const struct doctor *doctor, FILE *stream)
{
    struct json_writer json = {.stream = stream};

    open_with(&json, NULL, '{');
    open_with(&json, "captures", '[');
    for (size_t i = 0; i < doctor->captures.count; i++)
        put_capture(&json, &doctor->captures.items[i]);
    close_with(&json, ']');
    put_environment(&json);
    put_features(&json, &doctor->machine);
    put_layouts(&json, doctor);
    put_libraries(&json, &doctor->machine);
    put_limits(&json, &doctor->machine);
    put_program(&json, doctor);
    open_with(&json, "remarks", '[');
    for (size_t i = 0; i < doctor->remark_count; i++)
        put_text(&json, NULL, doctor->remarks[i]);
    close_with(&json, ']');
    put_schemas(&json);
    put_system(&json, &doctor->machine);
    close_with(&json, '}');
    fputc('\n', stream);
}
