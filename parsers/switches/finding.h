/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in a file of options: problems, and what holds. */
#ifndef MSPROF_PARSERS_SWITCHES_FINDING_H
#define MSPROF_PARSERS_SWITCHES_FINDING_H

#include "base/err.h"
#include "parsers/switches/rule.h"

struct switch_problem {
    char *key, *value; /* as the file has them */
    char *message;
    char *suggestion; /* what to write instead; NULL: nothing is better than another */
};

/* An option in the words of GE and acl.json. */
struct switch_option {
    char *key, *value;
};

/* All zero: nothing is known. */
struct switch_finding {
    unsigned writer; /* SWITCH_...: what the file is for */
    struct switch_problems {
        struct switch_problem *items;
        size_t count, capacity;
    } problems;
    struct switch_problems warnings; /* sound options that do something else than one may expect */
    /* Options that hold, with the values of what is absent; nothing when all is off. */
    struct switch_options {
        struct switch_option *items;
        size_t count, capacity;
    } options;
};

void switch_finding_release(struct switch_finding *finding);
/* NULL: the option is not set. */
const char *switch_option_value(const struct switch_finding *finding, const char *key);

/* value and suggestion may be NULL. Returns 0, or -ERR_NO_MEMORY. */
int finding_problem(struct switch_finding *finding, const char *key, const char *value, const char *suggestion,
                    struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Adds to the warnings. */
int finding_warning(struct switch_finding *finding, const char *key, const char *value, const char *suggestion,
                    struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Sets an option, or changes it; value NULL takes it out. */
int finding_set(struct switch_finding *finding, const char *key, const char *value, struct err *err);

/* Checks which options one needs of others, and which exclude each other: after all of them are read as they stand. has
 * tells the value that the file gives a key, NULL: none. */
typedef const char *finding_given(const void *file, const char *key);
int finding_relations(struct switch_finding *finding, finding_given *given, const void *file, struct err *err);

#endif
