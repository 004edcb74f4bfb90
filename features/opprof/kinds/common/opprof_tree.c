/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that 'msprof op' writes: which they are, and which files of them belong together. */
#include "features/opprof/kinds/common/opprof_tree.h"
#include "base/file/fsutil.h"
#include "base/words.h"
#include "parsers/capture/capture.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 6 /* device0/<operator>/<launch>/simulator/core0.veccore0 and one more */

/* Whether a name is the stem with nothing, or '_' and digits, in front of ".csv". */
static bool is_metric_file(const char *name, const char *stem)
{
    const size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0)
        return false;
    name += length;
    if (*name == '_')
        name += 1 + strspn(name + 1, "0123456789");
    return strcmp(name, ".csv") == 0;
}

static const char *core_end(const char *name)
{
    static const char *const words[] = {".veccore", ".cubecore"};
    if (strncmp(name, "core", 4) != 0)
        return NULL;
    name += 4 + strspn(name + 4, "0123456789");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0)
            return name + length + strspn(name + length, "0123456789");
    }
    return NULL;
}

/* "core0.veccore1": what the simulator keeps of one core. */
static bool is_core_directory(const char *name)
{
    const char *end = core_end(name);
    return end != NULL && *end == '\0';
}

/* Memory.csv and trace.json are names that others give, too. */
static bool claims(const char *name)
{
    static const char *const typical[] = {"OpBasicInfo", "PipeUtilization", "ArithmeticUtilization",
                                          "ResourceConflictRatio"};
    for (size_t i = 0; i < sizeof typical / sizeof *typical; i++) {
        if (is_metric_file(name, typical[i]))
            return true;
    }
    return is_core_directory(name) || (core_end(name) != NULL && words_end_in(name, "_exe.csv"));
}

/* Raw counters are no interface, the .bin file repeats the tables for a viewer, and a core's own trace.json is part of
 * that of all cores. */
static bool ignores(const char *name)
{
    const char *base = path_name(name), *slash = base > name ? base - 1 : NULL;
    if (strcmp(base, "dump") == 0 || strcmp(base, "tmp_dump") == 0 || strcmp(base, "visualize_data.bin") == 0)
        return true;
    if (strcmp(base, "trace.json") != 0 || slash == NULL)
        return false;
    while (slash > name && slash[-1] != '/')
        slash--;
    return core_end(slash) != NULL;
}

/* The directory of a launch; what the simulator made of it lies below. */
static size_t part(const char *name)
{
    const char *base = path_name(name);
    size_t length = base > name ? (size_t)(base - name) - 1 : 0;
    static const char simulator[] = "simulator";
    for (;;) {
        size_t start = length;
        while (start > 0 && name[start - 1] != '/')
            start--;
        const bool below =
            (length - start == sizeof simulator - 1 && memcmp(name + start, simulator, length - start) == 0) ||
            core_end(name + start) == name + length;
        if (length == 0 || !below)
            return length;
        length = start > 0 ? start - 1 : 0;
    }
}

static void release(void *memory)
{
    struct opprof_launches *launches = memory;
    free(launches->items);
}

struct opprof_launch *opprof_launch_of(struct capture *capture, size_t part, struct err *err)
{
    struct opprof_launches *launches = capture->tree_state;
    if (launches->items == NULL) {
        launches->items = calloc(capture->part_count > 0 ? capture->part_count : 1, sizeof *launches->items);
        if (launches->items == NULL) {
            err_no_memory(err);
            return NULL;
        }
        launches->count = capture->part_count;
    }
    return part < launches->count ? &launches->items[part] : NULL;
}

const struct capture_tree tree_opprof = {
    .family = CAPTURE_OPPROF,
    .prefix = "OPPROF",
    .expects = "files of 'msprof op', such as OpBasicInfo.csv, PipeUtilization.csv, ..., core*_instr_exe.csv",
    .depth = DEPTH,
    .claims = claims,
    .ignores = ignores,
    .part = part,
    .state_size = sizeof(struct opprof_launches),
    .release = release,
};

int64_t opprof_launch_id(struct decoder *decoder)
{
    return decoder_part(decoder) - decoder_capture(decoder)->parts + 1;
}
