/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/done_texts.h"

#include "base/thread.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_MIN 4096             /* entries of a list for which a thread is worth its start */
#define PIECE_FILES 4096          /* files that are read while those before them are taken */
#define PIECE_BYTES (1024 * 1024) /* of their texts */
#define FILE_BYTES_MAX 4096       /* longer ones are none of many, and are read when they are asked for */

struct piece {
    size_t count;
    struct done_text {
        const char *name, *text;
        size_t length;
    } items[PIECE_FILES];
    char bytes[PIECE_BYTES];
};

struct done_texts {
    const struct capture *capture;
    const struct entry_list *list;
    size_t next; /* entry of the list that the thread goes on from */
    pthread_t thread;
    bool has_thread;
    unsigned taking; /* which piece is taken; the thread fills the other one */
    size_t taken;    /* items of it that were passed */
    struct piece pieces[2];
};

static bool is_small_done(const struct entry *entry)
{
    return S_ISREG(entry->mode) && !entry->leaves && entry->size > 0 && entry->size <= FILE_BYTES_MAX &&
           words_end_in(entry->name, ".done");
}

static void *fill_piece(void *arg)
{
    struct done_texts *texts = arg;
    struct piece *piece = &texts->pieces[!texts->taking];
    const struct entry_list *list = texts->list;
    size_t used = 0;
    piece->count = 0;
    while (texts->next < list->count && piece->count < PIECE_FILES && used + FILE_BYTES_MAX < PIECE_BYTES) {
        const struct entry *entry = &list->entries[texts->next++];
        char *text = piece->bytes + used;
        if (!is_small_done(entry) || !capture_file_read_listed(texts->capture, entry->name, entry->size, text))
            continue;
        text[entry->size] = '\0';
        piece->items[piece->count++] = (struct done_text){entry->name, text, entry->size};
        used += entry->size + 1;
    }
    return NULL;
}

static void fill_next(struct done_texts *texts)
{
    texts->has_thread = texts->next < texts->list->count && thread_start(&texts->thread, fill_piece, texts) == 0;
}

struct done_texts *done_texts_open(const struct capture *capture, const struct entry_list *list)
{
    struct done_texts *texts = list->count >= LIST_MIN ? malloc(sizeof *texts) : NULL;
    if (texts == NULL)
        return NULL;
    texts->capture = capture;
    texts->list = list;
    texts->next = texts->taken = texts->pieces[0].count = 0;
    texts->taking = 0;
    fill_next(texts);
    return texts;
}

void done_texts_close(struct done_texts *texts)
{
    if (texts != NULL && texts->has_thread)
        pthread_join(texts->thread, NULL);
    free(texts);
}

/* The next text; NULL: there are no more. */
static const struct done_text *current(struct done_texts *texts)
{
    while (texts->taken == texts->pieces[texts->taking].count) {
        if (!texts->has_thread)
            return NULL;
        pthread_join(texts->thread, NULL);
        texts->taking = !texts->taking;
        texts->taken = 0;
        fill_next(texts);
    }
    return &texts->pieces[texts->taking].items[texts->taken];
}

const char *done_texts_take(struct done_texts *texts, const char *name, size_t *ret_length)
{
    const struct done_text *text = NULL;
    int order = -1;
    while (texts != NULL && order < 0 && (text = current(texts)) != NULL) {
        order = strcmp(text->name, name);
        texts->taken += order <= 0;
    }
    if (order != 0)
        return NULL;
    *ret_length = text->length;
    return text->text;
}
