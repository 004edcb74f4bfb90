/* SPDX-License-Identifier: Apache-2.0 */
#include "api/listing.h"

#include "base/file/fsutil.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"

static int begin_listing(void *arg, const struct report_plan *plan, struct err *err)
{
    struct listing *listing = arg;
    if (listing->shape == NULL)
        listing->shape = shape_new(plan, err);
    return listing->shape != NULL ? 0 : err_status(err);
}

/* Texts of tables have no NUL at their end. */
static int put_text(struct json_out *json, const struct typed_value *value, struct err *err)
{
    SCOPED_FREE char *text = scoped_text(value->text, value->length);
    if (text == NULL)
        return err_no_memory(err);
    json_put_text(json, NULL, text);
    return 0;
}

static int put_value(struct json_out *json, const struct typed_value *value, struct err *err)
{
    switch (value->kind) {
    case TYPED_TEXT:
        return put_text(json, value, err);
    case TYPED_INTEGER:
        json_put_decimal(json, NULL, value->integer, 0);
        return 0;
    case TYPED_REAL:
        json_put_real(json, NULL, value->real);
        return 0;
    default:
        json_put_text(json, NULL, NULL);
        return 0;
    }
}

static int list_row(void *arg, const struct typed_value *values, struct err *err)
{
    struct listing *listing = arg;
    json_put_begin(&listing->json, NULL, '{');
    for (size_t i = 0; i < listing->shape->count; i++) {
        json_put_key(&listing->json, listing->shape->columns[i].title, NULL);
        if (put_value(&listing->json, &values[i], err) < 0)
            return err_status(err);
    }
    json_put_end(&listing->json, '}');
    return 0;
}

struct table_sink listing_begin(struct listing *listing, FILE *stream)
{
    *listing = (struct listing){.json = {.stream = stream}};
    json_put_begin(&listing->json, NULL, '[');
    return (struct table_sink){.begin = begin_listing, .values = list_row, .arg = listing};
}

void listing_end(struct listing *listing)
{
    json_put_end(&listing->json, ']');
    shape_release(listing->shape);
}

int list_report(sqlite3 *db, const struct report *report, struct json_out *json, const char *key, struct err *err)
{
    struct listing listing = {.json = *json};
    struct table_sink sink = {.begin = begin_listing, .values = list_row, .arg = &listing};
    const struct table_choice all = {.top = 0};
    const struct show_options options = {.plain = true, .sink = &sink};
    struct export_result result = {.files = 0};
    json_put_begin(&listing.json, key, '[');
    const int status = show_report(db, json->stream, report, CAPTURE_CANN, TABLE_CELLS, &all, &options, &result, err);
    listing_end(&listing);
    *json = listing.json;
    return status;
}

int answer_text_begin(struct answer_text *text, struct err *err)
{
    *text = (struct answer_text){.text = NULL};
    text->stream = open_memstream(&text->text, &text->length);
    return text->stream != NULL ? 0 : err_no_memory(err);
}

char *answer_text_end(struct answer_text *text, struct err *err)
{
    const bool lost = ferror(text->stream) != 0;
    if ((fclose(text->stream) != 0 || lost) && err->code == ERR_NONE)
        err_no_memory(err);
    if (err->code == ERR_NONE)
        return text->text;
    free(text->text);
    return NULL;
}
