/* SPDX-License-Identifier: Apache-2.0 */
/* The extensions that the build found. */
#include "cli/extension.h"

#define EXTENSION(name) extern const struct command_extension name;
#include "command_extension_list.h"
#undef EXTENSION

#define EXTENSION(name) &name,
const struct command_extension *const command_extensions[] = {
#include "command_extension_list.h"
    NULL};
#undef EXTENSION
