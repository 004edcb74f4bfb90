/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_layer_lists.h"

#include "base/number.h"
#include "exporters/export.h"

#define LIST_MAX (16 << 20) /* bytes; a layer table itself is not read beyond a few megabytes */

void svp_layer_lists_init(struct svp_layer_lists *lists)
{
    strbuf_init(&lists->ids, LIST_MAX);
    strbuf_init(&lists->names, LIST_MAX);
    strbuf_init(&lists->types, LIST_MAX);
    strbuf_init(&lists->ori_names, LIST_MAX);
    lists->layers = 0;
    lists->first_id = DB_NULL;
}

void svp_layer_lists_release(struct svp_layer_lists *lists)
{
    strbuf_release(&lists->ids);
    strbuf_release(&lists->names);
    strbuf_release(&lists->types);
    strbuf_release(&lists->ori_names);
}

static void add_text(struct strbuf *list, const char *text)
{
    strbuf_adds(list, text == NULL ? TABLE_MISSING : text);
}

static void add_id(struct strbuf *list, int64_t id)
{
    char buffer[NUMBER_MAX];
    if (id == DB_NULL)
        strbuf_adds(list, TABLE_MISSING);
    else
        strbuf_add(list, buffer, (size_t)(number_put_signed(buffer, id) - buffer));
}

/* A name's own line break would look like the end of an item. */
static void add_line(struct strbuf *list, const char *text, bool split_commas)
{
    size_t begin = list->length;
    add_text(list, text);
    for (size_t i = begin; i < list->length; i++) {
        if (list->data[i] == '\n')
            list->data[i] = '?';
        else if (list->data[i] == ',' && split_commas)
            list->data[i] = '\n';
    }
}

int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err)
{
    struct strbuf *all[] = {&lists->ids, &lists->names, &lists->types, &lists->ori_names};
    bool failed = false;
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        strbuf_clear(all[list]);
    lists->layers = count;
    lists->first_id = count == 0 ? DB_NULL : layers[0].layer_id;
    for (size_t i = 0; i < count; i++) {
        for (size_t list = 0; i > 0 && list < sizeof all / sizeof all[0]; list++)
            strbuf_addc(all[list], separator);
        add_id(&lists->ids, layers[i].layer_id);
        if (separator == '\n') {
            add_line(&lists->names, layers[i].name, false);
            add_line(&lists->types, layers[i].type, false);
            add_line(&lists->ori_names, layers[i].ori_name, true);
        } else {
            add_text(&lists->names, layers[i].name);
            add_text(&lists->types, layers[i].type);
            add_text(&lists->ori_names, layers[i].ori_name);
        }
    }
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        failed = failed || all[list]->failed;
    if (failed)
        return err_set(err, ERR_LIMIT, "the names of the %zu layers of one task do not fit into %d bytes", count,
                       LIST_MAX);
    return 0;
}

struct report_value svp_layer_list_value(const struct svp_layer_lists *lists, const struct strbuf *list)
{
    return lists->layers == 0 ? value_none() : value_text_of(list->data, list->length);
}

struct report_value svp_layer_ids_value(const struct svp_layer_lists *lists)
{
    return lists->layers == 1 ? value_integer(lists->first_id) : svp_layer_list_value(lists, &lists->ids);
}
