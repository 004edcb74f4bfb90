/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/launcher.h"

#include "base/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define OF_PYTORCH "which makes the options of PyTorch's profiler from them"
#define NEW_CALL "torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU])"
#define OLD_CALL "a call of the profiler before torch_npu 2.1"
#define IN_ACL(options) "{\"profiler\": {\"switch\": \"on\", " options "}}, the same in acl.json"

/* Forms with the level of the text. */
static const char pytorch[] =
    "{\"activities\": [\"CPU\", \"NPU\"], \"experimental_config\": {\"profiler_level\": \"Level%c\"}}";
static const char mindspore[] = "{\"start\": true, \"output_path\": \"./prof\", \"activities\": [\"CPU\", \"NPU\"], "
                                "\"profiler_level\": \"Level%c\"}";

/* All marks of an entry stand in the text; the first entry counts. */
static const struct launcher {
    const char *marks[2];
    const char *whose;
    const char *form; /* what to pass */
} launchers[] = {
<<<<<<< HEAD
    {{"npu_profile"}, "settings of verl, " OF_PYTORCH, pytorch},
    {{"global_profiler"}, "settings of verl, " OF_PYTORCH, pytorch},
    {{"tool_config"}, "settings of verl, " OF_PYTORCH, pytorch},
    {{"profile-step-start"}, "arguments of MindSpeed, " OF_PYTORCH, pytorch},
    {{"profile-level"}, "arguments of MindSpeed, " OF_PYTORCH, pytorch},
    {{"--profile-"}, "arguments of MindSpeed, " OF_PYTORCH, pytorch},
    {{"profile_step_start"}, "arguments of MindSpeed, " OF_PYTORCH, pytorch},
    {{"step_start", "step_end"}, "settings of a training framework, " OF_PYTORCH, pytorch},
    {{"nputrace"}, "a command of dynolog, " OF_PYTORCH, pytorch},
    {{"VLLM_TORCH_PROFILER"}, "a variable of vLLM, " OF_PYTORCH, pytorch},
    {{"torch_profiler_dir"}, "settings of vLLM, " OF_PYTORCH, pytorch},
    {{"torch_profiler_with"}, "settings of vLLM, " OF_PYTORCH, pytorch},
    {{"SGLANG_TORCH_PROFILER"}, "a variable of SGLang, " OF_PYTORCH, pytorch},
    {{"/start_profile"}, "a request to vLLM or SGLang, " OF_PYTORCH, pytorch},
    {{"callbacks:"}, "callbacks of MindFormers, which makes the options of MindSpore's profiler from them", mindspore},
    {{"ProfileMonitor"},
     "callbacks of MindFormers, which makes the options of MindSpore's profiler from them",
     mindspore},
    {{"SERVICE_PROF_CONFIG_PATH"}, "the name of a file of MindIE's service profiler", IN_ACL("\"task_time\": \"l1\"")},
    {{"profiler_switch"}, "settings of MindIE's service profiler", IN_ACL("\"task_time\": \"l1\"")},
    {{"acl_task_time"}, "settings of MindIE's service profiler", IN_ACL("\"task_time\": \"l1\"")},
    {{"PROF_CONFIG_PATH"}, "the name of a file with options of PyTorch", "msprof options FILE, with that file"},
    {{"dynamic_profile."},
     "a call of PyTorch's dynamic profiling, which reads profiler_config.json",
     "msprof options FILE, with that file"},
    {{"ProfilerActivity.CUDA"}, "a call of PyTorch's profiler for CUDA, which collects nothing of an NPU", NEW_CALL},
    {{"prof_init("}, OLD_CALL, NEW_CALL},
    {{"use_npu=True"}, OLD_CALL, NEW_CALL},
    {{"use_e2e_profiler"}, OLD_CALL, NEW_CALL},
    {{"profiler_result_path"}, OLD_CALL, NEW_CALL},
    {{"aclprof"}, "a call in C, which aclprofInit(3) explains", IN_ACL("\"aic_metrics\": \"PipeUtilization\"")},
    {{"aclgrphProf"}, "a call in C++ for graphs of GE", IN_ACL("\"aic_metrics\": \"PipeUtilization\"")},
    {{"aclInit("}, "a call in C, which reads acl.json", "msprof options acl.json"},
    {{"mstx.range"}, "marks of a program, which mstx(3) explains", IN_ACL("\"msproftx\": \"on\"")},
    {{"mstx.mark"}, "marks of a program, which mstx(3) explains", IN_ACL("\"msproftx\": \"on\"")},
    {{"mstxRange"}, "marks of a program, which mstx(3) explains", IN_ACL("\"msproftx\": \"on\"")},
    {{"mstxMark"}, "marks of a program, which mstx(3) explains", IN_ACL("\"msproftx\": \"on\"")},
    {{"msprof op "}, "a command line of 'msprof op'", "msprof options --op"},
    {{"msopprof "}, "a command line of 'msprof op'", "msprof options --op"},
    {{"ais_bench"},
     "a command line of ais_bench, whose --profiler 1 writes a PROF_* directory",
     "msprof show PROF_DIR"},
    {{"msprof-analyze"}, "a command line of msprof-analyze", "msprof cluster DIR, or msprof advise CAPTURE"},
    {{"npu-smi"},
     "a command line of npu-smi, which collects nothing",
     "msprof show CAPTURE, which shows what was recorded"},
=======
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
>>>>>>> main
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

static void put_form(const struct launcher *one, const char *text, struct strbuf *hint)
{
    if (one->form == pytorch)
        strbuf_addf(hint, pytorch, level_of(text));
    else if (one->form == mindspore)
        strbuf_addf(hint, mindspore, level_of(text));
    else
        strbuf_adds(hint, one->form);
}

const char *launcher_read(const char *text, struct strbuf *hint)
{
    for (const struct launcher *one = launchers; one < launchers + sizeof launchers / sizeof *launchers; one++) {
        if (strstr(text, one->marks[0]) == NULL || (one->marks[1] != NULL && strstr(text, one->marks[1]) == NULL))
            continue;
<<<<<<< HEAD
        put_form(one, text, hint);
=======
        if (one->form != NULL)
            strbuf_adds(hint, language_said(one->form));
        else
            strbuf_addf(
                hint,
                "{\"activities\": [\"CPU\", \"NPU\"], \"experimental_config\": {\"profiler_level\": \"Level%c\"}}",
                level_of(text));
>>>>>>> main
        return one->whose;
    }
    return NULL;
}

bool launcher_guess(const char *text, struct strbuf *hint)
{
    const char *level = strcasestr(text, "level");
    const bool is_level = level == text + strspn(text, " \t\r\n"), is_of_profiling = strcasestr(text, "profil") != NULL;

    if (!is_level && !is_of_profiling)
        return false;
    if (level != NULL && strpbrk(level, "0123456789") != NULL)
        strbuf_addf(hint, pytorch, level_of(text));
    else
        strbuf_adds(hint, "PROFILING_OPTIONS='{\"output\": \"./prof\", \"task_trace\": \"on\"}', which CANN reads");
    return !hint->failed;
}
