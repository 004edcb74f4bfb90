/* SPDX-License-Identifier: Apache-2.0 */
/* Settings in sample.json and info.json of one part of a capture, by name: how and on what machine it was collected. */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_SETTINGS_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_SETTINGS_H

#include "base/err.h"
#include "base/format/json_in.h"

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct capture_settings {
    struct capture_setting {
        char *name;
        char *text;     /* NULL: it is a number */
        int64_t number; /* of a number */
    } * items;
    size_t count, capacity;
};

/* Takes every text, whole number and switch of one of the two files: the members of its object; of the first entry of
 * "DeviceInfo" and of the network cards ("netCard.<name>" is the speed). A setting that is there already is replaced.
 * -code when memory ran out. */
int capture_settings_take(struct capture_settings *settings, const struct json *root, struct err *err);
/* NULL: nothing is said. */
const struct capture_setting *capture_setting_find(const struct capture_settings *settings, const char *name);
/* The text; NULL when it is a number or not said. */
const char *capture_setting_text(const struct capture_settings *settings, const char *name);
void capture_settings_release(struct capture_settings *settings);

#endif
