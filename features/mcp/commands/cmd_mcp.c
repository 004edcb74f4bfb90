/* SPDX-License-Identifier: Apache-2.0 */
/* msprof mcp: captures for agents, by the Model Context Protocol over standard input and output. Tools run one after
 * the other, each as a command of its own; everything else is answered meanwhile. */
#include "base/array.h"
#include "base/clock.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/console.h"
#include "exporters/json_text.h"
#include "features/mcp/commands/child.h"
#include "features/mcp/commands/confine.h"
#include "features/mcp/commands/protocol.h"
#include "features/mcp/commands/resources.h"
#include "features/mcp/commands/tools.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES ((size_t)2 * 1024 * 1024)
#define SAID_MAX ((size_t)8 * 1024) /* bytes of a command's messages */
#define WAITING_MAX 64              /* calls */
#define PROGRESS_NS INT64_C(1000000000)
#define PATIENCE_NS INT64_C(3000000000) /* between asking a command to end and ending it */

struct request {
    char *id, *token; /* of its progress; NULL: nobody asked */
    struct tool_call call;
};

struct server {
    const char *root;
    struct strbuf line;
    bool skips; /* the rest of a line that is too long */
    bool initialized, at_end;
    struct ARRAY_OF(struct request) waiting; /* the first is being run while a child is there */
    struct child child;
    struct excerpt excerpt;
    struct strbuf said;
    bool cancelled;
    int64_t progress_ns, stopped_ns; /* when the next is due; when the child was asked to end, 0: it was not */
    unsigned long progress;
};

/* Versions of the protocol, the newest first. That of 2025-03-26 has batches, which no other has. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

#define INSTRUCTIONS                                                                                                   \
    "msprof answers questions about profiler captures of Ascend and HiSilicon SVP chips. Begin with 'open' on a "      \
    "capture, then 'advise'. 'table' with ops, bound, gaps, steps and overlap says where time goes; 'tables' lists "   \
    "all. 'sql' asks anything else: the views op, task, call, step, communication, memory and counter have the same "  \
    "columns in every capture (resource msprof://man/msprof-schema.5). Answers are bounded and say what they left "    \
    "out. Resource msprof://docs/agents.md says which tool is for which question."

static void request_release(struct request *request)
{
    free(request->id);
    free(request->token);
    tool_call_release(&request->call);
}

static void drop(struct server *server, size_t i)
{
    request_release(&server->waiting.items[i]);
    server->waiting.count--;
    memmove(server->waiting.items + i, server->waiting.items + i + 1,
            (server->waiting.count - i) * sizeof *server->waiting.items);
}

/* ---- answers ---- */

static void add_member(struct strbuf *json, const char *key, const char *text)
{
    strbuf_addf(json, ",\"%s\":", key);
    json_text_quote(json, text, strlen(text));
}

/* Messages of the command, a text each line. */
static void add_notes(struct strbuf *json, const struct strbuf *said)
{
    const char *comma = "";
    strbuf_adds(json, ",\"notes\":[");
    for (const char *line = said->data; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        strbuf_adds(json, comma);
        json_text_quote(json, line, length);
        comma = ",";
        line += length + (line[length] == '\n');
    }
    strbuf_addc(json, ']');
}

static void add_command(struct strbuf *json, const struct tool_call *call)
{
    SCOPED(strbuf_release) struct strbuf words;
    strbuf_init(&words, PROTOCOL_MESSAGE_MAX);
    strbuf_adds(&words, "msprof");
    words_show(&call->words, &words); /* as a shell would read it */
    add_member(json, "command", words.failed ? "" : words.data);
}

/* What the command printed, and how much of it is left out. */
static void add_output(struct strbuf *json, const struct excerpt *excerpt)
{
    switch (excerpt->form) {
    case EXCERPT_ROWS:
        strbuf_addf(json, ",\"rows\":[%s],\"left_out_rows\":%llu", excerpt->kept.data,
                    (unsigned long long)(excerpt->all_rows - excerpt->rows));
        break;
    case EXCERPT_DOCUMENT:
        if (excerpt->full)
            strbuf_addf(json, ",\"document\":null,\"left_out_bytes\":%llu", (unsigned long long)excerpt->all_bytes);
        else
            strbuf_addf(json, ",\"document\":%s,\"left_out_bytes\":0",
                        excerpt->kept.length > 0 ? excerpt->kept.data : "null");
        break;
    case EXCERPT_TEXT:
        add_member(json, "text", excerpt->kept.data);
        strbuf_addf(json, ",\"left_out_bytes\":%llu", (unsigned long long)(excerpt->all_bytes - excerpt->kept.length));
        break;
    }
}

/* Whether a command that ended so has answered. */
static bool has_answered(int status)
{
    return status == STATUS_DONE || status == STATUS_DATA_PROBLEMS || status == STATUS_NOTHING ||
           status == STATUS_BROKEN || status == STATUS_INCOMPARABLE;
}

/* Puts a document of JSON into the result of a tool. */
static void put_result(const char *id, const struct strbuf *document, bool failed)
{
    SCOPED(strbuf_release) struct strbuf result;
    strbuf_init(&result, PROTOCOL_MESSAGE_MAX);
    strbuf_adds(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
    json_text_quote(&result, document->data, document->length);
    strbuf_addf(&result, "}],\"isError\":%s}", failed ? "true" : "false");
    if (document->failed || result.failed)
        protocol_error(stdout, id, PROTOCOL_INTERNAL, "the answer is too long");
    else
        protocol_result(stdout, id, result.data);
}

static void put_answer(const struct server *server, int status)
{
    const struct request *request = &server->waiting.items[0];
    SCOPED(strbuf_release) struct strbuf document;
    strbuf_init(&document, PROTOCOL_MESSAGE_MAX);
    strbuf_addf(&document, "{\"status\":%d", status);
    add_command(&document, &request->call);
    add_output(&document, &server->excerpt);
    add_notes(&document, &server->said);
    strbuf_addc(&document, '}');
    put_result(request->id, &document, !has_answered(status));
}

/* A call whose files cannot be read: the model that made it can do better. */
static void put_refusal(const char *id, const struct err *err)
{
    SCOPED(strbuf_release) struct strbuf document;
    strbuf_init(&document, PROTOCOL_MESSAGE_MAX);
    strbuf_addf(&document, "{\"status\":%d", status_of_error(err));
    add_member(&document, "error", err_message(err));
    if (err->hint[0] != '\0')
        add_member(&document, "hint", err->hint);
    strbuf_addc(&document, '}');
    put_result(id, &document, true);
}

/* ---- methods ---- */

static void initialize(struct server *server, const struct message *message)
{
    const char *wanted = json_string(json_member(message->params, "protocolVersion")), *version = versions[0];
    SCOPED(strbuf_release) struct strbuf result;
    strbuf_init(&result, PROTOCOL_MESSAGE_MAX);
    if (wanted == NULL) {
        protocol_error(stdout, message->id, PROTOCOL_PARAMS, "protocolVersion is no text");
        return;
    }
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(versions[i], wanted) == 0)
            version = versions[i];
    strbuf_addf(&result,
                "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{},\"resources\":{}},\"serverInfo\":{"
                "\"name\":\"msprof\",\"title\":\"msprof\",\"version\":\"" MSPROF_VERSION "\"},\"instructions\":",
                version);
    json_text_quote(&result, INSTRUCTIONS, strlen(INSTRUCTIONS));
    strbuf_addc(&result, '}');
    server->initialized = true;
    protocol_result(stdout, message->id, result.data);
}

static void put_list(const char *id, const char *key, void (*put)(struct strbuf *json))
{
    SCOPED(strbuf_release) struct strbuf result;
    strbuf_init(&result, PROTOCOL_MESSAGE_MAX);
    strbuf_addf(&result, "{\"%s\":", key);
    put(&result);
    strbuf_addc(&result, '}');
    if (result.failed)
        protocol_error(stdout, id, PROTOCOL_INTERNAL, "out of memory");
    else
        protocol_result(stdout, id, result.data);
}

static void put_templates(struct strbuf *json)
{
    strbuf_adds(json, "[]");
}

static void read_resource(const struct message *message)
{
    const char *uri = json_string(json_member(message->params, "uri"));
    SCOPED(strbuf_release) struct strbuf result;
    strbuf_init(&result, PROTOCOL_MESSAGE_MAX);
    strbuf_adds(&result, "{\"contents\":");
    if (uri == NULL) {
        protocol_error(stdout, message->id, PROTOCOL_PARAMS, "uri is no text");
    } else if (!resources_put_contents(&result, uri)) {
        protocol_error(stdout, message->id, PROTOCOL_RESOURCE, "there is no such resource; resources/list lists them");
    } else {
        strbuf_addc(&result, '}');
        protocol_result(stdout, message->id, result.failed ? "{\"contents\":[]}" : result.data);
    }
}

/* Lets a call wait for its turn. */
static void take_call(struct server *server, struct message *message)
{
    const char *name = json_string(json_member(message->params, "name"));
    struct request request = {.id = NULL};
    struct err err = ERR_INIT;
    if (name == NULL) {
        protocol_error(stdout, message->id, PROTOCOL_PARAMS, "name is no text");
        return;
    }
    if (server->waiting.count >= WAITING_MAX) {
        protocol_error(stdout, message->id, PROTOCOL_INTERNAL, "64 calls are waiting already");
        return;
    }
    const bool may_wait =
        tool_call_make(&request.call, name, json_member(message->params, "arguments"), server->root, &err) == 0 &&
        array_reserve(&server->waiting, 1, &err) == 0;
    if (may_wait) {
        const struct json *meta = json_member(message->params, "_meta");
        request.token = protocol_token(json_member(meta, "progressToken"));
        request.id = message->id;
        message->id = NULL;
        server->waiting.items[server->waiting.count++] = request;
        return;
    }
    if (err.code == ERR_USAGE)
        protocol_error(stdout, message->id, PROTOCOL_PARAMS, err_message(&err));
    else
        put_refusal(message->id, &err);
    request_release(&request);
}

static void cancel(struct server *server, const struct message *message)
{
    SCOPED_FREE char *id = protocol_token(json_member(message->params, "requestId"));
    for (size_t i = 0; id != NULL && i < server->waiting.count; i++) {
        if (strcmp(server->waiting.items[i].id, id) != 0)
            continue;
        if (i == 0 && server->child.pid > 0) {
            server->cancelled = true;
            return;
        }
        drop(server, i);
        return;
    }
}

static void take_request(struct server *server, struct message *message)
{
    const char *method = message->method;
    if (strcmp(method, "initialize") == 0)
        initialize(server, message);
    else if (strcmp(method, "ping") == 0)
        protocol_result(stdout, message->id, "{}");
    else if (!server->initialized)
        protocol_error(stdout, message->id, PROTOCOL_REQUEST, "the first request is initialize");
    else if (strcmp(method, "tools/list") == 0)
        put_list(message->id, "tools", tools_put);
    else if (strcmp(method, "tools/call") == 0)
        take_call(server, message);
    else if (strcmp(method, "resources/list") == 0)
        put_list(message->id, "resources", resources_put);
    else if (strcmp(method, "resources/templates/list") == 0)
        put_list(message->id, "resourceTemplates", put_templates);
    else if (strcmp(method, "resources/read") == 0)
        read_resource(message);
    else
        protocol_error(stdout, message->id, PROTOCOL_METHOD, "there is no such method");
}

static void take_line(struct server *server)
{
    struct message message;
    struct err err = ERR_INIT;
    if (strspn(server->line.data, " \t\r") == server->line.length)
        return;
    int code = protocol_read(&message, server->line.data, server->line.length, &err);
    if (code != 0)
        protocol_error(stdout, message.id, (enum protocol_code)code, err_message(&err));
    else if (message.id != NULL && message.method != NULL)
        take_request(server, &message);
    else if (message.method != NULL && strcmp(message.method, "notifications/cancelled") == 0)
        cancel(server, &message);
    protocol_release(&message);
}

/* ---- the loop ---- */

static void take_bytes(struct server *server, const char *bytes, size_t length)
{
    while (length > 0) {
        const char *end = memchr(bytes, '\n', length);
        const size_t part = end != NULL ? (size_t)(end - bytes) : length;
        if (!server->skips && strbuf_add(&server->line, bytes, part) < 0) {
            protocol_error(stdout, NULL, PROTOCOL_PARSE, "a line of more than 2 MiB");
            server->skips = true;
        }
        if (end != NULL) {
            if (!server->skips)
                take_line(server);
            strbuf_clear(&server->line);
            server->skips = false;
        }
        bytes += part + (end != NULL);
        length -= part + (end != NULL);
    }
}

/* Reads what is there; false: it is at its end. */
static bool read_some(int fd, char *bytes, size_t size, size_t *ret)
{
    const ssize_t got = read(fd, bytes, size);
    *ret = got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static void start_next(struct server *server)
{
    const struct request *request = &server->waiting.items[0];
    struct err err = ERR_INIT;
    excerpt_init(&server->excerpt, request->call.form, request->call.most_rows, request->call.most_bytes);
    strbuf_clear(&server->said);
    server->cancelled = false;
    server->stopped_ns = 0;
    server->progress = 0;
    server->progress_ns = clock_now_ns() + PROGRESS_NS;
    if (child_start(&server->child, (const char *const *)request->call.words.items, request->call.input, &err) == 0)
        return;
    put_refusal(request->id, &err);
    excerpt_release(&server->excerpt);
    drop(server, 0);
}

static void finish(struct server *server)
{
    const int status = child_finish(&server->child);
    excerpt_end(&server->excerpt);
    if (!server->cancelled && !interrupted())
        put_answer(server, status);
    excerpt_release(&server->excerpt);
    drop(server, 0);
}

/* Ends a child that is not wanted, and says of one that is that it works. */
static void attend(struct server *server)
{
    const int64_t now_ns = clock_now_ns();
    if ((server->cancelled || interrupted()) && server->stopped_ns == 0) {
        child_stop(&server->child, false);
        server->stopped_ns = now_ns;
    } else if (server->stopped_ns > 0 && now_ns > server->stopped_ns + PATIENCE_NS) {
        child_stop(&server->child, true);
    }
    const char *token = server->waiting.items[0].token;
    if (token == NULL || now_ns < server->progress_ns || server->stopped_ns > 0)
        return;
    server->progress_ns = now_ns + PROGRESS_NS;
    protocol_progress(stdout, token, ++server->progress, "seconds of work");
}

static void take_from_child(struct server *server, int *fd, bool is_output)
{
    char bytes[64 * 1024];
    size_t got;
    if (!read_some(*fd, bytes, sizeof bytes, &got)) {
        close(*fd);
        *fd = -1;
    } else if (is_output) {
        excerpt_add(&server->excerpt, bytes, got);
    } else {
        const size_t room = SAID_MAX - server->said.length;
        strbuf_add(&server->said, bytes, got < room ? got : room);
    }
}

static void take_input(struct server *server)
{
    char bytes[64 * 1024];
    size_t got;
    server->at_end = !read_some(STDIN_FILENO, bytes, sizeof bytes, &got);
    take_bytes(server, bytes, got);
}

static void wait_for_more(struct server *server)
{
    const bool runs = server->child.pid > 0;
    struct pollfd fds[] = {{.fd = server->at_end ? -1 : STDIN_FILENO, .events = POLLIN},
                           {.fd = runs ? server->child.output : -1, .events = POLLIN},
                           {.fd = runs ? server->child.said : -1, .events = POLLIN}};
    if (poll(fds, 3, runs ? 200 : -1) < 0)
        return; /* a signal */
    if (fds[0].revents != 0)
        take_input(server);
    if (runs && fds[1].revents != 0)
        take_from_child(server, &server->child.output, true);
    if (runs && fds[2].revents != 0)
        take_from_child(server, &server->child.said, false);
}

static int serve(struct server *server)
{
    while (!ferror(stdout) &&
           (server->child.pid > 0 || (!interrupted() && (!server->at_end || server->waiting.count > 0)))) {
        if (server->child.pid == 0 && server->waiting.count > 0 && !interrupted())
            start_next(server);
        else
            wait_for_more(server);
        if (server->child.pid > 0)
            attend(server);
        if (server->child.pid > 0 && server->child.output < 0 && server->child.said < 0)
            finish(server);
    }
    if (server->child.pid > 0) {
        child_stop(&server->child, true);
        child_finish(&server->child);
        excerpt_release(&server->excerpt);
    }
    return interrupted() ? STATUS_INTERRUPTED : ferror(stdout) ? STATUS_FAILURE : STATUS_DONE;
}

static void server_release(struct server *server)
{
    while (server->waiting.count > 0)
        drop(server, 0);
    free(server->waiting.items);
    strbuf_release(&server->line);
    strbuf_release(&server->said);
}

static int run_mcp(const struct settings *settings)
{
    struct err err = ERR_INIT;
    SCOPED_FREE char *root = confine_root(settings->root != NULL ? settings->root : ".", &err);
    SCOPED(server_release) struct server server = {.root = root};
    strbuf_init(&server.line, LINE_MAX_BYTES);
    strbuf_init(&server.said, SAID_MAX);
    if (root == NULL)
        return console_error(&err);
    console_note("serving '%s' by the Model Context Protocol on standard input and output", root);
    return serve(&server);
}

const struct command command_mcp = {
    .path = "mcp",
    .parent = COMMAND_ROOT,
    .order = 108,
    .summary = "serve captures to agents by the Model Context Protocol",
    .description =
        "Serves the Model Context Protocol on standard input and output: an agent lists and calls tools that\n"
        "open captures, print tables, run queries, advise, compare and report. Nothing outside of --root\n"
        "is read. Clients start it; docs/agents.md describes the tools.\n",
    EXAMPLES({"answer requests from a file, one on each line", "msprof mcp --root captures <requests.jsonl"}),
    .run = run_mcp,
};
