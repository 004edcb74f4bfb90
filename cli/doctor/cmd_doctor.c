/* SPDX-License-Identifier: Apache-2.0 */
/* msprof doctor: what a report of a fault needs to say, without a name or a value of anybody. */
#include "base/array.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/doctor/doctor.h"
#include "cli/kinds/layouts.h"
#include "cli/status.h"
#include "db/database.h"
#include "db/query/query.h"
#include "parsers/capture/capture.h"

#include <stdlib.h>
#include <string.h>

#define FEW_FILES 256
#define LITTLE_SPACE ((int64_t)1000 * 1000 * 1000)

const char *const layout_origin_names[LAYOUT_ORIGINS] = {"installed", "user", "command line"};

enum layout_origin layout_origin_of(const struct loaded_layout *layout)
{
    return layout->shipped ? LAYOUT_INSTALLED : layout->named ? LAYOUT_NAMED : LAYOUT_OF_USER;
}

/* ---- a capture's inventory ---- */

static int take_kind(void *arg, const struct inventory_kind *kind, struct err *err)
{
    struct inventory *inventory = arg;
    struct inventory_kinds *kinds = &inventory->kinds;

    if (array_reserve(kinds, 1, err) != 0)
        return -(int)err->code;
    kinds->items[kinds->count++] = *kind;
    inventory->files += kind->files;
    inventory->bytes += kind->bytes;
    inventory->rows += kind->rows;
    inventory->joined += kind->joined;
    inventory->rejected += kind->rejected;
    inventory->undecoded_files += kind->kind == NULL ? kind->files : 0;
    return 0;
}

static int take_problem(void *arg, const struct inventory_problem *problem, struct err *err)
{
    struct inventory *inventory = arg;
    struct inventory_problems *problems = &inventory->problems;

    if (array_reserve(problems, 1, err) != 0)
        return -(int)err->code;
    problems->items[problems->count++] = *problem;
    inventory->by_severity[diag_info(problem->id)->severity] += problem->occurrences;
    return 0;
}

static int take_part(void *arg, const struct inventory_part *part, struct err *err)
{
    struct inventory *inventory = arg;
    struct inventory_parts *parts = &inventory->parts;

    if (array_reserve(parts, 1, err) != 0)
        return -(int)err->code;
    parts->items[parts->count++] = *part;
    inventory->devices += !part->is_host;
    return 0;
}

static int read_inventory(sqlite3 *db, struct inventory *inventory, struct err *err)
{
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);

    if (result == 0) {
        inventory->family = capture_family_name((enum capture_family)facts.family);
        result = inventory_each_kind(db, take_kind, inventory, err);
    }
    if (result == 0)
        result = inventory_each_problem(db, take_problem, inventory, err);
    if (result == 0)
        result = inventory_each_part(db, take_part, inventory, err);
    inventory->opened = result == 0;
    return result;
}

/* Messages of an import name files and models: what they say is in the report, by its code. */
static int examine(struct capture_visit *visit)
{
    struct doctor *doctor = visit->context;
    struct inventory inventory = {.opened = false};
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;

    if (array_reserve(&doctor->captures, 1, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    console_mute(true);
    inventory.status = visit_open_database(visit, &db);
    if (db == NULL && inventory.status == STATUS_NOTHING)
        database_open(visit->database, &db, &err);
    console_mute(false);
    inventory.results = machine_space(visit->results);
    err = (struct err)ERR_INIT;
    if (db != NULL && read_inventory(db, &inventory, &err) != 0)
        inventory.status = status_worse(inventory.status, visit_fail(visit, LOG_SOURCE_COMMON, &err));
    database_close(db);
    doctor->captures.items[doctor->captures.count++] = inventory;
    if (!inventory.opened && inventory.status != STATUS_INTERRUPTED)
        console_warning("capture %zu cannot be imported; 'msprof import' tells why", doctor->captures.count);
    return inventory.status;
}

/* ---- the report ---- */

static void remark(struct doctor *doctor, bool applies, const char *text)
{
    if (applies && doctor->remark_count < DOCTOR_REMARKS)
        doctor->remarks[doctor->remark_count++] = text;
}

static bool is_below(int64_t value, int64_t limit)
{
    return value != DOCTOR_NOT_KNOWN && value < limit;
}

/* The first numbers of two versions: "3.40" and "3.39" run together, "3" and "1" do not. */
static bool is_other_library(const struct machine *machine)
{
    for (size_t i = 0; i < machine->library_count; i++) {
        const struct library_version *library = &machine->libraries[i];
        size_t length = strcspn(library->compiled, ".");
        if (library->running != NULL && strncmp(library->compiled, library->running, length + 1) != 0)
            return true;
    }
    return false;
}

static void remark_all(struct doctor *doctor)
{
    const struct machine *machine = &doctor->machine;

    remark(doctor, !machine->temporary.writable, "temporary files cannot be written: set TMPDIR to a directory");
    remark(doctor, is_below(machine->temporary.free_bytes, LITTLE_SPACE),
           "less than 1 GB is free for temporary files: set TMPDIR to a larger place");
    remark(doctor, is_below(machine->open_files, FEW_FILES), "few files can be open at once: see 'ulimit -n'");
    remark(doctor, machine->file_size != DOCTOR_NOT_KNOWN, "the size of files is limited: see 'ulimit -f'");
    remark(doctor, machine->address_space != DOCTOR_NOT_KNOWN, "memory is limited: see 'ulimit -v'");
    remark(doctor, is_other_library(machine), "a library runs in another version than was compiled with");
    remark(doctor, !machine->has_run, "libmsprof_preload.so is not there: 'msprof run' cannot record");
    remark(doctor, doctor->layouts_failed, "layouts cannot be loaded, so no capture is read: 'msprof kinds' tells why");
}

static size_t count_built_in(void)
{
    size_t count = 0;

    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++)
        count += (*kind)->layout_count;
    return count;
}

static int tell(const struct settings *settings, struct doctor *doctor)
{
    console_output_begin();
    if (settings->doctor_format == 1)
        doctor_print_json(doctor, stdout);
    else
        doctor_print_text(doctor, stdout);
    return console_output_end(false);
}

static void doctor_release(struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->captures.count; i++) {
        free(doctor->captures.items[i].kinds.items);
        free(doctor->captures.items[i].problems.items);
        free(doctor->captures.items[i].parts.items);
    }
    free(doctor->captures.items);
    layout_set_release(&doctor->layouts);
}

static int run_doctor(const struct settings *settings)
{
    struct doctor doctor = {.commit = MSPROF_COMMIT, .built_in_layouts = count_built_in()};
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    layout_set_init(&doctor.layouts);
    machine_ask(&doctor.machine);
    doctor.layouts_failed = layouts_load(&doctor.layouts, settings, &err) != 0;
    if (doctor.layouts_failed)
        status = status_of_error(&err);
    else if (settings->captures.count > 0)
        status = captures_process_list(settings, &settings->captures, examine, &doctor);
    remark_all(&doctor);
    if (status != STATUS_USAGE && status != STATUS_INTERRUPTED)
        status = status_worse(status, tell(settings, &doctor));
    doctor_release(&doctor);
    return status;
}

static const struct example examples[] = {
    {"what this machine is like, for a report of a fault", "msprof doctor"},
    {"the same with what a capture holds and has lost", "msprof doctor JOBX"},
    {"for programs", "msprof doctor JOBX --format json"},
    {NULL, NULL},
};

const struct command command_doctor = {
    .path = "doctor",
    .parent = COMMAND_ROOT,
    .summary = "tell what a report of a fault needs",
    .description = "Tells versions, libraries, features, limits of the system, locale and layouts, and of a\n"
                   "capture the kinds of its files, counts and losses, on one screen. No name of a user, host,\n"
                   "directory, file or model is told, and no data: the report can be given to others.\n",
    .operands = "[CAPTURE...]",
    .needs_capture = true,
    .captures_optional = true,
    .examples = examples,
    .run = run_doctor,
};
