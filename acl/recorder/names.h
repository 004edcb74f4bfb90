/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionaries of a capture: names of types, and texts behind 64-bit ids. They live as long as the process. A
 * capture gets the names of the types that occur in it, and all texts. The caller holds the recorder's lock. */
#ifndef MSPROF_ACL_RECORDER_NAMES_H
#define MSPROF_ACL_RECORDER_NAMES_H

#include "acl/recorder/capture_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The records of the JOB era (docs/formats/cann.md 3.1) that say what records of today say. */

/* records: whole ones of CAPTURE_CALL_SIZE, length bytes. */
void names_write_calls(struct capture_writer *writer, const char *records, size_t length);

/* The hash that CANN identifies texts by (docs/formats/acl-api.md E2). */
uint64_t names_hash(const char *text, size_t length);

/* As recorder_name_type. */
int names_add_type(uint16_t level, uint32_t type, const char *name);
/* NULL when the type has no name. */
const char *names_type(uint16_t level, uint32_t type);

/* Remembers a text under its id; true when it is new and is to be written. */
bool names_add_text(uint64_t id, const char *text, size_t length);
void names_write_text(struct capture_writer *writer, uint64_t id, const char *text, size_t length);

/* A new capture: writes the texts that are known; none of its types is named yet. */
void names_begin(struct capture_writer *writer);
/* Writes the names of types that occur in these calls (records of CAPTURE_CALL_SIZE) for the first time. */
void names_write_used(struct capture_writer *writer, const char *records, size_t length);

#endif
