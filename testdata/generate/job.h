/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a JOB directory, as a board leaves them (docs/formats/svp.md 1 and 2). */
#ifndef MSPROF_GENERATE_JOB_H
#define MSPROF_GENERATE_JOB_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "parsers/decode/encode.h"
#include "testdata/generate/network.h"

#include <stdint.h>

#define JOB_NAME_SIZE 33 /* "JOB", 29 capital letters, NUL */
#define FILE_NAME_SIZE 384

struct job {
    char *directory;
    bool board_names; /* .done and info.json have the keys of other boards */
};

/* A directory name that depends on the seed only. */
void job_name(uint64_t seed, char name[JOB_NAME_SIZE]);

/* Creates output/name/data. -code with err set; release also after a failure. */
int job_init(struct job *job, const char *output, const char *name, struct err *err);
void job_release(struct job *job);

/* Each writes one file. Names of data files are built by the caller, without "data/". */
int job_write_info(const struct job *job, unsigned device, unsigned megahertz, struct err *err);
int job_write_layers(const struct job *job, const char *model, unsigned model_id, const struct network *network,
                     struct err *err);
int job_write_net(const struct job *job, const char *model, unsigned model_id, unsigned batch, struct err *err);
/* Content of an inference as boards keep it, in a form that nobody published. */
int job_write_content(const struct job *job, const char *name, struct err *err);
int job_write_complete(const struct job *job, const char *name, struct err *err);

struct done {
    uint64_t file_size;
    int64_t start_ns, end_ns;
    bool has_icache;
    uint64_t icache_hit, icache_miss;
    unsigned process_id, thread_id; /* 0: not said */
};
/* "<name>.done" */
int job_write_done(const struct job *job, const char *name, const struct done *done, struct err *err);

/* A file of fixed-size records in the first built-in layout of their kind, streamed. */
struct record_file {
    struct outfile out;
    struct encode_plan plan;
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present;
    uint64_t records;
};

/* Either record_file_close or record_file_abort ends it after a successful open. */
int record_file_open(struct record_file *file, const struct job *job, const char *name, const char *kind,
                     struct err *err);
/* The index of a column, -ERR_NOT_FOUND with err set. */
int record_file_column(const struct record_file *file, const char *column, struct err *err);
/* Sets a cell of the next record; cells keep their values from one record to the next. A text must live until then. */
void record_file_set(struct record_file *file, int column, int64_t value);
void record_file_set_text(struct record_file *file, int column, const char *text);
int record_file_write(struct record_file *file, struct err *err);
int record_file_close(struct record_file *file, struct err *err);
void record_file_abort(struct record_file *file);
uint64_t record_file_size(const struct record_file *file); /* bytes so far */

#endif
