/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/text_lines.h"

#include "base/strbuf.h"
#include "base/suggest.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/sample.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_NAME_MAX 48

/* ---- patterns ---- */

static bool take_placeholder(struct line_token *token, const struct record_kind *kind, const char *text, size_t length)
{
    char name[COLUMN_NAME_MAX];
    const char *colon = memchr(text, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - text) : length;
    if (*text == '*' || *text == '#') {
        token->type = *text == '#' ? TOKEN_NUMBERS : length > 1 ? TOKEN_WORDS : TOKEN_SKIP;
        token->count = length > 1 ? (unsigned)strtoul(text + 1, NULL, 10) : 0;
        return true;
    }
    if (*text == '~') {
        token->type = TOKEN_LETTERS;
        return true;
    }
    if (name_length >= sizeof name)
        return false;
    memcpy(name, text, name_length);
    name[name_length] = '\0';
    token->column = record_kind_column(kind, name);
    if (token->column < 0)
        return false;
    token->type = kind->columns[token->column].type == COLUMN_TEXT ? TOKEN_TEXT : TOKEN_INTEGER;
    if (colon != NULL && colon[1] == 'x')
        token->type = TOKEN_HEX;
    else if (colon != NULL)
        token->count = (unsigned)strtoul(colon + 1, NULL, 10);
    return true;
}

bool line_pattern_init(struct line_pattern *pattern, const struct record_kind *kind, const char *text)
{
    *pattern = (struct line_pattern){.count = 0};
    while (*text != '\0') {
        if (pattern->count == LINE_PATTERN_MAX)
            return false;
        struct line_token *token = &pattern->tokens[pattern->count++];
        *token = (struct line_token){TOKEN_LITERAL, text, strcspn(text, "{ "), -1, 0};
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (end != NULL) {
            token->length = (size_t)(end - text) + 1;
            if (!take_placeholder(token, kind, text + 1, token->length - 2))
                return false;
        } else if (*text == ' ') {
            token->type = TOKEN_BLANKS;
            token->length = strspn(text, " ");
        }
        text += token->length;
    }
    return true;
}

/* ---- lines ---- */

struct cursor { /* of the line, not yet matched */
    const char *start, *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
}

/* Between two letters or digits: what blanks divide cannot be one word. */
static bool is_in_word(const struct cursor *cursor)
{
    return cursor->at > cursor->start && cursor->at < cursor->end && isalnum((unsigned char)cursor->at[-1]) &&
           isalnum((unsigned char)*cursor->at);
}

/* Digits, and so many decimals behind a point; further decimals are dropped. */
static bool take_number(struct cursor *cursor, unsigned decimals, int64_t *ret)
{
    int64_t value = 0;
    unsigned seen = 0;
    const char *first = cursor->at;
    bool point = false;
    for (; cursor->at < cursor->end; cursor->at++) {
        char c = *cursor->at;
        if (c == '.' && decimals > 0 && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        if (point && seen++ >= decimals)
            continue;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
            return false;
    }
    for (; seen < decimals; seen++) {
        if (__builtin_mul_overflow(value, 10, &value))
            return false;
    }
    *ret = value;
    return cursor->at > first && isdigit((unsigned char)*first);
}

static bool take_hex(struct cursor *cursor, int64_t *ret)
{
    uint64_t value = 0;
    const char *first = cursor->at;
    for (; cursor->at < cursor->end && isxdigit((unsigned char)*cursor->at); cursor->at++) {
        int c = tolower((unsigned char)*cursor->at);
        if (value >> 59 != 0)
            return false;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *ret = (int64_t)value;
    return cursor->at > first;
}

#define TELLING_BYTES 3 /* of a literal that no text in its line has */

/* Whether the text holds a part of the pattern: then it is that of two lines or entries with damage between them. */
static bool holds_literal(const struct line_pattern *pattern, const char *text, size_t length)
{
    for (size_t i = 0; i < pattern->count; i++) {
        const struct line_token *token = &pattern->tokens[i];
        if (token->type == TOKEN_LITERAL && token->length >= TELLING_BYTES &&
            memmem(text, length, token->text, token->length) != NULL)
            return true;
    }
    return false;
}

/* All up to what follows the token in the pattern, or to the end of the line. */
static bool cursor_take_text(struct cursor *cursor, const struct line_pattern *pattern, size_t index, const char **ret,
                             size_t *ret_length)
{
    const struct line_token *next = index + 1 < pattern->count ? &pattern->tokens[index + 1] : NULL;
    const char *end = cursor->end;
    *ret = cursor->at;
    if (next != NULL && next->type == TOKEN_LITERAL) {
        end = memmem(cursor->at, (size_t)(cursor->end - cursor->at), next->text, next->length);
    } else if (next != NULL) {
        end = cursor->at;
        while (end < cursor->end && !is_blank(*end))
            end++;
    }
    if (end == NULL || holds_literal(pattern, cursor->at, (size_t)(end - cursor->at)))
        return false;
    *ret_length = (size_t)(end - cursor->at);
    cursor->at = end;
    return true;
}

static bool take_words(struct cursor *cursor, unsigned count)
{
    for (; count > 0; count--) {
        skip_blanks(cursor);
        if (cursor->at == cursor->end)
            return false;
        while (cursor->at < cursor->end && !is_blank(*cursor->at))
            cursor->at++;
    }
    return true;
}

static bool is_of_numbers(const char *at, const char *end)
{
    while (at < end && (isdigit((unsigned char)*at) || memchr(" \t.-", *at, 4) != NULL))
        at++;
    return at == end;
}

/* So many words that are numbers, or (count 0) all that is left. */
static bool take_numbers(struct cursor *cursor, unsigned count)
{
    const char *first = cursor->at;
    if (count == 0)
        cursor->at = cursor->end;
    else if (!take_words(cursor, count))
        return false;
    return is_of_numbers(first, cursor->at);
}

/* All that is left of the line, which has no digit. */
static bool take_letters(struct cursor *cursor)
{
    while (cursor->at < cursor->end && !isdigit((unsigned char)*cursor->at))
        cursor->at++;
    return cursor->at == cursor->end;
}

/* Whether a number ends here: "12x" is none, unless the pattern says that an x follows. */
static bool ends_number(const struct cursor *cursor, const struct line_pattern *pattern, size_t index)
{
    const struct line_token *next = index + 1 < pattern->count ? &pattern->tokens[index + 1] : NULL;
    if (cursor->at == cursor->end || (next != NULL && next->type == TOKEN_LITERAL && *next->text == *cursor->at))
        return true;
    return !isalnum((unsigned char)*cursor->at) && *cursor->at != '_' && *cursor->at != '.';
}

static bool take_value(struct cursor *cursor, const struct line_pattern *pattern, size_t index, struct row *row)
{
    const struct line_token *token = &pattern->tokens[index];
    struct cell cell = {.length = 0};
    const char *text = NULL;
    size_t length = 0;
    bool taken = token->type == TOKEN_HEX       ? take_hex(cursor, &cell.integer)
                 : token->type == TOKEN_INTEGER ? take_number(cursor, token->count, &cell.integer)
                                                : cursor_take_text(cursor, pattern, index, &text, &length);
    if (!taken || (token->type != TOKEN_TEXT && !ends_number(cursor, pattern, index)))
        return false;
    if (token->type == TOKEN_TEXT) {
        if (length == 0)
            return false;
        cell.text = text;
        cell.length = (uint32_t)length;
    }
    if ((*row->present >> token->column & 1) == 0)
        row->cells[token->column] = cell;
    *row->present |= UINT64_C(1) << token->column;
    return true;
}

static bool take_token(struct cursor *cursor, const struct line_pattern *pattern, size_t index, struct row *row)
{
    const struct line_token *token = &pattern->tokens[index];
    const char *ignored;
    size_t length;
    switch (token->type) {
    case TOKEN_LITERAL:
        if ((size_t)(cursor->end - cursor->at) < token->length || memcmp(cursor->at, token->text, token->length) != 0)
            return false;
        cursor->at += token->length;
        return true;
    case TOKEN_BLANKS:
        skip_blanks(cursor);
        return !is_in_word(cursor);
    case TOKEN_SKIP:
        return cursor_take_text(cursor, pattern, index, &ignored, &length);
    case TOKEN_WORDS:
        return take_words(cursor, token->count);
    case TOKEN_NUMBERS:
        return take_numbers(cursor, token->count);
    case TOKEN_LETTERS:
        return take_letters(cursor);
    case TOKEN_INTEGER:
    case TOKEN_HEX:
    case TOKEN_TEXT:
        break;
    }
    return take_value(cursor, pattern, index, row);
}

/* Takes the pattern from the front of the text. */
static bool take_pattern(const struct line_pattern *pattern, struct cursor *cursor, struct row *row, size_t *ret_tail)
{
    const uint64_t before = *row->present;
    for (size_t i = 0; i < pattern->count; i++) {
        *ret_tail = (size_t)(cursor->at - cursor->start);
        if (!take_token(cursor, pattern, i, row)) {
            *row->present = before;
            return false;
        }
    }
    skip_blanks(cursor);
    return true;
}

bool line_pattern_take(const struct line_pattern *pattern, const char *text, size_t length, struct row *row,
                       size_t *ret_length)
{
    struct cursor cursor = {text, text, text + length};
    size_t tail;
    bool taken = take_pattern(pattern, &cursor, row, &tail);
    *ret_length = (size_t)(cursor.at - text);
    return taken;
}

/* Whether the line is of this pattern; then *row has its values, and *ret_tail is where its last part begins. Values of
 * columns that it has already are passed over. Texts point into the line. */
static bool line_pattern_match(const struct line_pattern *pattern, const char *line, size_t length, struct row *row,
                               size_t *ret_tail)
{
    struct cursor cursor = {line, line, line + length};
    const uint64_t before = *row->present;
    if (take_pattern(pattern, &cursor, row, ret_tail) && cursor.at == cursor.end)
        return true;
    *row->present = before;
    return false;
}

/* Whether the last part of the pattern takes any text to the end of the line. */
static bool line_pattern_is_open(const struct line_pattern *pattern)
{
    const struct line_token *last = &pattern->tokens[pattern->count - 1];
    return last->type == TOKEN_SKIP || last->type == TOKEN_TEXT;
}

/* Whether a line of this pattern begins somewhere in the text. */
static bool line_pattern_occurs(const struct line_pattern *pattern, const char *text, size_t length,
                                struct row *scratch)
{
    size_t ignored;
    for (size_t i = 0; i < length; i++) {
        if (line_pattern_take(pattern, text + i, length - i, scratch, &ignored))
            return true;
    }
    return false;
}

#define FORMATS_MAX 48
#define SHOWN_MAX 80

/* The state of a stream; zeroed at first. */
struct text_stream {
    const struct record_kind *kind;
    const struct capture_file *file; /* the latest slice */
    const char *file_name;
    struct line_pattern *patterns; /* of kind->lines */
    size_t pattern_count;
    bool has_rows;      /* a line may be a row; else every block is */
    bool started;       /* a line was there before */
    size_t alike;       /* the pattern of lines with LINE_ALIKE, counted from 1; 0: there was none */
    int64_t line;       /* of the file */
    struct strbuf rest; /* of a line that goes on in the next slice */
    struct sample_stream sample;
    /* Values of the lines of the block; texts are in block_texts. */
    struct cell *cells;
    uint64_t present;
    struct strbuf block_texts;
    struct place block_place;
    bool in_block;
    bool has_blocks;   /* a line begins a block */
    bool lost;         /* the lines are of a block that did not begin, which has been counted */
    uint64_t expected; /* columns that blocks had so far, but for those of LINE_REPEAT */
    uint64_t repeated; /* columns of LINE_REPEAT */
    uint64_t known;    /* columns of the other lines that are no rows */
    struct cell *scratch;
};

static size_t format_count(const struct record_kind *kind)
{
    size_t count = 0;
    while (kind->lines != NULL && kind->lines[count].pattern != NULL)
        count++;
    return count;
}

bool text_lines_check(const struct record_kind *kind)
{
    struct line_pattern pattern;
    size_t count = format_count(kind);
    for (size_t i = 0; i < count; i++) {
        if (!line_pattern_init(&pattern, kind, kind->lines[i].pattern))
            return false;
    }
    return count > 0 && count <= FORMATS_MAX;
}

static uint64_t columns_of(const struct line_pattern *pattern)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < pattern->count; i++)
        columns |= pattern->tokens[i].column >= 0 ? UINT64_C(1) << pattern->tokens[i].column : 0;
    return columns;
}

static int open_stream(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    struct text_stream *stream = state;
    stream->kind = file->kind;
    stream->pattern_count = format_count(file->kind);
    stream->patterns = calloc(stream->pattern_count + 1, sizeof *stream->patterns);
    stream->cells = calloc(RECORD_MAX_COLUMNS, sizeof *stream->cells);
    stream->scratch = calloc(RECORD_MAX_COLUMNS, sizeof *stream->scratch);
    strbuf_init(&stream->rest, 2 * (size_t)TEXT_FILE_LIMIT);
    strbuf_init(&stream->block_texts, TEXT_FILE_LIMIT);
    sample_stream_init(&stream->sample, decoder, file->kind, file);
    if (stream->patterns == NULL || stream->cells == NULL || stream->scratch == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < stream->pattern_count; i++) {
        if (!line_pattern_init(&stream->patterns[i], file->kind, file->kind->lines[i].pattern))
            return err_set(err, ERR_FAILED, "kind '%s' has no column of its line '%s'", file->kind->name,
                           file->kind->lines[i].pattern);
        stream->has_rows |= (file->kind->lines[i].flags & LINE_ROW) != 0;
        stream->has_blocks |= (file->kind->lines[i].flags & LINE_BLOCK) != 0;
        stream->repeated |= file->kind->lines[i].flags & LINE_REPEAT ? columns_of(&stream->patterns[i]) : 0;
        stream->known |= file->kind->lines[i].flags & (LINE_REPEAT | LINE_ROW) ? 0 : columns_of(&stream->patterns[i]);
    }
    return 0;
}

/* ---- rows ---- */

static int emit(struct text_stream *stream, struct decoder *decoder, const struct place *place, struct err *err)
{
    uint64_t present = stream->present;
    struct row values = {stream->cells, &present};
    bool keep = true;
    if (sample_stream_fill(&stream->sample, decoder, place, &values, &keep, err) < 0)
        return err_status(err);
    if (!keep) {
        decoder_reject(decoder, DIAG_RECORD_VALUE);
        return 0;
    }
    return decoder_emit_copy(decoder, stream->kind, &values, err);
}

static const char *first_column(const struct text_stream *stream, uint64_t columns)
{
    return stream->kind->columns[__builtin_ctzll(columns)].name;
}

/* Whether these columns are all that blocks of the stream have. The first block sets them, so that a block with more
 * columns reveals missing ones before it; if it is the only one, only a note reports what it lacks. */
static bool is_complete(struct text_stream *stream, struct decoder *decoder, uint64_t present,
                        const struct place *place)
{
    present &= ~stream->repeated;
    if ((stream->expected & ~present) != 0) {
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "a block without '%s'; expected a line of it",
                    first_column(stream, stream->expected & ~present));
        decoder_reject(decoder, DIAG_TEXT_LINE);
        return false;
    }
    if (stream->expected == 0 && (stream->known & ~present) != 0)
        diag_report(decoder_diag(decoder), DIAG_RECORD_ODD, place, "the first block has no line of '%s'",
                    first_column(stream, stream->known & ~present));
    if (stream->expected != 0 && present != stream->expected)
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "has '%s', which blocks before it lack",
                    first_column(stream, present & ~stream->expected));
    stream->expected = present;
    return true;
}

/* The row of a block that is complete. */
static int end_block(struct text_stream *stream, struct decoder *decoder, struct err *err)
{
    int status = 0;
    if (stream->in_block && !stream->has_rows && is_complete(stream, decoder, stream->present, &stream->block_place))
        status = emit(stream, decoder, &stream->block_place, err);
    stream->in_block = false;
    stream->present = 0;
    strbuf_clear(&stream->block_texts);
    return status;
}

/* Texts of the block outlive their line. */
static int keep_texts(struct text_stream *stream, uint64_t before, struct err *err)
{
    struct strbuf *texts = &stream->block_texts;
    for (size_t i = 0; i < stream->kind->column_count; i++) {
        struct cell *cell = &stream->cells[i];
        if (((stream->present & ~before) >> i & 1) == 0 || stream->kind->columns[i].type != COLUMN_TEXT)
            continue;
        const char *old = texts->data;
        size_t at = texts->length;
        if (strbuf_add(texts, cell->text, cell->length) < 0)
            return err_no_memory(err);
        for (size_t k = 0; k < stream->kind->column_count && texts->data != old; k++) {
            if ((before >> k & 1) != 0 && stream->kind->columns[k].type == COLUMN_TEXT)
                stream->cells[k].text = texts->data + (stream->cells[k].text - old);
        }
        cell->text = texts->data + at;
        before |= UINT64_C(1) << i;
    }
    return 0;
}

static int take_row(struct text_stream *stream, struct decoder *decoder, uint64_t before, const struct place *place,
                    struct err *err)
{
    if (stream->has_blocks && !stream->in_block) {
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "a row of no block; expected '%s' before it",
                    stream->kind->lines[0].pattern);
        decoder_reject(decoder, DIAG_TEXT_LINE);
    } else if ((!stream->has_blocks || is_complete(stream, decoder, before, place)) &&
               emit(stream, decoder, place, err) < 0) {
        return err_status(err);
    }
    stream->present = before;
    return 0;
}

/* A line that cannot be of the open block, if one is: what follows is of one whose beginning is damaged. */
static int lose_block(struct text_stream *stream, struct decoder *decoder, uint64_t before, uint64_t columns,
                      const struct place *place, struct err *err)
{
    stream->present = before;
    diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "%s '%s' %s; expected '%s' before it",
                stream->in_block ? "a second" : "a", first_column(stream, columns),
                stream->in_block ? "in one block" : "of no block", stream->kind->lines[0].pattern);
    if (!stream->has_rows)
        decoder_reject(decoder, DIAG_TEXT_LINE);
    stream->lost = true;
    return end_block(stream, decoder, err);
}

static int take_format(struct text_stream *stream, struct decoder *decoder, size_t index, uint64_t before,
                       const struct place *place, struct err *err)
{
    const unsigned flags = stream->kind->lines[index].flags;
    const uint64_t columns = columns_of(&stream->patterns[index]);
    if (flags & LINE_ROW)
        return take_row(stream, decoder, before, place, err);
    if (flags & LINE_BLOCK)
        stream->lost = false;
    if (stream->lost) {
        stream->present = before;
        return 0;
    }
    if ((stream->has_blocks && !stream->in_block && !(flags & LINE_BLOCK)) ||
        (!(flags & LINE_REPEAT) && (before & columns) != 0))
        return lose_block(stream, decoder, before, columns, place, err);
    if (!stream->in_block)
        stream->block_place = *place;
    stream->in_block = true;
    return keep_texts(stream, before, err);
}

/* Whether the last part of the line holds what is a line itself: the one before it has lost its end. */
static bool swallows(const struct text_stream *stream, size_t index, const char *tail, size_t length)
{
    uint64_t present = 0;
    struct row scratch = {stream->scratch, &present};
    if (!line_pattern_is_open(&stream->patterns[index]))
        return false;
    for (size_t i = 0; i < stream->pattern_count; i++) {
        if (!(stream->kind->lines[i].flags & (LINE_SKIP | LINE_HEADING)) && stream->patterns[i].count > 1 &&
            line_pattern_occurs(&stream->patterns[i], tail, length, &scratch))
            return true;
    }
    return false;
}

static bool has_control(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
            return true;
    }
    return false;
}

static bool has_digit(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (isdigit((unsigned char)line[i]))
            return true;
    }
    return false;
}

/* The format of the line, whose values are in the row; pattern_count: it has none. */
static size_t find_format(struct text_stream *stream, const char *line, size_t length, bool first)
{
    struct row row = {stream->cells, &stream->present};
    const uint64_t before = stream->present;
    size_t tail;
    if (has_control(line, length))
        return stream->pattern_count;
    for (size_t i = 0; i < stream->pattern_count; i++) {
        if ((stream->kind->lines[i].flags & LINE_HEADING) && (!first || has_digit(line, length)))
            continue;
        if (!line_pattern_match(&stream->patterns[i], line, length, &row, &tail))
            continue;
        if (!swallows(stream, i, line + tail, length - tail))
            return i;
        stream->present = before; /* it is damaged, whatever else it looks like */
        break;
    }
    return stream->pattern_count;
}

/* The pattern of which a line that says nothing is one letter off in its first word, which is then damaged; else NULL.
 */
static const char *find_misspelt(const struct text_stream *stream, const char *line, size_t length)
{
    enum { WORD_MIN = 5 };
    for (size_t i = 0; i < stream->pattern_count; i++) {
        const struct line_token *first = &stream->patterns[i].tokens[0];
        size_t known = first->length;
        if ((stream->kind->lines[i].flags & (LINE_SKIP | LINE_HEADING)) || stream->patterns[i].count == 0 ||
            first->type != TOKEN_LITERAL || known < WORD_MIN || first->text[known - 1] != ':')
            continue;
        const char *colon = memchr(line, ':', length < known + 1 ? length : known + 1);
        size_t word = colon != NULL ? (size_t)(colon - line) + 1 : 0;
        if (word + 1 >= known && suggestion_edit_distance(first->text, known, line, word) == 1)
            return stream->kind->lines[i].pattern;
    }
    return NULL;
}

static int take_line(struct text_stream *stream, struct decoder *decoder, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    uint64_t before = stream->present;
    size_t found = find_format(stream, line, length, !stream->started);
    stream->started = true;
    const unsigned flags = found < stream->pattern_count ? stream->kind->lines[found].flags : 0;
    const char *expected = found == stream->pattern_count ? stream->kind->lines[0].pattern
                           : flags & LINE_SKIP            ? find_misspelt(stream, line, length)
                                                          : NULL;
    if (expected != NULL) {
        stream->present = before;
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "'%.*s'; expected '%s'",
                    (int)(length < SHOWN_MAX ? length : SHOWN_MAX), line, expected);
        decoder_reject(decoder, DIAG_TEXT_LINE);
        return 0;
    }
    if (flags & (LINE_SKIP | LINE_HEADING)) {
        stream->present = before;
        return 0;
    }
    if ((flags & LINE_BLOCK) && stream->in_block) { /* matched again into an empty block */
        stream->present = before;
        if (end_block(stream, decoder, err) < 0)
            return err_status(err);
        found = find_format(stream, line, length, false);
        before = 0;
    }
    if (flags & LINE_ALIKE) {
        if (stream->alike > 0 && stream->alike != found + 1)
            diag_report(decoder_diag(decoder), DIAG_RECORD_ODD, place, "'%.*s'; expected as many values as before",
                        (int)(length < SHOWN_MAX ? length : SHOWN_MAX), line);
        stream->alike = found + 1;
    }
    return take_format(stream, decoder, found, before, place, err);
}

/* ---- files ---- */

static int take_text_line(struct text_stream *stream, struct decoder *decoder, const char *line, size_t length,
                          int64_t offset, struct err *err)
{
    struct place place = {stream->file_name, ++stream->line, offset, NULL};
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (strspn(line, " \t") >= length)
        return 0;
    return take_line(stream, decoder, line, length, &place, err);
}

/* A line that never ends. */
static void report_rest(struct text_stream *stream, struct decoder *decoder)
{
    struct place place = {stream->file_name, stream->line + 1, -1, NULL};
    if (stream->rest.length > 0) {
        diag_report(decoder_diag(decoder), DIAG_RECORD_TRUNCATED, &place,
                    "%zu bytes without a line end; expected a whole line", stream->rest.length);
        decoder_reject(decoder, DIAG_RECORD_TRUNCATED);
    }
    strbuf_clear(&stream->rest);
}

/* Reports the rest of a line and ends the block, because the next slice is not there. */
static int leave_gap(struct text_stream *stream, struct decoder *decoder, struct err *err)
{
    report_rest(stream, decoder);
    return end_block(stream, decoder, err);
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    struct text_stream *stream = state;
    size_t start = 0;
    int status = 0;
    if (stream->file != NULL && file->identity.slice != stream->file->identity.slice + 1)
        status = leave_gap(stream, decoder, err);
    stream->file = file;
    stream->file_name = file->name;
    stream->line = 0;
    while (status == 0 && start < length) {
        const char *newline = memchr(data + start, '\n', length - start);
        size_t end = newline != NULL ? (size_t)(newline - data) : length;
        if (stream->rest.length > 0 || newline == NULL) {
            if (strbuf_add(&stream->rest, data + start, end - start) < 0)
                return err_no_memory(err);
            if (newline == NULL)
                break;
            status = take_text_line(stream, decoder, stream->rest.data, stream->rest.length, (int64_t)start, err);
            strbuf_clear(&stream->rest);
        } else {
            status = take_text_line(stream, decoder, data + start, end - start, (int64_t)start, err);
        }
        start = end + 1;
    }
    return status;
}

static int close_stream(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    struct text_stream *stream = state;
    int status = 0;
    if (!failed)
        report_rest(stream, decoder);
    if (!failed && stream->in_block) {
        int64_t rows = decoder_row_count(decoder, stream->kind);
        status = end_block(stream, decoder, err);
        if (decoder_row_count(decoder, stream->kind) > rows)
            decoder_count(decoder);
    }
    strbuf_release(&stream->rest);
    strbuf_release(&stream->block_texts);
    sample_stream_release(&stream->sample);
    free(stream->scratch);
    free(stream->cells);
    free(stream->patterns);
    return status;
}

const struct kind_hooks text_lines_hooks = {
    .state_size = sizeof(struct text_stream),
    .open = open_stream,
    .text = take_text,
    .close = close_stream,
};
