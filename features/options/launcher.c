/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/launcher.h"

#include "base/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define OF_PYTORCH "which makes the options of PyTorch's profiler from them"

/* All marks of an entry stand in the text. */
static const struct launcher {
    const char *marks[2];
    const char *whose;
    const char *form; /* what to pass; NULL: options of PyTorch with the level of the text */
} launchers[] = {
    {{"npu_profile"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), NULL},
    {{"global_profiler"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), NULL},
    {{"tool_config"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), NULL},
    {{"profile-step-start"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), NULL},
    {{"profile-level"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), NULL},
    {{"step_start", "step_end"}, LANGUAGE_MARK("settings of a training framework, " OF_PYTORCH), NULL},
    {{"VLLM_TORCH_PROFILER"}, LANGUAGE_MARK("a variable of vLLM, " OF_PYTORCH), NULL},
    {{"PROF_CONFIG_PATH"},
     LANGUAGE_MARK("the name of a file with options of PyTorch"),
     LANGUAGE_MARK("msprof options FILE, with that file")},
    {{"ProfilerActivity.CUDA"},
     LANGUAGE_MARK("a call of PyTorch's profiler for CUDA, which collects nothing of an NPU"),
     "torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU])"},
    {{"aclprofCreateConfig("},
     LANGUAGE_MARK("a call in C, which aclprofInit(3) explains"),
     LANGUAGE_MARK("{\"profiler\": {\"switch\": \"on\", \"aic_metrics\": \"PipeUtilization\"}}, the same in acl.json")},
};

/* The digit behind "level", which may have "_" or blanks, colons, quotes and the like before it; '1' without one. */
static char level_of(const char *text)
{
    const char *at = text;

    while ((at = strcasestr(at, "level")) != NULL) {
        at += strlen("level");
        const char *digit = at + strspn(at, "_-=: \"'\t");
        if (isdigit((unsigned char)*digit))
            return *digit;
    }
    return '1';
}

const char *launcher_read(const char *text, struct strbuf *hint)
{
    for (const struct launcher *one = launchers; one < launchers + sizeof launchers / sizeof *launchers; one++) {
        if (strstr(text, one->marks[0]) == NULL || (one->marks[1] != NULL && strstr(text, one->marks[1]) == NULL))
            continue;
        if (one->form != NULL)
            strbuf_adds(hint, language_said(one->form));
        else
            strbuf_addf(
                hint,
                "{\"activities\": [\"CPU\", \"NPU\"], \"experimental_config\": {\"profiler_level\": \"Level%c\"}}",
                level_of(text));
        return one->whose;
    }
    return NULL;
}
