/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE central header: what a record kind is.
 *
 * A record kind separates columns (what a user sees: name, unit, meaning) from layouts (where the bytes are, on one
 * chip or version). One const table per kind serves the decoder, the encoder, the database schema, the exports, the
 * manual page and the tests. Adding a kind means adding parsers/kinds/<room>/<kind>.c that defines "const struct
 * record_kind kind_<kind>"; the Makefile finds it. Nothing downstream of the decoder ever sees a layout.
 */
#ifndef MSPROF_PARSERS_RECORD_H
#define MSPROF_PARSERS_RECORD_H

#include "base/err.h"
#include "parsers/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX_COLUMNS 64
#define RECORD_MAX_SIZE 65536 /* bytes of one fixed-size record */

/* Families of captures: whose tool or firmware made them, and when. */
enum capture_family {
    CAPTURE_SVP,  /* SS928 and relatives: info.json.N, aicore.*, acl_api.* (docs/formats/svp.md 1) */
    CAPTURE_JOB,  /* Ascend, JOB era: hwts.log.data.*, Framework.host.* */
    CAPTURE_2022, /* Ascend, CANN of 2021 to 2023, called that of 2022: AclModule.*, Runtime.*, Framework.* as slices */
    CAPTURE_CANN, /* Ascend, CANN since 2023: *.api_event.data, *.compact.*, *.additional.*, the device's streams */
    CAPTURE_OPPROF,  /* results of 'msprof op': OPPROF_*, PipeUtilization.csv and others */
    CAPTURE_UNKNOWN, /* nothing in it is known */
};

/* Sets of families. */
enum {
    FAMILY_SVP = 1 << CAPTURE_SVP,
    FAMILY_JOB = 1 << CAPTURE_JOB,
    FAMILY_2022 = 1 << CAPTURE_2022,
    FAMILY_CANN = 1 << CAPTURE_CANN,
    FAMILY_ASCEND = FAMILY_JOB | FAMILY_2022 | FAMILY_CANN,
    FAMILY_ALL = FAMILY_SVP | FAMILY_ASCEND,
    FAMILY_OPPROF = 1 << CAPTURE_OPPROF,
    /* Trees of directories (parsers/capture/capture_tree.h): only inside of such a tree a file's name makes it one of
     * theirs. */
    FAMILY_TREES = FAMILY_OPPROF,
};
#define FAMILY_OF(family) (1u << (family))
#define FAMILY_ANY (~(unsigned)FAMILY_TREES) /* of a program that ran: of what nothing is known of, too */
#define FAMILY_EVERY (~0u)

enum column_type { COLUMN_INTEGER, COLUMN_TEXT };

enum column_flags {
    COLUMN_PLAIN = 0,
    COLUMN_DERIVED = 1,   /* no layout gives it; the kind's hooks compute it */
    COLUMN_TRANSIENT = 2, /* decoded for the hooks, not stored in the table */
    COLUMN_FILE = 4,      /* filled by the decoder: id of the source_file row */
    COLUMN_PIECES = 16,   /* a text that may be a piece of one: made safe when the pieces are joined */
    COLUMN_ORIGIN = 32,   /* a time: timelines of boards and of captures before 2023 count from the earliest of all */
    COLUMN_KEY = 8,       /* the table's primary key; other tables get an automatic "id" in the order of rows */
};

struct column {
    const char *name;  /* SQL name: lower_snake, with the unit as suffix (_ns) */
    const char *title; /* heading in documentation */
    enum column_type type;
    enum column_unit unit;
    unsigned flags;                 /* enum column_flags */
    const struct value_name *names; /* NULL unless enumerated */
    const char *doc;                /* one sentence */
};

/* How a field's number, scaled, makes the column's value with that of another column of the record, or with the record
 * before. */
enum field_relation {
    FIELD_PLAIN,
    FIELD_MINUS, /* the number minus the other column: a duration from an end */
    FIELD_PLUS,  /* the number plus the other column: an end from a duration */
    FIELD_OF,    /* the number times the other column, rounded to the nearest: a share of it */
    FIELD_DELTA, /* the difference to the number in the record before (of the stream's first: the number itself) */
};

/* Where the bytes of one column are in one layout. */
struct field {
    const char *column; /* name of a column of the kind */
    uint32_t offset;    /* bytes from the start of the record */
    uint32_t width;     /* bytes: 1..8 for integers, any length for NUL-padded text */
    uint8_t first_bit;  /* for a bit range inside the integer; bit 0 is the lowest */
    uint8_t bit_count;  /* 0: the whole integer */
    bool is_signed;
    int64_t multiply, divide; /* value = raw * multiply / divide in the column's unit; 0 means 1 */
    enum field_relation relation;
    const char *other; /* of FIELD_MINUS, FIELD_PLUS and FIELD_OF: a column that the layout gives plainly */
};

/* How a board forms a rate of an inference: part / (sum of whole) * multiply / divide. */
struct layout_rate {
    bool given;               /* false: the layout does not say */
    const char *part;         /* a column of the kind that has the rate; NULL: the rate is always 0 */
    const char *whole[2];     /* likewise, added up; NULL: none */
    int64_t multiply, divide; /* 0 means 1 */
};

#define CHIPS_V6 (1U << 15 | 1U << 16) /* those of the Ascend 950 */
/* Those whose records are known, by the number that info.json calls platform_version; and in words. */
#define CHIPS_KNOWN (0x3fU | 1U << 7 | 1U << 8 | 1U << 9 | 1U << 11 | CHIPS_V6)
#define CHIPS_KNOWN_TEXT "0 to 5, 7 to 9, 11, 15 or 16"
static inline bool chip_is_known(int64_t chip)
{
    return chip >= 0 && chip < 32 && (CHIPS_KNOWN >> chip & 1) != 0;
}

#define LAYOUT_MAX_MAGICS 3
#define LAYOUTS_MIXED_MAX 16 /* of a kind that may be mixed in one stream */

struct magic {
    uint32_t offset;
    uint32_t width; /* 1..8; 0 ends the list */
    uint64_t value;
    uint64_t mask; /* 0 means all bits of the width */
};

struct layout {
    const char *name;
    const char *source;  /* document and section that this layout follows */
    bool part;           /* of records among those of other kinds (see parts of a kind): no file is of this layout */
    const char *version; /* of info.json, whose captures alone have it; NULL: those of every other */
    uint32_t chips;      /* a bit (1 << number) for each chip whose devices alone have it; 0: those of every other */
    uint32_t record_size;
    uint32_t header;                     /* bytes in front of the first record of a stream */
    int64_t core_khz;                    /* of the board's AI core, where the capture does not say it; 0: not known */
    struct layout_rate icache_miss_rate; /* not given: as the kind's first built-in layout */
    bool big_endian;
    /* Records of the kind's other mixed layouts may be in the same stream; the magics distinguish them. */
    bool mixed;
    struct magic magics[LAYOUT_MAX_MAGICS];
    const struct field *fields;
    size_t field_count;
};

/* One decoded value. */
struct cell {
    union {
        int64_t integer;
        const char *text; /* not NUL-terminated; lives as long as its batch */
    };
    uint32_t length; /* of the text */
};

/* One decoded record while hooks look at it. cells has the kind's column_count entries; bit i of present says whether
 * cell i has a value (else it is NULL in the database). */
struct row {
    struct cell *cells;
    uint64_t *present;
};

struct row_batch;
struct decoder;
struct capture_file;

/* Clock that the stamp of a sample counts. */
enum sample_clock {
    CLOCK_START_US,    /* microseconds since the collection began */
    CLOCK_START_NS,    /* nanoseconds since then */
    CLOCK_DEVICE_NS,   /* the device's monotonic clock */
    CLOCK_DEVICE_TICK, /* the device's counter */
    CLOCK_HOST_NS,     /* the host's monotonic clock */
    CLOCK_HOST_TICK,   /* the host's counter */
    CLOCK_UNIX_NS,     /* nanoseconds since 1970 */
};

#define SAMPLING_MAX_STAMPS 2
#define SAMPLING_MAX_KEYS 2
#define SAMPLING_MAX_COUNTERS 4

/* When samples were taken, for kinds with sample_hooks or lines. These columns of the kind are filled, where it has
 * them: "device_id" by the file's name, "time_ns" by the first stamp that the record has, and "span_ns", the time since
 * the sample before of the same series (NULL: it is the first, or earlier than that one, which is reported). */
struct sampling {
    struct {
        const char *column; /* NULL ends the list */
        enum sample_clock clock;
    } stamps[SAMPLING_MAX_STAMPS];
    const char *keys[SAMPLING_MAX_KEYS];         /* columns that separate one series from the next */
    const char *counters[SAMPLING_MAX_COUNTERS]; /* columns that only grow; one that falls is reported */
    int64_t step;                                /* ... as a note, when it falls by less than they count at once */
};

enum line_flags {
    LINE_ROW = 1,     /* a row: of this line, and of what the lines of its block said before */
    LINE_BLOCK = 2,   /* begins a block */
    LINE_SKIP = 4,    /* says nothing */
    LINE_HEADING = 8, /* says nothing, either: the first line of the stream, without any digit */
    LINE_REPEAT = 16, /* a block may have none or several; of several the first counts */
    LINE_ALIKE = 32,  /* lines of a stream are of one such pattern: one of another has a value more or less */
};

/* A line of a text kind. In the pattern {column} stands for a value: for an integer digits, with {column:2} two
 * decimals more, so that the column holds hundredths, with {column:x} hexadecimal ones; for a text all up to what
 * follows in the pattern. {*} is passed over likewise, {*3} are three words, {#3} three numbers; {#} are
 * numbers and {~} is what has no digit, to the end of the line. A blank stands for any number of blanks, none inside of
 * a word, everything else for itself. Formats are tried in order. A kind none of whose lines is a row has a row for
 * each block, which has every column once that other blocks of its stream have. */
struct line_format {
    const char *pattern; /* NULL ends the list */
    unsigned flags;      /* enum line_flags */
};

/* Hooks for what a table cannot say. Any member may be NULL. state is zeroed memory of state_size bytes, one per stream
 * (a stream is one file or all slices of one). Every int function returns 0 or -code with err set, which ends the whole
 * decoding; bad data are no such error: hooks report them with diag_report and go on. */
struct kind_hooks {
    size_t state_size;
    /* Before the first record of a stream. */
    int (*open)(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err);
    /* After each decoded record; sets derived columns. *keep is true on entry; false drops the row (the hook has
     * reported why). */
    int (*record)(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);
    /* The same straight from the bytes of a record whose layout has these fields, for kinds without a table: see
     * parsers/kinds/common/record_source.h. `record` is asked where the layout is another, or a number does not fit. */
    int (*direct)(struct decoder *decoder, void *state, const unsigned char *bytes, bool *keep, struct err *err);
    const struct field *direct_fields;
    /* After the last record; also after a failure (then it only releases). */
    int (*close)(struct decoder *decoder, void *state, bool failed, struct err *err);
    /* For text kinds instead of layouts: the whole file, NUL-terminated; emits rows itself with decoder_emit. */
    int (*text)(struct decoder *decoder, void *state, const struct capture_file *file, const char *data, size_t length,
                struct err *err);
    /* Likewise, for files that may be long: reads the file at the path itself, a part at a time. */
    int (*file)(struct decoder *decoder, void *state, const struct capture_file *file, const char *path,
                struct err *err);
};

struct record_kind {
    const char *name;  /* "svp_pmu": as in --layout files and 'msprof kinds' */
    const char *table; /* SQL table, singular; NULL: its records are joined with others and not stored one by one */
    unsigned families; /* FAMILY_...: the captures that may hold such records, or whose records they are derived from */
    const char *title; /* "Device PMU of a layer group" */
    const char *option; /* NULL, or the option of CANN's profiling that records it, on every chip:
                         * "sys_io_sampling_freq". Anything more than that stands in features/options/finding.c */
    const char *doc;    /* a few sentences for the manual */
    /* File names as patterns: literal text with {device_id}, {model}, {model_id}, {batch_num}, {input_pic_num},
     * {current_pic_count}, {slice}, {process_id}, {group_id}, {core_id}, {tag} (letters and '_'), {number} (digits,
     * ignored). {model} may hold dots and blanks and stands at most once. NULL ends the list; an empty list means that
     * the kind is derived from others. Earlier patterns win. */
    const char *const *patterns;
    /* NULL, or for each pattern the families that name their files so: a subset of the kind's. */
    const unsigned *pattern_families;
    /* 0, or a bit (1 << number) for each chip whose files of these names are of this kind, and not of the one that has
     * no such bits. */
    uint32_t chips;
    /* NULL, or the name of the kind that says the same: a part of a capture that has such files is decoded from them.
     */
    const char *instead_of;
    /* Its records become tasks of a device, or counters of them (association_add_task, association_add_pmu). Streams of
     * kinds of which that is all may be decoded beside those of other parts. */
    bool of_device_join;
    /* Streams of one part of a capture are decoded in the order of this number, then of kinds. */
    int stage;
    const struct column *columns;
    size_t column_count;
    const struct layout *layouts; /* tried in order */
    size_t layout_count;
    const struct record_kind *rated; /* the derived kind whose columns the rates of layouts are formed from, or NULL */
    const struct kind_hooks *hooks;  /* may be NULL */
    const struct sampling *sampling;
    const struct line_format *lines; /* of text, for text_lines_hooks */
    /* For split_hooks: the kinds whose records stand in its files; their magics distinguish them. NULL ends the list.
     */
    const struct record_kind *const *parts;
    /* Parts of the table that reports and timelines show; ended by one without a name. NULL: nothing of its own. */
    const struct series_report *series;
    /* Parts of the table that the database for viewers has; ended by one without a name. NULL: nothing. */
    const struct exported_table *exported;
};

/* Whether its files are text that hooks read, instead of records that a layout describes. */
static inline bool kind_is_text(const struct record_kind *kind)
{
    return kind->hooks != NULL && (kind->hooks->text != NULL || kind->hooks->file != NULL);
}

/* All kinds, ended by NULL; in the order of the names of the files below parsers/kinds/, whatever their room. */
extern const struct record_kind *const record_kinds[];

/* By name; NULL when there is none. */
const struct record_kind *record_kind_find(const char *name);
/* Index of a column by name, or -1. */
int record_kind_column(const struct record_kind *kind, const char *name);
/* "ns", "cycle", ...; "" for UNIT_NONE. */
const char *column_unit_name(enum column_unit unit);

#define BATCH_ROWS 512
#define BATCH_TEXT_MAX 16384     /* bytes of a text that stands among the others; a longer one has its own memory */
#define BATCH_TEXTS (256 * 1024) /* room for every text column of one row at BATCH_TEXT_MAX */

/* A set of rows of one kind on the way from the decoder to a sink. */
struct row_batch {
    const struct record_kind *kind;
    size_t rows, capacity;
    struct cell *cells; /* rows * kind->column_count, row by row */
    size_t cell_room;
    uint64_t present[BATCH_ROWS]; /* one word a row */
    char *texts;                  /* the cells' texts; NULL while no kind had any */
    size_t texts_used, texts_capacity;
    struct long_text *long_texts; /* those of more than BATCH_TEXT_MAX bytes */
    size_t long_bytes;
    bool incomplete; /* memory for one of them ran out */
};

/* Allocates a batch that has no room yet; NULL when memory ran out. */
struct row_batch *row_batch_new(void);
/* Empties the batch for BATCH_ROWS rows of this kind; it has the room of the kinds so far, because small captures are
 * not to touch the memory of large ones. False: memory ran out. */
bool row_batch_begin(struct row_batch *batch, const struct record_kind *kind);
void row_batch_free(struct row_batch *batch);
/* Copies a text into the batch. One that finds no room loses its end, and the batch is incomplete. */
void row_batch_put_text(struct row_batch *batch, const char *text, size_t length, struct cell *ret);

/* Many rows of one kind that need not be made at once. */
struct row_source {
    const struct record_kind *kind;
    /* Fills an empty batch of this kind with the next rows; none: they are at their end. 0 or -code. */
    int (*fill)(struct row_source *source, struct row_batch *batch, struct err *err);
    void (*release)(struct row_source *source); /* frees it, whether its rows were taken or not */
};

/* Where rows go. The sink owns the batches. */
struct row_sink {
    /* An empty batch for rows of this kind (may wait); NULL with err set. */
    struct row_batch *(*begin)(struct row_sink *sink, const struct record_kind *kind, struct err *err);
    /* Takes a filled batch back and consumes its rows, in the order of calls; the batch must not be touched after. */
    int (*commit)(struct row_sink *sink, struct row_batch *batch, struct err *err);
    /* Takes a source over, to take its rows on the sink's own thread when it has nothing else to do: behind those of
     * earlier sources, in any order with those of other kinds that are committed. NULL: the rows come as batches. */
    void (*defer)(struct row_sink *sink, struct row_source *source);
};

/* Levels of calls on the host (host_call.level). */
#define HOST_LEVEL_RUNTIME 5000
#define HOST_LEVEL_COMMUNICATION 5500
#define HOST_LEVEL_NODE 10000
#define HOST_LEVEL_MODEL 15000
#define HOST_LEVEL_ACL 20000
#define HOST_LEVEL_NAMES                                                                                               \
    {HOST_LEVEL_ACL, "acl"}, {HOST_LEVEL_MODEL, "model"}, {HOST_LEVEL_NODE, "node"},                                   \
        {HOST_LEVEL_COMMUNICATION, "communication"},                                                                   \
    {                                                                                                                  \
        HOST_LEVEL_RUNTIME, "runtime"                                                                                  \
    }
/* Type of the calls of nodes that launch an operator. */
#define HOST_NODE_LAUNCH 5

/* Subject of a record of the task scheduler (ts_track.tag), and which mark of a step it is (ts_track.step_tag). */
#define TRACK_TAG_STEP 10
#define TRACK_TAG_COPY 11
#define STEP_TAG_MODEL_START 0
#define STEP_TAG_MODEL_END 1
#define STEP_TAG_MARK 11  /* of the program, not of a step */
#define STEP_TAG_RANGE 12 /* two records: its begin and its end */

/* Names of numbers that several kinds have, and which databases and reports show, too. */
extern const struct value_name level_names[], /* of calls on the host */
    core_names[],                             /* what an operator's task runs on (device_task.op_task_type) */
    core_names_or_unknown[],                  /* the same with a name for every other number */
    core_names_2022[],                        /* the same before 2023 */
    device_task_names[],                      /* what a device says that a task is (device_task.type) */
    device_part_names[],                      /* parts of split tasks, likewise */
    copy_direction_names[],                   /* of asynchronous copies */
    mark_names[],                             /* events of msproftx */
    acl_part_names[];                         /* parts of the API of ACL */
/* The text of a value, or of VALUE_OTHER; NULL: it has none. */
const char *value_name_find(const struct value_name *names, int64_t value);

/* A list with its length: COLUMNS_OF(columns) in a kind, FIELDS_OF(fields) in a layout. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define COLUMNS_OF(array) .columns = (array), .column_count = COUNT_OF(array)
#define LAYOUTS_OF(array) .layouts = (array), .layout_count = COUNT_OF(array)
#define FIELDS_OF(array) .fields = (array), .field_count = COUNT_OF(array)
/* The name of a kind, and of its table. */
#define OWN_TABLE(title) .name = title, .table = title
/* Hooks of a kind, as a member of it: HOOKS(.record = take_record). */
#define HOOKS(...)                                                                                                     \
    .hooks = &(const struct kind_hooks)                                                                                \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#endif
