/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in a file of options: problems, and what holds. */
#ifndef MSPROF_FEATURES_OPTIONS_FINDING_H
#define MSPROF_FEATURES_OPTIONS_FINDING_H

#include "base/array.h"
#include "base/err.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"
#include "features/options/rule.h"

#include <stdbool.h>
#include <stddef.h>

/* Effects of an option: which records are collected on which chips, and which tables are made of them. The command
 * that explains options and the sentence that explains why a table is empty both use them. */

#define SWITCH_EVERY_CHIP (~UINT32_C(0))
#define SWITCH_CHIP(number) (UINT32_C(1) << (number))
#define SWITCH_MOST_CHIP 16 /* the largest number that a chip has (platform_version of info.json) */

struct switch_effect {
    const char *key;     /* in the words of GE and acl.json */
    unsigned writers;    /* SWITCH_... whose captures are meant */
    uint32_t chips;      /* SWITCH_CHIP of each that has it */
    const char *what;    /* "events of the L2 cache for each task" */
    const char *value;   /* of a list: this word of it; of others: this value; NULL: any but "off" */
    const char *kinds;   /* record kinds, divided by commas; the tables of their series come of it; NULL: none */
    const char *reports; /* tables that are made of more than one kind; NULL: none */
    const char *layers;  /* of the timeline, that are made of more than one kind; NULL: none */
    const char *files;   /* other files of JSON: "step_trace"; NULL: none */
    const char *with;    /* tables, layers and files come only when this option is on, too; NULL: always */
    /* Under which name sample.json says whether it was on, and the value that it has then (NULL: any but "off" and
     * 0); NULL: it says nothing of it. */
    const char *setting, *setting_value;
};

/* Ended by one without a key. */
extern const struct switch_effect switch_effects[];

/* Whether an option of this key and value has the effect. */
bool switch_has_effect(const struct switch_effect *effect, const char *key, const char *value);
/* Whether a value of sample.json says that it was on. */
bool switch_was_on(const struct switch_effect *effect, const char *setting);
bool switch_effect_on_chip(const struct switch_effect *effect, int64_t chip);

/* Options of frameworks in the words of GE and acl.json. */
struct switch_meaning {
    unsigned writers;
    const char *key, *value; /* value NULL: any but "false" and "" */
    const char *means;       /* "task_time=l1 ascendcl=on"; "*" as a value: the one that the option has */
};
extern const struct switch_meaning switch_meanings[]; /* ended by one without a key */

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
    struct switch_problems ARRAY_OF(struct switch_problem) problems;
    struct switch_problems warnings; /* sound options that do something else than one may expect */
    /* Options that hold, with the values of what is absent; nothing when all is off. */
    struct switch_options ARRAY_OF(struct switch_option) options;
};

void switch_finding_release(struct switch_finding *finding);
/* NULL: the option is not set. */
const char *switch_option_value(const struct switch_finding *finding, const char *key);

/* Adds to the problems or warnings; value and suggestion may be NULL. 0, or -ERR_NO_MEMORY. */
int switch_problem_add(struct switch_problems *problems, const char *key, const char *value, const char *suggestion,
                       struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Checks which options one needs of others, and which exclude each other, after all of them are read. `has` returns
 * the value of a key in the file, NULL: none. */
typedef const char *finding_given(const void *file, const char *key);

/* A file of options, checked and understood. */

/* root: the object of the file: profiling options as they are, or acl.json with its "profiler", or the arguments of
 * MindSpore's or PyTorch's profiler (also inside of their profiler_info files). likely: the SWITCH_... that the file is
 * for when its keys leave that open, 0: nobody knows. -ERR_FORMAT when it is no object; problems are no errors. Needs
 * switch_finding_release whatever the result. */
int switch_check(const struct json *root, unsigned likely, struct switch_finding *ret, struct err *err);

/* "acl.json" and so on. */
const char *switch_writer_name(unsigned writer);

#endif
