/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/losses.h"

#include "base/number.h"

#include <string.h>

#define NAME_MAX_BYTES 64
#define REASON_MAX_BYTES 128

void losses_add_left(struct losses *losses, uint64_t key, const char *name, int64_t change)
{
    size_t i = name != NULL ? 0 : losses->left_count;
    while (i < losses->left_count && losses->left[i].key != key)
        i++;
    if (name != NULL && i == losses->left_count && i < LOSSES_MOST_NAMES)
        losses->left[losses->left_count++] = (struct left_call){.key = key, .name = name};
    int64_t *count = i < losses->left_count ? &losses->left[i].count : &losses->left_other;
    *count += change; /* one that went on in another thread may return before it is missed: less than none */
}

bool losses_any(const struct losses *losses)
{
    if (losses->calls > 0 || losses->tx > 0 || losses->failure != 0 || losses->left_other > 0)
        return true;
    for (size_t i = 0; i < losses->left_count; i++)
        if (losses->left[i].count > 0)
            return true;
    return false;
}

bool losses_equal(const struct losses *a, const struct losses *b)
{
    if (a->calls != b->calls || a->tx != b->tx || a->failure != b->failure || a->left_count != b->left_count ||
        a->left_other != b->left_other || a->ended != b->ended)
        return false;
    for (size_t i = 0; i < a->left_count; i++)
        if (a->left[i].count != b->left[i].count)
            return false;
    return true;
}

static char *put(char *p, const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    memcpy(p, text, length);
    return p + length;
}

static char *put_number(char *p, const char *key, uint64_t number)
{
    p = put(p, "\"", 1);
    p = put(p, key, NAME_MAX_BYTES);
    p = put(p, "\": ", 3);
    return number_put_unsigned(p, number);
}

void losses_text(const struct losses *losses, char text[LOSSES_SIZE])
{
    const char *reason = losses->failure != 0 ? strerrordesc_np(losses->failure) : NULL;
    bool first = true;
    char *p = text;
    _Static_assert(256 + REASON_MAX_BYTES + LOSSES_MOST_NAMES * (NAME_MAX_BYTES + 32) < LOSSES_SIZE,
                   "all names must fit");
    memset(text, ' ', LOSSES_SIZE);
    text[LOSSES_SIZE - 1] = '\n';
    p = put_number(put(p, "{", 1), "calls", losses->calls);
    p = put_number(put(p, ", ", 2), "tx", losses->tx);
    p = put(p, ", \"reason\": \"", REASON_MAX_BYTES);
    p = put(p, reason != NULL ? reason : "", REASON_MAX_BYTES);
    p = put(p, "\", \"left\": {", REASON_MAX_BYTES);
    for (size_t i = 0; i < losses->left_count; i++) {
        const struct left_call *left = &losses->left[i];
        if (left->count <= 0)
            continue;
        p = put_number(put(p, first ? "" : ", ", 2), left->name, (uint64_t)left->count);
        first = false;
    }
    p = put_number(put(p, "}, ", 3), "left_other", losses->left_other > 0 ? (uint64_t)losses->left_other : 0);
    put(p, losses->ended ? ", \"ended\": true}" : ", \"ended\": false}", NAME_MAX_BYTES);
}
