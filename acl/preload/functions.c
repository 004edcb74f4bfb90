/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/call_target.h"
#include "acl/preload/preload.h"
#include "acl/preload/symbols.h"
#include "acl/recorder/recorder.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/shield.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum group {
    GROUP_op = RECORDER_ACL_OP,
    GROUP_model = RECORDER_ACL_MODEL,
    GROUP_rt = RECORDER_ACL_RUNTIME,
    GROUP_others = RECORDER_ACL_OTHERS,
    GROUP_dvpp = RECORDER_ACL_DVPP,
};

struct function {
    const char *name;
    enum group group;
};

static const struct function functions[] = {
#define FUNCTION(index, group, name) {#name, GROUP_##group},
#define SPARE(index)
#include "preload_functions.h"
#undef FUNCTION
#undef SPARE
};
#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])

enum {
    ENTRY_COUNT = 0
#define FUNCTION(index, group, name) +1
#define SPARE(index) +1
#include "preload_functions.h"
#undef FUNCTION
#undef SPARE
};
#define SPARE_COUNT (ENTRY_COUNT - FUNCTION_COUNT)

/* Where each entry goes on to; NULL: not known yet. */
static _Atomic(void *) reals[ENTRY_COUNT];
/* Which function of the list an entry without a name is for; written before its place in reals. */
static uint32_t spare_functions[SPARE_COUNT];
static size_t spares_used;
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- by name ---- */

#define SLOTS 4096 /* a power of two, at most half full */
_Static_assert(FUNCTION_COUNT * 2 <= SLOTS, "the table of names is too small");
static uint16_t slots[SLOTS]; /* index + 1; 0: empty */

static size_t home(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash & (SLOTS - 1);
}

static void fill_slots(void)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        size_t slot = home(functions[i].name);
        while (slots[slot] != 0)
            slot = (slot + 1) & (SLOTS - 1);
        slots[slot] = (uint16_t)(i + 1);
    }
}

static int32_t find_one_by_one(const char *name)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (symbols_same_name(functions[i].name, name))
            return (int32_t)i;
    return -1;
}

/* Sanitizers look functions up before anything of the C library may be called that they stand in front of, such as
 * pthread_once. Who comes while another fills the table searches without it. */
int32_t functions_find(const char *name)
{
    static atomic_int state;
    enum { EMPTY, FILLING, FILLED };
    int expected = EMPTY;
    if (atomic_load_explicit(&state, memory_order_acquire) != FILLED) {
        if (!atomic_compare_exchange_strong(&state, &expected, FILLING))
            return find_one_by_one(name);
        fill_slots();
        atomic_store_explicit(&state, FILLED, memory_order_release);
    }
    for (size_t slot = home(name); slots[slot] != 0; slot = (slot + 1) & (SLOTS - 1))
        if (symbols_same_name(functions[slots[slot] - 1].name, name))
            return slots[slot] - 1;
    return -1;
}

static uint32_t listed(uint32_t index)
{
    return index < FUNCTION_COUNT ? index : spare_functions[index - FUNCTION_COUNT];
}

const char *function_name(uint32_t index)
{
    return functions[listed(index)].name;
}

uint32_t function_type(uint32_t index)
{
    uint32_t function = listed(index);
    return (uint32_t)functions[function].group << 16 | (function + 1);
}

/* ---- the functions themselves ---- */

/* The loader takes more of a stack than a program may have left. It has locks, too: a room that others wait for would
 * be one more to hold each other up with. */
static void ask_loader(void (*ask)(void *arg), void *arg)
{
    struct shield before;
    shield_raise(&before);
    shield_run_apart(ask, arg);
    shield_drop(&before);
}

/* Libraries that all can see stay loaded from when one of their functions is known here, as they would when the dynamic
 * linker had bound a call to it. */
static void pin_library(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) != 0 && info.dli_fname != NULL)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static struct link_map *library_of(const void *address)
{
    Dl_info info;
    void *map = NULL;
    return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
}

struct search {
    uint32_t index;
    const char *name, *version;
    const void *ours, *caller;
    void *found;
    bool for_everybody; /* no caller finds another function */
};

/* A library that was loaded for itself only (RTLD_LOCAL, as Python does) is not found by name alone. */
static int search_library(struct dl_phdr_info *library, size_t size, void *arg)
{
    struct search *search = arg;
    (void)size;
    if (library->dlpi_name == NULL || library->dlpi_name[0] == '\0')
        return 0;
    void *handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return 0;
    void *found = preload_system_dlsym(handle, search->name);
    if (found != NULL && found != search->ours) {
        search->found = found;
        return 1; /* the handle is kept: the library stays loaded */
    }
    system_dlclose(handle);
    return 0;
}

static void *look_up(void *handle, const char *name, const char *version)
{
    void *found = version != NULL ? preload_system_dlvsym(handle, name, version) : NULL;
    return found != NULL ? found : preload_system_dlsym(handle, name);
}

/* Searches where every library does. Where there are several versions, a caller that asks for none gets the oldest, and
 * not the newest, as dlsym does. */
static void *find_global(struct search *search)
{
    void *found = look_up(RTLD_NEXT, search->name, search->version);
    const char *oldest = NULL;
    struct link_map *library = found != NULL ? library_of(found) : NULL;
    size_t definitions = library != NULL ? symbols_definitions(library, search->name, &oldest) : 1;
    search->for_everybody = found != NULL && definitions <= 1;
    if (found != NULL && definitions > 1 && search->version == NULL && oldest != NULL)
        return look_up(RTLD_NEXT, search->name, oldest);
    return found;
}

/* Searches the libraries that were loaded with one. */
static void *find_beside(const struct link_map *library, const char *name, const char *version)
{
    if (library == NULL || library->l_name == NULL || library->l_name[0] == '\0')
        return NULL;
    void *handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    void *found = look_up(handle, name, version);
    system_dlclose(handle);
    return found;
}

static void find_real(void *arg)
{
    struct search *search = arg;
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    const struct link_map *library = library_of(search->caller);
    search->version = library != NULL ? symbols_wanted_version(library, search->name) : NULL;
    search->found = find_global(search);
    if (search->found == NULL)
        search->found = find_beside(library, search->name, search->version);
    if (search->found == NULL || search->found == search->ours)
        dl_iterate_phdr(search_library, search);
    if (search->found != NULL && search->for_everybody)
        pin_library(search->found);
}

/* ---- places that call ---- */

/* Functions that not every library finds alike, by the address that they return to. Entries are not reused: whoever
 * reads one finds it whole. A library that is unloaded makes place for another: all that is known is looked up anew. */
struct place {
    uint32_t index;
    const void *caller;
    void *target;
    atomic_uint generation;
};

#define PLACES 4096 /* a power of two; half are used at most */
static _Atomic(struct place *) places[PLACES];
static struct place place_pool[PLACES / 2];
static atomic_size_t places_used;
static atomic_uint generation;

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    int result = system_dlclose(handle);
    atomic_fetch_add(&generation, 1);
    return result;
}

static size_t home_of_place(uint32_t index, const void *caller)
{
    uint64_t key = (uint64_t)(uintptr_t)caller * 0x9e3779b97f4a7c15u + index;
    return (size_t)((key * 0xff51afd7ed558ccdu) >> 40) & (PLACES - 1);
}

/* The slot of the place, or the empty one for it. */
static _Atomic(struct place *) *find_place(uint32_t index, const void *caller)
{
    size_t slot = home_of_place(index, caller);
    for (;;) {
        const struct place *place = atomic_load_explicit(&places[slot], memory_order_acquire);
        if (place == NULL || (place->caller == caller && place->index == index))
            return &places[slot];
        slot = (slot + 1) & (PLACES - 1);
    }
}

static void *known_target(uint32_t index, const void *caller)
{
    struct place *place = atomic_load_explicit(find_place(index, caller), memory_order_acquire);
    return place != NULL && atomic_load(&place->generation) == atomic_load(&generation) ? place->target : NULL;
}

/* Without a free entry the place is looked up each time. */
static void remember_target(uint32_t index, const void *caller, void *target, unsigned since)
{
    _Atomic(struct place *) *slot = find_place(index, caller);
    struct place *before = atomic_load(slot);
    if (before != NULL && before->target == target) {
        atomic_store(&before->generation, since);
        return;
    }
    size_t used = atomic_fetch_add(&places_used, 1);
    if (used >= PLACES / 2) {
        atomic_store(&places_used, PLACES / 2);
        return;
    }
    struct place *place = &place_pool[used];
    place->index = index;
    place->caller = caller;
    place->target = target;
    atomic_store(&place->generation, since);
    atomic_compare_exchange_strong(slot, &before, place);
}

void *function_real(uint32_t index, const void *caller)
{
    void *real = atomic_load_explicit(&reals[index], memory_order_acquire);
    if (real == NULL)
        real = known_target(index, caller);
    if (real != NULL)
        return real;
    int saved_errno = errno;
    unsigned since = atomic_load(&generation);
    struct search search = {
        .index = index, .name = functions[index].name, .ours = preload_entries[index], .caller = caller};
    ask_loader(find_real, &search);
    if (search.found == NULL)
        system_fail(functions[index].name);
    if (search.for_everybody)
        atomic_store_explicit(&reals[index], search.found, memory_order_release);
    else
        remember_target(index, caller, search.found, since);
    errno = saved_errno;
    return search.found;
}

void functions_name_types(int (*name_type)(uint16_t level, uint32_t type, const char *name))
{
    for (uint32_t i = 0; i < FUNCTION_COUNT; i++)
        name_type(RECORDER_LEVEL_ACL, function_type(i), function_name(i));
}

void functions_in_forked_child(void)
{
    pthread_mutex_init(&spares_lock, NULL);
}

/* Reports once that no entry is left, and counts what cannot be recorded. */
static void tell_unrecorded(uint32_t index)
{
    static atomic_bool told;
    recorder_lose_call();
    if (atomic_exchange(&told, true))
        return;
    system_say("msprof: calls of ");
    system_say(functions[index].name);
    system_say(" and others are not recorded: the program has looked up too many functions\n");
}

/* The entry for a function that a program has looked up: linked calls have theirs, and go where their library finds. */
static void *bind(uint32_t index, void *real)
{
    void *entry = real;
    pthread_mutex_lock(&spares_lock);
    size_t i = 0;
    while (i < spares_used && (atomic_load(&reals[FUNCTION_COUNT + i]) != real || spare_functions[i] != index))
        i++;
    if (i == spares_used && i < SPARE_COUNT) {
        spare_functions[i] = index;
        atomic_store_explicit(&reals[FUNCTION_COUNT + i], real, memory_order_release);
        spares_used++;
    }
    if (i < spares_used)
        entry = (void *)(uintptr_t)preload_entries[FUNCTION_COUNT + i];
    pthread_mutex_unlock(&spares_lock);
    if (entry == real)
        tell_unrecorded(index);
    return entry;
}

/* ---- lookups ---- */

/* By dlsym, or by dlvsym where there is a version: dlerror() describes the last lookup that failed. */
static void *ask_system(void *handle, const char *name, const char *version)
{
    return version != NULL ? preload_system_dlvsym(handle, name, version) : preload_system_dlsym(handle, name);
}

/* Whether linked calls go there too, whoever calls: a program may compare addresses. */
static bool is_for_everybody(uint32_t index, const void *found)
{
    const char *oldest;
    if (found == atomic_load(&reals[index]))
        return true;
    const void *linked = preload_system_dlsym(RTLD_NEXT, functions[index].name);
    dlerror(); /* the lookup that the program asked for did not fail */
    if (found != linked)
        return false;
    const struct link_map *library = library_of(found);
    return library != NULL && symbols_definitions(library, functions[index].name, &oldest) <= 1;
}

/* The search of all libraries, and that of the program's, come upon this library's entry first. It only counts when the
 * function is there without it. */
void *function_look_up(void *handle, const char *name, const char *version, uint32_t index, const void *caller)
{
    const void *ours = preload_entries[index];
    void *found = ask_system(handle, name, version);
    if (found == NULL)
        return NULL;
    if (found == ours)
        found = ask_system(RTLD_NEXT, name, version);
    if (found == NULL && handle == RTLD_DEFAULT)
        found = find_beside(library_of(caller), name, version);
    if (found == NULL || found == ours) /* ours: beside the caller is the program itself */
        return ask_system(RTLD_NEXT, name, version) == NULL ? NULL : (void *)(uintptr_t)ours; /* sets the error */
    return is_for_everybody(index, found) ? (void *)(uintptr_t)ours : bind(index, found);
}

/* ---- the recorder ---- */

/* Whose recorder calls go to: that of libmsprof_acl, once it is in the process and has announced itself. */

static _Atomic(const struct call_target *) target;

const struct call_target *call_target(void)
{
    return atomic_load_explicit(&target, memory_order_acquire);
}

void call_target_set(const struct call_target *new_target)
{
    atomic_store(&target, new_target);
}
