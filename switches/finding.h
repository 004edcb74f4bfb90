/* How a finding is put together. Inside of switches/. */
#ifndef MSPROF_SWITCHES_FINDING_H
#define MSPROF_SWITCHES_FINDING_H

#include "switches/check.h"

/* value and suggestion may be NULL. Returns 0, or -ERR_NO_MEMORY. */
int finding_problem(struct switch_finding *finding, const char *key, const char *value, const char *suggestion,
                    struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Sets an option, or changes it; value NULL takes it out. */
int finding_set(struct switch_finding *finding, const char *key, const char *value, struct err *err);

/* What one option needs of others, and which exclude each other: after all of them are read as they stand. has tells
 * the value that the file gives a key, NULL: none. */
typedef const char *finding_given(const void *file, const char *key);
int finding_relations(struct switch_finding *finding, finding_given *given, const void *file, struct err *err);

#endif
