/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is linked with ACL, for programs that load it for itself only, as Python loads its modules. */
#include "tests/acl/fake_acl.h"

int plugin_set_device(int32_t device);

int plugin_set_device(int32_t device)
{
    return aclrtSetDevice(device);
}
