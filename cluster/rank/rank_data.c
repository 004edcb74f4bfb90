#include "cluster/rank/rank_data.h"

#include "base/array.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

const char *const cluster_time_titles[CLUSTER_TIMES] = {"Elapse Time(ms)", "Transit Time(ms)", "Wait Time(ms)",
                                                        "Synchronization Time(ms)", "Idle Time(ms)"};
const char *const cluster_transport_names[TRANSPORTS] = {"RDMA", "HCCS", "PCIE", "SDMA", "SIO"};

void rank_data_init(struct rank_data *rank)
{
    *rank = (struct rank_data){.rank = -1};
}

void rank_data_release(struct rank_data *rank)
{
    intern_release(&rank->texts);
    free(rank->steps.items);
    free(rank->groups.items);
    free(rank->globals.items);
    free(rank->blocks.items);
    free(rank->operators.items);
    free(rank->links.items);
    free(rank->packets.items);
    rank_data_init(rank);
}

/* The gate of all texts: files of others, and files of ours that somebody may have changed. */
int rank_text(struct rank_data *rank, const char *text, size_t length, uint32_t *ret, struct err *err)
{
    if (utf8_first_unsafe(text, length) == length)
        return intern_add(&rank->texts, text, length, ret, err);
    char *safe = malloc(length * UTF8_SAFE_EXPANSION);
    if (safe == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = intern_add(&rank->texts, safe, utf8_make_safe(text, length, safe), ret, err);
    free(safe);
    return status;
}

const char *rank_text_of(const struct rank_data *rank, uint32_t number)
{
    return number < rank->texts.count ? rank->texts.items[number].bytes : NULL;
}

uint64_t rank_group_number(const char *name)
{
    uint32_t low = 0, high = 0;
    for (const char *p = name; *p != '\0'; p++) {
        high = high * 29 + (uint32_t)(int32_t)(signed char)*p;
        low = low * 131 + (uint32_t)(int32_t)(signed char)*p;
    }
    return (uint64_t)high << 32 | low;
}

int rank_group_of(struct rank_data *rank, const char *number, size_t length, uint32_t *ret, struct err *err)
{
    uint32_t text = CLUSTER_NO_TEXT;
    int status = rank_text(rank, number, length, &text, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < rank->groups.count; i++) {
        if (rank->groups.items[i].number == text) {
            *ret = (uint32_t)i;
            return 0;
        }
    }
    status = array_reserve(&rank->groups, 1, err);
    if (status < 0)
        return status;
    *ret = (uint32_t)rank->groups.count;
    rank->groups.items[rank->groups.count++] =
        (struct rank_group){.number = text, .name = CLUSTER_NO_TEXT, .id = CLUSTER_NO_TEXT};
    return 0;
}

int64_t rank_global(const struct rank_data *rank, uint32_t group, int64_t number)
{
    const struct rank_group *known = &rank->groups.items[group];
    if (number < 0 || number >= known->global_count)
        return -1;
    return rank->globals.items[known->first_global + (size_t)number];
}
