/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/protocol.h"

#include "exporters/json_text.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX ((size_t)4096)

char *protocol_token(const struct json *value)
{
    SCOPED(strbuf_release) struct strbuf token;
    const char *text = json_string(value);
    double number;
    int64_t integer;
    strbuf_init(&token, TOKEN_MAX);
    if (text != NULL)
        json_text_quote(&token, text, strlen(text));
    else if (json_number(value, &number) && json_integer(value, &integer))
        strbuf_add_integer(&token, integer);
    return token.length > 0 ? strbuf_detach(&token) : NULL;
}

static int fail(struct err *err, enum protocol_code code, const char *text)
{
    err_set(err, ERR_FORMAT, "%s", text);
    return code;
}

int protocol_read(struct message *message, const char *line, size_t length, struct err *err)
{
    *message = (struct message){.root = json_parse(line, length, err)};
    if (message->root == NULL)
        return PROTOCOL_PARSE;
    if (json_is_array(message->root))
        return fail(err, PROTOCOL_REQUEST, "a batch; expected one message a line");
    const struct json *id = json_member(message->root, "id"), *method = json_member(message->root, "method");
    const char *version = json_string(json_member(message->root, "jsonrpc"));
    message->id = id != NULL ? protocol_token(id) : NULL;
    message->method = json_string(method);
    message->params = json_member(message->root, "params");
    if (!json_is_object(message->root) || version == NULL || strcmp(version, "2.0") != 0)
        return fail(err, PROTOCOL_REQUEST, "no message of JSON-RPC 2.0");
    if (id != NULL && message->id == NULL)
        return fail(err, PROTOCOL_REQUEST, "the id is neither a text of up to 4096 bytes nor an integer");
    if (message->method == NULL && (method != NULL || (json_member(message->root, "result") == NULL &&
                                                       json_member(message->root, "error") == NULL)))
        return fail(err, PROTOCOL_REQUEST, "the method is no text");
    if (message->params != NULL && !json_is_object(message->params))
        return fail(err, PROTOCOL_PARAMS, "params is no object");
    return 0;
}

void protocol_release(struct message *message)
{
    json_free(message->root);
    free(message->id);
    *message = (struct message){.root = NULL};
}

void protocol_result(FILE *stream, const char *id, const char *result)
{
    fprintf(stream, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
    fflush(stream);
}

void protocol_error(FILE *stream, const char *id, enum protocol_code code, const char *message)
{
    SCOPED(strbuf_release) struct strbuf text;
    strbuf_init(&text, PROTOCOL_MESSAGE_MAX);
    json_text_quote(&text, message, strlen(message));
    fprintf(stream, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":%s}}\n",
            id != NULL ? id : "null", (int)code, text.failed ? "\"\"" : text.data);
    fflush(stream);
}

void protocol_progress(FILE *stream, const char *token, unsigned long progress, const char *message)
{
    fprintf(stream,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,"
            "\"progress\":%lu,\"message\":\"%s\"}}\n",
            token, progress, message);
    fflush(stream);
}
