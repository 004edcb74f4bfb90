/* The dictionaries of a capture: names of types, and texts behind 64-bit ids. They live as long as the process, and
 * every capture gets all of them. The caller holds the recorder's lock. */
#ifndef MSPROF_ACL_NAMES_H
#define MSPROF_ACL_NAMES_H

#include "acl/capture_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash that CANN identifies texts by (acl-prof-api E2). */
uint64_t names_hash(const char *text, size_t length);

/* As recorder_name_type; *ret_new says whether the type was not known yet. */
int names_add_type(uint16_t level, uint32_t type, const char *name, bool *ret_new);
/* NULL when the type has no name. */
const char *names_type(uint16_t level, uint32_t type);

/* Remembers a text under its id; true when it is new and is to be written. */
bool names_add_text(uint64_t id, const char *text, size_t length);

/* Write the entry of one, or those of all. */
void names_write_type(struct capture_writer *writer, uint16_t level, uint32_t type, const char *name);
void names_write_text(struct capture_writer *writer, uint64_t id, const char *text, size_t length);
void names_write_all(struct capture_writer *writer);

#endif
