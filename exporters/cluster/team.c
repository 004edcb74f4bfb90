/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/team.h"

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
                     team->send(team, member(part, me - distance), bytes.data != NULL ? bytes.data : "", bytes.length,
                                err) < 0;
            break;
        }
        if (me + distance >= size)
            continue;
        strbuf_clear(&bytes);
        failed = team->receive(team, member(part, me + distance), &bytes, err) < 0 ||
                 take(arg, bytes.data, bytes.length, err) < 0;
    }
    strbuf_release(&bytes);
    return failed ? -(int)err->code : 0;
}

int team_broadcast(struct team *team, const struct team_part *part, struct strbuf *bytes, struct err *err)
{
    int me = part != NULL ? part->me : team->me, size = part != NULL ? part->count : team->size;
    int status = 0, highest = 1;
    while (highest < size)
        highest *= 2;
    for (int distance = highest / 2; status == 0 && distance >= 1; distance /= 2) {
        if (me % (2 * distance) == 0 && me + distance < size) {
            status = team->send(team, member(part, me + distance), bytes->data != NULL ? bytes->data : "",
                                bytes->length, err);
        } else if (me % (2 * distance) == distance) {
            strbuf_clear(bytes);
            status = team->receive(team, member(part, me - distance), bytes, err);
        }
    }
    return status;
}

/* The code of an error, of several the highest. */
static int give_code(void *code, struct strbuf *bytes, struct err *err)
{
    (void)err;
    strbuf_add(bytes, code, sizeof(int));
    return 0;
}

static int take_code(void *code, const void *bytes, size_t length, struct err *err)
{
    int other;
    if (length != sizeof other)
        return err_set(err, ERR_FORMAT, "a message of another process is not what was sent");
    memcpy(&other, bytes, sizeof other);
    *(int *)code = other > *(int *)code ? other : *(int *)code;
    return 0;
}

int team_agree(struct team *team, int status, struct err *err)
{
    struct err own = ERR_INIT;
    int code = status < 0 ? -status : 0;
    struct strbuf bytes;
    if (team->size == 1)
        return status;
    strbuf_init(&bytes, sizeof code);
    int sent = team_reduce(team, NULL, give_code, take_code, &code, &own);
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
