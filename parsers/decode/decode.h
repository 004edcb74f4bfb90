/* SPDX-License-Identifier: Apache-2.0 */
/* The one interpreter for all layouts: raw files in, rows out. */
#ifndef MSPROF_PARSERS_DECODE_DECODE_H
#define MSPROF_PARSERS_DECODE_DECODE_H

#include "base/bytes.h"
#include "base/diag.h"
#include "base/progress.h"
#include "parsers/capture/capture.h"
#include "parsers/record.h"

/* Decodes every file of the capture into the sink, one pass, in chunks of fixed size; fills decoded, rejected and
 * checksum of its files. Data problems go to capture->diag; a failure of the sink, of memory, an interrupt or a fatal
 * diagnostic ends it with -code. progress may be NULL; it counts bytes. Whether files changed meanwhile is for
 * capture_recheck_begin. */
int decode_capture(struct capture *capture, struct row_sink *sink, const struct progress *progress, struct err *err);

#define WIDE_FIELDS_MAX 16

/* A layout made ready for decoding a kind: fields resolved to column indexes. Plain memory, no release. It remembers
 * the record before for FIELD_DELTA, so it is restarted for each stream. */
struct decode_plan {
    const struct record_kind *kind;
    const struct layout *layout;
    size_t step_count;
    size_t plain_count; /* the first of them need nothing of other columns or records */
    size_t quick_count, signed_count, run_count;
    struct word_run { /* unsigned numbers of four bytes, one behind the other, for columns likewise; none of the steps
                       */
        uint32_t offset;
        uint8_t column, count;
    } runs[RECORD_MAX_COLUMNS];
    struct quick_step { /* a number that is eight bytes of the record, shifted and masked; none of the steps */
        uint64_t mask;
        uint32_t offset;
        uint8_t shift, column;
    } quick[RECORD_MAX_COLUMNS], quick_signed[RECORD_MAX_COLUMNS];
    struct decode_step {
        uint32_t offset, width;
        uint8_t column, shift, sign_bits; /* sign_bits: 0 unsigned, else the number of value bits */
        uint8_t relation, other;          /* enum field_relation; index of the other column */
        uint64_t last;                    /* FIELD_DELTA: of the record before */
        bool text, scaled;
        uint64_t mask;
        int64_t multiply, divide;
    } steps[RECORD_MAX_COLUMNS];
    uint64_t present;  /* columns that the layout gives */
    uint64_t files;    /* columns that get the file's id */
    size_t text_bytes; /* that one row's texts may take of a batch: BATCH_TEXT_MAX each at most */
    bool direct;       /* the kind takes records from their bytes, where none of these numbers is 2^63 or more: */
    size_t wide_count;
    uint32_t wide[WIDE_FIELDS_MAX]; /* offsets of eight bytes */
    struct magic_step {             /* eight bytes of the record, of which the masked ones are known */
        uint64_t mask, value;
        uint32_t offset;
    } magics[LAYOUT_MAX_MAGICS];
    size_t magic_count;
    bool magics_whole; /* they are all of the layout's; else only layout_matches() knows */
};

/* The layout must have passed layout_check. */
void decode_plan_init(struct decode_plan *plan, const struct record_kind *kind, const struct layout *layout);
/* Whether the hook that takes bytes may have this record: what it says is what the interpreter would. */
static inline bool decode_plan_fits(const struct decode_plan *plan, const unsigned char *record)
{
    uint64_t all = 0;
    for (size_t i = 0; i < plan->wide_count; i++)
        all |= bytes_load(record + plan->wide[i], 8, false);
    return plan->direct && all <= INT64_MAX;
}
/* Makes it ready for another stream. */
void decode_plan_restart(struct decode_plan *plan);

/* Decodes one record of layout->record_size bytes into row; texts point into record. An unsigned value over INT64_MAX
 * is given as NULL and *ret_bad_column set to its column (else -1). */
void decode_record(struct decode_plan *plan, const unsigned char *record, struct row *row, int *ret_bad_column);

/* For hooks. */
struct capture *decoder_capture(struct decoder *decoder);
/* The part of the capture that the current file belongs to. */
const struct capture_part *decoder_part(const struct decoder *decoder);
struct diagnostics *decoder_diag(struct decoder *decoder);
/* Where the current record is. */
struct place decoder_place(const struct decoder *decoder, const char *field);
/* diag_report at the current record. */
#define decoder_report(decoder, id, field, ...)                                                                        \
    diag_report(decoder_diag(decoder), id, (const struct place[]){decoder_place(decoder, field)}, __VA_ARGS__)
/* Likewise for a record hook that does not keep the record: return decoder_refuse(decoder, keep, ...), which is 0. */
#define decoder_refuse(decoder, keep, ...) (decoder_report(decoder, __VA_ARGS__), *(keep) = false, 0)
/* The bytes of the current record, for what a layout cannot say; only inside of a record hook. */
struct bytes decoder_bytes(const struct decoder *decoder);
/* The layout of the current record; likewise. */
const struct layout *decoder_layout(const struct decoder *decoder);
/* The source_file row of the current file. */
int64_t decoder_file_id(const struct decoder *decoder);
/* How many rows of a kind have been emitted so far: the id of the last one. */
int64_t decoder_row_count(const struct decoder *decoder, const struct record_kind *kind);
/* A new empty row of another kind; set its cells with row_set_*; it counts at once. NULL with err set. */
int decoder_emit(struct decoder *decoder, const struct record_kind *kind, struct row *ret_row, struct err *err);
/* Likewise a row with these values, and the file that is being read. */
int decoder_emit_copy(struct decoder *decoder, const struct record_kind *kind, const struct row *values,
                      struct err *err);
/* Emits the rows of a source, which it takes over. They must be all of their kind. */
int decoder_emit_source(struct decoder *decoder, struct row_source *source, struct err *err);
/* For record hooks: the current record has been taken; no row of its own is stored. */
void decoder_consume(struct decoder *decoder);
/* For record hooks: the file to give to capture_file_drop when the current record turns out to have become part of
 * nothing; NULL when it has a row of its own, however that ends. */
struct capture_file *decoder_joined_file(const struct decoder *decoder);
/* A record of the file that was consumed has been emitted as a row of its kind after all. */
void decoder_store_after_all(struct decoder *decoder, int64_t file_id);
/* Counts a record of the current file that was dropped, for a reason that has been reported (text hooks; lines that are
 * reported count by themselves). */
void decoder_reject(struct decoder *decoder, enum diag_id reason);
/* Counts a row of the current file's own kind that a close hook emitted (those of text hooks count by themselves). */
void decoder_count(struct decoder *decoder);
static inline void row_set_integer(struct row *row, size_t column, int64_t value)
{
    row->cells[column].integer = value;
    *row->present |= UINT64_C(1) << column;
}
/* Fills the columns that say which file a row came from. */
static inline void decode_put_file(const struct decode_plan *plan, int64_t file_id, struct row *row)
{
    for (uint64_t left = plan->files; left != 0; left &= left - 1)
        row_set_integer(row, (size_t)__builtin_ctzll(left), file_id);
}
#define DECODED_TEXT_MAX (64 * 1024) /* bytes of a text that a row keeps; queries of users read 128 KiB */
/* How many bytes of a longer list joined by ';' are kept: those of its whole items. */
size_t decode_cut_list(const char *text);
/* Reports that a text of a table is cut; file: where it stands, NULL: it is made of several files. */
void decoder_report_cut(struct decoder *decoder, const char *file, const struct record_kind *kind, size_t column,
                        size_t length, size_t kept);
/* Copies the text into the batch; one of more than DECODED_TEXT_MAX bytes is truncated and reported with the current
 * file. */
void decoder_set_text(struct decoder *decoder, const struct record_kind *kind, struct row *row, size_t column,
                      const char *text, size_t length);
/* Calls each for every whole line of a text file without its line end, counting decoded and rejected lines; empty lines
 * are skipped. place names the line (record) and its offset. A hook that reports a line emits no row: that is how it is
 * counted. */
int decoder_each_line(struct decoder *decoder, const struct capture_file *file, const char *data, size_t length,
                      int (*each)(struct decoder *decoder, const struct capture_file *file, const char *line,
                                  size_t length, const struct place *place, struct err *err),
                      struct err *err);
/* diag_check_span at the current record. */
bool decoder_check_span(struct decoder *decoder, const char *what, int64_t start_ns, int64_t end_ns);
static inline bool row_has(const struct row *row, size_t column)
{
    return (*row->present >> column & 1) != 0;
}

static inline uint32_t row_u32(const struct row *row, size_t column)
{
    return (uint32_t)row->cells[column].integer;
}

#endif
