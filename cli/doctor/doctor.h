/* SPDX-License-Identifier: Apache-2.0 */
/* What 'msprof doctor' tells: numbers, and words of this program and of the system's release. No name that a user, a
 * host, a directory or a capture has is kept here, so none can be printed. */
#ifndef MSPROF_CLI_DOCTOR_DOCTOR_H
#define MSPROF_CLI_DOCTOR_DOCTOR_H

#include "base/library.h"
#include "db/query/query_inventory.h"
#include "parsers/decode/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DOCTOR_NOT_KNOWN INT64_MIN /* of a number; of a limit: there is none */
#define DOCTOR_TEXT_SIZE 64
#define DOCTOR_LIBRARIES 8
#define DOCTOR_REMARKS 12

/* Where a layout comes from that is not built in. */
enum layout_origin { LAYOUT_INSTALLED, LAYOUT_OF_USER, LAYOUT_NAMED, LAYOUT_ORIGINS };
extern const char *const layout_origin_names[LAYOUT_ORIGINS];
enum layout_origin layout_origin_of(const struct loaded_layout *layout);

struct doctor_space {
    bool writable;
    int64_t free_bytes;
};

/* What this machine and this process are like. */
struct machine {
    struct library_version libraries[DOCTOR_LIBRARIES];
    size_t library_count;
    bool has_collect, has_run, has_mpi;
    char kernel[DOCTOR_TEXT_SIZE], distribution[DOCTOR_TEXT_SIZE], locale[DOCTOR_TEXT_SIZE],
        characters[DOCTOR_TEXT_SIZE];
    bool shows_utf8, has_terminal;
    int64_t processors, memory_total, memory_available;
    int64_t open_files, open_files_most, file_size, address_space; /* limits */
    struct doctor_space temporary;
    bool temporary_is_named; /* by TMPDIR */
};

void machine_ask(struct machine *machine);
/* Ended by NULL: the variables that msprof or its libraries read, of which machine_has_variable says which are set. */
extern const char *const machine_variables[];
bool machine_has_variable(const char *name);
struct doctor_space machine_space(const char *directory);

struct inventory {
    int status; /* the exit status of opening it; the rest is known when opened is true */
    bool opened;
    const char *family;
    struct doctor_space results;
    int64_t devices, files, bytes, undecoded_files, rows, joined, rejected;
    int64_t by_severity[3];
    struct inventory_kinds {
        struct inventory_kind *items;
        size_t count, capacity;
    } kinds;
    struct inventory_problems {
        struct inventory_problem *items;
        size_t count, capacity;
    } problems;
    struct inventory_parts {
        struct inventory_part *items;
        size_t count, capacity;
    } parts;
};

/* What compiled this program, and for which machine. */
#ifdef __clang__
#define DOCTOR_COMPILER "clang " __clang_version__
#else
#define DOCTOR_COMPILER "gcc " __VERSION__
#endif
#if defined __x86_64__
#define DOCTOR_MACHINE "x86_64"
#elif defined __aarch64__
#define DOCTOR_MACHINE "aarch64"
#else
#define DOCTOR_MACHINE "another"
#endif

struct doctor {
    const char *commit;
    struct machine machine;
    struct layout_set layouts;
    bool layouts_failed; /* those that are not built in cannot be loaded */
    size_t built_in_layouts;
    const char *remarks[DOCTOR_REMARKS]; /* what may be amiss */
    size_t remark_count;
    struct inventories {
        struct inventory *items;
        size_t count, capacity;
    } captures;
};

void doctor_print_text(const struct doctor *doctor, FILE *stream);
/* Schema msprof.doctor/1. */
void doctor_print_json(const struct doctor *doctor, FILE *stream);

#endif
