/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of an option: which records are collected on which chips, and which tables are made of them. The command
 * that explains options and the sentence that tells why a table is empty are both made of this. */
#ifndef MSPROF_PARSERS_SWITCHES_EFFECT_H
#define MSPROF_PARSERS_SWITCHES_EFFECT_H

#include "parsers/switches/rule.h"

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

#endif
