/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/fetch.h"

#include <string.h>

#define NAMES_LIMIT ((size_t)1024 * 1024) /* bytes */

/* A line "JOBX/". A name that holds a newline comes as two lines, of which none is of this kind, or as one of a
 * directory that is not there. */
static int take_line(struct remote_captures *captures, char *line, struct err *err)
{
    const size_t length = strlen(line);
    const bool is_directory = length > 0 && line[length - 1] == '/';

    if (length == 0)
        return 0;
    if (is_directory)
        line[length - 1] = '\0';
    if (is_directory && strncmp(line, "JOB", 3) == 0 && strchr(line, '/') == NULL && listing_path_problem(line) == NULL)
        return words_add(&captures->names, line, err);
    told_add(&captures->refused, line);
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
    char *line, *at;

    *ret = (struct remote_captures){.names = {.items = NULL}};
    ssh_script_add(script, "cd " WORD " 2>/dev/null || { printf '" BOARD_MISSING "'; exit 0; }\n", directory);
    strbuf_adds(script, board->has_ls ? as_listed : "");
    strbuf_adds(script, newest_first);
    int result = board_ask(board, NAMES_LIMIT, "cannot list captures", err);
    const bool is_there = strcmp(board->answer.data, BOARD_MISSING) != 0;
    if (ret_there != NULL)
        *ret_there = is_there;
    at = board->answer.data;
    while (result == 0 && is_there && (line = board_next_line(&at)) != NULL)
        if (strcmp(line, "=") == 0) /* what follows is right */
            remote_captures_release(ret);
        else
            result = take_line(ret, line, err);
    if (result != 0)
        remote_captures_release(ret);
    return result;
}

bool remote_captures_has(const struct remote_captures *captures, const char *name)
{
    for (size_t i = 0; i < captures->names.count; i++)
        if (strcmp(captures->names.items[i], name) == 0)
            return true;
    return false;
}

void remote_captures_release(struct remote_captures *captures)
{
    words_release(&captures->names);
    *captures = (struct remote_captures){.names = {.items = NULL}};
}
