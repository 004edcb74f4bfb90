/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"
#include "parsers/capture/capture_files.h"

#include <stdlib.h>
#include <string.h>

struct recheck {
    const struct capture *capture;
    pthread_t thread;
    bool apart; /* it is looked on the thread */
    bool listed;
    struct entry_list now;
    uint64_t sum; /* of now */
};

static void *look(void *arg)
{
    struct recheck *recheck = arg;
    struct err ignored = ERR_INIT;
    recheck->listed = entry_list_gather(&recheck->now, recheck->capture->directory, &ignored) == 0;
    recheck->sum = entry_list_sum(&recheck->now);
    return NULL;
}

struct recheck *capture_recheck_begin(const struct capture *capture, struct err *err)
{
    struct recheck *recheck = calloc(1, sizeof *recheck);
    if (recheck == NULL) {
        err_no_memory(err);
        return NULL;
    }
    recheck->capture = capture;
    if (capture->directory == NULL)
        return recheck;
    recheck->apart = capture->file_count >= ENTRIES_FOR_THREADS && thread_start(&recheck->thread, look, recheck) == 0;
    if (!recheck->apart)
        look(recheck);
    return recheck;
}

/* A file that was decoded: what was listed, and what is there now and was read. */
static bool is_unchanged(struct diagnostics *diag, const struct capture_file *file, const struct entry *now)
{
    struct place place = {file->name, -1, -1, NULL};
    if (now == NULL || now->leaves)
        diag_report(diag, DIAG_FILE_CHANGED, &place, "gone; %llu bytes of it were read",
                    (unsigned long long)file->bytes_read);
    else if (now->inode != file->inode)
        diag_report(diag, DIAG_FILE_CHANGED, &place, "replaced by another file since it was listed");
    else if (now->size != file->size || now->modified_ns != file->modified_ns)
        diag_report(
            diag, DIAG_FILE_CHANGED, &place, "%llu bytes when listed, %llu read, %llu now; it was written meanwhile",
            (unsigned long long)file->size, (unsigned long long)file->bytes_read, (unsigned long long)now->size);
    else
        return true;
    return false;
}

/* Whether each file that was decoded is what was listed. */
static bool are_unchanged(const struct capture *capture, const struct entry_list *now)
{
    bool unchanged = true;
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->kind != NULL)
            unchanged &= is_unchanged(capture->diag, file, entry_list_find(now, file->name));
    }
    return unchanged;
}

/* Files that came after the listing, and those that are not decoded, show in what the whole directory looks like. */
static bool is_same(struct recheck *recheck)
{
    const struct capture *capture = recheck->capture;
    char fingerprint[sizeof capture->fingerprint];
    struct err ignored = ERR_INIT;
    if (!recheck->listed || recheck->sum == capture->sum)
        return recheck->listed;
    entry_list_sort(&recheck->now);
    return !are_unchanged(capture, &recheck->now) /* it has been reported */ ||
           (entry_list_fingerprint(&recheck->now, fingerprint, &ignored) == 0 &&
            strcmp(fingerprint, capture->fingerprint) == 0);
}

int capture_recheck_end(struct recheck *recheck, struct err *err)
{
    const struct capture *capture = recheck->capture;
    if (recheck->apart)
        pthread_join(recheck->thread, NULL);
    if (capture->directory != NULL && !is_same(recheck))
        diag_report(capture->diag, DIAG_FILE_CHANGED, FILE_PLACE(capture->directory, NULL),
                    "its files changed since they were listed: one was added, removed or written");
    entry_list_release(&recheck->now);
    free(recheck);
    return diag_is_fatal(capture->diag) ? diag_fatal_error(capture->diag, err) : 0;
}
