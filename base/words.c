/* SPDX-License-Identifier: Apache-2.0 */
#include "base/words.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define WORD_LIMIT ((size_t)128 * 1024) /* bytes; Linux takes no longer argument */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%"

/* Takes the word over, also when it fails. */
static int append(struct words *words, char *word, struct err *err)
{
    if (word == NULL)
        return err_no_memory(err);
    if (array_reserve(words, 2, err) != 0) {
        free(word);
        return err_status(err);
    }
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
    return 0;
}

int words_add(struct words *words, const char *word, struct err *err)
{
    return append(words, strdup(word), err);
}

/* One word from *at on, which is no blank; steps over it. */
static int read_word(const char **at, struct strbuf *word, struct err *err)
{
    char quote = '\0';

    for (; **at != '\0'; (*at)++) {
        char c = **at;

        if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n'))
            break;
        if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
            continue;
        }
        if (quote != '\0' && c == quote) {
            quote = '\0';
            continue;
        }
        if (c == '\\' && (*at)[1] != '\0' && (quote == '\0' || (quote == '"' && strchr("\"\\", (*at)[1]) != NULL)))
            c = *++*at;
        strbuf_addc(word, c);
    }
    if (quote != '\0') {
        err_set(err, ERR_USAGE, "missing closing quote (%c)", quote);
        return err_hint(err, "write \\%c for the character itself", quote);
    }
    return word->failed ? err_set(err, ERR_LIMIT, "a word has more than %zu bytes", WORD_LIMIT) : 0;
}

int words_split(struct words *words, const char *text, struct err *err)
{
    size_t before = words->count;
    struct strbuf word;
    int result = 0;

    for (const char *at = text + strspn(text, " \t\n"); *at != '\0' && result == 0; at += strspn(at, " \t\n")) {
        strbuf_init(&word, WORD_LIMIT);
        result = read_word(&at, &word, err);
        if (result == 0)
            result = words_add(words, word.data, err);
        strbuf_release(&word);
    }
    while (result != 0 && words->count > before) {
        free(words->items[--words->count]);
        words->items[words->count] = NULL;
    }
    return result;
}

char *words_take_first(struct words *words)
{
    if (words->count == 0)
        return NULL;
    char *first = words->items[0];
    memmove(words->items, words->items + 1, words->count * sizeof *words->items);
    words->count--;
    return first;
}

void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){.items = NULL};
}

void words_show(const struct words *words, struct strbuf *text)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        strbuf_addc(text, ' ');
        if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0') {
            strbuf_adds(text, word);
            continue;
        }
        strbuf_addc(text, '\'');
        for (; *word != '\0'; word++)
            if (*word == '\'')
                strbuf_adds(text, "'\\''");
            else
                strbuf_addc(text, *word);
        strbuf_addc(text, '\'');
    }
}

bool words_list_has(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at != '\0';) {
        size_t candidate = strcspn(at, ",");
        if (candidate == length && memcmp(at, word, length) == 0)
            return true;
        at += candidate + (at[candidate] == ',');
    }
    return false;
}

bool words_end_in(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}
