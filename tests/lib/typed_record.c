/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/typed_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_bytes(struct typed_record *fixture, const char *line)
{
    char *at;
    unsigned long offset = strtoul(line, &at, 10);
    if (at == line || *at != ':' || offset != fixture->length)
        fail_msg("%s: '%s' after %zu bytes", fixture->path, line, fixture->length);
    for (at++;;) {
        char *end;
        unsigned long byte = strtoul(at, &end, 16);
        if (end == at)
            break;
        assert_true(byte <= 0xff && fixture->length < MAX_RECORD);
        fixture->bytes[fixture->length++] = (unsigned char)byte;
        at = end;
    }
    at += strspn(at, " \n");
    if (*at != '\0')
        fail_msg("%s: '%s' is no hex byte", fixture->path, at);
}

static void read_expectation(struct typed_record *fixture, const char *line)
{
    assert_true(fixture->expected_count < RECORD_MAX_COLUMNS);
    struct expectation *expected = &fixture->expected[fixture->expected_count++];
    if (sscanf(line, "expect %63s %127[^\n]", expected->column, expected->value) != 2)
        fail_msg("%s: '%s' is no expectation", fixture->path, line);
}

void typed_record_read(struct typed_record *fixture)
{
    char line[MAX_LINE];
    FILE *file = fopen(fixture->path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "expect ", 7) == 0) {
            read_expectation(fixture, line);
            continue;
        }
        if (sscanf(line, "layout %63s", fixture->layout) == 1)
            continue;
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \n")] != '\0')
            read_bytes(fixture, line);
    }
    assert_int_equal(fclose(file), 0);
}

void name_by_pattern(const char *pattern, char *name, size_t size)
{
    static const struct {
        const char *token, *text;
    } tokens[] = {{"{device_id}", "0"},     {"{model}", "net"},           {"{model_id}", "1"}, {"{batch_num}", "1"},
                  {"{input_pic_num}", "1"}, {"{current_pic_count}", "0"}, {"{slice}", "0"},    {"{tag}", "aging"},
                  {"{number}", "45"},       {"{process_id}", "42"},       {"{group_id}", "1"}, {"{core_id}", "1"}};
    size_t length = 0;
    while (*pattern != '\0' && length + 16 < size) {
        size_t i = 0, count = sizeof tokens / sizeof *tokens;
        while (i < count && strncmp(pattern, tokens[i].token, strlen(tokens[i].token)) != 0)
            i++;
        if (i < count) {
            length += (size_t)snprintf(name + length, size - length, "%s", tokens[i].text);
            pattern += strlen(tokens[i].token);
        } else {
            assert_int_not_equal(*pattern, '{');
            name[length++] = *pattern++;
        }
    }
    name[length] = '\0';
}
