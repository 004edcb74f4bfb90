/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on disk: which family, which files, which record kind each, clocks. Reads names and small text files only.
 */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_H

#include "base/diag.h"
#include "base/err.h"
#include "base/map.h"
#include "base/texts.h"
#include "parsers/capture/capture_settings.h"
#include "parsers/capture/capture_tree.h"
#include "parsers/decode/layout.h"
#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Identity from a file name. -1 and NULL: unknown. */
struct file_identity {
    int64_t device_id, model_id, batch_num, input_pic_num, current_pic_count, slice;
    char *model;
    char *tag; /* the part of ACL that an AclModule file is about */
    int64_t process_id;
    bool out_of_memory; /* the name says a text that could not be copied */
    int64_t group_id, core_id;
};

/* Contents of the .done file beside a data file; -1: not said. */
struct done_info {
    bool present;
    int64_t file_size, start_ns, end_ns, icache_hit, icache_miss;
};

struct capture_file {
    int64_t id;                     /* 1, 2, ... in the order of decoding; source_file.id in the database */
    const char *name;               /* relative to the capture directory: "data/aicore.0.1.1" */
    size_t part;                    /* index into the capture's parts */
    const struct record_kind *kind; /* NULL: not decoded: configuration, or the diagnostics say why */
    unsigned families;              /* that name files so; 0: not decoded from the first */
    struct file_identity identity;
    struct done_info done;
    uint64_t size;
    int64_t modified_ns;        /* mtime, since the epoch */
    uint64_t inode;             /* when it was listed */
    uint64_t decoded, rejected; /* records; filled by decoding */
    uint64_t joined;            /* of those decoded: without a row of their own, part of those of other tables */
    uint64_t *rejected_for;     /* of DIAG_COUNT, by what was reported of them; NULL: none was decoded yet */
    uint64_t bytes_read;        /* filled by decoding */
    size_t mark;                /* of diagnostics: when its records came, if they were decoded ahead */
    char checksum[65];          /* XXH128, filled when the file is read; "" when it was not read to its end */
};

/* Counts records that are in no table, for a reason that has been reported. */
static inline void capture_file_reject(struct capture_file *file, enum diag_id reason, uint64_t records)
{
    file->rejected += records;
    file->rejected_for[reason] += records;
}

/* Rejects likewise a record that was counted as joined. */
static inline void capture_file_drop(struct capture_file *file, enum diag_id reason)
{
    file->decoded--;
    file->joined--;
    capture_file_reject(file, reason, 1);
}

/* Orders identities by device, model, model id, batch, input, sample, tag and (when asked for) slice; 0: equal. */
int file_identity_compare(const struct file_identity *a, const struct file_identity *b, bool with_slice);

/* One inference as its device .done file names it (aicore.<device>.<model>.<model_id>.<batch>.<input>.<pic>.done). */
struct inference_mark {
    struct file_identity identity; /* the texts belong to the capture's models */
    struct done_info done;
    const char *name; /* of the file, relative to the capture */
};

/* Whether tasks of this chip have numbers of 32 bits that come once: chips 15 and 16. */
static inline bool part_has_unique_tasks(int64_t chip)
{
    return chip >= 0 && chip < 32 && (CHIPS_V6 >> chip & 1) != 0;
}

#define LAYER_TASK_MAX 65536

struct capture_model { /* a model that file names or net.info name */
    char *name;
    int64_t model_id, batch_num; /* -1: not known */
    unsigned char
        *layer_tasks; /* bit n: the layer table has a layer of task n (n < LAYER_TASK_MAX); NULL: no layer table */
};

struct device_info {
    int64_t device_id;
    int64_t core_khz;    /* AI core frequency from info.json, thousandths of MHz; -1 not known */
    int64_t counter_khz; /* system counter (hwts_frequency); -1 not known */
};

#define EVENTS_TEXT_MAX 256

/* One sub-directory of a PROF capture (host, device_0, ...), or the whole of a capture without sub-directories: which
 * chip, which clocks, what was switched on. Numbers that are not known are -1, texts "". */
struct capture_part {
    char *directory;   /* relative to the capture: "", "host", "device_0"; owned */
    int64_t device_id; /* -1: the host's, or not known */
    bool is_host;
    bool is_recorded;                          /* by msprof's own recorder, whose calls may be those of coroutines */
    int64_t chip;                              /* platform_version */
    int64_t host_hz, device_hz;                /* of the counters; host_hz 0: host ticks are nanoseconds already */
    int64_t host_tick, host_tick_diff;         /* counter of the host at the start, and its correction */
    int64_t host_monotonic_ns, device_tick;    /* host's monotonic clock, device's counter at the start */
    int64_t device_monotonic_ns;               /* device's monotonic clock at the start */
    int64_t start_monotonic_ns, start_unix_ns; /* of the collection */
    int64_t end_unix_ns, end_monotonic_ns;     /* of the collection */
    int64_t host_unix_ns;                      /* the time of day at host_monotonic_ns */
    int64_t unix_offset_ns; /* what to add to the host's monotonic clock; 0 for captures of before 2023 */
    int64_t aic_hz, aiv_hz, ai_core_num, aiv_num;
    int64_t process_id, driver_version, rank_id;
    char metrics[64], aiv_metrics[64];                         /* groups: "PipeUtilization" */
    char events[EVENTS_TEXT_MAX], aiv_events[EVENTS_TEXT_MAX]; /* "0x8,0xa" */
    char job[64], host_name[128], host_uid[64], begin_date[40], process_name[64];
    struct capture_settings settings;
};

struct capture_options {
    const struct layout_set *layouts; /* may be NULL */
    bool only_named;                  /* kinds of which the user names layouts are read with those alone */
    int64_t clock_khz;                /* --freq-mhz in thousandths of MHz; 0: not given */
    bool interpreted;                 /* of tests: no record goes past the interpreter to its kind's hook */
    int64_t clock_shift_ns; /* of CANN: added to the real time of its host, so that it is that of another capture */
};

struct capture {
    char *directory;                 /* absolute; NULL: names are paths */
    int at;                          /* the directory, open */
    char fingerprint[65];            /* as capture_fingerprint gives it, of what was found when it was opened */
    uint64_t sum;                    /* of what was found, inodes too: whether a file was replaced by another alike */
    struct text_blocks names;        /* of files and marks */
    struct done_texts *done_texts;   /* while it is opened; NULL: .done files are read as they are asked for */
    uint64_t *rejections;            /* of all files */
    const struct capture_tree *tree; /* that it is; NULL: it has data/, or data files of its own */
    void *tree_state;                /* as the tree says */
    enum capture_family family;
    struct capture_options options;
    struct capture_file *files; /* decoding order: layer tables and descriptions first, then by kind, identity, slice */
    size_t file_count, file_capacity;
    struct inference_mark *marks; /* sorted by identity */
    size_t mark_count, mark_capacity;
    struct capture_model *models; /* sorted by model id, name */
    size_t model_count;
    struct device_info *devices; /* sorted by id */
    size_t device_count;
    struct capture_part *parts; /* the host first, then by device */
    size_t part_count, part_capacity;
    struct diagnostics *diag; /* not owned */
};

#define CONFIG_FILE_LIMIT (1024 * 1024)    /* bytes of info.json, .done */
#define TEXT_FILE_LIMIT (16 * 1024 * 1024) /* bytes of a text data file (layer table, descriptions) */
#define CAPTURE_MAX_FILES 1000000
#define CAPTURE_MAX_MODELS 4096
#define CAPTURE_MAX_DEVICES 1024
#define CAPTURE_MAX_PARTS 8192 /* more than there are devices: a tree has one for each launch */

/* Whether a directory of this name is called like a capture: JOB*, PROF*, or like a tree. */
bool capture_has_name(const char *name);
/* Whether an entry of this name beside the data is a database, reports or a log, which an analysis makes anew. */
bool capture_is_remade(const char *name);
/* Whether an entry of this relative path makes the directory that it is in a capture: data/, that of a part, a data
 * file of its own. */
bool capture_shows_in(const char *path);

/* How a directory looks from outside. */
enum directory_class { DIRECTORY_CAPTURE, DIRECTORY_PARENT, DIRECTORY_OTHER };

/* Whether path is a capture (has data/, or data files of its own), holds captures (JOB*, PROF*), or neither. err is set
 * when it cannot be read. Returns 0 or -code. */
int capture_classify(const char *path, enum directory_class *ret_class, struct err *err);

/* The capture that the directory at this absolute path is a part of (JOB/data, PROF/host): its path (free() it) in
 * *ret, NULL when it is none. A part that stands alone, without anything else of a capture beside it, is a capture. */
int capture_find_outer(const char *path, char **ret, struct err *err);

/* The captures directly inside a parent directory, sorted; *ret_paths and each path are freed by the caller. */
int capture_list(const char *parent, char ***ret_paths, size_t *ret_count, struct err *err);

/* Discovers the files and clocks of one capture directory. Problems with single files go to diag; an error is returned
 * only when there is no capture to work on (no such directory, no data, not readable). capture must be released also
 * after a failure. */
int capture_open(struct capture *capture, const char *directory, const struct capture_options *options,
                 struct diagnostics *diag, struct err *err);
void capture_release(struct capture *capture);

/* Looks whether the files of a capture that was decoded are still those that were listed, while the caller goes on:
 * lists its directory again, with many files on a thread of its own. The capture stays the caller's, and stays as it is
 * until capture_recheck_end. One without a directory is not looked at. NULL with err set: out of memory. */
struct recheck;
struct recheck *capture_recheck_begin(const struct capture *capture, struct err *err);
/* Waits for the list, reports to capture->diag each decoded file that changed, and that anything else did, and releases
 * recheck. -ERR_STRICT when capture->diag has a fatal problem. */
int capture_recheck_end(struct recheck *recheck, struct err *err);

#define NOT_REGULAR (-1)
/* Opens a file of the capture for reading, whatever waits there instead. Returns the descriptor, or -1 with an errno or
 * NOT_REGULAR. */
int capture_file_open(const struct capture *capture, const char *name, struct stat *ret, int *ret_failure);
/* Reads a file that is as long as it was when it was listed, size bytes, as nothing but a file can be; bytes has room
 * for one more. False: it is not, or cannot be read. */
bool capture_file_read_listed(const struct capture *capture, const char *name, uint64_t size, void *bytes);
/* Reads a file as path_read_file does. */
int capture_file_read(const struct capture *capture, const char *name, size_t limit, char **ret, size_t *ret_length,
                      struct err *err);
/* The bytes of the files that have a kind. */
uint64_t capture_record_bytes(const struct capture *capture);

/* SHA-256 over the names, sizes and modification times of everything in the capture that import looks at: equal text,
 * unchanged capture. */
int capture_fingerprint(const char *directory, char ret[65], struct err *err);

/* Whether import reads the file of this relative name in the capture at an absolute path. */
int capture_reads(const char *directory, const char *name, bool *ret, struct err *err);

/* "svp", "ascend-job", ...: as databases call it. */
const char *capture_family_name(enum capture_family family);

#define CAPTURE_NAME_PIECES_MAX 32 /* of a pattern: placeholders, and what stands between them */
/* Matches a file name against one pattern (see struct record_kind); fills *ret (ret->model is allocated), unless ret is
 * NULL. */
bool capture_match_name(const char *pattern, const char *name, struct file_identity *ret);
void file_identity_release(struct file_identity *identity);

/* The model with this id (the first by name when several share it), NULL: unknown. model_id -1 finds the only model. */
struct capture_model *capture_model(const struct capture *capture, int64_t model_id);
/* Remembers that a layer table names this task of this model. */
int capture_note_layer(struct capture *capture, const struct file_identity *identity, int64_t task_id, struct err *err);
/* The .done file of one inference; NULL: there is none. */
const struct inference_mark *capture_mark(const struct capture *capture, int64_t device_id, int64_t model_id,
                                          int64_t batch_num, int64_t input_pic_num, int64_t current_pic_count);
const struct device_info *capture_device(const struct capture *capture, int64_t device_id); /* NULL: unknown */
/* The system counter of a device in a capture without parts, thousandths of MHz: the option wins, then info.json, then
 * the Ascend 910A's usual one. */
int64_t capture_counter_khz(const struct capture *capture, int64_t device_id);

/* Whether it was collected at level 0, of which no record describes operators. */
bool capture_is_level_0(const struct capture *capture);
/* The frequency of a chip's system counter (docs/formats/cann.md 2.1), for captures that do not say it. */
int64_t capture_usual_device_hz(int64_t chip);

/* A counter's value as nanoseconds of the host's monotonic clock plus the part's unix_offset_ns (so since 1970 for a
 * new capture), rounded to the nearest; saturates. Without a frequency a host tick is a nanosecond, and a device tick
 * that of the chip's usual clock. */
int64_t part_host_ns(const struct capture_part *part, int64_t tick);
int64_t part_device_ns(const struct capture_part *part, int64_t tick);
/* Where these begin to count: the time of one of the ticks of the part's own clock, of the host or of its device. */
int64_t part_origin_ns(const struct capture_part *part);

/* The same, ready for the many ticks of a stream; valid as long as the part is as it was. */
struct part_ticks {
    const struct capture_part *part;
    int64_t (*any)(const struct capture_part *part, int64_t tick); /* one of the functions above */
    uint64_t first, count; /* this many ticks from the first on are a product; 0: none, the rate is not usual */
    int64_t tick_ns, base_ns;
};
struct part_ticks part_host_ticks(const struct capture_part *part);
struct part_ticks part_device_ticks(const struct capture_part *part);
static inline int64_t part_ticks_ns(const struct part_ticks *ticks, int64_t tick)
{
    const uint64_t since = (uint64_t)tick - ticks->first;
    return since < ticks->count ? (int64_t)since * ticks->tick_ns + ticks->base_ns : ticks->any(ticks->part, tick);
}
/* Whether a record of the part that ended then is of warm-up: after its clocks were read, before the collection
 * started. None is where the start is not known, or a clock is missing, so that times are shifted. */
bool part_is_warm_up(const struct capture_part *part, int64_t end_ns);
#define WARM_UP_SLACK_NS 10000000000 /* so much before the clocks were read a clock is wrong */
/* Converts likewise the values of other clocks. */
int64_t part_clock_ns(const struct capture_part *part, enum sample_clock clock, int64_t value);

/* Rejects copies: among files of one kind and part with the same content, all but the first are not to be decoded,
 * which is reported. Files of several devices, models or groups of cores may be equal, and so may files without a whole
 * record. Reads the beginnings of files of one length, and more only of those that begin alike. Fails when memory ran
 * out or when it was interrupted. */
int capture_reject_copies(struct capture *capture, struct err *err);

/* Files of fewer bytes are read at once. Those of boards, which may have tens of thousands, are not compared
 * beforehand, but each with those before it when it is read. */
#define READER_WHOLE ((size_t)16 * 1024)
struct copies {
    struct map seen;
    size_t mark; /* of diagnostics: where copies are reported */
};
void copies_begin(struct copies *copies, const struct capture *capture);
/* Whether it is such a file. */
bool copies_are_told_late(const struct capture *capture, const struct capture_file *file);
/* Rejects it if it is a copy of one that was looked at before: 1; 0: it is none. */
int copies_reject(struct copies *copies, struct capture *capture, struct capture_file *file, const char *checksum,
                  struct err *err);

#endif
