/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/mstx/mstx.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/shield.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DOMAINS 1024
#define NAME_MAX_BYTES 1023

/* A handle is the address of one. Names stay: what was recorded has them. */
struct mstx_domain {
    const char *name;
    size_t length;
    _Atomic uint64_t hash;
    _Atomic uint64_t verdict; /* of the recording that was asked last: its key, and whether it takes the domain */
    _Atomic uint32_t users;   /* who created it and did not destroy it; 0: its handle is none */
};

#define DEFAULT_NAME "default"

/* The first one is that of marks without a domain. */
static struct mstx_domain domains[MOST_DOMAINS] = {
    {.name = DEFAULT_NAME, .length = sizeof DEFAULT_NAME - 1, .users = 1}};
static _Atomic uint32_t domain_count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mstx_domains_in_forked_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

struct mstx_domain *mstx_domain_find(mstxDomainHandle_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)domains;
    if (handle == NULL)
        return domains;
    if (offset % sizeof *domains != 0 || offset / sizeof *domains >= atomic_load(&domain_count))
        return NULL;
    struct mstx_domain *domain = &domains[offset / sizeof *domains];
    return atomic_load_explicit(&domain->users, memory_order_acquire) != 0 ? domain : NULL;
}

bool mstx_domain_wanted(struct mstx_domain *domain, const struct mstx_sink *sink, uint64_t key, uint64_t *ret_hash)
{
    uint64_t verdict = atomic_load_explicit(&domain->verdict, memory_order_acquire);
    if (verdict >> 1 != key) {
        atomic_store_explicit(&domain->hash, sink->name(domain->name, domain->length), memory_order_relaxed);
        verdict = key << 1 | sink->wants(domain->name);
        atomic_store_explicit(&domain->verdict, verdict, memory_order_release);
    }
    *ret_hash = atomic_load_explicit(&domain->hash, memory_order_relaxed);
    return (verdict & 1) != 0;
}

/* ---- handles ---- */

/* With the lock held. */
static struct mstx_domain *find_or_add(const char *name, size_t length)
{
    uint32_t count = atomic_load(&domain_count);
    for (uint32_t i = 0; i < count; i++)
        if (domains[i].length == length && memcmp(domains[i].name, name, length) == 0)
            return &domains[i];
    char *copy = count < MOST_DOMAINS ? malloc(length + 1) : NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    domains[count].name = copy;
    domains[count].length = length;
    atomic_store(&domain_count, count + 1);
    return &domains[count];
}

mstxDomainHandle_t mstx_domain_create(const char *name)
{
    struct shield before;
    size_t length = name != NULL ? strnlen(name, NAME_MAX_BYTES + 1) : 0;
    if (length == 0 || length > NAME_MAX_BYTES)
        return NULL;
    shield_raise(&before);
    forks_notice();
    pthread_mutex_lock(&lock);
    struct mstx_domain *domain = find_or_add(name, length);
    if (domain != NULL)
        atomic_fetch_add(&domain->users, 1);
    pthread_mutex_unlock(&lock);
    shield_drop(&before);
    return (mstxDomainHandle_t)(void *)domain;
}

/* The one of marks without a domain is never destroyed. */
void mstx_domain_destroy(mstxDomainHandle_t handle)
{
    struct mstx_domain *domain = mstx_domain_find(handle);
    if (domain == NULL)
        return;
    uint32_t users = atomic_load(&domain->users);
    while (users > (domain == domains ? 1U : 0U) && !atomic_compare_exchange_weak(&domain->users, &users, users - 1))
        continue;
}

/* ---- which are chosen ---- */

bool mstx_list_has(const char *list, const char *domain)
{
    size_t length = strlen(domain);
    while (*list != '\0') {
        size_t part = strcspn(list, ","), first = 0, end = part;
        while (first < end && isspace((unsigned char)list[first]))
            first++;
        while (end > first && isspace((unsigned char)list[end - 1]))
            end--;
        if (end - first == length && memcmp(list + first, domain, length) == 0)
            return true;
        list += part + (list[part] == ',' ? 1 : 0);
    }
    return false;
}

bool mstx_is_chosen(const char *include, const char *exclude, const char *domain)
{
    if (include != NULL)
        return mstx_list_has(include, domain);
    return exclude == NULL || !mstx_list_has(exclude, domain);
}
