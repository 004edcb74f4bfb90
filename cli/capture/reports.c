/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/reports.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/suggest.h"
#include "exporters/export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORTS_LIMIT ((size_t)1024 * 1024) /* bytes of the file */

static int layer_list_end(struct layer_list *list, struct err *err)
{
    if (array_reserve(list, 1, err) < 0)
        return -(int)err->code;
    list->items[list->count] = NULL;
    return 0;
}

static int layer_list_add(struct layer_list *list, const char *name, struct err *err)
{
    char *copy = strdup(name);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    list->items[list->count++] = copy;
    return layer_list_end(list, err);
}

void layer_list_release(struct layer_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct layer_list){0};
}

static int take_layer(const struct json *member, struct layer_list *list, struct err *err)
{
    const char *name = json_key(member);
    bool shown;
    if (!export_has_layer(name)) {
        err_set(err, ERR_FORMAT, "json_process has no layer '%s'", name);
        return err_hint(err, "msprof-export(1) lists the layers");
    }
    if (!json_boolean(member, &shown))
        return err_set(err, ERR_FORMAT, "layer '%s' is neither true nor false", name);
    return shown ? layer_list_add(list, name, err) : 0;
}

static int take_document(const struct json *root, struct layer_list *list, struct err *err)
{
    const struct json *process = json_member(root, "json_process");
    int status = 0;
    if (!json_is_object(process))
        return err_set(err, ERR_FORMAT,
                       "there is no object json_process; expected {\"json_process\": {\"cann\": true}}");
    for (const struct json *member = json_first(process); status == 0 && member != NULL; member = json_next(member))
        status = take_layer(member, list, err);
    return status;
}

static void compare_layer(void *nearest, const char *name)
{
    nearest_add(nearest, name);
}

/* Names with commas between. */
static int take_names(const char *names, struct layer_list *list, struct err *err)
{
    int status = layer_list_end(list, err);

    for (const char *name = names; status == 0 && *name != '\0'; name += strspn(name, ",")) {
        char one[64] = "";
        size_t length = strcspn(name, ",");
        memcpy(one, name, length < sizeof one ? length : sizeof one - 1);
        name += length;
        struct nearest nearest = nearest_to(one, strlen(one));
        export_each_layer(compare_layer, &nearest);
        status = export_has_layer(one)
                     ? layer_list_add(list, one, err)
                     : err_set(err, ERR_USAGE, "'%s' of --reports is neither a file nor a layer%s%s%s", one,
                               NEAREST_TEXT(nearest));
    }
    if (status < 0)
        layer_list_release(list);
    return status < 0 ? err_hint(err, "msprof-export(1) lists the layers") : 0;
}

int reports_load(const char *path, struct layer_list *ret, struct err *err)
{
    if (strpbrk(path, "/.") == NULL && access(path, F_OK) != 0)
        return take_names(path, ret, err);

    char *text = NULL;
    size_t length;
    int status = read_whole_file(path, REPORTS_LIMIT, &text, &length, err);
    if (status < 0)
        return status;
    struct json *root = json_parse(text, length, err);
    status = root != NULL ? layer_list_end(ret, err) : -(int)err->code;
    if (status == 0)
        status = take_document(root, ret, err);
    if (status < 0)
        layer_list_release(ret);
    json_free(root);
    free(text);
    return status < 0 ? err_wrap(err, "cannot use the layers in '%s'", path) : 0;
}
