/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/recorder_options.h"

#include <limits.h>
#include <string.h>

int recorder_options_copy(struct recorder_options *to, const struct recorder_options *from, struct err *err)
{
    static char output_directory[PATH_MAX], metrics[64];
    static uint32_t devices[RECORDER_DEVICES_MAX];
    size_t length = strlen(from->directory);
    if (from->device_count > RECORDER_DEVICES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d devices", RECORDER_DEVICES_MAX);
    if (length >= sizeof output_directory)
        return err_set(err, ERR_LIMIT, "the name of the output directory is longer than %zu bytes",
                       sizeof output_directory - 1);
    *to = *from;
    memcpy(output_directory, from->directory, length + 1);
    to->directory = output_directory;
    if (from->device_count > 0)
        memcpy(devices, from->devices, from->device_count * sizeof devices[0]);
    to->devices = devices;
    if (from->sample.metrics != NULL) {
        length = strnlen(from->sample.metrics, sizeof metrics - 1);
        memcpy(metrics, from->sample.metrics, length);
        metrics[length] = '\0';
        to->sample.metrics = metrics;
    }
    return 0;
}
