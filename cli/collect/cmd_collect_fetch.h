/* SPDX-License-Identifier: Apache-2.0 */
/* Captures on their way home, and what is said of those that stay on the board. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_FETCH_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_FETCH_H

#include "cli/collect/cmd_collect_session.h"

/* Fetches what the program captured: the newest directory that was not there before; removes it from the board unless
 * it is to be kept. */
int collect_fetch_new(struct session *session, struct err *err);

/* Fetches what --fetch-only names: a capture, or all those in a directory; goes on with what an earlier fetch left. */
int collect_fetch_only(struct session *session, struct err *err);

/* After the program ran: says where captures are that did not come home, and how to fetch them. */
void collect_tell_left(struct session *session);

#endif
