/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/done_texts.h"

#include "base/thread.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECES 3                  /* one is taken while the others are read */
#define PIECE_ENTRIES 4096        /* of the list */
#define PIECE_BYTES (1024 * 1024) /* of their texts: files behind them are read when they are asked for */
#define FILE_BYTES_MAX 4096       /* longer files are not preloaded; they are read on demand */

/* Texts of some entries of the list. */
struct piece {
    const struct done_texts *texts;
    size_t first, end; /* none: they are equal */
    pthread_t thread;
    bool is_read; /* by the thread */
    size_t count;
    struct done_text {
        const char *name, *text;
        size_t length;
    } items[PIECE_ENTRIES];
    char bytes[PIECE_BYTES];
};

struct done_texts {
    const struct capture *capture;
    const struct entry_list *list;
    size_t next;   /* entry of the list that no piece has */
    size_t taking; /* the piece that is taken */
    size_t taken;  /* items of it that were passed */
    struct piece pieces[PIECES];
};

static bool is_small_done(const struct entry *entry)
{
    return S_ISREG(entry->mode) && !entry->leaves && entry->size > 0 && entry->size <= FILE_BYTES_MAX &&
           words_end_in(entry->name, ".done");
}

static void *read_piece(void *arg)
{
    struct piece *piece = arg;
    const struct done_texts *texts = piece->texts;
    size_t used = 0;
    for (size_t i = piece->first; i < piece->end && used + FILE_BYTES_MAX < PIECE_BYTES; i++) {
        const struct entry *entry = &texts->list->entries[i];
        char *text = piece->bytes + used;
        if (!is_small_done(entry) || !capture_file_read_listed(texts->capture, entry->name, entry->size, text))
            continue;
        text[entry->size] = '\0';
        piece->items[piece->count++] = (struct done_text){entry->name, text, entry->size};
        used += entry->size + 1;
    }
    return NULL;
}

/* Begins to read the next entries into a piece. */
static void begin_piece(struct done_texts *texts, struct piece *piece)
{
    piece->first = texts->next;
    piece->end = texts->list->count - piece->first > PIECE_ENTRIES ? piece->first + PIECE_ENTRIES : texts->list->count;
    piece->count = 0;
    piece->is_read = piece->first < piece->end && thread_start(&piece->thread, read_piece, piece) == 0;
    texts->next = piece->end;
}

static void await_piece(struct piece *piece)
{
    if (piece->is_read)
        pthread_join(piece->thread, NULL);
    piece->is_read = false;
}

struct done_texts *done_texts_open(const struct capture *capture, const struct entry_list *list)
{
    struct done_texts *texts = list->count >= ENTRIES_FOR_THREADS ? malloc(sizeof *texts) : NULL;
    if (texts == NULL)
        return NULL;
    texts->capture = capture;
    texts->list = list;
    texts->next = texts->taking = texts->taken = 0;
    for (size_t i = 0; i < PIECES; i++) {
        texts->pieces[i].texts = texts;
        begin_piece(texts, &texts->pieces[i]);
    }
    return texts;
}

void done_texts_close(struct done_texts *texts)
{
    for (size_t i = 0; texts != NULL && i < PIECES; i++)
        await_piece(&texts->pieces[i]);
    free(texts);
}

/* The next text; NULL: there are no more. */
static const struct done_text *current(struct done_texts *texts)
{
    struct piece *piece;
    while (piece = &texts->pieces[texts->taking], await_piece(piece), texts->taken == piece->count) {
        if (piece->first == piece->end)
            return NULL;
        begin_piece(texts, piece);
        texts->taking = (texts->taking + 1) % PIECES;
        texts->taken = 0;
    }
    return &piece->items[texts->taken];
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
