/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and the process that 'msprof doctor' tells of: numbers, and words of the system's release. */
#ifndef MSPROF_CLI_DOCTOR_MACHINE_H
#define MSPROF_CLI_DOCTOR_MACHINE_H

#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOCTOR_NOT_KNOWN INT64_MIN /* of a number; of a limit: there is none */
#define DOCTOR_TEXT_SIZE 64
#define DOCTOR_LIBRARIES 8

struct doctor_space {
    bool writable;
    int64_t free_bytes;
};

/* Properties of this machine and this process. */
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

#endif
