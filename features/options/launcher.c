/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/launcher.h"

#include "base/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define OF_PYTORCH "which makes the options of PyTorch's profiler from them"
#define NEW_CALL "torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU])"
#define OLD_CALL LANGUAGE_MARK("a call of the profiler before torch_npu 2.1")
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
    {{"npu_profile"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), pytorch},
    {{"global_profiler"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), pytorch},
    {{"tool_config"}, LANGUAGE_MARK("settings of verl, " OF_PYTORCH), pytorch},
    {{"profile-step-start"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), pytorch},
    {{"profile-level"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), pytorch},
    {{"--profile-"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), pytorch},
    {{"profile_step_start"}, LANGUAGE_MARK("arguments of MindSpeed, " OF_PYTORCH), pytorch},
    {{"step_start", "step_end"}, LANGUAGE_MARK("settings of a training framework, " OF_PYTORCH), pytorch},
    {{"nputrace"}, LANGUAGE_MARK("a command of dynolog, " OF_PYTORCH), pytorch},
    {{"VLLM_TORCH_PROFILER"}, LANGUAGE_MARK("a variable of vLLM, " OF_PYTORCH), pytorch},
    {{"torch_profiler_dir"}, LANGUAGE_MARK("settings of vLLM, " OF_PYTORCH), pytorch},
    {{"torch_profiler_with"}, LANGUAGE_MARK("settings of vLLM, " OF_PYTORCH), pytorch},
    {{"SGLANG_TORCH_PROFILER"}, LANGUAGE_MARK("a variable of SGLang, " OF_PYTORCH), pytorch},
    {{"/start_profile"}, LANGUAGE_MARK("a request to vLLM or SGLang, " OF_PYTORCH), pytorch},
    {{"callbacks:"},
     LANGUAGE_MARK("callbacks of MindFormers, which makes the options of MindSpore's profiler from them"),
     mindspore},
    {{"ProfileMonitor"},
     LANGUAGE_MARK("callbacks of MindFormers, which makes the options of MindSpore's profiler from them"),
     mindspore},
    {{"SERVICE_PROF_CONFIG_PATH"},
     LANGUAGE_MARK("the name of a file of MindIE's service profiler"),
     LANGUAGE_MARK(IN_ACL("\"task_time\": \"l1\""))},
    {{"profiler_switch"},
     LANGUAGE_MARK("settings of MindIE's service profiler"),
     LANGUAGE_MARK(IN_ACL("\"task_time\": \"l1\""))},
    {{"acl_task_time"},
     LANGUAGE_MARK("settings of MindIE's service profiler"),
     LANGUAGE_MARK(IN_ACL("\"task_time\": \"l1\""))},
    {{"PROF_CONFIG_PATH"},
     LANGUAGE_MARK("the name of a file with options of PyTorch"),
     LANGUAGE_MARK("msprof options FILE, with that file")},
    {{"dynamic_profile."},
     LANGUAGE_MARK("a call of PyTorch's dynamic profiling, which reads profiler_config.json"),
     LANGUAGE_MARK("msprof options FILE, with that file")},
    {{"ProfilerActivity.CUDA"},
     LANGUAGE_MARK("a call of PyTorch's profiler for CUDA, which collects nothing of an NPU"),
     NEW_CALL},
    {{"prof_init("}, OLD_CALL, NEW_CALL},
    {{"use_npu=True"}, OLD_CALL, NEW_CALL},
    {{"use_e2e_profiler"}, OLD_CALL, NEW_CALL},
    {{"profiler_result_path"}, OLD_CALL, NEW_CALL},
    {{"aclprof"},
     LANGUAGE_MARK("a call in C, which aclprofInit(3) explains"),
     LANGUAGE_MARK(IN_ACL("\"aic_metrics\": \"PipeUtilization\""))},
    {{"aclgrphProf"},
     LANGUAGE_MARK("a call in C++ for graphs of GE"),
     LANGUAGE_MARK(IN_ACL("\"aic_metrics\": \"PipeUtilization\""))},
    {{"aclInit("}, LANGUAGE_MARK("a call in C, which reads acl.json"), "msprof options acl.json"},
    {{"mstx.range"},
     LANGUAGE_MARK("marks of a program, which mstx(3) explains"),
     LANGUAGE_MARK(IN_ACL("\"msproftx\": \"on\""))},
    {{"mstx.mark"},
     LANGUAGE_MARK("marks of a program, which mstx(3) explains"),
     LANGUAGE_MARK(IN_ACL("\"msproftx\": \"on\""))},
    {{"mstxRange"},
     LANGUAGE_MARK("marks of a program, which mstx(3) explains"),
     LANGUAGE_MARK(IN_ACL("\"msproftx\": \"on\""))},
    {{"mstxMark"},
     LANGUAGE_MARK("marks of a program, which mstx(3) explains"),
     LANGUAGE_MARK(IN_ACL("\"msproftx\": \"on\""))},
    {{"msprof op "}, LANGUAGE_MARK("a command line of 'msprof op'"), "msprof options --op"},
    {{"msopprof "}, LANGUAGE_MARK("a command line of 'msprof op'"), "msprof options --op"},
    {{"ais_bench"},
     LANGUAGE_MARK("a command line of ais_bench, whose --profiler 1 writes a PROF_* directory"),
     "msprof show PROF_DIR"},
    {{"msprof-analyze"},
     LANGUAGE_MARK("a command line of msprof-analyze"),
     LANGUAGE_MARK("msprof cluster DIR, or msprof advise CAPTURE")},
    {{"npu-smi"},
     LANGUAGE_MARK("a command line of npu-smi, which collects nothing"),
     LANGUAGE_MARK("msprof show CAPTURE, which shows what was recorded")},

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
        strbuf_adds(hint, language_said(one->form));
}

const char *launcher_read(const char *text, struct strbuf *hint)
{
    for (const struct launcher *one = launchers; one < launchers + sizeof launchers / sizeof *launchers; one++) {
        if (strstr(text, one->marks[0]) == NULL || (one->marks[1] != NULL && strstr(text, one->marks[1]) == NULL))
            continue;
        put_form(one, text, hint);
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
        strbuf_adds(
            hint,
            language_said("PROFILING_OPTIONS='{\"output\": \"./prof\", \"task_trace\": \"on\"}', which CANN reads"));
    return !hint->failed;
}
