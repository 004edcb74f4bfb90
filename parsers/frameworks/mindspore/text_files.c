/* SPDX-License-Identifier: Apache-2.0 */
/* The text files of MindSpore's FRAMEWORK directory that are lines of fields. */
#include "parsers/frameworks/mindspore/mindspore.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "parsers/frameworks/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *path_of(const struct framework *framework, const char *directory, const char *name)
{
    char file[96];
    snprintf(file, sizeof file, "FRAMEWORK/%s_%lld.txt", name, (long long)framework->info.rank);
    return path_join(directory, file);
}

static void tell(struct diagnostics *diag, const struct framework_line *line, const char *what)
{
    const struct place place = {line->path, (int64_t)line->number, -1, NULL};
    diag_report(diag, DIAG_TEXT_LINE, &place, "%s", what);
}

/* ---- cpu_op_execute_timestamp ---- */

struct cpu_reading {
    struct framework *framework;
    struct mindspore_cpu_ops *ops;
    struct diagnostics *diag;
};

/* "<start ns>,<dur ms>,<tid>" of so many bytes. */
static bool parse_run(const char *text, size_t length, struct mindspore_cpu_op *ret)
{
    char copy[128];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *duration = strchr(copy, ','), *thread = duration != NULL ? strchr(duration + 1, ',') : NULL;
    if (thread == NULL)
        return false;
    *duration++ = '\0';
    *thread++ = '\0';
    double ms = 0;
    if (number_parse_real(duration, &ms) < 0 || !(ms >= 0 && ms < 1e12))
        return false;
    ret->duration_ns = (int64_t)(ms * 1e6 + 0.5);
    return number_parse_integer(copy, strlen(copy), &ret->start_ns) == 0 &&
           number_parse_integer(thread, strlen(thread), &ret->thread) == 0;
}

static int take_runs(struct cpu_reading *reading, const struct framework_line *line, const char *runs,
                     struct mindspore_cpu_op op, struct err *err)
{
    int status = 0;
    for (const char *p = runs; status == 0 && *p != '\0';) {
        size_t length = strcspn(p, " ");
        bool sound = length > 0 && parse_run(p, length, &op);
        if (sound && !framework_time_fits(reading->framework, op.start_ns)) {
            tell(reading->diag, line, "a run months away from the capture");
        } else if (sound) {
            status = array_reserve(reading->ops, 1, err);
            if (status == 0)
                reading->ops->items[reading->ops->count++] = op;
        } else if (length > 0) {
            tell(reading->diag, line, "a run is no <start ns>,<duration ms>,<thread>");
        }
        p += length;
        p += strspn(p, " ");
    }
    return status;
}

static int take_cpu_line(void *arg, const struct framework_line *line, struct err *err)
{
    struct cpu_reading *reading = arg;
    struct mindspore_cpu_op op = {.start_ns = 0};
    const char *type = strchr(line->text, ';'), *runs = type != NULL ? strchr(type + 1, ';') : NULL;
    if (line->length == 0)
        return 0;
    if (runs == NULL || strchr(runs + 1, ';') != NULL) {
        tell(reading->diag, line, "not three fields between ';'");
        return 0;
    }
    type++;
    if (intern_add(&reading->framework->texts, line->text, (size_t)(type - 1 - line->text), &op.name, err) < 0 ||
        intern_add(&reading->framework->texts, type, strcspn(type, ";"), &op.type, err) < 0)
        return -(int)err->code;
    return take_runs(reading, line, runs + 1, op, err);
}

int mindspore_cpu_ops_load(struct framework *framework, const char *directory, struct mindspore_cpu_ops *ret,
                           struct diagnostics *diag, struct err *err)
{
    char *path = path_of(framework, directory, "cpu_op_execute_timestamp");
    *ret = (struct mindspore_cpu_ops){.count = 0};
    struct cpu_reading reading = {framework, ret, diag};
    if (path == NULL)
        return err_no_memory(err);
    int status = framework_read_lines(path, take_cpu_line, &reading, NULL, diag, err);
    free(path);
    return status;
}

/* ---- cpu_ms_memory_record ---- */

struct total_reading {
    int (*each)(void *arg, const struct mindspore_total *total, struct err *err);
    void *arg;
    struct diagnostics *diag;
};

static int take_total(void *arg, const struct framework_line *line, struct err *err)
{
    const struct total_reading *reading = arg;
    int64_t numbers[4];
    const char *p = line->text;
    if (line->number == 1 || line->length == 0) /* the titles */
        return 0;
    for (size_t i = 0; i < 4; i++) {
        size_t length = strcspn(p, ",");
        if (number_parse_integer(p, length, &numbers[i]) < 0 || (p[length] == '\0') != (i == 3)) {
            tell(reading->diag, line, "expected four whole numbers");
            return 0;
        }
        p += length + 1;
    }
    const struct mindspore_total total = {numbers[0], numbers[1], numbers[2], numbers[3]};
    return reading->each(reading->arg, &total, err);
}

int mindspore_each_total(const struct framework *framework, const char *directory,
                         int (*each)(void *arg, const struct mindspore_total *total, struct err *err), void *arg,
                         struct diagnostics *diag, struct err *err)
{
    char *path = path_of(framework, directory, "cpu_ms_memory_record");
    struct total_reading reading = {each, arg, diag};
    if (path == NULL)
        return err_no_memory(err);
    int status = framework_read_lines(path, take_total, &reading, NULL, diag, err);
    free(path);
    return status;
}
