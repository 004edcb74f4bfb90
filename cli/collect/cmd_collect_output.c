/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_output.h"

#include "base/err.h"
#include "base/utf8.h"
#include "cli/progress_bar.h"

#include <stdio.h>
#include <string.h>

#define LINE_LIMIT ((size_t)4096)
#define LOG_SOURCE_BOARD "msprof_board"

void board_output_init(struct board_output *output, const char *prefix, struct collection_log *log)
{
    *output = (struct board_output){.prefix = prefix, .log = log};
    strbuf_init(&output->lines[0], LINE_LIMIT);
    strbuf_init(&output->lines[1], LINE_LIMIT);
}

/* Control characters of a board must not drive the terminal. */
static void print_line(struct board_output *output, bool is_error)
{
    struct strbuf *line = &output->lines[is_error];
    FILE *stream = is_error ? stderr : stdout;

    while (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    for (size_t i = 0; i < line->length; i++)
        if (line->data[i] == '\t' || line->data[i] == '\0')
            line->data[i] = ' ';
    if (line->length > 0)
        utf8_mask(line->data);
    progress_bar_pause();
    if (output->prefix != NULL)
        fprintf(stream, "[%s] %s\n", output->prefix, line->data);
    else
        fprintf(stream, "%s\n", line->data);
    fflush(stream); /* live; a reader that went away must not stop the run */
    progress_bar_resume();
    collection_log_add(output->log, LOG_LEVEL_INFO, LOG_SOURCE_BOARD, "%s", line->data);
    strbuf_clear(line);
}

void board_output_take(void *arg, bool is_error, const char *bytes, size_t length)
{
    struct board_output *output = arg;
    struct strbuf *line = &output->lines[is_error];

    while (length > 0) {
        const char *newline = memchr(bytes, '\n', length);
        size_t piece = newline != NULL ? (size_t)(newline - bytes) : length;
        size_t room = line->maximum - line->length;

        if (piece > room) { /* a line without end comes in pieces */
            strbuf_add(line, bytes, room);
            print_line(output, is_error);
            bytes += room;
            length -= room;
            continue;
        }
        strbuf_add(line, bytes, piece);
        if (newline == NULL)
            return;
        print_line(output, is_error);
        bytes += piece + 1;
        length -= piece + 1;
    }
}

void board_output_finish(struct board_output *output)
{
    for (int i = 0; i < 2; i++) {
        if (output->lines[i].length > 0)
            print_line(output, i == 1);
        strbuf_release(&output->lines[i]);
    }
}
