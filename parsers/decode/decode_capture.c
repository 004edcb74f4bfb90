/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of records: files in, chunk by chunk, every record through its layout and its kind's hooks. */
#include "parsers/decode/decode.h"

#include "base/bytes.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/decode_ahead.h"
#include "parsers/decode/decoder.h"
#include "parsers/decode/file_reader.h"
#include "parsers/decode/layout.h"
#include "parsers/decode/stream.h"
#include "parsers/join/association.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUM_CHUNK ((size_t)64 * 1024)

/* ---- records ---- */

/* The texts outlive the buffer: they move into the batch, where open_batch_next has made room. */
static void copy_texts(struct stream *stream, struct row *row)
{
    struct row_batch *batch = stream->open->batch;
    for (size_t i = 0; i < stream->plan->step_count; i++) {
        const struct decode_step *step = &stream->plan->steps[i];
        struct cell *cell = &row->cells[step->column];
        if (step->text)
            row_batch_put_text(batch, cell->text, cell->length, cell);
    }
}

/* Zeros where no magic distinguishes a record from a hole in the file. */
static bool is_blank(const struct stream *stream, const unsigned char *record)
{
    const struct layout *layout = stream->plan->layout;
    return record[0] == 0 && memcmp(record, record + 1, layout->record_size - 1) == 0 && !framing_can_search(layout);
}

/* Counts the record that was looked at: nothing goes without a word. */
static inline void count_record(struct decoder *decoder, bool keep, uint64_t reports_before)
{
    struct diagnostics *diag = decoder->capture->diag;
    if (keep) {
        decoder->file->decoded++;
        decoder->file->joined += decoder->consumed;
        return;
    }
    if (diag_reports(diag) == reports_before) {
        struct place place = decoder_place(decoder, NULL);
        diag_report(diag, DIAG_RECORD_VALUE, &place, "a record that its kind refuses");
    }
    capture_file_reject(decoder->file, diag->latest_id, 1);
}

/* A record that its kind's hook takes as it stands. */
static inline int take_bytes(struct stream *stream, const unsigned char *record, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    const uint64_t reports = diag_reports(decoder->capture->diag);
    bool keep = true;
    decoder->consumed = true;
    decoder->bytes = (struct bytes){record, stream->plan->layout->record_size};
    decoder->layout = stream->plan->layout;
    const int status = stream->kind->hooks->direct(decoder, stream->state, record, &keep, err);
    if (status == 0)
        count_record(decoder, keep, reports);
    return status;
}

static int take_row(struct stream *stream, const unsigned char *record, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    const struct record_kind *kind = stream->kind;
    struct row row = {decoder->scratch, &decoder->scratch_present};
    int bad_column, status = 0;
    uint64_t reports = diag_reports(decoder->capture->diag);
    if (kind->table != NULL)
        status = open_batch_next(decoder, stream->open, stream->plan->text_bytes, &row, err);
    if (status < 0)
        return status;
    decode_record(stream->plan, record, &row, &bad_column);
    bool keep = bad_column < 0;
    decoder->consumed = kind->table == NULL;
    if (!keep) {
        struct place place = decoder_place(decoder, kind->columns[bad_column].name);
        diag_report(decoder->capture->diag, DIAG_RECORD_VALUE, &place, "a value of 2^63 or more; expected less");
    }
    if (keep && is_blank(stream, record)) {
        struct place place = decoder_place(decoder, NULL);
        keep = false;
        diag_report(decoder->capture->diag, DIAG_RECORD_VALUE, &place, "only zeros; expected a record");
    }
    if (keep)
        decode_put_file(stream->plan, decoder->file->id, &row);
    decoder->bytes = (struct bytes){record, stream->plan->layout->record_size};
    decoder->layout = stream->plan->layout;
    if (keep && kind->hooks != NULL && kind->hooks->record != NULL)
        status = kind->hooks->record(decoder, stream->state, &row, &keep, err);
    if (status < 0)
        return status;
    if (keep && !decoder->consumed) {
        if (stream->plan->text_bytes > 0)
            copy_texts(stream, &row);
        open_batch_keep(stream->open);
    }
    count_record(decoder, keep, reports);
    return status;
}

static inline int take_record(struct stream *stream, const unsigned char *record, struct err *err)
{
    return decode_plan_fits(stream->plan, record) ? take_bytes(stream, record, err) : take_row(stream, record, err);
}

/* The first magic of a record that does not stand, as the place of the damage. */
static void note_damage(struct stream *stream, size_t at)
{
    const struct layout *layout = stream->layout;
    const unsigned char *record = stream->buffer + at;
    struct damage *damage = &stream->damage;
    *damage = (struct damage){stream->buffer_offset + (int64_t)at, stream->decoder->file,
                              decoder_place(stream->decoder, "magic"), 0, 0};
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        uint64_t mask = magic->mask != 0 ? magic->mask : UINT64_MAX;
        damage->found = bytes_load(record + magic->offset, magic->width, layout->big_endian) & mask;
        damage->expected = magic->value;
        if (damage->found != damage->expected) {
            damage->place.offset += magic->offset;
            return;
        }
    }
}

/* Reports the damaged place that ends before stream offset `end`, and counts the records that it cost. */
static void report_damage(struct stream *stream, int64_t end)
{
    const struct damage *damage = &stream->damage;
    int64_t size = stream->layout->record_size, bytes = end - damage->offset, records = (bytes + size - 1) / size;
    diag_report(stream->decoder->capture->diag, DIAG_RECORD_MAGIC, &damage->place,
                "found 0x%llx, expected 0x%llx; %lld bytes are skipped", (unsigned long long)damage->found,
                (unsigned long long)damage->expected, (long long)bytes);
    capture_file_reject(damage->file, DIAG_RECORD_MAGIC, (uint64_t)records);
    stream->decoder->record += records;
}

/* layout_matches() of the plan's layout. */
static inline bool magics_stand(const struct decode_plan *plan, const unsigned char *record)
{
    if (!plan->magics_whole)
        return layout_matches(plan->layout, record);
    for (const struct magic_step *step = plan->magics, *end = step + plan->magic_count; step < end; step++)
        if ((bytes_load(record + step->offset, 8, false) & step->mask) != step->value)
            return false;
    return true;
}

/* Whether the record at `at`, whose magic stands, is followed by what must follow it; *ret_sound: where a whole record
 * follows whose magic stands, too. */
static bool is_followed(const struct stream *stream, size_t at, size_t *ret_sound)
{
    size_t next = at + stream->layout->record_size;
    if (stream->used - next >= stream->layout->record_size) {
        if (!magics_stand(stream->plan, stream->buffer + next))
            return false;
        *ret_sound = next;
        return true;
    }
    return framing_may_begin(stream->layout, stream->buffer + next, stream->used - next);
}

/* A record that nothing sound follows: bytes are missing from it or too many when the next record begins off the grid.
 * True: it was rejected and *at is where the next begins. */
static bool reject_misaligned(struct stream *stream, size_t *at)
{
    size_t size = stream->layout->record_size, next;
    if (!framing_search(stream->layout, stream->buffer, stream->used, *at + 1, *at + size, stream->last_chunk, &next) ||
        (next - *at) % size == 0)
        return false;
    struct place place = decoder_place(stream->decoder, NULL);
    diag_report(stream->decoder->capture->diag, DIAG_RECORD_MAGIC, &place,
                "the next record begins %zu bytes later, expected %zu: bytes were lost or inserted", next - *at, size);
    capture_file_reject(stream->decoder->file, DIAG_RECORD_MAGIC, 1);
    stream->decoder->record++;
    *at = next;
    return true;
}

/* While searching: goes to the next sound record. False: it is not in the buffer; what is ruled out is skipped. */
static bool find_next(struct stream *stream, size_t *at)
{
    size_t size = stream->layout->record_size;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): layouts with a record size of 0 are refused
    size_t past = (size_t)((stream->buffer_offset + (int64_t)*at - stream->damage.offset) % (int64_t)size);
    size_t grid = *at + (size - past) % size;
    stream->searching =
        !framing_search(stream->layout, stream->buffer, stream->used, *at, grid, stream->last_chunk, at);
    if (!stream->searching)
        report_damage(stream, stream->buffer_offset + (int64_t)*at);
    return !stream->searching;
}

/* The magics of a plan whose layout has one that is all of them, which are most; else the layout is asked. */
struct one_magic {
    bool only;
    struct magic_step step;
};

static inline bool one_stands(const struct one_magic *one, const struct decode_plan *plan, const unsigned char *record)
{
    return one->only ? (bytes_load(record + one->step.offset, 8, false) & one->step.mask) == one->step.value
                     : magics_stand(plan, record);
}

/* Takes the records at the front as long as each is sound, and another follows, as take_chunk does; how many bytes that
 * are, or -code. */
static int64_t take_sound(struct stream *stream, struct err *err)
{
    const struct layout *layout = stream->layout;
    const struct decode_plan *plan = stream->plan;
    const struct one_magic one = {plan->magics_whole && plan->magic_count == 1, plan->magics[0]};
    const size_t size = layout->record_size;
    const bool can_search = framing_can_search(layout);
    struct decoder *decoder = stream->decoder;
    const unsigned char *record = stream->buffer;
    if (stream->used < 2 * size || !magics_stand(plan, record))
        return 0;
    const unsigned char *last = record + stream->used - 2 * size;
    for (bool sound = true; sound && record <= last; record += size) {
        sound = one_stands(&one, plan, record + size);
        if (!sound && can_search)
            break;
        stream_locate(stream, (size_t)(record - stream->buffer));
        if (take_record(stream, record, err) < 0)
            return err_status(err);
        decoder->record++;
    }
    return record - stream->buffer;
}

/* Decodes what is complete in the buffer; returns how many bytes are done with, or -code. */
static int64_t take_chunk(struct stream *stream, struct err *err)
{
    const size_t size = stream->layout->record_size;
    const bool can_search = framing_can_search(stream->layout);
    /* Whether a record is whole shows in the one after it. */
    const size_t wanted = can_search && !stream->last_chunk ? 2 * size : size;
    const int64_t taken = stream->searching ? 0 : take_sound(stream, err);
    size_t at = taken > 0 ? (size_t)taken : 0, sound = SIZE_MAX;
    if (taken < 0)
        return taken;
    while (stream->used - at >= wanted) {
        if (stream->searching && !find_next(stream, &at))
            break;
        if (stream->used - at < wanted)
            break;
        stream_locate(stream, at);
        if (at != sound && !magics_stand(stream->plan, stream->buffer + at)) {
            note_damage(stream, at);
            stream->searching = can_search;
            if (!can_search)
                report_damage(stream, stream->damage.offset + (int64_t)size);
            at += can_search ? 1 : size;
            continue;
        }
        if (can_search && !is_followed(stream, at, &sound)) {
            if (!stream->last_chunk && stream->used - at < CHUNK_SIZE / 2)
                break; /* to look far ahead */
            if (reject_misaligned(stream, &at))
                continue;
        }
        if (take_record(stream, stream->buffer + at, err) < 0)
            return err_status(err);
        stream->decoder->record++;
        at += size;
    }
    return (int64_t)at;
}

/* The plan of the record that begins at `at` in a stream of records of several sizes; NULL: none begins there. */
static struct decode_plan *plan_at(const struct stream *stream, size_t at)
{
    const struct decoder *decoder = stream->decoder;
    for (size_t i = 0; i < decoder->plan_count; i++) {
        if (framing_may_begin(decoder->plans[i].layout, stream->buffer + at, stream->used - at))
            return &decoder->plans[i];
    }
    return NULL;
}

/* As take_chunk, for records of several sizes: each one's magics name its layout. */
static int64_t take_mixed_chunk(struct stream *stream, struct err *err)
{
    size_t at = 0;
    int status = 0;
    while (at < stream->used && status == 0) {
        struct decode_plan *plan = plan_at(stream, at);
        size_t size = plan != NULL ? plan->layout->record_size : 1;
        stream_locate(stream, at);
        if (plan != NULL && stream->used - at < size + (stream->last_chunk ? 0 : RECORD_MAX_SIZE))
            break; /* to see what follows */
        if (plan != NULL && stream->searching && plan_at(stream, at + size) == NULL)
            plan = NULL;
        if (plan == NULL) {
            if (!stream->searching)
                note_damage(stream, at);
            stream->searching = true;
            at++;
            continue;
        }
        if (stream->searching)
            report_damage(stream, stream->buffer_offset + (int64_t)at);
        stream->searching = false;
        stream->plan = plan;
        status = take_record(stream, stream->buffer + at, err);
        stream->decoder->record++;
        at += size;
    }
    return status < 0 ? status : (int64_t)at;
}

static int check_stop(const struct decoder *decoder, struct err *err)
{
    if (interrupted())
        return interrupt_error(err);
    if (decoder->apart != NULL && (atomic_load(decoder->apart) || diag_reports(decoder->capture->diag) > 0))
        return err_set(err, ERR_FAILED, "streams that are decoded ahead are not sound, or not wanted any more");
    if (diag_is_fatal(decoder->capture->diag))
        return diag_fatal_error(decoder->capture->diag, err);
    return 0;
}

/* Takes what is in the buffer and keeps the rest at its front. The first chunk also decides the layout. */
static int process_buffer(struct stream *stream, bool *ret_give_up, struct err *err)
{
    if (stream->layout == NULL) {
        int status = stream_choose_layout(stream, err);
        *ret_give_up = stream->layout == NULL;
        if (*ret_give_up || status < 0)
            return status;
    }
    if (!stream->run_begun)
        stream_drop_front(stream);
    stream->run_begun = true;
    int64_t done = stream->layout->mixed ? take_mixed_chunk(stream, err) : take_chunk(stream, err);
    if (done < 0)
        return (int)done;
    memmove(stream->buffer, stream->buffer + done, stream->used - (size_t)done);
    stream->used -= (size_t)done;
    stream->buffer_offset += done;
    return check_stop(stream->decoder, err);
}

/* Whether the bytes that come next may be looked at where the reader has them: what is left in the buffer goes in front
 * of them, and what they leave back into the buffer. */
static bool may_borrow(const struct stream *stream)
{
    return stream->run_begun && !stream->layout->mixed && !stream->searching && stream->used <= READER_FRONT &&
           2 * stream->layout->record_size <= READER_FRONT && stream->decoder->buffer_size == CHUNK_SIZE;
}

static ssize_t take_borrowed(struct stream *stream, int *ret_status, struct err *err)
{
    unsigned char *own = stream->buffer, *bytes;
    ssize_t got = file_reader_lend(stream->decoder->reader, &bytes);
    if (got <= 0)
        return got;
    stream->buffer = memcpy(bytes - stream->used, own, stream->used);
    stream->used += (size_t)got;
    int64_t done = take_sound(stream, err);
    if (done >= 0) {
        stream->used -= (size_t)done;
        memcpy(own, stream->buffer + done, stream->used);
        stream->buffer_offset += done;
    }
    stream->buffer = own;
    *ret_status = done < 0 ? (int)done : check_stop(stream->decoder, err);
    return got;
}

static ssize_t fill_buffer(struct stream *stream)
{
    struct decoder *decoder = stream->decoder;
    ssize_t got = file_reader_read(decoder->reader, stream->buffer + stream->used, decoder->buffer_size - stream->used);
    stream->used += got > 0 ? (size_t)got : 0;
    return got;
}

/* Takes one file of the stream through the buffer. False: it could not be read to its end, which has been reported. */
static bool take_file(struct stream *stream, struct capture_file *file, bool *ret_give_up, int *ret_status,
                      struct err *err)
{
    struct decoder *decoder = stream->decoder;
    struct file_reader *reader = decoder->reader;
    int failure = file_reader_open(reader, (size_t)(file - decoder->capture->files));
    if (failure != 0) {
        diag_report(decoder->capture->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(file->name, NULL),
                    "%s; expected a readable file", failure > 0 ? strerror(failure) : "no longer a regular file");
        return false;
    }
    while (*ret_status == 0 && !*ret_give_up) {
        ssize_t got = may_borrow(stream) ? take_borrowed(stream, ret_status, err) : fill_buffer(stream);
        if (got < 0) {
            struct place place = {
                file->name, -1, stream->buffer_offset + (int64_t)stream->used - stream->starts[stream->current], NULL};
            diag_report(decoder->capture->diag, DIAG_FILE_UNREADABLE, &place, "%s; expected %llu bytes",
                        errno == ENODATA ? "a hole that was never written; nothing after it is read" : strerror(errno),
                        (unsigned long long)file->size);
            break;
        }
        if (got == 0) {
            memcpy(file->checksum, file_reader_checksum(reader), sizeof file->checksum);
            return true;
        }
        file->bytes_read += (uint64_t)got;
        decoder->bytes_done += (uint64_t)got;
        if (*ret_status < 0)
            break;
        if (stream->used == CHUNK_SIZE)
            *ret_status = process_buffer(stream, ret_give_up, err);
        else if (stream->used == decoder->buffer_size)
            *ret_status = stream_grow_buffer(stream, err);
        progress_update(decoder->progress, "import", decoder->bytes_done, decoder->bytes_total);
    }
    return false;
}

static void report_rest(struct stream *stream)
{
    struct decoder *decoder = stream->decoder;
    if (stream->searching) {
        report_damage(stream, stream->buffer_offset + (int64_t)stream->used);
    } else if (stream->used > 0) {
        stream_locate(stream, 0);
        struct place place = decoder_place(decoder, NULL);
        diag_report(decoder->capture->diag, DIAG_RECORD_TRUNCATED, &place,
                    "%zu bytes at the end; expected a record of %u bytes", stream->used, stream->layout->record_size);
        capture_file_reject(decoder->file, DIAG_RECORD_TRUNCATED, 1);
    }
}

/* Nothing follows what is in the buffer: the last file has been read, or the next slice is not there. */
static int finish_run(struct stream *stream, bool *ret_give_up, struct err *err)
{
    stream->last_chunk = true;
    if ((stream->used > 0 || stream->searching) && process_buffer(stream, ret_give_up, err) < 0)
        return err_status(err);
    if (stream->layout != NULL)
        report_rest(stream);
    stream->buffer_offset += (int64_t)stream->used;
    stream->used = 0;
    stream->last_chunk = stream->searching = false;
    return 0;
}

/* Whether the file at index goes on where the one before it ended. */
static bool continues(const struct stream *stream, size_t index)
{
    if (index == 0 || stream->files[index].identity.slice == stream->files[index - 1].identity.slice + 1)
        return index == 0 || !stream_run_ends(stream, index - 1);
    diag_report(stream->decoder->capture->diag, DIAG_FILE_MISSING, FILE_PLACE(stream->files[index].name, NULL),
                "slice %lld follows slice %lld; the slices in between are missing",
                (long long)stream->files[index].identity.slice, (long long)stream->files[index - 1].identity.slice);
    return false;
}

static int read_files(struct stream *stream, struct err *err)
{
    int status = 0;
    bool give_up = false, whole = true;
    for (size_t i = 0; i < stream->file_count && status == 0 && !give_up; i++) {
        if (!continues(stream, i) || !whole) {
            status = finish_run(stream, &give_up, err);
            stream->run = i;
            stream->run_begun = false;
        }
        if (status < 0)
            break;
        give_up = false; /* a later run may begin better */
        stream->current = i;
        stream->starts[i] = stream->buffer_offset + (int64_t)stream->used;
        whole = take_file(stream, &stream->files[i], &give_up, &status, err);
    }
    return status == 0 && !give_up ? finish_run(stream, &give_up, err) : status;
}

static int decode_binary(struct stream *stream, struct err *err)
{
    for (size_t i = 0; i < stream->file_count; i++)
        stream->total_size += stream->files[i].size;
    stream->decoder->record = stream->decoder->offset = 0;
    stream->buffer = stream->decoder->buffer;
    stream->starts = calloc(stream->file_count, sizeof *stream->starts);
    int status = stream->starts != NULL ? 0 : err_no_memory(err);
    if (status == 0 && stream->buffer == NULL)
        status = stream_grow_buffer(stream, err);
    if (status == 0)
        status = read_files(stream, err);
    free(stream->starts);
    return status;
}

/* ---- text files ---- */

static int decode_text(struct stream *stream, struct capture_file *file, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    struct err problem = ERR_INIT;
    SCOPED_FREE char *data = NULL;
    size_t length;
    decoder->file = file;
    decoder->record = decoder->offset = -1;
    int status = capture_file_read(decoder->capture, file->name, TEXT_FILE_LIMIT, &data, &length, &problem);
    if (status == -ERR_NO_MEMORY) {
        *err = problem;
        return status;
    }
    if (status < 0) {
        diag_report(decoder->capture->diag, status == -ERR_LIMIT ? DIAG_FILE_LIMIT : DIAG_FILE_UNREADABLE,
                    FILE_PLACE(file->name, NULL), "%s; expected a text file of at most %d bytes", err_message(&problem),
                    TEXT_FILE_LIMIT);
        return 0;
    }
    checksum_add(stream->checksum, data, length);
    checksum_finish(stream->checksum, file->checksum);
    file->bytes_read = length;
    int64_t rows = stream->open->rows;
    status = stream->kind->hooks->text(decoder, stream->state, file, data, length, err);
    if (stream->kind->table != NULL)
        file->decoded = (uint64_t)(stream->open->rows - rows);
    decoder->bytes_done += file->size;
    return status < 0 ? status : check_stop(decoder, err);
}

/* Adds a file's bytes to a checksum of its own. A file that ends early is found by the second look at the capture. */
static int sum_file(struct decoder *decoder, struct capture_file *file, struct checksum *checksum, struct err *err)
{
    struct stat info;
    int failure = 0;
    SCOPED_CLOSE int fd = capture_file_open(decoder->capture, file->name, &info, &failure);
    SCOPED_FREE char *chunk = scoped_memory(SUM_CHUNK, 1);
    if (chunk == NULL)
        return err_no_memory(err);
    for (ssize_t got; fd >= 0 && (got = read(fd, chunk, SUM_CHUNK)) > 0;) {
        checksum_add(checksum, chunk, (size_t)got);
        file->bytes_read += (uint64_t)got;
        if (interrupted())
            return interrupt_error(err);
    }
    checksum_finish(checksum, file->checksum);
    return 0;
}

/* A file that its kind reads by itself. */
static int decode_whole_file(struct stream *stream, struct capture_file *file, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    const int64_t rows = stream->open->rows;
    const char *directory = decoder->capture->directory; /* NULL: names are paths */
    SCOPED_FREE char *path =
        directory != NULL ? path_joined(directory, file->name, err) : scoped_text(file->name, SIZE_MAX);
    decoder->file = file;
    decoder->record = decoder->offset = -1;
    if (path == NULL || sum_file(decoder, file, stream->checksum, err) < 0 ||
        stream->kind->hooks->file(decoder, stream->state, file, path, err) < 0)
        return err_status(err);
    if (stream->kind->table != NULL)
        file->decoded = (uint64_t)(stream->open->rows - rows);
    decoder->bytes_done += file->size;
    return check_stop(decoder, err);
}

/* ---- all of it ---- */

static int decode_stream(struct decoder *decoder, struct capture_file *files, size_t file_count,
                         struct checksum *checksum, struct err *err)
{
    const struct record_kind *kind = files->kind;
    const struct kind_hooks *hooks = kind->hooks;
    struct stream stream = {
        .decoder = decoder,
        .files = files,
        .file_count = file_count,
        .kind = kind,
        .open = decoder_open_batch(decoder, kind),
        .checksum = checksum,
    };
    if (hooks != NULL && hooks->state_size != 0) {
        stream.state = calloc(1, hooks->state_size);
        if (stream.state == NULL)
            return err_no_memory(err);
    }
    decoder->file = files;
    int status = hooks != NULL && hooks->open != NULL ? hooks->open(decoder, stream.state, files, err) : 0;
    if (status == 0 && hooks != NULL && hooks->text != NULL) {
        for (size_t i = 0; i < file_count && status == 0; i++)
            status = decode_text(&stream, &files[i], err);
    } else if (status == 0 && hooks != NULL && hooks->file != NULL) {
        for (size_t i = 0; i < file_count && status == 0; i++)
            status = decode_whole_file(&stream, &files[i], err);
    } else if (status == 0) {
        status = decode_binary(&stream, err);
    }
    if (hooks != NULL && hooks->close != NULL) {
        int closed = hooks->close(decoder, stream.state, status < 0, err);
        if (status == 0)
            status = closed;
    }
    free(stream.state);
    return status;
}

/* Files of the same kind and identity, but for the slice, are one stream. */
static bool same_stream(const struct capture_file *a, const struct capture_file *b)
{
    return a->kind == b->kind && a->part == b->part && a->identity.slice >= 0 && b->identity.slice >= 0 &&
           file_identity_compare(&a->identity, &b->identity, false) == 0;
}

/* The host and every device are joined on their own, then with each other. */
static int change_part(struct decoder *decoder, size_t part, struct err *err)
{
    int status = 0;
    if (decoder->capture->family == CAPTURE_SVP)
        return 0;
    if (decoder->association == NULL)
        decoder->association = association_new(decoder, err);
    else
        status = association_end_part(decoder->association, err);
    if (decoder->association == NULL)
        return err_status(err);
    return status == 0 ? association_begin_part(decoder->association, part, err) : status;
}

/* The end of the stream that begins with this file. */
static size_t stream_end(const struct capture *capture, size_t first)
{
    size_t end = first + 1;
    while (end < capture->file_count && same_stream(&capture->files[first], &capture->files[end]))
        end++;
    return end;
}

/* Takes over what was decoded ahead of a part, whose streams are passed over then: 1; 0: the stream is to be decoded.
 */
static int pass_over(struct decoder *decoder, size_t first, size_t end, struct err *err)
{
    struct capture *capture = decoder->capture;
    if (decoder->ahead == NULL || ahead_left(decoder->ahead)[first])
        return 0;
    int status = ahead_take(decoder->ahead, capture->files[first].part, decoder->association, err);
    if (status == 0) { /* the reader has passed over its files */
        file_reader_free(decoder->reader);
        ahead_give_back(decoder->ahead);
        decoder->reader = file_reader_new(capture, first, ahead_left(decoder->ahead), err);
        return decoder->reader != NULL ? 0 : err_status(err);
    }
    for (size_t i = first; status > 0 && i < end; i++) {
        capture->files[i].mark = diag_mark(capture->diag);
        decoder->bytes_done += capture->files[i].bytes_read;
    }
    return status;
}

/* Whether the file was rejected as a copy: 1. */
static int pass_over_copy(struct decoder *decoder, struct capture_file *file, struct err *err)
{
    struct capture *capture = decoder->capture;
    const char *checksum =
        copies_are_told_late(capture, file) ? file_reader_peek(decoder->reader, (size_t)(file - capture->files)) : NULL;
    return checksum != NULL ? copies_reject(&decoder->copies, capture, file, checksum, err) : 0;
}

static int decode_files(struct decoder *decoder, struct checksum *checksum, struct err *err)
{
    struct capture *capture = decoder->capture;
    int status = check_stop(decoder, err);
    size_t part = SIZE_MAX;
    for (size_t i = 0, next; i < capture->file_count && status == 0; i = next) {
        struct capture_file *file = &capture->files[i];
        next = i + 1;
        if (file->part != part)
            status = change_part(decoder, part = file->part, err);
        if (file->kind == NULL || status < 0)
            continue;
        next = stream_end(capture, i);
        status = pass_over(decoder, i, next, err);
        if (status == 0)
            status = pass_over_copy(decoder, file, err);
        if (status == 0)
            status = decode_stream(decoder, file, next - i, checksum, err);
        else if (status > 0)
            status = check_stop(decoder, err);
        if (status < 0 && status != -ERR_STRICT && status != -ERR_INTERRUPTED)
            err_wrap(err, "cannot decode '%s'", file->name);
    }
    return status == 0 && decoder->association != NULL ? association_finish(decoder->association, err) : status;
}

static int open_batches(struct decoder *decoder, struct err *err)
{
    while (record_kinds[decoder->open_count] != NULL)
        decoder->open_count++;
    decoder->open = calloc(decoder->open_count, sizeof *decoder->open);
    if (decoder->open == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < decoder->open_count; i++) {
        const struct record_kind *kind = record_kinds[i];
        decoder->open[i].kind = kind;
        for (size_t column = 0; column < kind->column_count; column++)
            decoder->open[i].text_columns += kind->columns[column].type == COLUMN_TEXT;
    }
    return 0;
}

static int open_decoder(struct decoder *decoder, struct err *err)
{
    if (open_batches(decoder, err) < 0)
        return err_status(err);
    decoder->scratch = calloc(RECORD_MAX_COLUMNS, sizeof *decoder->scratch);
    return decoder->scratch != NULL ? 0 : err_no_memory(err);
}

static void close_decoder(struct decoder *decoder)
{
    file_reader_free(decoder->reader);
    free(decoder->buffer);
    free(decoder->scratch);
    free(decoder->open);
    free(decoder->plans);
    map_release(&decoder->copies.seen);
}

/* Rows would not be in their order. */
static struct row_batch *refuse_rows(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    err_set(err, ERR_FAILED, "records of kind %s were not expected where streams are decoded ahead", kind->name);
    return NULL;
}

static int decode_chosen(struct decoder *decoder, const struct ahead_work *work, struct err *err)
{
    struct capture *capture = decoder->capture;
    for (size_t i = work->first, end; i < capture->file_count && capture->files[i].part == work->part; i = end) {
        end = stream_end(capture, i);
        if ((work->chosen[i] && decode_stream(decoder, &capture->files[i], end - i, NULL, err) < 0) ||
            check_stop(decoder, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int decode_ahead(struct ahead_work *work, struct association **ret, struct err *err)
{
    struct row_sink sink = {.begin = refuse_rows};
    struct decoder decoder = {.capture = &work->capture, .sink = &sink, .apart = &work->stop};
    bool opened = open_decoder(&decoder, err) == 0 && (decoder.association = association_new(&decoder, err)) != NULL &&
                  (decoder.reader = file_reader_new(&work->capture, work->first, work->chosen, err)) != NULL &&
                  association_begin_part(decoder.association, work->part, err) == 0;
    int status = opened ? decode_chosen(&decoder, work, err) : err_status(err);
    *ret = decoder.association;
    close_decoder(&decoder);
    return status;
}

/* Memory that no file needs takes none: nothing is written there. */
static int count_rejections(struct capture *capture, struct err *err)
{
    if (capture->rejections == NULL)
        capture->rejections = calloc(capture->file_count + 1, DIAG_COUNT * sizeof *capture->rejections);
    if (capture->rejections == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < capture->file_count; i++)
        capture->files[i].rejected_for = capture->rejections + i * DIAG_COUNT;
    return 0;
}

static int decode_records(struct decoder *decoder, struct checksum *checksum, struct err *err)
{
    struct capture *capture = decoder->capture;
    int status = open_decoder(decoder, err);
    if (status < 0)
        return status;
    if (capture->family == CAPTURE_CANN)
        decoder->ahead = ahead_new(capture, decode_ahead);
    decoder->reader = file_reader_new(capture, 0, decoder->ahead != NULL ? ahead_left(decoder->ahead) : NULL, err);
    return decoder->reader != NULL ? decode_files(decoder, checksum, err) : err_status(err);
}

int decode_capture(struct capture *capture, struct row_sink *sink, const struct progress *progress, struct err *err)
{
    int status = count_rejections(capture, err) < 0 ? err_status(err) : capture_reject_copies(capture, err);
    if (status < 0)
        return status;
    struct decoder decoder = {
        .capture = capture, .sink = sink, .progress = progress, .bytes_total = capture_record_bytes(capture)};
    struct checksum *checksum = checksum_new_kind(CHECKSUM_XXH128);
    copies_begin(&decoder.copies, capture);
    status = checksum != NULL ? decode_records(&decoder, checksum, err) : err_no_memory(err);
    ahead_free(decoder.ahead);
    if (status == 0 && (status = decoder_flush(&decoder, err)) == 0)
        status = check_stop(&decoder, err);
    association_free(decoder.association);
    close_decoder(&decoder);
    checksum_free(checksum);
    return status;
}
