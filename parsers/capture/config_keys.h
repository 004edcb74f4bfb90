/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that the configuration files of a capture are known to have, and what their values look like: the one place
 * that knows what a damaged one is. Formats: docs/formats/cann.md 2, docs/formats/svp.md. */
#ifndef MSPROF_PARSERS_CAPTURE_CONFIG_KEYS_H
#define MSPROF_PARSERS_CAPTURE_CONFIG_KEYS_H

#include "base/diag.h"

struct json;

/* Whether a file of this name (without directories) holds JSON objects that config_keys_check knows. */
bool config_is_json(const char *name);

/* Reports (DIAG_CONFIG_INVALID) a known key whose value is not of its kind, a key that is there twice, a key that is
 * one edit away from a known one that is not there, and, in_part (a directory "host" or "device_0"), a key that is
 * needed and not there. file is relative to the capture. A wrong key is not used; other keys are. root is the
 * object of a file, or one entry of a layer table. */
void config_keys_check(const char *file, const struct json *root, bool in_part, struct diagnostics *diag);

/* Checks likewise a log of clocks: lines "key: number" or "key = number" below headings "[Device0]". */
void config_check_clock_log(const char *file, const char *text, struct diagnostics *diag);

/* Reads Hz from a text ("50", "38.4", "100.000000" MHz, digits after the sixth decimal dropped; "" is 0: not known) or
 * a whole number of MHz; -1: no frequency up to 100 GHz. */
int64_t config_hertz(const struct json *value);

#endif
