/* A file of options, checked and understood. */
#ifndef MSPROF_SWITCHES_CHECK_H
#define MSPROF_SWITCHES_CHECK_H

#include "base/err.h"
#include "base/format/json_in.h"
#include "switches/rule.h"

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
    /* What holds, with the values of what is absent; nothing when all is off. */
    struct switch_options {
        struct switch_option *items;
        size_t count, capacity;
    } options;
};

/* root: the object of the file: profiling options as they are, or acl.json with its "profiler", or the arguments of
 * MindSpore's or PyTorch's profiler (also inside of their profiler_info files). -ERR_FORMAT when it is no object;
 * problems are no errors. Needs switch_finding_release whatever the result. */
int switch_check(const struct json *root, struct switch_finding *ret, struct err *err);
void switch_finding_release(struct switch_finding *finding);

/* "acl.json" and so on. */
const char *switch_writer_name(unsigned writer);
/* NULL: the option is not set. */
const char *switch_option_value(const struct switch_finding *finding, const char *key);

#endif
