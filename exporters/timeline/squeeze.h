/* SPDX-License-Identifier: Apache-2.0 */
/* An output file whose bytes are compressed on several processors: blocks by themselves, in their order. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SQUEEZE_H
#define MSPROF_EXPORTERS_TIMELINE_SQUEEZE_H

#include "base/err.h"
#include "base/file/outfile.h"

struct squeeze; /* opaque */

enum squeeze_kind {
    SQUEEZE_GZIP,    /* one member of gzip */
    SQUEEZE_PACKETS, /* packets of Perfetto's trace, as some that hold them compressed: below 512 KB each */
};

/* Opens the file that path will be. NULL with err set. */
struct squeeze *squeeze_open(const char *path, enum squeeze_kind kind, struct err *err);
/* Where the bytes go that are to be compressed. */
struct outfile *squeeze_input(struct squeeze *squeeze);
/* As outfile_commit, with how many bytes the file has, and outfile_abort; both free it. */
int squeeze_commit(struct squeeze *squeeze, uint64_t *ret_bytes, struct err *err);
void squeeze_abort(struct squeeze *squeeze);

#endif
