/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/resources.h"

#include "exporters/json_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* RESOURCE(number, "docs/answers.md", bytes...) for each, made by the Makefile. */
#define RESOURCE(number, path, ...) static const unsigned char content_##number[] = {__VA_ARGS__};
#include "resource_list.h"
#undef RESOURCE

static const struct resource {
    const char *path;
    const unsigned char *content;
    size_t length;
} resources[] = {
#define RESOURCE(number, path, ...) {path, content_##number, sizeof content_##number},
#include "resource_list.h"
#undef RESOURCE
};

#define SCHEME "msprof://"
#define COUNT (sizeof resources / sizeof *resources)

static const char *type_of(const char *path)
{
    const char *suffix = strrchr(path, '.');
    if (suffix == NULL || strcmp(suffix, ".json") == 0)
        return "application/json";
    return strcmp(suffix, ".md") == 0 ? "text/markdown" : "text/troff";
}

static void put_head(struct strbuf *json, const struct resource *resource)
{
    strbuf_addf(json, "{\"uri\":\"" SCHEME "%s\",\"mimeType\":\"%s\"", resource->path, type_of(resource->path));
}

void resources_put(struct strbuf *json)
{
    strbuf_addc(json, '[');
    for (size_t i = 0; i < COUNT; i++) {
        strbuf_adds(json, i > 0 ? "," : "");
        put_head(json, &resources[i]);
        strbuf_addf(json, ",\"name\":\"%s\",\"size\":%zu}", strrchr(resources[i].path, '/') + 1, resources[i].length);
    }
    strbuf_addc(json, ']');
}

bool resources_put_contents(struct strbuf *json, const char *uri)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strncmp(uri, SCHEME, strlen(SCHEME)) != 0 || strcmp(uri + strlen(SCHEME), resources[i].path) != 0)
            continue;
        strbuf_addc(json, '[');
        put_head(json, &resources[i]);
        strbuf_adds(json, ",\"text\":");
        json_text_quote(json, (const char *)resources[i].content, resources[i].length);
        strbuf_adds(json, "}]");
        return true;
    }
    return false;
}
