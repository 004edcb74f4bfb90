/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say what is to be collected: which there are, and which values they take. Files of options, the ACL
 * library and the reports ask the same table (docs/formats/options.md). */
#ifndef MSPROF_FEATURES_OPTIONS_RULE_H
#define MSPROF_FEATURES_OPTIONS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Programs that options are written for, as bits. */
enum switch_writer {
    SWITCH_GE = 1,  /* profiling_options of TensorFlow and GE */
    SWITCH_ACL = 2, /* "profiler" of acl.json */
    SWITCH_SVP = 4, /* the same on SVP boards */
    SWITCH_MINDSPORE = 8,
    SWITCH_PYTORCH = 16,
};

enum switch_check {
    SWITCH_WORD,       /* one of words */
    SWITCH_LIST,       /* some of words, divided by commas */
    SWITCH_RANGE,      /* a whole number from low to high */
    SWITCH_SIZE,       /* the same followed by "MB" */
    SWITCH_NAMES,      /* names of any kind, divided by commas */
    SWITCH_PATH,       /* a directory */
    SWITCH_BOARD_PATH, /* one of an SVP board */
    SWITCH_TEXT,       /* any */
    SWITCH_FLAG,       /* true or false */
    SWITCH_ANY         /* nothing that is collected depends on it */
};

struct switch_rule {
    const char *key;
    unsigned writers; /* SWITCH_GE and so on: where it may stand */
    enum switch_check check;
    const char *words; /* divided by commas */
    int64_t low, high;
    const char *usual; /* its value where it is absent; NULL: nothing is collected for it */
    bool as_number;    /* of SWITCH_RANGE: in a file of GE or ACL it is a number, not a text */
    bool may_be_empty; /* of the others: "" is taken, too */
};

/* Every rule, ended by one without a key. */
extern const struct switch_rule switch_rules[];

/* NULL: none of these writers knows the key. */
const struct switch_rule *switch_rule_find(const char *key, unsigned writers);
bool switch_rule_allows(const struct switch_rule *rule, const char *value);
#define SWITCH_REASON_SIZE 256
/* Describes what it allows: "one of on,off". */
void switch_rule_tell(const struct switch_rule *rule, char ret[SWITCH_REASON_SIZE]);

/* The first character of a path that may not stand there, or 0. CANN (docs/formats/acl-api.md B4) forbids control
 * characters and those that mean something to a shell; on SVP boards (docs/formats/svp.md 7) only letters, digits and
 * "_-./" are allowed. */
char switch_path_forbidden(const char *path, bool svp);

/* Whether a key of "profiler" is one that only files of SVP boards have. */
bool switch_is_of_board(const char *key);
/* The only metrics that an SVP board counts; with any other value none are collected. */
#define SWITCH_BOARD_METRICS "ArithmeticUtilization"

/* The bytes that a text allowed by SWITCH_SIZE means. */
uint64_t switch_size_bytes(const char *value);

#endif
