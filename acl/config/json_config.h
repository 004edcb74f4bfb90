/* SPDX-License-Identifier: Apache-2.0 */
/* acl.json: the file that a program gives to aclInit or svp_acl_init, whose object "profiler" switches profiling on
 * (docs/formats/acl-api.md B7, docs/formats/svp.md 7). */
#ifndef MSPROF_ACL_CONFIG_JSON_CONFIG_H
#define MSPROF_ACL_CONFIG_JSON_CONFIG_H

#include "acl/recorder/recorder.h"
#include "msprof/acl_prof.h"

#include <stdbool.h>

#define ACL_JSON_CONFIG_LIMIT ((size_t)1024 * 1024) /* bytes of the file */

struct acl_json_config {
    bool enabled; /* there is a "profiler" object and its "switch" is "on" */
    /* Its request; the form is RECORDER_JOB also when the file is one of a board. */
    struct recorder_options options;
    char metrics[80]; /* what the options' metrics point to where it is "Custom:0x.." */
    char *output;     /* an existing, writable directory: "output", or what stands for it; NULL when not enabled */
};

/* Reads and checks a file; codes as msprof_acl_json_start's, and ACL_ERROR_DUMP_ALREADY_RUN (100044) when the same file
 * switches dump on. Switched off, nothing but the syntax and the keys is checked. acl_json_config_release it. */
aclError acl_json_config_load(const char *path, enum recorder_form form, struct acl_json_config *ret);
void acl_json_config_release(struct acl_json_config *config);

/* Starts profiling when a program calls aclInit(path) or svp_acl_init(path), in the library and in the preload
 * library: loads the file, makes ACL_MODE_JSON the active mode and starts the recorder. Success without anything for
 * a path that is NULL or "" and for a file that does not switch profiling on. */
aclError acl_json_begin(const char *path, enum recorder_form form, const char *caller);
/* Ends that, at aclFinalize; success when there is nothing to end. */
aclError acl_json_end(void);

#endif
