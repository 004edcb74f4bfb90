/* SPDX-License-Identifier: Apache-2.0 */
/* mstx as a tool hears it (include/mstx/ms_tools_ext.h): marks, ranges, domains and heaps of programs become records of
 * whatever capture takes them. libmsprof_acl and the preload library have a copy each.
 *
 * Marks and ranges cost neither a lock nor an allocation nor a system call, and may come from signal handlers. A range
 * that is open stands in a slot, whose number is in that of the range, so that any thread ends it. */
#ifndef MSPROF_ACL_MSTX_MSTX_H
#define MSPROF_ACL_MSTX_MSTX_H

#include "acl/recorder/capture_config.h"
#include "acl/recorder/recorder.h"

#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- where records go ---- */

/* A recorder, in this library or another. */
struct mstx_sink {
    uint32_t (*session)(void); /* number of its recording that takes marks; 0: none does */
    bool (*wants)(const char *domain);
    uint64_t (*name)(const char *text, size_t length); /* recorder_name_id */
    void (*tx)(const struct recorder_tx *tx);
    void (*heap)(const struct recorder_heap *heap);
    void (*lose_range)(void);
};

/* The sink of what the program says now; NULL: nobody takes it. Each library has its own. *ret_key is a number that no
 * other recording of the process has. */
const struct mstx_sink *mstx_destination(uint64_t *ret_key);

/* ---- for the libraries ---- */

/* Fills the program's tables; MSTX_FAIL when it has none for marks and ranges. */
int mstx_fill(mstxGetModuleFuncTableFunc get);

/* Describes the ranges of a recording. Safe in signal handlers. */
void mstx_describe_ranges(uint64_t key, struct range_losses *ret);

/* Whether a list of names, divided by commas, has a domain; blanks around names do not count. */
bool mstx_list_has(const char *list, const char *domain);
/* Whether a domain is chosen: it is in the first list or not in the second, which is not asked when there is a first
 * one; both may be NULL. */
bool mstx_is_chosen(const char *include, const char *exclude, const char *domain);

/* ---- domains.c ---- */

struct mstx_domain;

/* The domain of a handle, that of marks without one for NULL; NULL: the handle is none, or was destroyed. */
struct mstx_domain *mstx_domain_find(mstxDomainHandle_t handle);
/* Whether a recording takes it, which is asked once for each. *ret_hash: its name's. */
bool mstx_domain_wanted(struct mstx_domain *domain, const struct mstx_sink *sink, uint64_t key, uint64_t *ret_hash);
mstxDomainHandle_t mstx_domain_create(const char *name);
void mstx_domain_destroy(mstxDomainHandle_t handle);
/* In a child with memory of its own. */
void mstx_domains_in_forked_child(void);

/* ---- ranges.c ---- */

/* Bytes of a message that are recorded: more than the most characters that import keeps, so that import reports the
 * cut. */
#define MSTX_MESSAGE_MAX (4 * 65536 + 4)

/* A range that has begun. A message that is longer than one record takes has its pieces in further ones. */
struct mstx_range {
    const struct mstx_domain *domain;
    uint64_t domain_hash;
    uint64_t key; /* of the recording */
    int64_t begin_ns;
    uint32_t thread_id;
    uint32_t next;   /* inside of ranges.c: where the next piece is; 0: nowhere */
    uint32_t length; /* of the piece */
    char text[RECORDER_MESSAGE_MAX];
};

/* The number of a mark: no other mark or range of the process has it. */
uint64_t mstx_next_mark(void);
/* Keeps a message for a range that is going to begin; NULL: there is no room. */
struct mstx_range *mstx_range_new(const char *message, size_t length);
/* The range, of which all is set, has begun: returns its number. */
uint64_t mstx_range_open(struct mstx_range *range);
/* Takes a range out, which only one caller can; NULL: none of this number is open. mstx_range_free gives it back. */
const struct mstx_range *mstx_range_close(uint64_t id);
/* The one with the next piece; NULL: there is none. */
const struct mstx_range *mstx_range_piece(const struct mstx_range *range);
void mstx_range_free(const struct mstx_range *range);
/* How many are open of a recording, and the first messages. Safe in signal handlers. */
void mstx_ranges_count(uint64_t key, struct range_losses *ret);
/* Whether it is one of an earlier recording, or of the parent of this process. */
bool mstx_range_is_older(uint64_t id);
/* From now on, ranges that have begun are older ones. */
void mstx_ranges_forget(void);

#endif
