/* SPDX-License-Identifier: Apache-2.0 */
/* The preload library: its parts and what they know of each other. */
#ifndef MSPROF_ACL_PRELOAD_PRELOAD_H
#define MSPROF_ACL_PRELOAD_PRELOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- functions.c: the list, and where the functions really are ---- */

/* Index into the list, or -1. Also before constructors have run. */
int32_t functions_find(const char *name);
const char *function_name(uint32_t index);
/* The type that calls are recorded with: group and number (docs/formats/cann.md 3.3). */
uint32_t function_type(uint32_t index);
/* The function that a caller at this address means: what the dynamic linker would have found for its library. When
 * there is none the process ends as the dynamic linker would end it. */
void *function_real(uint32_t index, const void *caller);
/* dlsym, or dlvsym with a version, for a function of the list: the entry that records its calls; NULL: not found,
 * dlerror() has the reason. */
void *function_look_up(void *handle, const char *name, const char *version, uint32_t index, const void *caller);
/* Sets the names of all types in a recorder. */
void functions_name_types(int (*name_type)(uint16_t level, uint32_t type, const char *name));
/* As signals_in_forked_child. */
void functions_in_forked_child(void);

/* ---- trampoline.S ---- */

/* The entries that programs call, in the order of the list; those without a name are behind them. */
extern const void *const preload_entries[];

/* ---- recording.c ---- */

/* Writes what was recorded. Safe in signal handlers. */
void recording_flush(void);
/* Whether this library's recorder takes marks; starts it when nothing has yet. */
bool recording_takes_marks(void);

/* ---- system.c: the libmsprof_acl that says that it is there ---- */

struct call_target;
/* libmsprof_acl, when it is in the process; NULL: it is not, or is not to decide what is recorded. */
const struct call_target *call_target(void);
void call_target_set(const struct call_target *target);

/* ---- mark_choice.c ---- */

/* The domains that the environment chooses; before the first mark. */
void marks_prepare(void);
const char *marks_domains(void); /* NULL: all */
/* Prints a line of why marks are not recorded. */
void marks_tell_unrecorded(const char *text, const char *path, const char *rest);
/* Prints once that a capture of a board takes no marks. */
void marks_tell_of_board(void);

/* ---- acl_json.c: the file that the program gives to aclInit or svp_acl_init ---- */

/* Before the first call. */
void acl_json_prepare(void);
/* Before and after a call; argument is the first one, whatever it is. */
void acl_json_before(uint32_t index, const char *argument);
void acl_json_after(uint32_t index);
/* A capture that such a file has begun runs: nothing else is recorded. */
bool acl_json_runs(void);
/* A function of libmsprof_acl, which is loaded when it is not there; NULL: there is none. */
void *acl_json_profiling_function(const char *name);
/* As signals_in_forked_child. */
void acl_json_in_forked_child(void);

/* ---- system.c: functions of the C library that this library stands in front of ---- */

typedef void *system_dlsym_function(void *handle, const char *name);
extern system_dlsym_function *preload_system_dlsym; /* NULL before system_find_dlsym, as the next one */
typedef void *system_dlvsym_function(void *handle, const char *name, const char *version);
extern system_dlvsym_function *preload_system_dlvsym;
void system_find_dlsym(void);

/* From now on the function is called before the process ends by _exit or _Exit. It must be safe in signal handlers. */
void system_call_before_end(void (*first)(void));
/* Writes to standard error. */
void system_say(const char *text);
int system_dlclose(void *handle);
/* The C library's function of this name; ends the process when it has none. */
void *system_function(const char *name);
/* "PROGRAM: symbol lookup error: ...", and status 127: what the dynamic linker does. */
_Noreturn void system_fail(const char *name);

/* ---- signals.c ---- */

/* The system's sigaction. */
int system_sigaction(int signal, const struct sigaction *action, struct sigaction *before);

/* From now on, sigaction and its relatives return what the program itself has set, not that fatal signals whose action
 * is the default one are caught. */
void signals_pretend(void);
/* In a child with memory of its own: its parent's other threads hold nothing there. */
void signals_in_forked_child(void);

#endif
