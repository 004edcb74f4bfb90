/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/json_indent.h"

#include "base/file/outfile.h"
#include "base/interrupt.h"

#include <errno.h>
#include <stdio.h>

struct indent {
    struct outfile *out;
    unsigned depth;
    bool in_text, escaped;
    bool opened; /* the last character opened an object or a list */
};

static void put(struct indent *indent, char c)
{
    outfile_write(indent->out, &c, 1);
}

static void new_line(struct indent *indent)
{
    put(indent, '\n');
    for (unsigned i = 0; i < indent->depth; i++)
        outfile_write(indent->out, "    ", 4);
}

static void take_text(struct indent *indent, char c)
{
    put(indent, c);
    indent->in_text = indent->escaped || c != '"';
    indent->escaped = !indent->escaped && c == '\\';
}

static void take_close(struct indent *indent, char c)
{
    indent->depth -= indent->depth > 0;
    if (!indent->opened)
        new_line(indent);
    put(indent, c);
    indent->opened = false;
}

static void take(struct indent *indent, char c)
{
    if (indent->in_text) {
        take_text(indent, c);
        return;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        return;
    if (c == '}' || c == ']') {
        take_close(indent, c);
        return;
    }
    if (indent->opened)
        new_line(indent);
    indent->opened = c == '{' || c == '[';
    indent->depth += indent->opened;
    indent->in_text = c == '"';
    put(indent, c);
    if (c == ',')
        new_line(indent);
    else if (c == ':')
        put(indent, ' ');
}

int json_indent_file(const char *path, struct err *err)
{
    struct outfile out;
    struct indent indent = {.out = &out};
    char buffer[65536];
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return err_set_errno(err, errno, "cannot read '%s'", path);
    int status = outfile_open(&out, path, err);
    if (status < 0) {
        fclose(in);
        return status;
    }
    for (size_t got; status == 0 && (got = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        for (size_t i = 0; i < got; i++)
            take(&indent, buffer[i]);
        if (interrupted())
            status = interrupt_error(err);
    }
    put(&indent, '\n');
    if (status == 0 && ferror(in))
        status = err_set(err, ERR_IO, "cannot read '%s'", path);
    fclose(in);
    if (status == 0)
        return outfile_commit(&out, err);
    outfile_abort(&out);
    return status;
}
