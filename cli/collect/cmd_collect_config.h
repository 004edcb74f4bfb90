/* SPDX-License-Identifier: Apache-2.0 */
/* The boards that an ini file describes. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_CONFIG_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_CONFIG_H

#include "base/err.h"
#include "base/format/ini.h"
#include "cli/options/options.h"
#include "ssh/session/connection.h"

/* One board of the ini file. */
struct collect_target {
    const char *name;       /* of --board; NULL: the plain section */
    char *section;          /* "ssh_config", "ssh_config:NAME" */
    struct ssh_target ssh;  /* host and user belong to the ini */
    const char *project;    /* root of the project on this machine; NULL: from --main */
    const char *remote_dir; /* NULL: the home directory of the user */
};

struct collect_config {
    struct ini ini;
    struct collect_target *targets;
    size_t count;
};

/* Reads the file that --config names, and the boards that --board selects. Wrong content is -ERR_USAGE, naming file and
 * line. Secrets are resolved; release overwrites them. */
int collect_config_load(struct collect_config *config, const struct settings *settings, struct err *err);
void collect_config_release(struct collect_config *config);
/* Overwrites the secrets; no board can be connected to any more. */
void collect_config_forget_secrets(struct collect_config *config);

#endif
