/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "base/utf8.h"
#include "parsers/decode/decode.h"
#include "parsers/decode/decoder.h"

#include <string.h>

/* One record: a layout made ready, and the loop that reads it. */

static void add_word(struct decode_plan *plan, const struct decode_step *step)
{
    struct word_run *run = plan->run_count > 0 ? &plan->runs[plan->run_count - 1] : NULL;
    if (run == NULL || step->offset != run->offset + 4 * run->count || step->column != run->column + run->count) {
        run = &plan->runs[plan->run_count++];
        *run = (struct word_run){step->offset, step->column, 0};
    }
    run->count++;
}

/* A plain number is read as part of the eight bytes that hold it, whatever its width: one load without a choice. Its
 * record has as many. False: it is not such a one. */
static bool add_quick(struct decode_plan *plan, const struct decode_step *step)
{
    const struct layout *layout = plan->layout;
    if (step->text || step->scaled || step->relation != FIELD_PLAIN || layout->big_endian || layout->record_size < 8)
        return false;
    if (step->width == 4 && step->mask == UINT32_MAX && step->sign_bits == 0) {
        add_word(plan, step);
        return true;
    }
    uint32_t last = layout->record_size - 8, offset = step->offset < last ? step->offset : last;
    unsigned shift = step->shift + 8 * (step->offset - offset);
    if (shift >= 64)
        return false;
    *(step->sign_bits == 0 ? &plan->quick[plan->quick_count++] : &plan->quick_signed[plan->signed_count++]) =
        (struct quick_step){step->mask, offset, (uint8_t)shift, step->column};
    return true;
}

/* The steps of the fields that are plain, or of those that are not. */
static void add_steps(struct decode_plan *plan, bool plain)
{
    const struct record_kind *kind = plan->kind;
    for (size_t i = 0; i < plan->layout->field_count && plan->present != UINT64_MAX; i++) {
        const struct field *field = &plan->layout->fields[i];
        int column = record_kind_column(kind, field->column);
        int other = field->other != NULL ? record_kind_column(kind, field->other) : 0;
        if (column < 0 || other < 0 || plain != (field->relation == FIELD_PLAIN))
            continue;
        unsigned bits = field->bit_count != 0 ? field->bit_count : field->width * 8;
        struct decode_step *step = &plan->steps[plan->step_count++];
        *step = (struct decode_step){
            .offset = field->offset,
            .width = field->width,
            .column = (uint8_t)column,
            .relation = (uint8_t)field->relation,
            .shift = field->first_bit,
            .sign_bits = field->is_signed ? (uint8_t)bits : 0,
            .other = (uint8_t)other,
            .text = kind->columns[column].type == COLUMN_TEXT,
            .mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
            .multiply = field->multiply != 0 ? field->multiply : 1,
            .divide = field->divide != 0 ? field->divide : 1,
        };
        if (step->text)
            plan->text_bytes += field->width < BATCH_TEXT_MAX ? field->width : BATCH_TEXT_MAX;
        step->scaled = !step->text && (step->multiply != 1 || step->divide != 1);
        plan->step_count -= add_quick(plan, step);
        plan->present |= UINT64_C(1) << column;
    }
}

/* Whether the kind's hook may take records of the layout from their bytes, and what must be looked at in each. */
static bool find_wide(struct decode_plan *plan)
{
    const struct layout *layout = plan->layout;
    const struct kind_hooks *hooks = plan->kind->hooks;
    if (hooks == NULL || hooks->direct == NULL || layout->fields != hooks->direct_fields || plan->kind->table != NULL ||
        layout->big_endian)
        return false;
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        if (field->width != 8 || field->bit_count != 0 || field->is_signed)
            continue;
        if (plan->wide_count == WIDE_FIELDS_MAX)
            return false;
        plan->wide[plan->wide_count++] = field->offset;
    }
    return true;
}

/* Magics are looked at in every record: as with plain numbers, each is a part of eight bytes. */
static void add_magics(struct decode_plan *plan)
{
    const struct layout *layout = plan->layout;
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        if (layout->big_endian || layout->record_size < 8)
            return;
        const uint32_t last = layout->record_size - 8, offset = magic->offset < last ? magic->offset : last;
        const unsigned shift = 8 * (magic->offset - offset);
        const uint64_t mask = magic->mask != 0 ? magic->mask : UINT64_MAX >> (64 - 8 * magic->width);
        plan->magics[plan->magic_count++] = (struct magic_step){mask << shift, magic->value << shift, offset};
    }
    plan->magics_whole = true;
}

void decode_plan_init(struct decode_plan *plan, const struct record_kind *kind, const struct layout *layout)
{
    *plan = (struct decode_plan){.kind = kind, .layout = layout};
    for (size_t i = 0; i < kind->column_count; i++) {
        if ((kind->columns[i].flags & COLUMN_FILE) != 0)
            plan->files |= UINT64_C(1) << i;
    }
    add_steps(plan, true);
    plan->plain_count = plan->step_count;
    add_steps(plan, false);
    plan->direct = find_wide(plan);
    add_magics(plan);
}

void decode_plan_restart(struct decode_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        plan->steps[i].last = 0;
}

/* False when the scaled value does not fit. */
static bool scale(const struct decode_step *step, int64_t *value)
{
    int64_t product;
    if (__builtin_mul_overflow(*value, step->multiply, &product))
        return false;
    *value = product / step->divide;
    return true;
}

static bool decode_integer(const struct decode_step *step, const unsigned char *record, bool big_endian, int64_t *ret)
{
    uint64_t raw = bytes_load(record + step->offset, step->width, big_endian) >> step->shift & step->mask;
    if (step->sign_bits != 0) {
        uint64_t sign = UINT64_C(1) << (step->sign_bits - 1);
        *ret = (int64_t)((raw ^ sign) - sign);
    } else {
        if (raw > INT64_MAX)
            return false;
        *ret = (int64_t)raw;
    }
    return !step->scaled || scale(step, ret);
}

__extension__ typedef __int128 wide;

/* raw * multiply / divide * other, rounded to the nearest. False when it does not fit. */
static bool share_of(const struct decode_step *step, int64_t raw, int64_t other, int64_t *ret)
{
    wide product = (wide)raw * other, half = step->divide / 2;
    if (product < 0 || product > (wide)INT64_MAX * step->divide ||
        __builtin_mul_overflow(product, step->multiply, &product))
        return false;
    product = (product + half) / step->divide;
    *ret = (int64_t)product;
    return product <= INT64_MAX;
}

/* A column that is made with another one, or with the record before. False when the value does not fit. */
static bool decode_related(struct decode_step *step, const unsigned char *record, bool big_endian,
                           const struct cell *cells, int64_t *ret)
{
    uint64_t raw = bytes_load(record + step->offset, step->width, big_endian) >> step->shift & step->mask;
    int64_t other = step->relation == FIELD_DELTA ? 0 : cells[step->other].integer;
    if (step->relation == FIELD_DELTA) {
        uint64_t difference = (raw - step->last) & step->mask;
        step->last = raw;
        raw = difference;
    }
    if (raw > INT64_MAX)
        return false;
    if (step->relation == FIELD_OF)
        return share_of(step, (int64_t)raw, other, ret);
    *ret = (int64_t)raw;
    if (step->scaled && !scale(step, ret))
        return false;
    if (step->relation == FIELD_MINUS)
        return !__builtin_sub_overflow(*ret, other, ret);
    return step->relation != FIELD_PLUS || !__builtin_add_overflow(*ret, other, ret);
}

/* The numbers of quick steps that do not fit, as columns. */
static uint64_t quick_refused(const struct decode_plan *plan, const struct cell *cells)
{
    uint64_t refused = 0;
    for (size_t i = 0; i < plan->quick_count; i++) {
        const uint8_t column = plan->quick[i].column;
        refused |= (uint64_t)(cells[column].integer < 0) << column;
    }
    return refused;
}

/* The last column of those that the layout gives that is not there: of plain fields, then of others. */
static int last_refused(const struct decode_plan *plan, uint64_t present)
{
    int refused = -1;
    for (int plain = 1; plain >= 0; plain--) {
        for (size_t i = 0; i < plan->layout->field_count; i++) {
            const struct field *field = &plan->layout->fields[i];
            int column = record_kind_column(plan->kind, field->column);
            if (column >= 0 && (plan->present & ~present) >> column & 1 && plain == (field->relation == FIELD_PLAIN))
                refused = column;
        }
    }
    return refused;
}

void decode_record(struct decode_plan *plan, const unsigned char *record, struct row *row, int *ret_bad_column)
{
    uint64_t present = plan->present, all = 0;
    struct cell *cells = row->cells;
    for (const struct word_run *run = plan->runs, *end = run + plan->run_count; run < end; run++) {
        const unsigned char *word = record + run->offset;
        struct cell *cell = cells + run->column, *last = cell + run->count;
        for (; last - cell >= 4; cell += 4, word += 16) { /* runs are long where tensors are */
            cell[0].integer = (int64_t)bytes_load(word, 4, false);
            cell[1].integer = (int64_t)bytes_load(word + 4, 4, false);
            cell[2].integer = (int64_t)bytes_load(word + 8, 4, false);
            cell[3].integer = (int64_t)bytes_load(word + 12, 4, false);
        }
        for (; cell < last; cell++, word += 4)
            cell->integer = (int64_t)bytes_load(word, 4, false);
    }
    for (const struct quick_step *step = plan->quick, *end = step + plan->quick_count; step < end; step++) {
        uint64_t value = bytes_load(record + step->offset, 8, false) >> step->shift & step->mask;
        cells[step->column].integer = (int64_t)value;
        all |= value;
    }
    for (const struct quick_step *step = plan->quick_signed, *end = step + plan->signed_count; step < end; step++) {
        uint64_t value = bytes_load(record + step->offset, 8, false) >> step->shift & step->mask;
        uint64_t sign = step->mask - (step->mask >> 1); /* its highest bit */
        cells[step->column].integer = (int64_t)((value ^ sign) - sign);
    }
    if (all > INT64_MAX)
        present &= ~quick_refused(plan, cells);
    for (size_t i = 0; i < plan->plain_count; i++) {
        const struct decode_step *step = &plan->steps[i];
        struct cell *cell = &cells[step->column];
        if (step->text) {
            cell->text = (const char *)record + step->offset;
            cell->length = (uint32_t)strnlen(cell->text, step->width);
        } else if (!decode_integer(step, record, plan->layout->big_endian, &cell->integer)) {
            present &= ~(UINT64_C(1) << step->column);
        }
    }
    for (size_t i = plan->plain_count; i < plan->step_count; i++) {
        struct decode_step *step = &plan->steps[i];
        bool given = step->relation == FIELD_DELTA || (present >> step->other & 1) != 0;
        if (!decode_related(step, record, plan->layout->big_endian, cells, &cells[step->column].integer) || !given)
            present &= ~(UINT64_C(1) << step->column);
    }
    *ret_bad_column = present == plan->present ? -1 : last_refused(plan, present);
    *row->present = present;
}

/* Rows on their way from hooks and the record loop to the sink. */

/* Rows of few kinds come by turns: the place where a kind was last found is indexed by its address. */
static inline struct open_batch **place_of(struct decoder *decoder, const struct record_kind *kind)
{
    return &decoder->found[(uintptr_t)kind / sizeof *kind % FOUND_KINDS];
}

struct open_batch *decoder_open_batch(struct decoder *decoder, const struct record_kind *kind)
{
    struct open_batch **found = place_of(decoder, kind);
    for (size_t i = 0; (*found == NULL || (*found)->kind != kind) && i < decoder->open_count; i++) {
        if (decoder->open[i].kind == kind)
            *found = &decoder->open[i];
    }
    return *found != NULL && (*found)->kind == kind ? *found : NULL;
}

static int commit(struct decoder *decoder, struct open_batch *open, struct err *err)
{
    struct row_batch *batch = open->batch;
    bool incomplete = batch->incomplete;
    open->batch = NULL;
    int status = decoder->sink->commit(decoder->sink, batch, err);
    return status == 0 && incomplete ? err_no_memory(err) : status;
}

/* Whether a row of so many bytes of texts has no room any more. Long texts are counted when they are there. */
static inline bool is_full(const struct row_batch *batch, size_t text_bytes)
{
    return batch->rows == batch->capacity || batch->texts_capacity - batch->texts_used < text_bytes ||
           batch->long_bytes > BATCH_TEXTS;
}

static inline void begin_row(struct row_batch *batch, struct row *ret_row)
{
    ret_row->cells = batch->cells + batch->rows * batch->kind->column_count;
    ret_row->present = &batch->present[batch->rows];
    *ret_row->present = 0;
}

int open_batch_next(struct decoder *decoder, struct open_batch *open, size_t text_bytes, struct row *ret_row,
                    struct err *err)
{
    struct row_batch *batch = open->batch;
    if (batch != NULL && is_full(batch, text_bytes)) {
        if (commit(decoder, open, err) < 0)
            return err_status(err);
        batch = NULL;
    }
    if (batch == NULL) {
        batch = open->batch = decoder->sink->begin(decoder->sink, open->kind, err);
        if (batch == NULL)
            return err_status(err);
    }
    begin_row(batch, ret_row);
    return 0;
}

void open_batch_keep(struct open_batch *open)
{
    open->batch->rows++;
    open->rows++;
}

int decoder_flush(struct decoder *decoder, struct err *err)
{
    for (size_t i = 0; i < decoder->open_count; i++)
        if (decoder->open[i].batch != NULL && commit(decoder, &decoder->open[i], err) < 0)
            return err_status(err);
    return 0;
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
    return diag_check_span(decoder_diag(decoder), &place, what, start_ns, end_ns);
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
    struct open_batch *open = *place_of(decoder, kind);
    if (open == NULL || open->kind != kind)
        open = decoder_open_batch(decoder, kind);
    if (open == NULL)
        return err_set(err, ERR_FAILED, "record kind '%s' is not registered", kind->name);
    struct row_batch *batch = open->batch;
    if (batch == NULL || is_full(batch, open->text_columns * BATCH_TEXT_MAX)) {
        int status = open_batch_next(decoder, open, open->text_columns * BATCH_TEXT_MAX, ret_row, err);
        if (status < 0)
            return status;
    } else {
        begin_row(batch, ret_row);
    }
    open_batch_keep(open);
    return 0;
}

int decoder_emit_source(struct decoder *decoder, struct row_source *source, struct err *err)
{
    struct row_sink *sink = decoder->sink;
    struct open_batch *open = decoder_open_batch(decoder, source->kind);
    size_t rows = 1;
    int status = open != NULL && open->batch != NULL ? commit(decoder, open, err) : 0; /* rows before those of it */
    if (status < 0) {
        source->release(source);
        return status;
    }
    if (sink->defer != NULL) {
        sink->defer(sink, source);
        return 0;
    }
    while (status == 0 && rows > 0) {
        struct row_batch *batch = sink->begin(sink, source->kind, err);
        if (batch == NULL) {
            status = err_status(err);
            break;
        }
        status = source->fill(source, batch, err);
        rows = batch->rows;
        int committed = sink->commit(sink, batch, err);
        status = status == 0 ? committed : status;
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

size_t decode_cut_list(const char *text)
{
    const char *border = memrchr(text, ';', DECODED_TEXT_MAX + 1);
    return border != NULL ? (size_t)(border - text) : utf8_cut(text, DECODED_TEXT_MAX);
}

void decoder_report_cut(struct decoder *decoder, const char *file, const struct record_kind *kind, size_t column,
                        size_t length, size_t kept)
{
    const struct place place = {file, -1, -1, kind->columns[column].name};
    diag_report(decoder->capture->diag, DIAG_TEXT_CUT, &place,
                "a text of table %s has %zu bytes; expected at most %d: it is truncated to %zu", kind->table, length,
                DECODED_TEXT_MAX, kept);
}

void decoder_set_text(struct decoder *decoder, const struct record_kind *kind, struct row *row, size_t column,
                      const char *text, size_t length)
{
    if (length > DECODED_TEXT_MAX) {
        size_t kept = utf8_cut(text, DECODED_TEXT_MAX);
        decoder_report_cut(decoder, decoder_place(decoder, NULL).file, kind, column, length, kept);
        length = kept;
    }
    row_batch_put_text(decoder_open_batch(decoder, kind)->batch, text, length, &row->cells[column]);
    *row->present |= UINT64_C(1) << column;
}

int decoder_emit_copy(struct decoder *decoder, const struct record_kind *kind, const struct row *values,
                      struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, kind, &row, err) != 0)
        return err_status(err);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].flags & COLUMN_FILE)
            row_set_integer(&row, i, decoder_file_id(decoder));
        else if (row_has(values, i) && kind->columns[i].type == COLUMN_TEXT)
            decoder_set_text(decoder, kind, &row, i, values->cells[i].text, values->cells[i].length);
        else if (row_has(values, i))
            row_set_integer(&row, i, values->cells[i].integer);
    }
    return 0;
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
