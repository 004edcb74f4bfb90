/* SPDX-License-Identifier: Apache-2.0 */
/* Export of captures that 'analyse --rule' asks for. */
#ifndef MSPROF_CLI_CMD_EXPORT_H
#define MSPROF_CLI_CMD_EXPORT_H

struct settings;

/* Writes the communication files that settings->analyse chooses into analyze/ of each capture; an exit status. */
int export_rules(const struct settings *settings);

#endif
