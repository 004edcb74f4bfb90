/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that 'msprof mcp' serves as resources. They are compiled in, so that a copied program has them, too. */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_RESOURCES_H
#define MSPROF_FEATURES_MCP_COMMANDS_RESOURCES_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Appends the resources as an array of JSON. */
void resources_put(struct strbuf *json);
/* Appends the contents of one as an array of JSON; false: there is none of this URI. */
bool resources_put_contents(struct strbuf *json, const char *uri);

#endif
