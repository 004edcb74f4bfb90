/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/captures.h"

#include "base/array.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_LIMIT ((size_t)1024 * 1024) /* bytes */

/* A line "JOBX/". A name that holds a newline comes as two lines, of which none is of this kind, or as one of a
 * directory that is not there. */
static int take_line(struct remote_captures *captures, const char *line, size_t length, struct err *err)
{
    char *name;

    if (length == 0)
        return 0;
    name = strndup(line, line[length - 1] == '/' ? length - 1 : length);
    if (name == NULL)
        return err_no_memory(err);
    if (line[length - 1] != '/' || strncmp(name, "JOB", 3) != 0 || strchr(name, '/') != NULL ||
        remote_path_problem(name) != NULL) {
        if (captures->refused++ == 0) {
            snprintf(captures->first_refused, sizeof captures->first_refused, "%s", name);
            utf8_mask(captures->first_refused);
        }
        free(name);
        return 0;
    }
    if (array_reserve(captures, 1, err) != 0) {
        free(name);
        return -(int)err->code;
    }
    captures->items[captures->count++] = name;
    return 0;
}

/* Lists with ls, unless that prints other names than there are, as busybox does of what it cannot show. */
static const char as_listed[] =
    "ls -1td JOB*/ 2>/dev/null | { w=''\nwhile IFS= read -r d; do\n"
    "printf '%s\\n' \"$d\"; [ -d \"$d\" ] || w=1\ndone; [ -z \"$w\" ]; } && exit 0\necho =\n";

/* Without ls; quadratic, and that is fine for captures. */
static const char newest_first[] = "set --\nfor d in JOB*/; do [ -d \"$d\" ] && set -- \"$@\" \"$d\"; done\n"
                                   "while [ $# -gt 0 ]; do\nn=$1\n"
                                   "for d; do [ \"$d\" -nt \"$n\" ] && n=$d; done\n"
                                   "printf '%s\\n' \"$n\"\nc=$#\n"
                                   "while [ $c -gt 0 ]; do [ \"$1\" = \"$n\" ] || set -- \"$@\" \"$1\"; shift; "
                                   "c=$((c - 1)); done\ndone\nexit 0\n";

int board_captures(struct board *board, const char *directory, bool *ret_there, struct remote_captures *ret,
                   struct err *err)
{
    struct strbuf *script = board_script(board);
    bool is_there;
    int result;

    *ret = (struct remote_captures){.items = NULL};
    strbuf_adds(script, "cd ");
    ssh_quote(script, directory);
    strbuf_adds(script, " 2>/dev/null || { printf '" BOARD_MISSING "'; exit 0; }\n");
    strbuf_adds(script, board->has_ls ? as_listed : "");
    strbuf_adds(script, newest_first);
    result = board_ask(board, NAMES_LIMIT, "cannot look for captures", err);
    is_there = strcmp(board->answer.data, BOARD_MISSING) != 0;
    if (ret_there != NULL)
        *ret_there = is_there;
    for (const char *at = is_there ? board->answer.data : ""; result == 0 && *at != '\0';) {
        size_t length = strcspn(at, "\n");

        if (length == 1 && *at == '=') /* what follows is right */
            remote_captures_release(ret);
        else
            result = take_line(ret, at, length, err);
        at += length + (at[length] == '\n');
    }
    if (result != 0)
        remote_captures_release(ret);
    return result;
}

bool remote_captures_has(const struct remote_captures *captures, const char *name)
{
    for (size_t i = 0; i < captures->count; i++)
        if (strcmp(captures->items[i], name) == 0)
            return true;
    return false;
}

void remote_captures_release(struct remote_captures *captures)
{
    for (size_t i = 0; i < captures->count; i++)
        free(captures->items[i]);
    free(captures->items);
    *captures = (struct remote_captures){.items = NULL};
}
