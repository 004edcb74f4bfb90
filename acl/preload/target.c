/* SPDX-License-Identifier: Apache-2.0 */
/* Whose recorder calls go to: that of libmsprof_acl, once it is in the process and has announced itself. */
#include "acl/call_target.h"
#include "acl/preload/preload.h"

#include <stdatomic.h>

__attribute__((visibility("default"))) preload_attach_function msprof_preload_attach;

static _Atomic(const struct call_target *) target;

void msprof_preload_attach(const struct call_target *new_target)
{
    functions_name_types(new_target->name_type);
    atomic_store(&target, new_target);
}

const struct call_target *call_target(void)
{
    return atomic_load_explicit(&target, memory_order_acquire);
}

void call_target_set(const struct call_target *new_target)
{
    atomic_store(&target, new_target);
}
