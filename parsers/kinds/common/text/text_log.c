/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/text_log.h"

#include <string.h>

#define ENTRY_MAX 4096 /* bytes of one entry */
#define SHOWN_MAX 80

int text_log_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    (void)decoder;
    struct text_log *log = state;
    const struct record_kind *kind = file->kind;
    log->kind = kind;
    strbuf_init(&log->text, 2 * (size_t)TEXT_FILE_LIMIT);
    for (; kind->lines[log->format_count].pattern != NULL; log->format_count++) {
        const char *pattern = kind->lines[log->format_count].pattern;
        if (log->format_count == TEXT_LOG_FORMATS ||
            !line_pattern_init(&log->patterns[log->format_count], kind, pattern))
            return err_set(err, ERR_FAILED, "kind '%s' cannot have the entry '%s'", kind->name, pattern);
    }
    return 0;
}

/* ---- rows ---- */

static int emit(struct text_log *log, struct decoder *decoder, struct err *err)
{
    const struct record_kind *kind = log->kind;
    struct row values = {log->cells, &log->present};
    int device = record_kind_column(kind, "device_id");
    bool keep = true;
    if (device >= 0)
        row_set_integer(&values, (size_t)device, log->file->identity.device_id);
    if (log->finish != NULL)
        log->finish(decoder, log->arg, &log->row_place, &values, &keep);
    if (!keep) {
        decoder_reject(decoder, DIAG_RECORD_VALUE);
        return 0;
    }
    int status = decoder_emit_copy(decoder, kind, &values, err);
    if (status == 0 && log->ending)
        decoder_count(decoder);
    return status;
}

static int end_row(struct text_log *log, struct decoder *decoder, struct err *err)
{
    int status = log->in_row ? emit(log, decoder, err) : 0;
    log->in_row = false;
    log->present = 0;
    return status;
}

/* ---- entries ---- */

static struct place place_of(const struct text_log *log, size_t at)
{
    int64_t offset = log->shift + (int64_t)at;
    return (struct place){log->file->name, log->entry, offset >= 0 ? offset : -1, NULL};
}

static bool is_between(char c)
{
    return c == '\0' || c == ' ' || c == '\t';
}

/* Where an entry at `at` must have ended: at a zero byte. */
static size_t limit_of(const struct text_log *log, size_t at)
{
    size_t rest = log->text.length - at, most = rest < ENTRY_MAX ? rest : ENTRY_MAX;
    const char *zero = memchr(log->text.data + at, '\0', most);
    return zero != NULL ? (size_t)(zero - log->text.data) : at + most;
}

/* Whether a format begins as the text at `at` does, which saves looking for its end. */
static bool begins_like_one(const struct text_log *log, size_t at)
{
    for (size_t i = 0; i < log->format_count; i++) {
        const struct line_token *first = &log->patterns[i].tokens[0];
        if (first->type != TOKEN_LITERAL || memcmp(log->text.data + at, first->text, first->length) == 0)
            return true;
    }
    return false;
}

static void begin_row(struct text_log *log, size_t at)
{
    if (log->in_row)
        return;
    log->in_row = true;
    log->row_start = at;
    log->row_place = place_of(log, at);
}

/* The format that the text from `at` to `end` begins with; its values are in the row. NULL: none. */
static const struct line_format *match(struct text_log *log, size_t at, size_t end, size_t *ret_length)
{
    struct row row = {log->cells, &log->present};
    for (size_t i = 0; i < log->format_count; i++) {
        if (line_pattern_take(&log->patterns[i], log->text.data + at, end - at, &row, ret_length))
            return &log->kind->lines[i];
    }
    return NULL;
}

/* Reports what is no entry and ends at `end`; nothing, when all before that are entries. */
static void refuse(struct text_log *log, struct decoder *decoder, size_t end)
{
    size_t start = log->refused;
    log->refused = SIZE_MAX;
    if (start == SIZE_MAX)
        return;
    while (end > start && is_between(log->text.data[end - 1]))
        end--;
    struct place place = place_of(log, start);
    diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, &place, "'%.*s'; expected '%s'",
                (int)(end - start < SHOWN_MAX ? end - start : SHOWN_MAX), log->text.data + start,
                log->kind->lines[0].pattern);
    decoder_reject(decoder, DIAG_TEXT_LINE);
}

/* Passes over what is at *at, which is no entry, to the next blank. */
static int pass_over(struct text_log *log, struct decoder *decoder, size_t *at, struct err *err)
{
    if (log->refused == SIZE_MAX) {
        log->entry++;
        log->refused = *at;
    }
    while (*at < log->text.length && !is_between(log->text.data[*at]))
        ++*at;
    return end_row(log, decoder, err);
}

/* Takes the entry at *at, which no blank is; *ret_open: what is there may go on in the next slice. */
static int take_entry(struct text_log *log, struct decoder *decoder, size_t *at, bool *ret_open, struct err *err)
{
    if (log->text.length - *at > ENTRY_MAX && !begins_like_one(log, *at))
        return pass_over(log, decoder, at, err);
    size_t length = 0, end = limit_of(log, *at);
    uint64_t before = log->present;
    const struct line_format *format = match(log, *at, end, &length);
    *ret_open = !log->ending && end == log->text.length && !is_between(log->text.data[end - 1]) &&
                (format == NULL || *at + length == end);
    if (*ret_open || (format != NULL && log->in_row && (format->flags & LINE_BLOCK) != 0)) {
        log->present = before;
        return *ret_open ? 0 : end_row(log, decoder, err); /* and it is matched again, into an empty row */
    }
    if (format == NULL)
        return pass_over(log, decoder, at, err);
    refuse(log, decoder, *at);
    log->entry++;
    begin_row(log, *at);
    *at += length;
    return (format->flags & LINE_BLOCK) != 0 ? 0 : end_row(log, decoder, err);
}

/* *ret_rest: where that begins which the next slice may go on with. */
static int take_entries(struct text_log *log, struct decoder *decoder, size_t *ret_rest, struct err *err)
{
    size_t at = 0;
    bool open = false;
    bool failed = false;
    log->refused = SIZE_MAX;
    while (!failed && at < log->text.length && !open) {
        if (is_between(log->text.data[at])) {
            at++;
        } else {
            failed = take_entry(log, decoder, &at, &open, err) < 0;
        }
    }
    if (!failed)
        refuse(log, decoder, at);
    failed = failed || (log->ending && end_row(log, decoder, err) < 0);
    *ret_rest = log->in_row ? log->row_start : at;
    log->in_row = false;
    log->present = 0;
    return failed ? err_status(err) : 0;
}

/* ---- files ---- */

/* Takes what the last slice left over. */
static int take_rest(struct text_log *log, struct decoder *decoder, struct err *err)
{
    size_t rest;
    log->ending = true;
    int status = log->file != NULL ? take_entries(log, decoder, &rest, err) : 0;
    log->ending = false;
    strbuf_clear(&log->text);
    return status;
}

int text_log_take(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                  size_t length, struct err *err)
{
    struct text_log *log = state;
    struct strbuf *text = &log->text;
    size_t rest;
    if (log->file != NULL && file->identity.slice != log->file->identity.slice + 1) {
        int status = take_rest(log, decoder, err);
        if (status < 0)
            return status;
    }
    log->file = file;
    log->entry = 0; /* numbers are those of the file where an entry ends */
    log->shift = -(int64_t)text->length;
    if (strbuf_add(text, data, length) < 0)
        return err_no_memory(err);
    for (size_t i = text->length - length; i < text->length; i++) {
        if (text->data[i] == '\n' || text->data[i] == '\r')
            text->data[i] = ' ';
    }
    int status = take_entries(log, decoder, &rest, err);
    memmove(text->data, text->data + rest, text->length - rest);
    text->length -= rest;
    log->shift += (int64_t)rest;
    return status;
}

int text_log_close(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    struct text_log *log = state;
    int status = failed ? 0 : take_rest(log, decoder, err);
    strbuf_release(&log->text);
    return status;
}
