/* SPDX-License-Identifier: Apache-2.0 */
/* The project mounted on the board from this machine, and its acl.json patched here meanwhile. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_NFS_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_NFS_H

#include "cli/collect/cmd_collect_session.h"

int nfs_mount(struct session *session, struct err *err);
/* Puts acl.json back as it was; harmless when it was not touched. */
void nfs_restore_acl_json(struct session *session);

#endif
