/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/call_target.h"
#include "acl/preload/preload.h"
#include "acl/recorder/recorder.h"
#include "acl/recorder/shield.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

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

int32_t functions_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_slots);
    for (size_t slot = home(name); slots[slot] != 0; slot = (slot + 1) & (SLOTS - 1))
        if (strcmp(functions[slots[slot] - 1].name, name) == 0)
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

/* Libraries stay loaded from when one of their functions is known here, so that it stays where it is. */
static void pin_library(void *address)
{
    Dl_info info;
    if (dladdr(address, &info) != 0 && info.dli_fname != NULL)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

struct search {
    const char *name;
    const void *ours;
    void *found;
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
    dlclose(handle);
    return 0;
}

static void find_real(void *arg)
{
    struct search *search = arg;
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    search->found = preload_system_dlsym(RTLD_NEXT, search->name);
    if (search->found == NULL)
        dl_iterate_phdr(search_library, search);
}

void *function_real(uint32_t index)
{
    void *real = atomic_load_explicit(&reals[index], memory_order_acquire);
    if (real != NULL)
        return real;
    int saved_errno = errno;
    struct search search = {.name = functions[index].name, .ours = preload_entries[index]};
    ask_loader(find_real, &search);
    if (search.found == NULL)
        system_fail(functions[index].name);
    function_bind(index, search.found);
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

/* A second library with a function of the same name has an entry of its own. */
static void *bind_spare(uint32_t index, void *real)
{
    void *entry = real;
    pthread_mutex_lock(&spares_lock);
    size_t i = 0;
    while (i < spares_used && atomic_load(&reals[FUNCTION_COUNT + i]) != real)
        i++;
    if (i == spares_used && i < SPARE_COUNT) {
        spare_functions[i] = index;
        atomic_store_explicit(&reals[FUNCTION_COUNT + i], real, memory_order_release);
        spares_used++;
    }
    if (i < spares_used)
        entry = (void *)(uintptr_t)preload_entries[FUNCTION_COUNT + i];
    pthread_mutex_unlock(&spares_lock);
    return entry;
}

void *function_bind(uint32_t index, void *real)
{
    void *expected = NULL;
    if (atomic_compare_exchange_strong(&reals[index], &expected, real)) {
        ask_loader(pin_library, real);
        return (void *)(uintptr_t)preload_entries[index];
    }
    return expected == real ? (void *)(uintptr_t)preload_entries[index] : bind_spare(index, real);
}

/* ---- dlsym ---- */

/* dlsym: programs that look ACL's functions up themselves get the entries that record, when the functions exist. */

int32_t preload_find(void *handle, const char *name);
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller);

/* Whether dlsym is about a function of the list: its index, else -1. A search for the next definition behind
 * the caller's is the system's affair: the first one is this library's already. */
int32_t preload_find(void *handle, const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    return handle == RTLD_NEXT || name == NULL ? -1 : functions_find(name);
}

/* Finds what a lookup from the caller's library finds in the libraries that were loaded with it. */
static void *find_beside(const void *caller, const char *name)
{
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    void *found = preload_system_dlsym(handle, name);
    dlclose(handle);
    return found;
}

/* The search of all libraries, and that of the program's, come upon this library's entry first. It only counts when the
 * function is there without it. dlerror() tells of the last lookup that failed. */
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller)
{
    const void *ours = preload_entries[index];
    void *found = preload_system_dlsym(handle, name);
    if (found == ours)
        found = preload_system_dlsym(RTLD_NEXT, name);
    else if (found == NULL)
        return NULL;
    if (found == NULL && handle == RTLD_DEFAULT)
        found = find_beside(caller, name);
    if (found == NULL || found == ours) /* ours: beside the caller is the program itself */
        return preload_system_dlsym(RTLD_NEXT, name) == NULL ? NULL : (void *)(uintptr_t)ours; /* sets the error */
    return function_bind(index, found);
}

/* ---- the recorder ---- */

/* Whose recorder calls go to: that of libmsprof_acl, once it is in the process and has announced itself. */

__attribute__((visibility("default"))) preload_attach_function msprof_preload_attach;

static _Atomic(const struct call_target *) target;

const struct call_target *call_target(void)
{
    return atomic_load_explicit(&target, memory_order_acquire);
}

void msprof_preload_attach(const struct call_target *new_target)
{
    functions_name_types(new_target->name_type);
    marks_attach(new_target);
    atomic_store(&target, new_target);
}

void call_target_set(const struct call_target *new_target)
{
    atomic_store(&target, new_target);
}
