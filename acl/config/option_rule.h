/* The options of a capture beside its mask: what aclprofSetConfig sets by number and an acl.json by key. One table has
 * the values that are allowed (docs/formats/acl-api.md B3 and B7). */
#ifndef MSPROF_ACL_CONFIG_OPTION_RULE_H
#define MSPROF_ACL_CONFIG_OPTION_RULE_H

#include "msprof/acl_prof.h"

#include <stdbool.h>

enum option_check {
    OPTION_WORD,  /* one of words */
    OPTION_LIST,  /* some of words, divided by commas */
    OPTION_RANGE, /* a whole number from low to high */
    OPTION_SIZE,  /* the same followed by "MB" */
    OPTION_NAMES, /* names of any kind, divided by commas */
    OPTION_PATH   /* a directory */
};

struct option_rule {
    const char *key;        /* in acl.json; NULL: not there */
    aclprofConfigType type; /* of aclprofSetConfig; ACL_PROF_ARGS_MIN: not there */
    enum option_check check;
    const char *words; /* divided by commas */
    int64_t low, high;
};

/* NULL when there is none. */
const struct option_rule *option_rule_of_type(aclprofConfigType type);
const struct option_rule *option_rule_of_key(const char *key);

/* ACL_SUCCESS, or ACL_ERROR_INVALID_PROFILING_CONFIG with a message that names parameter and says what is allowed. */
aclError option_check_value(const struct option_rule *rule, const char *parameter, const char *value);

/* The bytes that a text checked by OPTION_SIZE means. */
uint64_t option_size_bytes(const char *value);

#endif
