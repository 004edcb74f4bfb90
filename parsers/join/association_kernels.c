/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that only their task tracks name: those of a collection at level 0, and those that a program launches itself
 * (<<<>>>, Triton). */
#include "parsers/join/association_data.h"

#include <string.h>

enum { CORE_AIC = 0, CORE_AI_CPU = 1, CORE_AIV = 2, CORE_MIX_AIC = 4, CORE_MIX_AIV = 5, CORE_SIMT = 13 };

/* The core (core_names) that a type of tasks says; false: they are no kernels. */
static bool find_core(const char *task_type, uint8_t *ret)
{
    static const struct {
        const char *task_type;
        uint8_t core;
    } kernels[] = {
        {"KERNEL_AICORE", CORE_AIC}, {"KERNEL_AIVEC", CORE_AIV},       {"KERNEL_AICPU", CORE_AI_CPU},
        {"KERNEL_SIMT", CORE_SIMT},  {"KERNEL_MIX_AIC", CORE_MIX_AIC}, {"KERNEL_MIX_AIV", CORE_MIX_AIV},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(kernels[i].task_type, task_type) != 0)
            continue;
        *ret = kernels[i].core;
        return true;
    }
    return false;
}

/* The operator that a launch names; NO_INDEX: none. */
static uint32_t name_of_launch(const struct association *association, const struct thread *thread, uint32_t launch)
{
    const uint32_t item = launch != NO_INDEX ? thread->calls.items[launch].item : NO_INDEX;
    return item != NO_INDEX && strcmp(association->texts.items[item].bytes, "0") != 0 ? item : NO_INDEX;
}

bool association_name_kernel(const struct association *association, const struct thread *thread, uint32_t launch,
                             struct host_task *task)
{
    const uint32_t named = name_of_launch(association, thread, launch);
    const uint32_t name = named != NO_INDEX ? named : task->kernel;
    if (name == NO_INDEX || !find_core(association->texts.items[task->task_type].bytes, &task->op_task_type))
        return false;
    task->op_name = name;
    if (!association->level_0)
        task->op_type = task->kernel != NO_INDEX ? task->kernel : name;
    return true;
}
