/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on their way from hooks and the record loop to the sink. */
#include "parsers/decode/decoder.h"

#include "base/utf8.h"

#include <string.h>

/* Rows of few kinds come by turns: where a kind was found last stands at a place that its address tells. */
struct open_batch *decoder_open_batch(struct decoder *decoder, const struct record_kind *kind)
{
    struct open_batch **found = &decoder->found[(uintptr_t)kind / sizeof *kind % FOUND_KINDS];
    for (size_t i = 0; (*found == NULL || (*found)->kind != kind) && i < decoder->open_count; i++) {
        if (decoder->open[i].kind == kind)
            *found = &decoder->open[i];
    }
    return *found != NULL && (*found)->kind == kind ? *found : NULL;
}

static int commit(struct decoder *decoder, struct open_batch *open, struct err *err)
{
    struct row_batch *batch = open->batch;
    open->batch = NULL;
    return decoder->sink->commit(decoder->sink, batch, err);
}

int open_batch_next(struct decoder *decoder, struct open_batch *open, size_t text_bytes, struct row *ret_row,
                    struct err *err)
{
    struct row_batch *batch = open->batch;
    if (batch != NULL && (batch->rows == batch->capacity || batch->texts_capacity - batch->texts_used < text_bytes)) {
        int status = commit(decoder, open, err);
        if (status < 0)
            return status;
        batch = NULL;
    }
    if (batch == NULL) {
        batch = open->batch = decoder->sink->begin(decoder->sink, open->kind, err);
        if (batch == NULL)
            return -(int)err->code;
    }
    ret_row->cells = batch->cells + batch->rows * open->kind->column_count;
    ret_row->present = &batch->present[batch->rows];
    *ret_row->present = 0;
    return 0;
}

void open_batch_keep(struct open_batch *open)
{
    open->batch->rows++;
    open->rows++;
}

int decoder_flush(struct decoder *decoder, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < decoder->open_count && status == 0; i++) {
        if (decoder->open[i].batch != NULL)
            status = commit(decoder, &decoder->open[i], err);
    }
    return status;
}

struct capture *decoder_capture(struct decoder *decoder)
{
    return decoder->capture;
}

const struct capture_part *decoder_part(const struct decoder *decoder)
{
    return &decoder->capture->parts[decoder->file->part];
}

struct diagnostics *decoder_diag(struct decoder *decoder)
{
    decoder->row_problem = true;
    return decoder->capture->diag;
}

struct place decoder_place(const struct decoder *decoder, const char *field)
{
    return (struct place){decoder->file != NULL ? decoder->file->name : NULL, decoder->record, decoder->offset, field};
}

bool decoder_check_span(struct decoder *decoder, const char *what, int64_t start_ns, int64_t end_ns)
{
    if (span_is_sound(start_ns, end_ns))
        return true;
    struct place place = decoder_place(decoder, NULL);
    return span_check(decoder_diag(decoder), &place, what, start_ns, end_ns);
}

struct bytes decoder_bytes(const struct decoder *decoder)
{
    return decoder->bytes;
}

const struct layout *decoder_layout(const struct decoder *decoder)
{
    return decoder->layout;
}

int64_t decoder_file_id(const struct decoder *decoder)
{
    return decoder->file->id;
}

int64_t decoder_row_count(const struct decoder *decoder, const struct record_kind *kind)
{
    for (size_t i = 0; i < decoder->open_count; i++) {
        if (decoder->open[i].kind == kind)
            return decoder->open[i].rows;
    }
    return 0;
}

int decoder_emit(struct decoder *decoder, const struct record_kind *kind, struct row *ret_row, struct err *err)
{
    struct open_batch *open = decoder_open_batch(decoder, kind);
    if (open == NULL)
        return err_set(err, ERR_FAILED, "record kind '%s' is not registered", kind->name);
    int status = open_batch_next(decoder, open, open->text_columns * DECODED_TEXT_MAX, ret_row, err);
    if (status == 0)
        open_batch_keep(open);
    return status;
}

int decoder_emit_source(struct decoder *decoder, struct row_source *source, struct err *err)
{
    struct row_sink *sink = decoder->sink;
    size_t rows = 1;
    int status = 0;
    if (sink->defer != NULL) {
        sink->defer(sink, source);
        return 0;
    }
    while (status == 0 && rows > 0) {
        struct row_batch *batch = sink->begin(sink, source->kind, err);
        if (batch == NULL) {
            status = -(int)err->code;
            break;
        }
        source->fill(source, batch);
        rows = batch->rows;
        status = sink->commit(sink, batch, err);
    }
    source->release(source);
    return status;
}

void decoder_consume(struct decoder *decoder)
{
    decoder->consumed = true;
}

void decoder_reject(struct decoder *decoder, enum diag_id reason)
{
    capture_file_reject(decoder->file, reason, 1);
}

struct capture_file *decoder_joined_file(const struct decoder *decoder)
{
    return decoder->consumed ? decoder->file : NULL;
}

void decoder_store_after_all(struct decoder *decoder, int64_t file_id)
{
    struct capture *capture = decoder->capture;
    for (size_t i = (size_t)(file_id > 0 ? file_id - 1 : 0); i < capture->file_count; i++) {
        if (capture->files[i].id == file_id) {
            capture->files[i].joined--;
            return;
        }
    }
}

void decoder_count(struct decoder *decoder)
{
    decoder->file->decoded++;
}

void decoder_set_text(struct decoder *decoder, const struct record_kind *kind, struct row *row, size_t column,
                      const char *text, size_t length)
{
    struct row_batch *batch = decoder_open_batch(decoder, kind)->batch;
    if (length > DECODED_TEXT_MAX)
        length = utf8_cut(text, DECODED_TEXT_MAX);
    if (batch->texts_capacity - batch->texts_used <
        length) /* cannot be: decoder_emit made room for every text column */
        length = batch->texts_capacity - batch->texts_used;
    char *copy = batch->texts + batch->texts_used;
    memcpy(copy, text, length);
    batch->texts_used += length;
    row->cells[column].text = copy;
    row->cells[column].length = (uint32_t)length;
    *row->present |= UINT64_C(1) << column;
}

int decoder_each_line(struct decoder *decoder, const struct capture_file *file, const char *data, size_t length,
                      int (*each)(struct decoder *decoder, const struct capture_file *file, const char *line,
                                  size_t length, const struct place *place, struct err *err),
                      struct err *err)
{
    int64_t number = 0;
    int status = 0;
    for (size_t start = 0, end; start < length && status == 0; start = end + 1) {
        const char *newline = memchr(data + start, '\n', length - start);
        end = newline != NULL ? (size_t)(newline - data) : length;
        size_t line_length = end - start;
        if (line_length > 0 && data[end - 1] == '\r')
            line_length--;
        number++;
        if (line_length == 0)
            continue;
        struct place place = {file->name, number, (int64_t)start, NULL};
        if (newline == NULL) { /* its last number may have lost digits */
            diag_report(decoder->capture->diag, DIAG_RECORD_TRUNCATED, &place,
                        "%zu bytes without a line end; expected a whole line", length - start);
            decoder_reject(decoder, DIAG_RECORD_TRUNCATED);
            break;
        }
        decoder->row_problem = false;
        status = each(decoder, file, data + start, line_length, &place, err);
        if (decoder->row_problem)
            decoder_reject(decoder, decoder->capture->diag->latest_id);
        else if (file->kind->table == NULL)
            decoder->file->decoded++;
    }
    return status;
}
