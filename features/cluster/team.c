/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/team.h"

#include <string.h>

#define MESSAGE_MAX ((size_t)1 << 40)

void team_alone(struct team *team)
{
    *team = (struct team){.size = 1};
}

/* The process at a place of the part. */
static int member(const struct team_part *part, int place)
{
    return part != NULL ? part->members[place] : place;
}

int team_reduce(struct team *team, const struct team_part *part,
                int (*give)(void *arg, struct strbuf *bytes, struct err *err),
                int (*take)(void *arg, const void *bytes, size_t length, struct err *err), void *arg, struct err *err)
{
    int me = part != NULL ? part->me : team->me, size = part != NULL ? part->count : team->size;
    struct strbuf bytes;
    bool failed = false;
    strbuf_init(&bytes, MESSAGE_MAX);
    for (int distance = 1; !failed && distance < size; distance *= 2) {
        if (me % (2 * distance) != 0) {
            strbuf_clear(&bytes);
            failed = give(arg, &bytes, err) < 0 ||
                     (bytes.failed && err_set(err, ERR_LIMIT, "a message of more than %zu bytes", MESSAGE_MAX) < 0) ||
                     team->send(team, member(part, me - distance), &bytes, err) < 0;
            break;
        }
        if (me + distance >= size)
            continue;
        strbuf_clear(&bytes);
        failed = team->receive(team, member(part, me + distance), &bytes, err) < 0 ||
                 take(arg, bytes.data, bytes.length, err) < 0;
    }
    strbuf_release(&bytes);
    return failed ? err_status(err) : 0;
}

int team_broadcast(struct team *team, const struct team_part *part, struct strbuf *bytes, struct err *err)
{
    int me = part != NULL ? part->me : team->me, size = part != NULL ? part->count : team->size;
    int status = 0, highest = 1;
    while (highest < size)
        highest *= 2;
    for (int distance = highest / 2; status == 0 && distance >= 1; distance /= 2) {
        if (me % (2 * distance) == 0 && me + distance < size) {
            status = team->send(team, member(part, me + distance), bytes, err);
        } else if (me % (2 * distance) == distance) {
            strbuf_clear(bytes);
            status = team->receive(team, member(part, me - distance), bytes, err);
        }
    }
    return status;
}

/* ---- messages ---- */

bool team_message_next(struct team_message *message, void *item, size_t size)
{
    if (team_message_rest(message) < size)
        return false;
    memcpy(item, message->p, size);
    message->p += size;
    return true;
}

const char *team_message_text(struct team_message *message)
{
    const char *text = message->p, *end = memchr(text, '\0', team_message_rest(message));
    message->p = end != NULL ? end + 1 : message->p;
    return end != NULL ? text : NULL;
}

int team_message_wrong(struct err *err)
{
    return err_set(err, ERR_FORMAT, "a message of another process is damaged");
}

/* ---- arrays ---- */

struct folding {
    char *items;
    size_t count, size;
    void (*fold)(void *to, const void *from);
};

static int give_items(void *arg, struct strbuf *bytes, struct err *err)
{
    const struct folding *folding = arg;
    (void)err;
    strbuf_add(bytes, folding->items, folding->count * folding->size);
    return 0;
}

static int fold_items(void *arg, const void *bytes, size_t length, struct err *err)
{
    const struct folding *folding = arg;
    if (length != folding->count * folding->size)
        return team_message_wrong(err);
    for (size_t i = 0; i < length; i += folding->size)
        folding->fold(folding->items + i, (const char *)bytes + i);
    return 0;
}

int team_fold(struct team *team, void *items, size_t count, size_t size, void (*fold)(void *to, const void *from),
              struct err *err)
{
    struct folding folding = {items, count, size, fold};
    return team_reduce(team, NULL, give_items, fold_items, &folding, err);
}

/* Keeps the highest of several codes of errors. */
static void fold_code(void *to, const void *from)
{
    int *code = to, other = *(const int *)from;
    *code = other > *code ? other : *code;
}

int team_agree(struct team *team, int status, struct err *err)
{
    struct err own = ERR_INIT;
    int code = status < 0 ? -status : 0;
    struct strbuf bytes;
    if (team->size == 1)
        return status;
    strbuf_init(&bytes, sizeof code);
    int sent = team_fold(team, &code, 1, sizeof code, fold_code, &own);
    if (sent == 0 && team->me == 0)
        strbuf_add(&bytes, &code, sizeof code);
    if (sent == 0)
        sent = team_broadcast(team, NULL, &bytes, &own);
    if (sent == 0 && bytes.length == sizeof code)
        memcpy(&code, bytes.data, sizeof code);
    strbuf_release(&bytes);
    if (status < 0 || (sent == 0 && code == 0))
        return status;
    if (sent < 0) {
        *err = own;
        return sent;
    }
    team->elsewhere = true;
    return err_set(err, (enum err_code)code, "another process of the job failed");
}
