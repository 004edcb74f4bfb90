/* SPDX-License-Identifier: Apache-2.0 */
/* The names of subscribed operators in this process: tables (acl/subscribe/operator_names.h) by operator index. They
 * come from the files that MSPROF_OP_NAMES lists, and from replays that the library starts. Thread-safe. */
#ifndef MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_NAMES_H
#define MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_NAMES_H

#include "acl/subscribe/operator_names.h"
#include "base/err.h"
#include "msprof/acl_prof.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of a record in this process: what the first table of MSPROF_OP_NAMES that can be read says when this is called
 * first, else OPERATOR_RECORD_SIZE. Does not change any more. */
size_t subscribe_record_size(void);

/* Reads a whole table from fd (a pipe or a file at its start) and keeps it for a model; an earlier table of the model
 * is dropped. The operators of the table must begin at first (see subscribe_names_next). -ERR_FORMAT, -ERR_IO (also
 * when fd ends early), -ERR_NO_MEMORY. */
int subscribe_names_read(int fd, uint32_t model_id, uint64_t first, struct err *err);

/* The first operator index behind those of all tables that subscribe_names_read has read. */
uint64_t subscribe_names_next(void);

/* Bytes of a text of an operator, the final NUL included. ACL_ERROR_INVALID_PARAM, with a message, when no table names
 * the operator. */
aclError subscribe_names_length(uint64_t index, enum operator_text which, size_t *ret);

/* Copies a text of an operator with its final NUL into size (> 0) bytes, cut to whole characters when it does not fit.
 * Otherwise as subscribe_names_length. */
aclError subscribe_names_get(uint64_t index, enum operator_text which, char *buffer, size_t size);

/* Forgets every table and the record size, for tests. */
void subscribe_names_reset(void);

#endif
