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
    X(DIAG_FILE_UNKNOWN, "file-unknown", DIAG_WARNING, "file name matches no record kind; the file is not decoded",    \
      "move it out of the capture; 'msprof kinds' lists the names that are read")                                      \
    X(DIAG_FILE_UNSUPPORTED, "file-unsupported", DIAG_NOTE,                                                            \
      "file of a known profiling stream that this version does not decode; no table contains its records",             \
      "see msprof-records(5) for what is decoded; the other files are complete")                                       \
    X(DIAG_FILE_BESIDE, "file-beside", DIAG_NOTE,                                                                      \
      "file beside the data whose name does not belong to a capture; it is not read",                                  \
      "no action is needed if the file is yours; data files belong in data/")                                          \
    X(DIAG_FILE_FOREIGN, "file-foreign", DIAG_WARNING, "file of another family of captures; it is not decoded",        \
      "move it out of the capture; import captures of different devices or tools separately")                          \
    X(DIAG_FILE_UNREADABLE, "file-unreadable", DIAG_ERROR, "file cannot be opened or read",                            \
      "make it readable and import again")                                                                             \
    X(DIAG_FILE_EMPTY, "file-empty", DIAG_WARNING, "data file is empty", "collect again if you need its data")         \
    X(DIAG_FILE_DUPLICATE, "file-duplicate", DIAG_WARNING,                                                             \
      "two files with the same stream number or the same content; only the first is decoded", "remove the copy")       \
    X(DIAG_FILE_TYPE, "file-type", DIAG_WARNING,                                                                       \
      "not a regular file inside the capture directory (a symbolic link that leaves it, a device, a pipe); it is not " \
      "read",                                                                                                          \
      "replace it by a copy of the file")                                                                              \
    X(DIAG_FILE_CHANGED, "file-changed", DIAG_ERROR,                                                                   \
      "file was written, truncated or replaced during the import; the database may not match it",                      \
      "import again when no process writes to the capture")                                                            \
    X(DIAG_FILE_SIZE, "file-size", DIAG_WARNING, "file size differs from the size in its .done file",                  \
      "copy it again from the board")                                                                                  \
    X(DIAG_FILE_MISSING, "file-missing", DIAG_WARNING,                                                                 \
      "data file is missing, but its .done file or neighbouring slices exist", "copy the data file from the board")    \
    X(DIAG_FILE_ABSENT, "file-absent", DIAG_NOTE,                                                                      \
      "file is missing that settings or other files of the capture refer to; it was lost, or nothing was recorded",    \
      "copy the capture again if the file was left behind")                                                            \
    X(DIAG_RANK_MISSING, "rank-missing", DIAG_WARNING,                                                                 \
      "rank is missing that other ranks of the cluster refer to, or it lacks steps that others have",                  \
      "put its directory beside the others if it exists")                                                              \
    X(DIAG_RANK_DOUBLE, "rank-double", DIAG_WARNING, "several captures of one rank; the latest is used",               \
      "move the others away if another one is meant")                                                                  \
    X(DIAG_RANK_SILENT, "rank-silent", DIAG_WARNING,                                                                   \
      "rank has no communication data while others have; collectives of its groups are not judged",                    \
      "copy its results again, or analyse it again")                                                                   \
    X(DIAG_RANK_ORDER, "rank-order", DIAG_WARNING,                                                                     \
      "ranks disagree about their numbers in a group; the transfer of a rank to itself decides",                       \
      "check profiler_metadata.json of these ranks, and that they belong to one run")                                  \
    X(DIAG_LINK_UNMAPPED, "link-unmapped", DIAG_NOTE, "ranks of these links are unknown; no table contains the links", \
      "no action is needed if captures have no profiler_metadata.json, the only source for ranks of sends and "        \
      "receives")                                                                                                      \
    X(DIAG_AGGREGATE_DAMAGED, "aggregate-damaged", DIAG_NOTE,                                                          \
      "cached data of a rank is damaged; it is read again from the capture",                                           \
      "no action is needed; check the disk if it happens again")                                                       \
    X(DIAG_VALUE_ODD, "value-odd", DIAG_NOTE,                                                                          \
      "time is negative, or longer than the time that contains it; kept as written, or left empty",                    \
      "no action is needed; the times that it is derived from are right")                                              \
    X(DIAG_FRAMEWORK_UNREADABLE, "framework-unreadable", DIAG_WARNING,                                                 \
      "data of the framework around a capture cannot be read; tables and timelines lack it",                           \
      "copy the directory of the framework again, or move the PROF_* directory out of it")                             \
    X(DIAG_RANK_UNKNOWN, "rank-unknown", DIAG_WARNING, "capture does not name its rank in the cluster",                \
      "rename its settings to profiler_info_<rank>.json, as the framework does")                                       \
    X(DIAG_RANK_SEVERAL, "rank-several", DIAG_WARNING,                                                                 \
      "capture of several devices, each a rank of the cluster; cluster compares captures of one device",               \
      "collect each rank into its own capture")                                                                        \
    X(DIAG_FILE_LIMIT, "file-limit", DIAG_ERROR, "text file is larger than the limit",                                 \
      "check that it is the file it should be")                                                                        \
    X(DIAG_LAYOUT_MISMATCH, "layout-mismatch", DIAG_ERROR, "no known layout fits the file; it is not decoded",         \
      "describe its layout in a file and pass it with --layout, see msprof-records(5)")                                \
    X(DIAG_RECORD_TRUNCATED, "record-truncated", DIAG_WARNING,                                                         \
      "incomplete record at the end of the file; it is dropped", "copy the file again from the board")                 \
    X(DIAG_RECORD_MAGIC, "record-magic", DIAG_WARNING, "record with a wrong magic number or length; it is skipped",    \
      "copy the file again from the board, or pass its layout with --layout")                                          \
    X(DIAG_RECORD_LENGTH, "record-length", DIAG_WARNING,                                                               \
      "record has a length that no layout has, written by an older or newer tool; it is skipped",                      \
      "report the file, with the version of the framework that wrote it")                                              \
    X(DIAG_RECORD_AGED, "record-aged", DIAG_NOTE,                                                                      \
      "stream starts inside a record because the device overwrote its oldest data; the partial record is dropped",     \
      "no action is needed, unless the file was truncated when it was copied")                                         \
    X(DIAG_RECORD_VALUE, "record-value", DIAG_WARNING, "record with an impossible value; it is rejected",              \
      "collect again; report the file if it happens again")                                                            \
    X(DIAG_RECORD_ORDER, "record-order", DIAG_WARNING, "records are not in time order; they are kept and sorted",      \
      "no action is needed; reports are sorted")                                                                       \
    X(DIAG_RECORD_LOST, "record-lost", DIAG_WARNING, "record counter jumps; the device lost records",                  \
      "collect fewer data, or for a shorter time")                                                                     \
    X(DIAG_RECORD_UNKNOWN, "record-unknown", DIAG_NOTE, "record type that this version does not decode",               \
      "see msprof-records(5) for what is decoded; the other records are complete")                                     \
    X(DIAG_RECORD_ODD, "record-odd", DIAG_NOTE,                                                                        \
      "record contains a contradiction, or a number or word that does not belong there; it is kept",                   \
      "check the file; other values of the record may be damaged, too")                                                \
    X(DIAG_COUNTER_FELL, "counter-fell", DIAG_WARNING,                                                                 \
      "counter that can only grow is smaller than before; the difference is unknown",                                  \
      "collect again; report the file if it happens again")                                                            \
    X(DIAG_COUNTER_JITTER, "counter-jitter", DIAG_NOTE,                                                                \
      "counter is smaller than before by less than one counting step: two readings of the same value; no rate is "     \
      "calculated",                                                                                                    \
      "no action is needed; nothing happened between the readings")                                                    \
    X(DIAG_RECORDING_LOST, "recording-lost", DIAG_ERROR, "recorder could not write all data of the capture",           \
      "record again with enough disk space, and do not remove the directory meanwhile")                                \
    X(DIAG_RECORDING_OPEN, "recording-open", DIAG_WARNING,                                                             \
      "recording has no end; its program was killed or is still running, and its last events may be missing",          \
      "import again when the program has ended; let it end by itself or by SIGTERM")                                   \
    X(DIAG_SAMPLE_ALONE, "sample-alone", DIAG_NOTE,                                                                    \
      "counter has a single sample in a file where others have many; its number may be damaged; it has no duration",   \
      "no action is needed if counters were turned on while others ran")                                               \
    X(DIAG_CALL_LEFT, "call-left", DIAG_WARNING,                                                                       \
      "calls were left by an exception, by longjmp or by the end of their thread; their ends are unknown, and they "   \
      "are not shown",                                                                                                 \
      "no action is needed; the other calls are complete")                                                             \
    X(DIAG_RANGE_OPEN, "range-open", DIAG_WARNING,                                                                     \
      "mstx ranges were still open when the capture ended; they are not shown",                                        \
      "end each range; none if the program ended meanwhile")                                                           \
    X(DIAG_RANGE_MISUSED, "range-misused", DIAG_WARNING,                                                               \
      "wrong use of mstx marks or ranges: a range ended twice or in another domain, or a domain used after its "       \
      "destruction",                                                                                                   \
      "see mstx(3); the other marks and ranges are complete")                                                          \
    X(DIAG_TEXT_LINE, "text-line", DIAG_WARNING, "malformed line or entry in a text file; it is skipped",              \
      "copy the file again from the board")                                                                            \
    X(DIAG_TEXT_UNSAFE, "text-unsafe", DIAG_WARNING,                                                                   \
      "control characters or invalid UTF-8 in names; each is replaced by U+FFFD",                                      \
      "check where the capture comes from; valid names have none")                                                     \
    X(DIAG_TEXT_CUT, "text-cut", DIAG_WARNING,                                                                         \
      "text is too long, such as a list of thousands of tensors; it is truncated",                                     \
      "no action is needed if its beginning is enough; the files contain all that was recorded")                       \
    X(DIAG_TASK_UNMATCHED_END, "task-unmatched-end", DIAG_WARNING, "task end without a start; it is dropped",          \
      "no action is needed if it happens only at the start of a capture")                                              \
    X(DIAG_TASK_UNMATCHED_START, "task-unmatched-start", DIAG_NOTE,                                                    \
      "task start without an end, or followed by another start; it is dropped",                                        \
      "no action is needed; common at the end of a capture")                                                           \
    X(DIAG_TASK_END_LOST, "task-end-lost", DIAG_WARNING,                                                               \
      "task start without an end although later tasks of its stream ended; the task is lost",                          \
      "copy the files again; collect fewer data if it happens again")                                                  \
    X(DIAG_CALL_UNMATCHED, "call-unmatched", DIAG_WARNING,                                                             \
      "begin or end of a call without its counterpart; the call is lost",                                              \
      "no action is needed if it happens only at the ends of a capture")                                               \
    X(DIAG_SAMPLE_END, "sample-end", DIAG_NOTE, "record that marks the end of the samples; it is not a sample",        \
      "no action is needed; the samples before it are complete")                                                       \
    X(DIAG_RECORD_UNPLACED, "record-unplaced", DIAG_WARNING,                                                           \
      "records about a call or operator that no other record mentions; no table contains them",                        \
      "no action is needed if it happens only at the ends of a capture")                                               \
    X(DIAG_DEVICE_UNKNOWN, "device-unknown", DIAG_WARNING,                                                             \
      "file in a device's directory is named after another device; the clocks of the directory are used",              \
      "its records are decoded; check that the file belongs to this capture")                                          \
    X(DIAG_TASK_NOT_RUN, "task-not-run", DIAG_NOTE,                                                                    \
      "records about operators whose tasks did not run, according to the device; no table contains them",              \
      "no action is needed; common at the end of a capture, or when part of a model runs")                             \
    X(DIAG_CHIP_UNKNOWN, "chip-unknown", DIAG_WARNING,                                                                 \
      "chip of a device (platform_version in info.json) is not supported; its data is skipped",                        \
      "see msprof-cann(7) for the supported chips")                                                                    \
    X(DIAG_HALF_MISSING, "half-missing", DIAG_WARNING,                                                                 \
      "data of the host, of a device on which the host launched tasks, or what joins both is missing; tables of it "   \
      "are empty",                                                                                                     \
      "copy its directory into the capture, or collect again")                                                         \
    X(DIAG_TASK_UNLAUNCHED, "task-unlaunched", DIAG_NOTE,                                                              \
      "device tasks without a launch on the host; they have no operator",                                              \
      "no action is needed; common at the start of a capture, or without the host's data")                             \
    X(DIAG_OPERATOR_UNDESCRIBED, "operator-undescribed", DIAG_NOTE,                                                    \
      "launch of an operator has no record of its name or tensors, while other launches have",                         \
      "no action is needed if a runtime launches operators by itself; otherwise records may be damaged or lost")       \
    X(DIAG_EVENT_UNKNOWN, "event-unknown", DIAG_NOTE,                                                                  \
      "program event of unknown type; it is kept, with its type as a number",                                          \
      "no action is needed; its times and its message are right")                                                      \
    X(DIAG_NAME_UNKNOWN, "name-unknown", DIAG_NOTE, "id is in no dictionary; it is shown as a number",                 \
      "copy the *.hash_dic and *.type_info_dic files with the capture")                                                \
    X(DIAG_MESSAGE_INCOMPLETE, "message-incomplete", DIAG_WARNING,                                                     \
      "parts of a long message are missing or duplicated; the others are joined",                                      \
      "collect fewer data, or copy the files again")                                                                   \
    X(DIAG_CALL_OVERLAP, "call-overlap", DIAG_WARNING,                                                                 \
      "calls of one thread overlap, and none contains the other; they are shown side by side",                         \
      "collect again; report the capture if it happens again")                                                         \
    X(DIAG_CALL_INTERLEAVED, "call-interleaved", DIAG_NOTE,                                                            \
      "calls of one thread that msprof recorded overlap, as calls of coroutines do; they are shown side by side",      \
      "no action is needed")                                                                                           \
    X(DIAG_CLOCK_CONTRADICTION, "clock-contradiction", DIAG_WARNING,                                                   \
      "tasks began before they were launched; the clocks of host and device contradict each other",                    \
      "check host_start.log, dev_start.log and the frequencies in info.json; durations are right")                     \
    X(DIAG_PMU_UNMATCHED, "pmu-unmatched", DIAG_WARNING,                                                               \
      "counters of a task without start and end, or second counters of a task; not shown",                             \
      "no action is needed if it happens only at the ends of a capture")                                               \
    X(DIAG_BLOCKS_UNKNOWN, "blocks-unknown", DIAG_NOTE,                                                                \
      "counters of blocks of mixed kernels whose number of blocks is unknown; device_task has their sums, op_summary " \
      "omits them as Ascend's tool does",                                                                              \
      "no action is needed; common at level 0, and if a program launches kernels itself")                              \
    X(DIAG_API_OVERFLOW, "api-overflow", DIAG_WARNING,                                                                 \
      "exactly 512 API records; the buffer of the board was full and older calls were overwritten",                    \
      "profile fewer inferences; the API statistics are incomplete")                                                   \
    X(DIAG_NO_DEVICE_DATA, "no-device-data", DIAG_NOTE,                                                                \
      "no device records; the model was loaded but never executed, or it does not mark layers",                        \
      "run an inference in the profiled part of the program; ATC marks layers with --online_model_type 2 (default), "  \
      "3, 6 and 7")                                                                                                    \
    X(DIAG_NO_FINALIZE, "no-finalize", DIAG_NOTE, "data file without its .done file; the last second may be missing",  \
      "call svp_acl_finalize() before the program ends")                                                               \
    X(DIAG_START_UNKNOWN, "start-unknown", DIAG_NOTE,                                                                  \
      "inference without a start time; it is placed after the previous one, the first at 0",                           \
      "no action is needed; durations and ratios do not depend on it")                                                 \
    X(DIAG_INFERENCE_LIMIT, "inference-limit", DIAG_WARNING,                                                           \
      "too many interleaved inferences; later parts of an inference count as a new one",                               \
      "profile fewer streams at once")                                                                                 \
    X(DIAG_LAYER_MISSING, "layer-missing", DIAG_WARNING,                                                               \
      "device records of a task that is in no layer table; its layer is N/A",                                          \
      "copy <model>.<model id>.layer.info with the capture")                                                           \
    X(DIAG_CONFIG_MISSING, "config-missing", DIAG_WARNING,                                                             \
      "info.json is missing, or lacks a value that the times need",                                                    \
      "copy info.json with the capture, or pass --freq-mhz")                                                           \
    X(DIAG_CONFIG_INVALID, "config-invalid", DIAG_WARNING, "malformed configuration file; it is ignored",              \
      "copy it again, or pass --freq-mhz")                                                                             \
    X(DIAG_CLOCK_ASSUMED, "clock-assumed", DIAG_NOTE,                                                                  \
      "capture does not record its clock frequency; the usual frequency of the family is used",                        \
      "pass --freq-mhz if it is another one")                                                                          \
    X(DIAG_ITERATION_OPEN, "iteration-open", DIAG_NOTE, "iteration without an end; it is not listed",                  \
      "no action is needed; common at the end of a capture")                                                           \
    X(DIAG_ITERATION_HEADLESS, "iteration-headless", DIAG_WARNING,                                                     \
      "iteration without a point 1; its forward propagation is N/A, or it is not listed",                              \
      "copy training_trace.* again, or collect again")                                                                 \
    X(DIAG_COLUMN_UNKNOWN, "column-unknown", DIAG_NOTE,                                                                \
      "table column that this version does not know; its values are kept under its name",                              \
      "query them: SELECT * FROM opprof_other")                                                                        \
    X(DIAG_ROWS_MISSING, "rows-missing", DIAG_WARNING,                                                                 \
      "table of blocks has fewer rows than the operator had blocks; sums and means cover only these",                  \
      "copy the directory again, or collect again")                                                                    \
    X(DIAG_ROWS_MIXED, "rows-mixed", DIAG_WARNING,                                                                     \
      "tables of one launch differ in blocks or cycles; the files come from different runs",                           \
      "put the files of each run into a separate directory")                                                           \
    X(DIAG_NAME_COLLISION, "name-collision", DIAG_NOTE,                                                                \
      "one report file covers several inferences because their names are equal",                                       \
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
    size_t made;  /* among those of the place; diag_go_on sets it */
    size_t kept;
    char *texts[DIAG_KEPT_IN_FULL]; /* complete lines: place, problem, remedy; English, as databases have them */
    char *said[DIAG_KEPT_IN_FULL];  /* the same in the user's language; NULL: they are the same */
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
 * Of "%s" the text is looked up in the user's language: it is a whole phrase, marked where it stands.
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

/* The k-th line that was kept of an entry, in the user's language. */
const char *diag_line(const struct diag_entry *entry, size_t k);

/* Adds all that another collection has. */
void diag_merge(struct diagnostics *diag, const struct diagnostics *from);

/* Whether there is one. */
bool diag_has(const struct diagnostics *diag, enum diag_id id);

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
