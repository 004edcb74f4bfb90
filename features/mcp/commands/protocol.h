/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of JSON-RPC 2.0, each a line: what comes in is taken apart, what goes out is written whole.
 *     protocol_read(&message, line, length, &err);   // 0: a request or notification
 *     protocol_result(stdout, message.id, "{}");
 *     protocol_release(&message); */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_PROTOCOL_H
#define MSPROF_FEATURES_MCP_COMMANDS_PROTOCOL_H

#include "base/err.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"

#include <stdio.h>

/* Codes of errors, as JSON-RPC has them. */
enum protocol_code {
    PROTOCOL_PARSE = -32700,
    PROTOCOL_REQUEST = -32600,
    PROTOCOL_METHOD = -32601,
    PROTOCOL_PARAMS = -32602,
    PROTOCOL_INTERNAL = -32603,
    PROTOCOL_RESOURCE = -32002, /* of the Model Context Protocol: there is no such resource */
};

#define PROTOCOL_MESSAGE_MAX ((size_t)16 * 1024 * 1024) /* bytes of one that goes out */

struct message {
    struct json *root;
    char *id;                  /* of a request, as JSON has it; NULL: a notification, or not to be known */
    const char *method;        /* NULL: an answer to a question, of which there are none */
    const struct json *params; /* NULL: none */
};

/* Takes a line apart; else the code of the error, with what is wrong in err. To be released whatever the result. */
int protocol_read(struct message *message, const char *line, size_t length, struct err *err);
void protocol_release(struct message *message);

/* A text or an integer as JSON has it (free() it); NULL: value is neither, or memory ran out. */
char *protocol_token(const struct json *value);

/* Write a message; id NULL: null. */
void protocol_result(FILE *stream, const char *id, const char *result);
void protocol_error(FILE *stream, const char *id, enum protocol_code code, const char *message);
void protocol_progress(FILE *stream, const char *token, unsigned long progress, const char *message);

#endif
