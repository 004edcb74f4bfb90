/* SPDX-License-Identifier: Apache-2.0 */
/* msprof analyse: directories of MindSpore's and PyTorch's profilers. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/analyse/analyse_run.h"
#include "cli/child.h"
#include "cli/cmd_export.h"
#include "cli/console.h"
#include "exporters/export.h"
#include "parsers/frameworks/directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_STEPS 100000

struct step_numbers {
    int64_t *items;
    size_t count, capacity;
};

/* Takes blanks off both ends. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

/* "10,11,12", or as a script of Python has it: "[10, 11, 12]". */
static int parse_steps(const char *text, struct step_numbers *ret, struct err *err)
{
    const char *p = text != NULL ? text : "";
    size_t left = strlen(p);
    trim(&p, &left);
    if (left >= 2 && *p == '[' && p[left - 1] == ']') {
        p++;
        left -= 2;
    }
    for (bool more = text != NULL; more;) {
        const char *comma = memchr(p, ',', left), *word = p;
        size_t whole = comma != NULL ? (size_t)(comma - p) : left, length = whole;
        int64_t number;
        trim(&word, &length);
        if (number_parse_integer(word, length, &number) < 0 || ret->count == MOST_STEPS)
            return err_set(err, ERR_USAGE, "--step-list '%s': expected numbers as in 10,11,12 or [10, 11, 12]", text);
        if (array_reserve(ret, 1, err) < 0)
            return -(int)err->code;
        ret->items[ret->count++] = number;
        more = comma != NULL;
        p += whole + more;
        left -= whole + more;
    }
    return 0;
}

/* A link may lead anywhere, and to a directory that is analysed already. */
static int tell_links(struct framework_paths *links)
{
    int status = links->count > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
    for (size_t i = 0; i < links->count; i++)
        console_warning("not written: results of '%s', because it is a link; name it to analyse it", links->items[i]);
    framework_paths_release(links);
    return status;
}

static int tell_empty(struct framework_paths *empty)
{
    int status = empty->count > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
    for (size_t i = 0; i < empty->count; i++)
        console_warning("skipped: '%s' has neither FRAMEWORK/ nor PROF_<n>_<time>_<id>/ that can be read",
                        empty->items[i]);
    framework_paths_release(empty);
    return status;
}

static int find_one(const char *path, struct framework_paths *paths)
{
    struct framework_paths links = {.count = 0}, empty = {.count = 0};
    struct err err = ERR_INIT;
    size_t before = paths->count;
    int status = framework_find(path, paths, &links, &empty, &err);
    int told = status_worse(tell_links(&links), tell_empty(&empty));
    if (status == 0 && paths->count > before)
        return told;
    if (status == 0) {
        err_set(&err, ERR_NOT_FOUND, "'%s' is no *_ascend_ms or *_ascend_pt directory, and holds none", path);
        err_hint(&err, "such a directory has FRAMEWORK/ or PROF_<n>_<time>_<id>/ in it");
    }
    console_error(&err);
    return status == 0 ? STATUS_NOTHING : status_of_error(&err);
}

static int find_all(const struct settings *settings, struct framework_paths *paths)
{
    int worst = STATUS_DONE;
    for (size_t i = 0; i < settings->captures.count; i++)
        worst = status_worse(worst, find_one(settings->captures.values[i], paths));
    return worst;
}

static int check_types(const char *text, struct err *err)
{
    if (text == NULL || strcmp(text, "text") == 0 || strcmp(text, "db") == 0 || strcmp(text, "text,db") == 0 ||
        strcmp(text, "db,text") == 0)
        return 0;
    return err_set(err, ERR_USAGE, "--export '%s': expected text, db or text,db", text);
}

/* ---- several at once: each in a process of its own, so that their memory does not add up in one ---- */

struct many {
    const struct settings *settings;
    struct step_filter_list steps;
    const struct framework_paths *paths;
    int running;
    int worst;
};

static int analyse_one(const struct many *many, const char *path)
{
    const char *output = many->settings->output, *name = strrchr(path, '/');
    char *own = output != NULL && many->paths->count > 1 ? path_join(output, name != NULL ? name + 1 : path) : NULL;
    const char *results = output != NULL ? output : path;
    const struct analyse_request request = {
        .settings = many->settings, .steps = many->steps, .directory = path, .results = own != NULL ? own : results};
    int status = analyse_directory(&request);
    free(own);
    return status;
}

static void wait_for_one(struct many *many)
{
    int state = 0;
    pid_t child = waitpid(-1, &state, 0);
    if (child < 0 && errno == EINTR)
        return;
    if (child < 0) {
        many->running = 0;
        return;
    }
    many->running--;
    if (WIFSIGNALED(state))
        console_warning("the analysis of a directory was ended by signal %d", WTERMSIG(state));
    many->worst = status_worse(many->worst, WIFEXITED(state) ? WEXITSTATUS(state) : STATUS_FAILURE);
}

static void start_one(struct many *many, const char *path)
{
    pid_t child = child_fork();
    if (child == 0)
        _exit(analyse_one(many, path));
    if (child < 0)
        many->worst = status_worse(many->worst, analyse_one(many, path));
    else
        many->running++;
}

static int default_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && processors < 1024 ? (int)processors : 1;
}

static int analyse_all(struct many *many)
{
    int jobs = many->settings->analyse.jobs > 0 ? many->settings->analyse.jobs : default_jobs();
    for (size_t i = 0; i < many->paths->count && !interrupted(); i++) {
        if (jobs == 1 || many->paths->count == 1) {
            many->worst = status_worse(many->worst, analyse_one(many, many->paths->items[i]));
            continue;
        }
        while (many->running >= jobs)
            wait_for_one(many);
        start_one(many, many->paths->items[i]);
    }
    while (many->running > 0)
        wait_for_one(many);
    return interrupted() ? STATUS_INTERRUPTED : many->worst;
}

/* "communication,communication_matrix" as bits. */
static int parse_rules(const char *text, unsigned *ret, struct err *err)
{
    static const struct {
        const char *name;
        enum communication_kind kind;
    } rules[] = {{"communication", COMMUNICATION_TIMES}, {"communication_matrix", COMMUNICATION_MATRIX}};
    *ret = 0;
    for (const char *p = text; p != NULL;) {
        size_t length = strcspn(p, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            if (strlen(rules[i].name) == length && memcmp(rules[i].name, p, length) == 0)
                found = rules[i].kind;
        }
        if (found == 0)
            return err_set(err, ERR_USAGE, "--rule '%s': expected communication, communication_matrix or both", text);
        *ret |= found;
        p = p[length] == ',' ? p + length + 1 : NULL;
    }
    return 0;
}

/* Captures instead of directories of frameworks. */
static int run_rules(const struct settings *settings)
{
    struct settings chosen = *settings;
    struct err err = ERR_INIT;
    if (parse_rules(settings->analyse.rules, &chosen.analyse.rule_mask, &err) < 0)
        return console_error(&err);
    return export_rules(&chosen);
}

static int run_analyse(const struct settings *settings)
{
    if (settings->analyse.rules != NULL)
        return run_rules(settings);
    struct step_numbers steps = {.count = 0};
    struct framework_paths paths = {.count = 0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE;
    if (parse_steps(settings->analyse.steps, &steps, &err) < 0 ||
        check_types(settings->analyse.export_types, &err) < 0) {
        status = console_error(&err);
    } else {
        status = find_all(settings, &paths);
        struct many many = {settings, {steps.items, steps.count}, &paths, 0, status};
        status = analyse_all(&many);
    }
    framework_paths_release(&paths);
    free(steps.items);
    return status;
}

static const struct example examples[] = {
    {"what MindSpore's or PyTorch's own analysis writes, into ASCEND_PROFILER_OUTPUT/", "msprof analyse run_ascend_ms"},
    {"two steps of another one, with the results elsewhere",
     "msprof analyse run_ascend_pt --step-list 4,5 --output results/run"},
    {NULL, NULL},
};

const struct command command_analyse = {
    .path = "analyse",
    .parent = COMMAND_ROOT,
    .order = 110,
    .also = "analyze",
    .summary = "analyse directories of MindSpore and PyTorch",
    .description = "Writes ASCEND_PROFILER_OUTPUT/ of directories that the profilers of MindSpore and\n"
                   "PyTorch make (*_ascend_ms, *_ascend_pt), as the frameworks' own analysis does: the\n"
                   "timeline with the framework's operators, kernels, steps. DIR may hold many of them.\n"
                   "With --rule it writes of captures what 'analyze' of Ascend's tool does. 'analyze' is the\n"
                   "same command.\n",
    .operands = "DIR...",
    .most_operands = -1,
    .needs_capture = true,
    .examples = examples,
    .run = run_analyse,
};
