/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/recorder_report.h"

#include "base/number.h"

#include <string.h>
#include <unistd.h>

void report_on_stderr(const char *text)
{
    static const char head[] = "msprof: ";
    char line[REPORT_SIZE + sizeof head];
    size_t length = strnlen(text, REPORT_SIZE - 1);
    memcpy(line, head, sizeof head - 1);
    memcpy(line + sizeof head - 1, text, length);
    line[sizeof head - 1 + length] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, sizeof head + length);
    (void)ignored;
}

static char *put(char *p, const char *end, const char *text)
{
    size_t length = strlen(text), room = end > p ? (size_t)(end - p) : 0;
    if (length > room)
        length = room;
    memcpy(p, text, length);
    return p + length;
}

static char *put_count(char *p, const char *end, uint64_t count, const char *one, const char *many)
{
    char number[NUMBER_MAX];
    *number_put_unsigned(number, count) = '\0';
    return put(put(p, end, number), end, count == 1 ? one : many);
}

/* The reason has its place, however long the name of the capture is. */
#define REASON_ROOM 200

bool describe_losses(const struct capture_writer *writer, char text[REPORT_SIZE])
{
    int failure = writer->losses.failure;
    uint64_t calls = writer->losses.calls, tx = writer->losses.tx;
    const char *end = &text[REPORT_SIZE - 1], *reason = failure != 0 ? strerrordesc_np(failure) : NULL;
    char *p = text;
    if (calls == 0 && tx == 0 && failure == 0)
        return false;
    p = put(p, end, "the capture '");
    p = put(p, end - REASON_ROOM, writer->directory);
    p = put(p, end, "' is incomplete: ");
    if (calls == 0 && tx == 0)
        p = put(p, end, "names of what it records are");
    if (calls > 0)
        p = put_count(p, end, calls, " call", " calls");
    if (calls > 0 && tx > 0)
        p = put(p, end, " and ");
    if (tx > 0)
        p = put_count(p, end, tx, " msproftx record", " msproftx records");
    p = put(p, end, " lost: ");
    p = put(p, end, reason != NULL ? reason : "no memory");
    *p = '\0';
    return true;
}

void describe_refusal(const struct err *err, char text[REPORT_SIZE])
{
    const char *end = &text[REPORT_SIZE - 1];
    char *p = put(text, end, "nothing is recorded: ");
    for (unsigned i = err->depth; i-- > 0;) {
        p = put(p, end, err->causes[i]);
        p = put(p, end, i > 0 ? ": " : "");
    }
    *p = '\0';
}
