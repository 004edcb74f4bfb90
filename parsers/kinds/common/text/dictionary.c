/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/dictionary.h"

#include "parsers/capture/capture.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"

#include <string.h>

/* Gives up the line that the slices before left open. */
static void leave_line_out(struct decoder *decoder, struct dictionary *dictionary, const struct capture_file *file)
{
    diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, FILE_PLACE(file->name, NULL),
                "a line of more than %d bytes; expected a line end before that", DICTIONARY_LINE_MAX);
    decoder_reject(decoder, DIAG_TEXT_LINE);
    strbuf_clear(&dictionary->rest);
    dictionary->skipping = true;
}

/* Keeps what may be the beginning of a line. */
static int keep_rest(struct decoder *decoder, struct dictionary *dictionary, const struct capture_file *file,
                     const char *data, size_t length, struct err *err)
{
    if (length > DICTIONARY_LINE_MAX - dictionary->rest.length)
        leave_line_out(decoder, dictionary, file);
    else if (strbuf_add(&dictionary->rest, data, length) < 0)
        return err_no_memory(err);
    return 0;
}

/* Completes the line that the last slice left open; *ret_used bytes of this slice belong to it. */
static int finish_line(struct decoder *decoder, struct dictionary *dictionary, const struct capture_file *file,
                       const char *data, size_t length, dictionary_line each, size_t *ret_used, struct err *err)
{
    struct strbuf *rest = &dictionary->rest;
    *ret_used = 0;
    if (rest->length == 0 && !dictionary->skipping)
        return 0;
    const char *newline = memchr(data, '\n', length);
    *ret_used = newline != NULL ? (size_t)(newline - data) + 1 : length;
    int status = dictionary->skipping ? 0 : keep_rest(decoder, dictionary, file, data, *ret_used, err);
    if (newline == NULL || status < 0)
        return status;
    if (!dictionary->skipping)
        status = decoder_each_line(decoder, file, rest->data, rest->length, each, err);
    dictionary->skipping = false;
    strbuf_clear(rest);
    return status;
}

int dictionary_take(struct decoder *decoder, struct dictionary *dictionary, const struct capture_file *file,
                    const char *data, size_t length, dictionary_line each, struct err *err)
{
    if (dictionary->file_name == NULL)
        strbuf_init(&dictionary->rest, DICTIONARY_LINE_MAX + 1);
    dictionary->file_name = file->name;
    size_t start, end = length;
    int status = finish_line(decoder, dictionary, file, data, length, each, &start, err);
    while (end > start && data[end - 1] != '\n')
        end--;
    if (status == 0)
        status = decoder_each_line(decoder, file, data + start, end - start, each, err);
    return status == 0 && end < length ? keep_rest(decoder, dictionary, file, data + end, length - end, err) : status;
}

int dictionary_close(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    (void)err;
    struct dictionary *dictionary = state;
    if (dictionary->file_name == NULL)
        return 0;
    if (!failed && dictionary->rest.length > 0) {
        diag_report(decoder_diag(decoder), DIAG_RECORD_TRUNCATED, FILE_PLACE(dictionary->file_name, NULL),
                    "%zu bytes without a line end; expected a whole line", dictionary->rest.length);
        decoder_reject(decoder, DIAG_RECORD_TRUNCATED);
    }
    strbuf_release(&dictionary->rest);
    return 0;
}

const char *dictionary_split(const char *line, size_t length, size_t *ret_key_length, size_t *ret_text_length)
{
    const char *colon = memchr(line, ':', length);
    if (colon == NULL)
        return NULL;
    *ret_key_length = (size_t)(colon - line);
    *ret_text_length = length - *ret_key_length - 1;
    return colon + 1;
}

bool dictionary_parse_id(const char *text, size_t length, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    *ret = value;
    return length > 0;
}

void dictionary_report(struct decoder *decoder, const char *line, size_t length, const struct place *place,
                       const char *expected)
{
    diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "'%.*s'; expected %s", (int)(length < 80 ? length : 80),
                line, expected);
}

/* ---- texts of 64-bit ids ---- */

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(HASH_ID, "hash_id", "Id", NUMBER, "The id; of 2^63 and more as the negative number with the same bits.")      \
    MADE(NAME, "name", "Text", TEXT(PLAIN), "The text.")

enum { COLUMNS(COLUMN_NUMBER) };

const struct column hash_columns[HASH_COLUMNS] = {COLUMNS(COLUMN_MADE)};

static int take_hash(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    uint64_t id;
    size_t key_length, text_length;
    struct row row;
    struct association *association = decoder_association(decoder);
    struct executions *executions = decoder_executions(decoder);
    const char *text = dictionary_split(line, length, &key_length, &text_length);
    if (text == NULL || !dictionary_parse_id(line, key_length, &id)) {
        dictionary_report(decoder, line, length, place, "<64-bit id>:<text>");
        return 0;
    }
    if (file->kind->table != NULL) {
        if (decoder_emit(decoder, file->kind, &row, err) < 0)
            return err_status(err);
        row_set_integer(&row, FILE_ID, file->id);
        row_set_integer(&row, HASH_ID, (int64_t)id);
        decoder_set_text(decoder, file->kind, &row, NAME, text, text_length);
    }
    if (association != NULL)
        return association_add_name(association, (int64_t)id, text, text_length, err);
    return executions != NULL ? executions_add_name(executions, (int64_t)id, text, text_length, err) : 0;
}

static int take_hashes(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                       size_t length, struct err *err)
{
    return dictionary_take(decoder, state, file, data, length, take_hash, err);
}

const struct kind_hooks hash_hooks = {
    .state_size = sizeof(struct dictionary),
    .text = take_hashes,
    .close = dictionary_close,
};
