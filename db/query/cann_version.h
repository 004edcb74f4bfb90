/* SPDX-License-Identifier: Apache-2.0 */
/* Names of columns, files and values that Ascend's tool changed from version to version of CANN (docs/formats/cann.md
 * 9.1). */
#ifndef MSPROF_DB_QUERY_CANN_VERSION_H
#define MSPROF_DB_QUERY_CANN_VERSION_H

#include "base/err.h"
#include "base/strbuf.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdbool.h>

/* A version as a number that orders them: 8.0.RC1 is before 8.0, 8.0 before 8.1. */
#define CANN_VERSION_NEWEST 0 /* so that who does not ask has the names of today */

/* Something that an older version calls otherwise, or leaves out. */
enum cann_naming {
    NAMING_HCCL,        /* communication is HCCL: of tasks, of a file, of a layer */
    NAMING_NO_DEVICE,   /* PyTorch's tables have no device; at level 0 kernels have no shapes */
    NAMING_BLOCK_DIM,   /* blocks are a Block Dim */
    NAMING_MODULES,     /* modules of the memory have other names */
    NAMING_NO_STATE,    /* operators have neither OP State nor HF32 Eligible */
    NAMING_TEXT_TIMES,  /* PyTorch's calls have their times as texts in its database */
    NAMING_MIXED_WHOLE, /* task_time has the whole of a mixed kernel instead of its part 0 */
    NAMING_FOPS,        /* each kind of core has a column for the operations of the other */
    NAMING_FORMAT_ND,   /* the format ND is FORMAT_ND */
    NAMING_LAUNCHED,    /* task_time has what the host launched (KERNEL_AICORE), not the core that it ran on */
    NAMING_HOST_NUMBER, /* calls of the host are the device's */
    NAMING_NO_NUMBER,   /* devices have no number in timelines */
    NAMING_POINTS,      /* whole numbers of some columns have a point: 100.0 */
};

/* Reads "8.2", "8.2.RC1", "8.0.0" or "newest"; false: it is none of these. */
bool cann_version_parse(const char *text, int *ret);
/* Whether a version has the older name. */
bool cann_version_has(int version, enum cann_naming naming);

/* Title of a column, or name of a file, in this version: the same name where it has not changed. NULL: it has none. */
const char *cann_version_title(int version, const char *title);
/* Whether whole numbers of the column with this title have a point. */
bool cann_version_has_point(int version, const char *title);
const char *cann_version_file(int version, const char *report);
/* Type of tasks that communicate. */
const char *cann_version_communication(int version);
/* Appends formats of tensors, as "ND;NCHW". */
void cann_version_formats(int version, const char *formats, size_t length, struct strbuf *ret);
/* Place of a layer of a timeline, which today is the layer's number: devices, and what stands behind them, moved. */
int64_t cann_version_place(int version, int64_t layer);
/* Names of modules that have others today, ended by NULL. */
extern const struct value_name cann_version_modules[];

/* The version that a capture's own settings say. */
struct cann_version_said {
    char text[48];            /* "8.2.RC1"; "": it says none, or no version */
    int version;              /* CANN_VERSION_NEWEST where none is said, or it cannot be */
    const char *contradicted; /* NULL, or what the capture holds that this version did not write */
};
/* framework: what a framework's settings say, where the capture says nothing; NULL: nothing. */
int cann_version_said(sqlite3 *db, const char *framework, struct cann_version_said *ret, struct err *err);

#endif
