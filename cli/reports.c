#include "cli/reports.h"

#include "base/fsutil.h"
#include "base/json_in.h"
#include "exporters/export.h"

#include <stdlib.h>
#include <string.h>

#define REPORTS_LIMIT ((size_t)1024 * 1024) /* bytes of the file */

/* The layers of Ascend's tool; 0: of data that are not read here. */
static const struct {
    const char *name;
    unsigned layer;
} layers[] = {
    {"ascend", TIMELINE_TASKS},
    {"cann", TIMELINE_CALLS},
    {"communication", TIMELINE_COMMUNICATION},
    {"hccl", TIMELINE_COMMUNICATION}, /* its name before */
    {"msproftx", TIMELINE_MARKS},
    {"device_tx", TIMELINE_DEVICE_MARKS},
    {"overlap_analyse", TIMELINE_OVERLAP},
    {"step_trace", TIMELINE_STEPS},
    {"freq", TIMELINE_FREQUENCY},
    {"acc_pmu", 0},
    {"cpu_usage", 0},
    {"ddr", 0},
    {"disk_usage", 0},
    {"hbm", 0},
    {"hccs", 0},
    {"llc", 0},
    {"memory_usage", 0},
    {"network_usage", 0},
    {"nic", 0},
    {"npu_mem", 0},
    {"os_runtime_api", 0},
    {"pcie", 0},
    {"qos", 0},
    {"roce", 0},
    {"sio", 0},
    {"stars_chip_trans", 0},
    {"stars_soc", 0},
};

static int take_layer(const struct json *member, unsigned *hidden, struct err *err)
{
    const char *name = json_key(member);
    size_t i = 0;
    bool shown;
    while (i < sizeof layers / sizeof *layers && strcmp(name, layers[i].name) != 0)
        i++;
    if (i == sizeof layers / sizeof *layers) {
        err_set(err, ERR_FORMAT, "json_process has no layer '%s'", name);
        return err_hint(err, "msprof-export(1) lists the layers");
    }
    if (!json_boolean(member, &shown))
        return err_set(err, ERR_FORMAT, "layer '%s' is neither true nor false", name);
    if (shown)
        *hidden &= ~layers[i].layer;
    return 0;
}

static int take_document(const struct json *root, unsigned *ret_hidden, struct err *err)
{
    const struct json *process = json_member(root, "json_process");
    unsigned hidden = TIMELINE_ALL;
    int status = 0;
    if (!json_is_object(process))
        return err_set(err, ERR_FORMAT,
                       "there is no object json_process; expected {\"json_process\": {\"cann\": true}}");
    for (const struct json *member = json_first(process); status == 0 && member != NULL; member = json_next(member))
        status = take_layer(member, &hidden, err);
    if (status == 0)
        *ret_hidden = hidden;
    return status;
}

int reports_load(const char *path, unsigned *ret_hidden, struct err *err)
{
    char *text = NULL;
    size_t length;
    int status = read_whole_file(path, REPORTS_LIMIT, &text, &length, err);
    if (status < 0)
        return status;
    struct json *root = json_parse(text, length, err);
    status = root != NULL ? take_document(root, ret_hidden, err) : -(int)err->code;
    json_free(root);
    free(text);
    return status < 0 ? err_wrap(err, "cannot use the layers in '%s'", path) : 0;
}
