/* SPDX-License-Identifier: Apache-2.0 */
/* Which files msprof wrote, and that nobody has changed since: what it may remove or replace. A list is lines of text
 * in a file beside the results: "<size> <time> <name>", and of short files "<tab><SHA-256>", which also holds when they
 * were copied. */
#ifndef MSPROF_CLI_CAPTURE_WRITTEN_H
#define MSPROF_CLI_CAPTURE_WRITTEN_H

#include "base/err.h"
#include "base/strbuf.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define WRITTEN_LIMIT ((size_t)64 * 1024 * 1024) /* bytes of a list */

/* Appends the line of a file below `root`; one that is not there, or elsewhere, has none. at: where its bytes are yet
 * (NULL: there). */
void written_add_at(struct strbuf *text, const char *root, const char *path, const char *at);
void written_add(struct strbuf *text, const char *root, const char *path);

/* A list that was read: lines point into its texts. All zero: empty. */
struct written {
    char *root;
    struct written_texts {
        char **items;
        size_t count, capacity;
    } texts;
    struct written_lines {
        struct written_line {
            const char *name;        /* relative to the root */
            const char *description; /* size and time */
            const char *sum;         /* NULL: not said */
        } * items;
        size_t count, capacity;
    } lines;
};
void written_release(struct written *written);
/* Reads root/name into the list; one that is not there, or cannot be read, lists nothing. */
int written_read(struct written *written, const char *root, const char *name, struct err *err);
/* Whether a file in log/ is called like a list of an export, and whether a text has the form of one. */
bool written_is_record_name(const char *name);
bool written_is_list(const char *text);
/* Reads likewise the lists of all exports into these results. */
int written_read_exports(struct written *written, const char *results, struct err *err);
/* Orders the lines by name, which written_has needs. */
void written_sort(struct written *written);
/* Whether a path is one of the list's files, and as it was written. */
bool written_has(const struct written *written, const char *path);
/* Whether one is that stands at another path meanwhile. */
bool written_has_at(const struct written *written, const char *path, const char *at);
/* Whether a line's file is, by its path. */
bool written_line_holds(const struct written_line *line, const char *path);

/* Moves a file aside that is not msprof's own: "name.csv" to "name.kept.csv", or ".kept-2" and so on, in the directory
 * `into` (NULL: its own). *ret_path (free() it): where it is. 0, or an errno. */
int written_put_aside(const char *path, const char *into, char **ret_path);
/* Moves the file aside in its own directory, and reports it. */
int written_keep(const char *path);

/* While results are written, a file that gives way and is not msprof's own, or was changed since, is put aside. */
struct sparing {
    struct written written;
    bool is_list; /* the journal stays as the list of what was written */
    pthread_mutex_t lock;
    struct words *kept; /* where they are, owned */
    char *journal;      /* lists what was written, should this run not come to its end */
    int journal_fd;     /* -1: none */
};
/* From now on, of files below the results, which have a log/. */
int sparing_begin(struct sparing *sparing, const char *results, struct err *err);
/* The like for results with a list of their own, root/list; first: of several processes that write there together, the
 * one that shortens the list by what is not there any more. */
int sparing_begin_listed(struct sparing *sparing, const char *root, const char *list, bool first, struct err *err);
/* Removes a file that is not made any more, or puts it aside like one that gives way. 0, or an errno. */
int sparing_retire(struct sparing *sparing, const char *path);
/* Ends it, and reports the files that were put aside. Harmless when it did not begin. */
void sparing_end(struct sparing *sparing);

/* An outfile_spare for the databases of imports: one of another program, or that was changed since, is put aside. */
int written_spare_database(void *arg, const char *temporary, const char *path);

#endif
