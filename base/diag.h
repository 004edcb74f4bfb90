/* SPDX-License-Identifier: Apache-2.0 */
/* Data problems: named, counted, the first five of each kind and file kept in full. Decoding goes on after each. */
#ifndef MSPROF_BASE_DIAG_H
#define MSPROF_BASE_DIAG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

/* X(constant, "id", severity, "what it means", "what to do") */
#define DIAG_LIST(X)                                                                                                   \
    X(DIAG_FILE_UNKNOWN, "file-unknown", DIAG_WARNING, "a file whose name no record kind claims; it is not decoded",   \
      "move it out of the capture, or see 'msprof kinds' for the names that are read")                                 \
    X(DIAG_FILE_UNSUPPORTED, "file-unsupported", DIAG_NOTE,                                                            \
      "a file of a known profiling stream that this version does not decode; its records are in no table",             \
      "see msprof-records(5) for what is decoded; the other files are complete")                                       \
    X(DIAG_FILE_BESIDE, "file-beside", DIAG_NOTE,                                                                      \
      "a file beside the data that nothing of a capture is called like; it is not read",                               \
      "no action is needed if it is yours; data files belong into data/")                                              \
    X(DIAG_FILE_FOREIGN, "file-foreign", DIAG_WARNING,                                                                 \
      "a file that captures of this family do not have; it is not decoded",                                            \
      "move it out of the capture: captures of two kinds of devices or of tools are imported one by one")              \
    X(DIAG_FILE_UNREADABLE, "file-unreadable", DIAG_ERROR, "a file that cannot be opened or read",                     \
      "make it readable and import again")                                                                             \
    X(DIAG_FILE_EMPTY, "file-empty", DIAG_WARNING, "a data file without a single byte",                                \
      "collect again if its data are needed")                                                                          \
    X(DIAG_FILE_DUPLICATE, "file-duplicate", DIAG_WARNING,                                                             \
      "two files that claim to be the same stream, or have the same content; only the first is decoded",               \
      "remove the copy")                                                                                               \
    X(DIAG_FILE_TYPE, "file-type", DIAG_WARNING,                                                                       \
      "not a regular file inside the capture directory (a symbolic link that "                                         \
      "leaves it, a device, a pipe); it is not read",                                                                  \
      "replace it by the file itself")                                                                                 \
    X(DIAG_FILE_CHANGED, "file-changed", DIAG_ERROR,                                                                   \
      "a file that was written, cut or replaced while it was imported: what was read is not what is there",            \
      "import again when nothing writes to the capture any more")                                                      \
    X(DIAG_FILE_SIZE, "file-size", DIAG_WARNING, "a file that is longer or shorter than its .done file says",          \
      "copy it again from the board")                                                                                  \
    X(DIAG_FILE_MISSING, "file-missing", DIAG_WARNING,                                                                 \
      "a data file is missing: its .done file or the slices around it are there", "copy the data file from the board") \
    X(DIAG_FILE_ABSENT, "file-absent", DIAG_NOTE,                                                                      \
      "a file is not there that settings or other files of the capture speak of: it is lost, or nothing was recorded", \
      "copy the capture again if the file was left behind")                                                            \
    X(DIAG_RANK_MISSING, "rank-missing", DIAG_WARNING,                                                                 \
      "a rank of a cluster that others speak of is not there, or lacks steps that others have",                        \
      "put its directory beside the others if there is one")                                                           \
    X(DIAG_RANK_DOUBLE, "rank-double", DIAG_WARNING, "a rank of a cluster with several captures; the latest is taken", \
      "move the others away if it is not the one that is meant")                                                       \
    X(DIAG_RANK_SILENT, "rank-silent", DIAG_WARNING,                                                                   \
      "a rank of a cluster without communication, which others have; collectives of its groups are not judged",        \
      "bring its results home again, or have it analysed again")                                                       \
    X(DIAG_RANK_ORDER, "rank-order", DIAG_WARNING,                                                                     \
      "ranks contradict each other about their numbers in a group; what a rank moved to itself decides",               \
      "check profiler_metadata.json of these ranks, and that they are of one run")                                     \
    X(DIAG_LINK_UNMAPPED, "link-unmapped", DIAG_NOTE, "links whose ranks no capture tells; they are in no table",      \
      "no action is needed where captures have no profiler_metadata.json: of sends and receives nothing else tells "   \
      "it")                                                                                                            \
    X(DIAG_AGGREGATE_DAMAGED, "aggregate-damaged", DIAG_NOTE,                                                          \
      "what was kept of a rank is not what was written; it is made anew of the capture",                               \
      "no action is needed; if it comes back, check the disk")                                                         \
    X(DIAG_VALUE_ODD, "value-odd", DIAG_NOTE,                                                                          \
      "a time below 0, or longer than what it is part of: as its tool wrote it, or left empty",                        \
      "no action is needed: the times that it was made of are right")                                                  \
    X(DIAG_RANK_UNKNOWN, "rank-unknown", DIAG_WARNING, "a capture that does not say which rank of a cluster it is",    \
      "call its settings profiler_info_<rank>.json, as the framework does")                                            \
    X(DIAG_RANK_SEVERAL, "rank-several", DIAG_WARNING,                                                                 \
      "a capture of several devices, which are ranks of a cluster each; cluster compares captures of one device",      \
      "collect each rank into a capture of its own")                                                                   \
    X(DIAG_FILE_LIMIT, "file-limit", DIAG_ERROR, "a text file beyond the size that is read",                           \
      "check that it is the file it claims to be")                                                                     \
    X(DIAG_LAYOUT_MISMATCH, "layout-mismatch", DIAG_ERROR, "no known layout fits the file; it is not decoded",         \
      "describe its layout in a file and give it with --layout (see msprof-records(5))")                               \
    X(DIAG_RECORD_TRUNCATED, "record-truncated", DIAG_WARNING,                                                         \
      "the file ends inside a record; the rest of it is dropped", "copy the file again from the board")                \
    X(DIAG_RECORD_MAGIC, "record-magic", DIAG_WARNING,                                                                 \
      "a record without its magic number, or of another length; it is skipped",                                        \
      "copy the file again from the board, or give its layout with --layout")                                          \
    X(DIAG_RECORD_LENGTH, "record-length", DIAG_WARNING,                                                               \
      "a record of a length that no layout has: what wrote it is older or newer than what is read; it is skipped",     \
      "report the file, and the version of the framework that wrote it")                                               \
    X(DIAG_RECORD_AGED, "record-aged", DIAG_NOTE,                                                                      \
      "a stream that does not begin with a whole record: its device gave up its oldest data; the rest is dropped",     \
      "no action is needed, unless the file was cut when it was copied")                                               \
    X(DIAG_RECORD_VALUE, "record-value", DIAG_WARNING, "a record with an impossible value; it is rejected",            \
      "collect again; if it comes back, report the file")                                                              \
    X(DIAG_RECORD_ORDER, "record-order", DIAG_WARNING, "records out of time order; they are kept and sorted",          \
      "no action is needed: the reports are sorted")                                                                   \
    X(DIAG_RECORD_LOST, "record-lost", DIAG_WARNING, "the record counter jumps: records were lost on the device",      \
      "collect less at once, or shorter")                                                                              \
    X(DIAG_RECORD_UNKNOWN, "record-unknown", DIAG_NOTE, "a record of a type that this version does not decode",        \
      "see msprof-records(5) for what is decoded; the other records are complete")                                     \
    X(DIAG_RECORD_ODD, "record-odd", DIAG_NOTE,                                                                        \
      "a record that says something twice, or a number or a word that sound ones do not have there; it is kept",       \
      "check the file: other values of the record may be damaged, too")                                                \
    X(DIAG_COUNTER_FELL, "counter-fell", DIAG_WARNING,                                                                 \
      "a value that only grows is less than the one before: what passed in between is not known",                      \
      "collect again; if it comes back, report the file")                                                              \
    X(DIAG_COUNTER_JITTER, "counter-jitter", DIAG_NOTE,                                                                \
      "a counter is less than before, by less than it counts at once: two readings of one value; no rate is made of "  \
      "it",                                                                                                            \
      "no action is needed: nothing passed in between")                                                                \
    X(DIAG_RECORDING_LOST, "recording-lost", DIAG_ERROR,                                                               \
      "the recorder of the capture could not write all that it recorded",                                              \
      "record again, with space on the disk and without removing the directory")                                       \
    X(DIAG_RECORDING_OPEN, "recording-open", DIAG_WARNING,                                                             \
      "a recording without an end: its program was killed or still runs, and what it did last may be missing",         \
      "import again when the program has ended, or let it end by itself or by SIGTERM")                                \
    X(DIAG_SAMPLE_ALONE, "sample-alone", DIAG_NOTE,                                                                    \
      "a counter that was sampled once, in a file where others were often: its number may be damaged; it has no span", \
      "no action is needed where counters were switched on while others ran")                                          \
    X(DIAG_CALL_LEFT, "call-left", DIAG_WARNING,                                                                       \
      "calls that an exception, a longjmp or the end of their thread left: their ends are not known, they are not "    \
      "shown",                                                                                                         \
      "no action is needed: the other calls are complete")                                                             \
    X(DIAG_RANGE_OPEN, "range-open", DIAG_WARNING,                                                                     \
      "ranges of mstx that had begun and not ended when the capture did: they are not shown",                          \
      "end each range; no action is needed when the program ended in between")                                         \
    X(DIAG_RANGE_MISUSED, "range-misused", DIAG_WARNING,                                                               \
      "marks or ranges of mstx that the program did not use as they are meant: a range ended twice or in another "     \
      "domain, a domain used after it was destroyed",                                                                  \
      "see mstx(3); the other marks and ranges are complete")                                                          \
    X(DIAG_TEXT_LINE, "text-line", DIAG_WARNING,                                                                       \
      "a line or an entry of a text file that does not follow its format; it is skipped",                              \
      "copy the file again from the board")                                                                            \
    X(DIAG_TEXT_UNSAFE, "text-unsafe", DIAG_WARNING,                                                                   \
      "names with control characters or bytes that are no UTF-8; these are replaced by U+FFFD",                        \
      "check who made the capture: names of sound programs have none")                                                 \
    X(DIAG_TEXT_CUT, "text-cut", DIAG_WARNING,                                                                         \
      "a text that is too long to be kept whole, as a list of thousands of tensors; what is behind its limit is "      \
      "dropped",                                                                                                       \
      "no action is needed where its beginning is enough; the files have all of it that was recorded")                 \
    X(DIAG_TASK_UNMATCHED_END, "task-unmatched-end", DIAG_WARNING, "a task end without its start; it is dropped",      \
      "no action is needed when it happens at the start of a capture only")                                            \
    X(DIAG_TASK_UNMATCHED_START, "task-unmatched-start", DIAG_NOTE,                                                    \
      "a task start without its end, or replaced by a later start; it is not a task",                                  \
      "no action is needed: common where a capture ends")                                                              \
    X(DIAG_TASK_END_LOST, "task-end-lost", DIAG_WARNING,                                                               \
      "a task start whose end is not there, though later tasks of its stream ended; the task is lost",                 \
      "copy the files again; if it comes back, collect less at once")                                                  \
    X(DIAG_CALL_UNMATCHED, "call-unmatched", DIAG_WARNING, "half of a call without its other half; the call is lost",  \
      "no action is needed when it happens at the ends of a capture only")                                             \
    X(DIAG_SAMPLE_END, "sample-end", DIAG_NOTE, "a record that ends the samples; it is none",                          \
      "no action is needed: the samples before it are complete")                                                       \
    X(DIAG_RECORD_UNPLACED, "record-unplaced", DIAG_WARNING,                                                           \
      "records about a call or an operator that no other record knows; they are in no table",                          \
      "no action is needed when it happens at the ends of a capture only")                                             \
    X(DIAG_DEVICE_UNKNOWN, "device-unknown", DIAG_WARNING,                                                             \
      "a file of a device's directory that is named after another device; the clocks are the directory's",             \
      "its records are decoded; check that the file belongs to this capture")                                          \
    X(DIAG_TASK_NOT_RUN, "task-not-run", DIAG_NOTE,                                                                    \
      "records about operators of tasks that did not run, as far as the device says; they are in no table",            \
      "no action is needed: common where a capture ends, or when part of a model runs")                                \
    X(DIAG_CHIP_UNKNOWN, "chip-unknown", DIAG_WARNING,                                                                 \
      "a device whose chip (platform_version in info.json) is not supported; its data are skipped",                    \
      "see msprof-cann(7) for the chips that are read")                                                                \
    X(DIAG_HALF_MISSING, "half-missing", DIAG_WARNING,                                                                 \
      "a device on which the host launched tasks, or the host, left nothing; what only it says is in no table",        \
      "copy its directory into the capture, or collect again")                                                         \
    X(DIAG_TASK_UNLAUNCHED, "task-unlaunched", DIAG_NOTE,                                                              \
      "tasks of a device that no record of the host launched; they have no operator",                                  \
      "no action is needed: common where a capture starts, or without the host's half")                                \
    X(DIAG_OPERATOR_UNDESCRIBED, "operator-undescribed", DIAG_NOTE,                                                    \
      "operators whose launch has no record of a name or of tensors for them, where other launches have",              \
      "no action is needed where a runtime launches operators by itself; else records may be damaged or lost")         \
    X(DIAG_EVENT_UNKNOWN, "event-unknown", DIAG_NOTE,                                                                  \
      "an event of the program of a type that is not known; it is kept, its type is shown as a number",                \
      "no action is needed: its times and its message are right")                                                      \
    X(DIAG_NAME_UNKNOWN, "name-unknown", DIAG_NOTE, "an id that no dictionary names; it is shown as its number",       \
      "bring the *.hash_dic files home with the capture")                                                              \
    X(DIAG_MESSAGE_INCOMPLETE, "message-incomplete", DIAG_WARNING,                                                     \
      "pieces of a long message are missing or there twice; those that are there are joined",                          \
      "collect less at once, or copy the files again")                                                                 \
    X(DIAG_CALL_OVERLAP, "call-overlap", DIAG_WARNING,                                                                 \
      "calls of one thread that overlap without one holding the other; they are side by side",                         \
      "collect again; if it comes back, report the capture")                                                           \
    X(DIAG_CALL_INTERLEAVED, "call-interleaved", DIAG_NOTE,                                                            \
      "calls of one thread that msprof recorded and that overlap, as those of coroutines do; they are side by side",   \
      "no action is needed")                                                                                           \
    X(DIAG_CLOCK_CONTRADICTION, "clock-contradiction", DIAG_WARNING,                                                   \
      "tasks that began before they were launched: the clocks of host and device contradict each other",               \
      "check host_start.log, dev_start.log and the frequencies in info.json; durations are right")                     \
    X(DIAG_PMU_UNMATCHED, "pmu-unmatched", DIAG_WARNING,                                                               \
      "counters of a task that has no start and end, or has counters already; not shown",                              \
      "no action is needed when it happens at the ends of a capture only")                                             \
    X(DIAG_BLOCKS_UNKNOWN, "blocks-unknown", DIAG_NOTE,                                                                \
      "counters of blocks of mixed kernels of which no record says how many blocks they have; device_task has "        \
      "their sums, op_summary leaves them out as Ascend's tool does",                                                  \
      "no action is needed: common where a program launches kernels itself, and at level 0")                           \
    X(DIAG_API_OVERFLOW, "api-overflow", DIAG_WARNING,                                                                 \
      "exactly 512 API records: the board's buffer was full and older calls were overwritten",                         \
      "profile fewer inferences; the API statistics are incomplete")                                                   \
    X(DIAG_NO_DEVICE_DATA, "no-device-data", DIAG_NOTE,                                                                \
      "no device records: the model was loaded but never executed, or marks no layers",                                \
      "run an inference inside the profiled part of the program; ATC makes models that mark layers with "              \
      "--online_model_type 2, the default, 3, 6 and 7")                                                                \
    X(DIAG_NO_FINALIZE, "no-finalize", DIAG_NOTE,                                                                      \
      "a data file without its .done file: the last second may be missing",                                            \
      "call svp_acl_finalize() before the program ends")                                                               \
    X(DIAG_START_UNKNOWN, "start-unknown", DIAG_NOTE,                                                                  \
      "an inference without a start time; it is placed after the one before it, the first at 0",                       \
      "no action is needed: durations and ratios do not depend on it")                                                 \
    X(DIAG_INFERENCE_LIMIT, "inference-limit", DIAG_WARNING,                                                           \
      "more interleaved inferences than are followed; a later part of one starts anew",                                \
      "profile fewer streams at once")                                                                                 \
    X(DIAG_LAYER_MISSING, "layer-missing", DIAG_WARNING,                                                               \
      "device records of a task that no layer table names; shown as N/A",                                              \
      "bring <model>.<model id>.layer.info home with the capture")                                                     \
    X(DIAG_CONFIG_MISSING, "config-missing", DIAG_WARNING,                                                             \
      "info.json is missing or lacks a value that the times need",                                                     \
      "bring info.json home with the capture, or give --freq-mhz")                                                     \
    X(DIAG_CONFIG_INVALID, "config-invalid", DIAG_WARNING,                                                             \
      "a configuration file that cannot be understood; it is ignored", "bring it home again, or give --freq-mhz")      \
    X(DIAG_CLOCK_ASSUMED, "clock-assumed", DIAG_NOTE,                                                                  \
      "the capture does not say its clock frequency; the family's usual one is taken",                                 \
      "give --freq-mhz when it is another one")                                                                        \
    X(DIAG_ITERATION_OPEN, "iteration-open", DIAG_NOTE,                                                                \
      "an iteration without its end; it is not among the iterations",                                                  \
      "no action is needed: common where a capture ends")                                                              \
    X(DIAG_COLUMN_UNKNOWN, "column-unknown", DIAG_NOTE,                                                                \
      "a column of a table that this version does not know; its values are kept under its name",                       \
      "query them: SELECT * FROM opprof_other")                                                                        \
    X(DIAG_ROWS_MISSING, "rows-missing", DIAG_WARNING,                                                                 \
      "a table of blocks with fewer rows than the operator had blocks: sums and means are of those that are there",    \
      "copy the directory again, or collect again")                                                                    \
    X(DIAG_ROWS_MIXED, "rows-mixed", DIAG_WARNING,                                                                     \
      "tables of one launch whose blocks or cycles differ: the files are of different runs",                           \
      "put the files of each run into a directory of its own")                                                         \
    X(DIAG_NAME_COLLISION, "name-collision", DIAG_NOTE,                                                                \
      "one report file covers several inferences, because its name cannot tell them apart",                            \
      "query the database to tell them apart")

enum diag_id {
#define DIAG_ENUM(constant, id, severity, meaning, remedy) constant,
    DIAG_LIST(DIAG_ENUM)
#undef DIAG_ENUM
        DIAG_COUNT
};

struct diag_info {
    const char *id;
    enum diag_severity severity;
    const char *meaning;
    const char *remedy;
};

/* Where a problem is. file may be NULL; record, offset < 0 and field NULL mean "not known". offset is in bytes. */
struct place {
    const char *file;
    int64_t record;
    int64_t offset;
    const char *field;
};
/* The place of what a whole file says, or one field in it. */
#define FILE_PLACE(file, field) (&(const struct place){file, -1, -1, field})

#define DIAG_KEPT_IN_FULL 5

/* One (id, file) pair: how often, and the first few in full. Texts are owned by the collection. */
struct diag_entry {
    enum diag_id id;
    char *file; /* "" when no file is concerned */
    uint64_t count;
    size_t order; /* its place among the entries */
    size_t kept;
    char *texts[DIAG_KEPT_IN_FULL]; /* complete lines: place, problem, remedy */
    int64_t records[DIAG_KEPT_IN_FULL];
    int64_t offsets[DIAG_KEPT_IN_FULL];
};

struct diagnostics {
    struct diag_entry *entries; /* in order of first appearance; at most DIAG_MAX_ENTRIES */
    size_t count, capacity;
    uint64_t by_severity[3]; /* reports of each severity, also of those not kept */
    bool strict;             /* set by the caller: the first warning or error is fatal */
    bool out_of_memory;      /* some entries could not be kept (the counts are right all the same) */
    enum diag_id latest_id;  /* of the report that was made last */
    uint64_t unlisted;       /* reports that are in no entry, because there are DIAG_MAX_ENTRIES or memory ran out */
    uint32_t *slots;         /* hash table over entries: index + 1, or 0 */
    size_t latest;           /* index of the entry that was reported last */
    bool back;               /* entries that are made now have their place at `mark` */
    size_t mark;
};

#define DIAG_MAX_ENTRIES 4096

const struct diag_info *diag_info(enum diag_id id);
const char *diag_severity_name(enum diag_severity severity); /* "note", "warning", "error" */

void diag_init(struct diagnostics *diag, bool strict);
void diag_release(struct diagnostics *diag);

/* Counts a problem and keeps its text when it is among the first five of this id and file. Never fails. The text is a
 * lower-case phrase that says what was found and what was expected; place and remedy are added here. place may be NULL.
 * Cheap when the text is not kept, so that every record of a bad file may be reported. */
void diag_report(struct diagnostics *diag, enum diag_id id, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The place that an entry would have now. A later report goes back to it: entries that are made between diag_go_back
 * and diag_go_on stand in front of those that were made since the mark. */
size_t diag_mark(const struct diagnostics *diag);
void diag_go_back(struct diagnostics *diag, size_t mark);
void diag_go_on(struct diagnostics *diag);

/* The id of this name; DIAG_COUNT: none. */
enum diag_id diag_find(const char *name);

/* Adds count reports of an id and file with the whole lines that another collection kept of them (at most
 * DIAG_KEPT_IN_FULL): place and remedy are in them already. */
void diag_restore(struct diagnostics *diag, enum diag_id id, const char *file, uint64_t count, char *const *lines,
                  size_t line_count);

/* Adds all that another collection has. */
void diag_merge(struct diagnostics *diag, const struct diagnostics *from);

/* Reports so far, of every severity. */
uint64_t diag_reports(const struct diagnostics *diag);

/* Warnings and errors so far. */
uint64_t diag_problems(const struct diagnostics *diag);

/* True when a problem has been reported and the collection is strict: the work should stop. */
bool diag_is_fatal(const struct diagnostics *diag);

/* Fills err with the first problem of a strict collection, its place and remedy; returns -ERR_STRICT. */
int diag_fatal_error(const struct diagnostics *diag, struct err *err);

/* Whether two times can be the start and the end of something: the one answer for all records, joins and files. */

/* No sound duration gets here (104 days), and a thousand of the longest can still be added up. */
#define DURATION_LIMIT_NS (INT64_C(1) << 53)

/* Whether diag_check_span accepts the span. */
static inline bool span_is_sound(int64_t start_ns, int64_t end_ns)
{
    return start_ns >= 0 && start_ns <= INT64_MAX - DURATION_LIMIT_NS && end_ns >= start_ns &&
           end_ns - start_ns <= DURATION_LIMIT_NS;
}

/* False: it ends before it starts, lasts longer than DURATION_LIMIT_NS or starts outside of time, which is reported as
 * DIAG_RECORD_VALUE at the place, whose field is replaced. what: "the call". */
bool diag_check_span(struct diagnostics *diag, const struct place *place, const char *what, int64_t start_ns,
                     int64_t end_ns);

#endif
