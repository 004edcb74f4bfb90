/* SPDX-License-Identifier: Apache-2.0 */
/* A line that a client of msprof mcp sends, and output of a command: a message is taken or refused with a code, a call
 * becomes the words of a command or an error, no path leads out of the root, and an excerpt is never longer than asked.
 */
#include "features/mcp/commands/excerpt.h"
#include "features/mcp/commands/protocol.h"
#include "features/mcp/commands/resources.h"
#include "features/mcp/commands/tools.h"
#include "tests/fuzz/support.h"

#define ROOT "/proc/self/fd" /* holds links that lead elsewhere, and little beside */

static void take_call(const struct message *message)
{
    const char *name = json_string(json_member(message->params, "name"));
    struct tool_call call;
    struct err err = ERR_INIT;
    if (name == NULL)
        return;
    int status = tool_call_make(&call, name, json_member(message->params, "arguments"), ROOT, &err);
    EXPECT((status == 0) == (err.code == ERR_NONE));
    EXPECT(status != 0 || (call.words.count > 0 && call.words.items[call.words.count] == NULL));
    for (size_t i = 0; status == 0 && i < call.words.count; i++)
        EXPECT(call.words.items[i][0] != '/' || strncmp(call.words.items[i], "/proc/", 6) == 0);
    tool_call_release(&call);
}

static void take_message(const uint8_t *data, size_t size)
{
    struct message message;
    struct err err = ERR_INIT;
    int code = protocol_read(&message, (const char *)data, size, &err);
    EXPECT(code == 0 || (code <= PROTOCOL_REQUEST && code >= PROTOCOL_PARSE && err.code != ERR_NONE));
    if (code == 0 && message.method != NULL) {
        const char *uri = json_string(json_member(message.params, "uri"));
        struct strbuf json;
        take_call(&message);
        strbuf_init(&json, PROTOCOL_MESSAGE_MAX);
        EXPECT(uri == NULL || resources_put_contents(&json, uri) == (json.length > 0));
        strbuf_release(&json);
    }
    protocol_release(&message);
}

static void take_output(const uint8_t *data, size_t size, enum excerpt_form form, size_t piece)
{
    enum { ROWS = 3, BYTES = 256 };
    struct excerpt excerpt;
    excerpt_init(&excerpt, form, ROWS, BYTES);
    for (size_t at = 0; at < size; at += piece)
        excerpt_add(&excerpt, (const char *)data + at, size - at < piece ? size - at : piece);
    excerpt_end(&excerpt);
    EXPECT(excerpt.all_bytes == size && excerpt.rows <= ROWS && excerpt.rows <= excerpt.all_rows);
    EXPECT(excerpt.kept.length <= BYTES || (form == EXCERPT_DOCUMENT && excerpt.full));
    EXPECT(form != EXCERPT_TEXT || memcmp(excerpt.kept.data, data, excerpt.kept.length) == 0);
    excerpt_release(&excerpt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum excerpt_form forms[] = {EXCERPT_ROWS, EXCERPT_DOCUMENT, EXCERPT_TEXT};
    take_message(data, size);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && size > 0; i++)
        take_output(data, size, forms[i], data[0] % 7 + 1);
    return 0;
}
