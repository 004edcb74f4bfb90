/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void err_format(char *buffer, size_t size, const char *format, va_list args)
{
    static const char ellipsis[] = "...";
    int needed = vsnprintf(buffer, size, format, args);
    if (needed < 0)
        buffer[0] = '\0';
    else if ((size_t)needed >= size)
        memcpy(buffer + utf8_cut(buffer, size - sizeof ellipsis), ellipsis, sizeof ellipsis);
    utf8_mask(buffer);
}

static void set_first_cause(struct err *err, enum err_code code, const char *text)
{
    err->code = code;
    err->depth = 1;
    snprintf(err->causes[0], sizeof err->causes[0], "%s", text);
    err->hint[0] = '\0';
    err->caller_hint[0] = '\0';
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
    /* Formatted aside, because the arguments may point into err. */
    char text[ERR_TEXT_SIZE];
    ERR_FORMAT_SAID(text, format);
    set_first_cause(err, code, text);
    return -(int)code;
}

static enum err_code code_of_errno(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENOTDIR:
        return ERR_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return ERR_ACCESS;
    case ENOSPC:
    case EDQUOT:
        return ERR_NO_SPACE;
    case ENOMEM:
        return ERR_NO_MEMORY;
    case ENAMETOOLONG:
    case EFBIG:
    case EMFILE:
    case ENFILE:
        return ERR_LIMIT;
    default:
        return ERR_IO;
    }
}

int err_no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

int err_set_errno(struct err *err, int errnum, const char *format, ...)
{
    const char *reason = strerrordesc_np(errnum); /* unlike strerror() free of locale and threads */
    char unknown[48];
    if (reason == NULL) {
        snprintf(unknown, sizeof unknown, language_said("unknown system error %d"), errnum);
        reason = unknown;
    }
    reason = language_said(reason);
    /* A long path must not push the reason out of the message, so the front part yields. */
    size_t reason_length = strlen(reason);
    char text[ERR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    err_format(text, sizeof text - reason_length - 2, language_said(format), args);
    va_end(args);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, ": %s", reason);
    set_first_cause(err, code_of_errno(errnum), text);
    return err_status(err);
}

int err_wrap(struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    ERR_FORMAT_SAID(text, format);
    if (err->depth < ERR_MAX_CAUSES)
        err->depth++;
    snprintf(err->causes[err->depth - 1], sizeof err->causes[0], "%s", text);
    return err_status(err);
}

int err_hint(struct err *err, const char *format, ...)
{
    if (err->hint[0] == '\0') {
        char text[ERR_TEXT_SIZE];
        ERR_FORMAT_SAID(text, format);
        snprintf(err->hint, sizeof err->hint, "%s", text);
    }
    return err_status(err);
}

int err_hint_caller(struct err *err, const char *format, ...)
{
    if (err->hint[0] == '\0' && err->caller_hint[0] == '\0') {
        char text[ERR_TEXT_SIZE];
        ERR_FORMAT(text, format);
        snprintf(err->caller_hint, sizeof err->caller_hint, "%s", text);
    }
    return err_status(err);
}

const char *err_hint_for_caller(const struct err *err)
{
    return err->caller_hint[0] != '\0' ? err->caller_hint : err->hint;
}

const char *err_message(const struct err *err)
{
    return err->depth > 0 ? err->causes[err->depth - 1] : language_said("no error");
}

void *scoped_memory(size_t count, size_t size)
{
    return calloc(count, size);
}

char *scoped_text(const char *text, size_t length)
{
    return strndup(text, length);
}
