/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a long directory's .done files, which threads read ahead of who asks for them in the order of names. */
#ifndef MSPROF_PARSERS_CAPTURE_DONE_TEXTS_H
#define MSPROF_PARSERS_CAPTURE_DONE_TEXTS_H

#include "parsers/capture/capture_files.h"

struct done_texts;

/* Begins to read. Both stay the caller's, and stay as they are until done_texts_close. NULL: the list is short, or
 * there is no memory for it. */
struct done_texts *done_texts_open(const struct capture *capture, const struct entry_list *list);
void done_texts_close(struct done_texts *texts);

/* The text of a file of this name, which ends with a NUL; it is valid until the next call. NULL: it was not read, or
 * names behind it were asked for. texts may be NULL. */
const char *done_texts_take(struct done_texts *texts, const char *name, size_t *ret_length);

#endif
