/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/vendor_options.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name;
    enum vendor_option_use use;
} options[] = {
    {"--application", VENDOR_OPTION_PROGRAM},
    {"--parse", VENDOR_OPTION_SELECTS},
    {"--export", VENDOR_OPTION_SELECTS},
    {"--analyze", VENDOR_OPTION_SELECTS},
    {"--query", VENDOR_OPTION_SELECTS},
    {"--clear", VENDOR_OPTION_OF_RESULTS},
    {"--iteration-id", VENDOR_OPTION_OF_RESULTS},
    {"--model-id", VENDOR_OPTION_OF_RESULTS},
    {"--output", VENDOR_OPTION_OF_RESULTS},
    {"--python-path", VENDOR_OPTION_OF_RESULTS},
    {"--reports", VENDOR_OPTION_OF_RESULTS},
    {"--rule", VENDOR_OPTION_OF_RESULTS},
    {"--summary-format", VENDOR_OPTION_OF_RESULTS},
    {"--type", VENDOR_OPTION_OF_RESULTS},
    {"--ai-core", VENDOR_OPTION_COLLECTS},
    {"--ai-vector-core", VENDOR_OPTION_COLLECTS},
    {"--aic-freq", VENDOR_OPTION_COLLECTS},
    {"--aic-metrics", VENDOR_OPTION_COLLECTS},
    {"--aic-mode", VENDOR_OPTION_COLLECTS},
    {"--aicore", VENDOR_OPTION_COLLECTS},
    {"--aicpu", VENDOR_OPTION_COLLECTS},
    {"--aiv-freq", VENDOR_OPTION_COLLECTS},
    {"--aiv-metrics", VENDOR_OPTION_COLLECTS},
    {"--aiv-mode", VENDOR_OPTION_COLLECTS},
    {"--ascendcl", VENDOR_OPTION_COLLECTS},
    {"--delay", VENDOR_OPTION_COLLECTS},
    {"--duration", VENDOR_OPTION_COLLECTS},
    {"--dvpp-freq", VENDOR_OPTION_COLLECTS},
    {"--dvpp-profiling", VENDOR_OPTION_COLLECTS},
    {"--dynamic", VENDOR_OPTION_COLLECTS},
    {"--environment", VENDOR_OPTION_COLLECTS},
    {"--ge-api", VENDOR_OPTION_COLLECTS},
    {"--hccl", VENDOR_OPTION_COLLECTS},
    {"--host-sys", VENDOR_OPTION_COLLECTS},
    {"--host-sys-pid", VENDOR_OPTION_COLLECTS},
    {"--host-sys-usage", VENDOR_OPTION_COLLECTS},
    {"--host-sys-usage-freq", VENDOR_OPTION_COLLECTS},
    {"--instr-profiling", VENDOR_OPTION_COLLECTS},
    {"--instr-profiling-freq", VENDOR_OPTION_COLLECTS},
    {"--l2", VENDOR_OPTION_COLLECTS},
    {"--l2-cache", VENDOR_OPTION_COLLECTS},
    {"--llc-profiling", VENDOR_OPTION_COLLECTS},
    {"--model-execution", VENDOR_OPTION_COLLECTS},
    {"--msproftx", VENDOR_OPTION_COLLECTS},
    {"--mstx-domain-exclude", VENDOR_OPTION_COLLECTS},
    {"--mstx-domain-include", VENDOR_OPTION_COLLECTS},
    {"--pid", VENDOR_OPTION_COLLECTS},
    {"--runtime-api", VENDOR_OPTION_COLLECTS},
    {"--scale", VENDOR_OPTION_COLLECTS},
    {"--storage-limit", VENDOR_OPTION_COLLECTS},
    {"--sys-cpu-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-cpu-profiling", VENDOR_OPTION_COLLECTS},
    {"--sys-devices", VENDOR_OPTION_COLLECTS},
    {"--sys-hardware-mem", VENDOR_OPTION_COLLECTS},
    {"--sys-hardware-mem-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-interconnection-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-interconnection-profiling", VENDOR_OPTION_COLLECTS},
    {"--sys-io-profiling", VENDOR_OPTION_COLLECTS},
    {"--sys-io-sampling-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-lp", VENDOR_OPTION_COLLECTS},
    {"--sys-lp-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-period", VENDOR_OPTION_COLLECTS},
    {"--sys-pid-profiling", VENDOR_OPTION_COLLECTS},
    {"--sys-pid-sampling-freq", VENDOR_OPTION_COLLECTS},
    {"--sys-profiling", VENDOR_OPTION_COLLECTS},
    {"--sys-sampling-freq", VENDOR_OPTION_COLLECTS},
    {"--system-call-npu", VENDOR_OPTION_COLLECTS},
    {"--task-block", VENDOR_OPTION_COLLECTS},
    {"--task-memory", VENDOR_OPTION_COLLECTS},
    {"--task-time", VENDOR_OPTION_COLLECTS},
    {"--task-trace", VENDOR_OPTION_COLLECTS},
};

#define OPTIONS (sizeof options / sizeof *options)
#define LEAST_BEGINNING 5 /* "--app" */

static bool begins(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (name[i] != (i > 1 && word[i] == '_' ? '-' : word[i]))
            return false;
    }
    return true;
}

enum vendor_option_use vendor_option_find(const char *word, const char **ret_name)
{
    const size_t length = strcspn(word, "=");
    size_t found = OPTIONS, count = 0;

    for (size_t i = 0; i < OPTIONS && count < OPTIONS; i++) {
        if (!begins(options[i].name, word, length))
            continue;
        found = i;
        count = options[i].name[length] == '\0' ? OPTIONS : count + 1; /* a whole name is the only one */
    }
    const bool is_one = count == OPTIONS || (count == 1 && length >= LEAST_BEGINNING);
    if (ret_name != NULL)
        *ret_name = is_one ? options[found].name : NULL;
    return is_one ? options[found].use : VENDOR_OPTION_NONE;
}

enum vendor_option_use vendor_option_use(const char *word)
{
    return vendor_option_find(word, NULL);
}

const char *vendor_option_name(size_t i)
{
    return i < OPTIONS ? options[i].name : NULL;
}
