#include "cluster/team.h"

#define MESSAGE_MAX ((size_t)512 * 1024 * 1024)

static int barrier_alone(struct team *team, struct err *err)
{
    (void)team;
    (void)err;
    return 0;
}

void team_alone(struct team *team)
{
    *team = (struct team){.size = 1, .barrier = barrier_alone};
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
    int status = 0;
    strbuf_init(&bytes, MESSAGE_MAX);
    for (int distance = 1; status == 0 && distance < size; distance *= 2) {
        if (me % (2 * distance) != 0) {
            strbuf_clear(&bytes);
            status = give(arg, &bytes, err);
            if (status == 0 && bytes.failed)
                status = err_set(err, ERR_LIMIT, "a message of more than %zu bytes", MESSAGE_MAX);
            if (status == 0)
                status = team->send(team, member(part, me - distance), bytes.data != NULL ? bytes.data : "",
                                    bytes.length, err);
            break;
        }
        if (me + distance >= size)
            continue;
        strbuf_clear(&bytes);
        status = team->receive(team, member(part, me + distance), &bytes, err);
        if (status == 0)
            status = take(arg, bytes.data, bytes.length, err);
    }
    strbuf_release(&bytes);
    return status;
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
