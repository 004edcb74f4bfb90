/* SPDX-License-Identifier: Apache-2.0 */
/* mindspore.op_range: what MindSpore's threads did. */
#include "features/frameworks/mindspore/mindspore.h"

#include "base/array.h"
#include "base/diag.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

#define FIXED 54
#define NAME_LIMIT ((size_t)1024 * 1024)

enum { TEXT_NAME, TEXT_FULL, TEXT_GRAPH_MODULE, TEXT_GRAPH_EVENT, TEXT_CUSTOM, TEXT_COUNT };
#define FIRST_TEXT 13

struct group {
    struct {
        uint32_t event, operation, custom, zero;
    } key;
    size_t place;
};

struct reading {
    struct framework *framework;
    const struct framework_clock *clock;
    struct diagnostics *diag;
    struct strbuf name;
    struct map groups;
};

struct fields {
    uint64_t thread, flow, start, end;
    unsigned module, event, stage;
    bool graph, is_stage, stack;
    struct framework_text texts[TEXT_COUNT];
};

static void add_text(struct strbuf *buf, const struct framework_text *text)
{
    if (text->text != NULL)
        strbuf_add(buf, text->text, text->length);
}

static bool is_text(const struct framework_text *text, const char *wanted)
{
    return text->text != NULL && text->length == strlen(wanted) && memcmp(text->text, wanted, text->length) == 0;
}

static void make_name(struct strbuf *name, const struct fields *fields)
{
    const struct framework_text *texts = fields->texts;
    strbuf_clear(name);
    if (fields->stack) {
        add_text(name, &texts[TEXT_NAME]);
    } else if (fields->graph) {
        add_text(name, &texts[TEXT_GRAPH_MODULE]);
        strbuf_adds(name, "::");
        add_text(name, &texts[TEXT_GRAPH_EVENT]);
        strbuf_adds(name, "::");
        add_text(name, &texts[TEXT_NAME]);
    } else if (fields->is_stage) {
        strbuf_adds(name, mindspore_stage_name(fields->stage));
    } else if (is_text(&texts[TEXT_NAME], "flow")) {
        add_text(name, &texts[TEXT_FULL]);
    } else {
        strbuf_adds(name, mindspore_module_name(fields->module));
        strbuf_adds(name, "::");
        strbuf_adds(name, mindspore_event_name(fields->event));
        strbuf_adds(name, "::");
        add_text(name, &texts[TEXT_FULL]);
    }
}

static void take_fields(const struct bytes *value, struct fields *ret)
{
    const unsigned char *p = value->data;
    *ret = (struct fields){
        .thread = bytes_load(p, 8, false),
        .flow = bytes_load(p + 8, 8, false),
        .start = bytes_load(p + 24, 8, false),
        .end = bytes_load(p + 32, 8, false),
        .module = (unsigned)bytes_load(p + 44, 2, false),
        .event = (unsigned)bytes_load(p + 46, 2, false),
        .stage = (unsigned)bytes_load(p + 48, 2, false),
        .graph = p[51] != 0,
        .is_stage = p[52] != 0,
        .stack = p[53] != 0,
    };
}

static uint32_t flags_of(const char *name, const struct fields *fields)
{
    uint32_t flags = fields->stack ? RANGE_STACK : 0;
    if (strcmp(name, "flow") == 0)
        flags |= RANGE_FLOW;
    if (strstr(name, "KernelLaunch") != NULL || strstr(name, "LaunchTask") != NULL)
        flags |= RANGE_LAUNCH;
    return flags;
}

/* Two columns in each other's way count as three: names of other than three parts are left out, as MindSpore does. */
static bool has_three_parts(const char *name)
{
    int parts = 1;
    for (const char *p = strstr(name, "::"); p != NULL; p = strstr(p + 2, "::"))
        parts++;
    return parts == 3;
}

/* As Python prints a dictionary of the first two pairs of "k:v;k:v"; of fewer "{}". */
static void put_custom(struct strbuf *buf, const struct framework_text *custom)
{
    strbuf_clear(buf);
    if (custom->text == NULL || custom->length == 0)
        return;
    strbuf_adds(buf, "{");
    const char *p = custom->text, *end = p + custom->length;
    if (memchr(p, ';', custom->length) != NULL) {
        for (int i = 0; i < 2 && p < end; i++) {
            const char *semicolon = memchr(p, ';', (size_t)(end - p)), *pair_end = semicolon != NULL ? semicolon : end;
            const char *colon = memchr(p, ':', (size_t)(pair_end - p));
            if (colon != NULL)
                strbuf_addf(buf, "%s'%.*s': '%.*s'", buf->length > 1 ? ", " : "", (int)(colon - p), p,
                            (int)(pair_end - colon - 1), colon + 1);
            p = pair_end + 1;
        }
    }
    strbuf_adds(buf, "}");
}

static int intern_field(struct framework *framework, const struct framework_text *text, uint32_t *ret, struct err *err)
{
    return intern_add(&framework->texts, text->text != NULL ? text->text : "", text->length, ret, err);
}

static int add_dataset(struct reading *reading, const struct fields *fields, const struct framework_range *range,
                       struct err *err)
{
    struct framework *framework = reading->framework;
    struct framework_datasets *datasets = &framework->datasets;
    struct group key = {.place = 0};
    bool added;
    put_custom(&reading->name, &fields->texts[TEXT_CUSTOM]);
    if (reading->name.failed)
        return err_no_memory(err);
    if (intern_field(framework, &fields->texts[TEXT_GRAPH_EVENT], &key.key.event, err) < 0 ||
        intern_field(framework, &fields->texts[TEXT_NAME], &key.key.operation, err) < 0 ||
        intern_add(&framework->texts, reading->name.data, reading->name.length, &key.key.custom, err) < 0)
        return err_status(err);
    struct group *group = map_add(&reading->groups, &key, &added, err);
    if (group == NULL)
        return err_status(err);
    if (added) {
        if (array_reserve(datasets, 1, err) < 0)
            return err_status(err);
        group->place = datasets->count;
        datasets->items[datasets->count++] = (struct framework_dataset){
            .event = key.key.event, .operation = key.key.operation, .custom = key.key.custom};
    }
    struct framework_dataset_runs *runs = &framework->dataset_runs;
    if (large_reserve(runs, 1, err) < 0)
        return err_status(err);
    runs->items[runs->count++] =
        (struct framework_dataset_run){range->start_ns, range->end_ns - range->start_ns, group->place};
    return 0;
}

static int take_record(void *arg, const struct framework_record *record, struct err *err)
{
    struct reading *reading = arg;
    struct framework *framework = reading->framework;
    const struct place place = framework_place(record);
    const struct framework_texts where = {FIXED, FIRST_TEXT, TEXT_COUNT};
    struct fields fields;
    take_fields(&record->value, &fields);
    framework_read_texts(record, &where, fields.texts, TEXT_COUNT, reading->diag);
    if (fields.start == 0)
        return 0;
    const int64_t start_ns = framework_clock_ns(reading->clock, fields.start),
                  end_ns = framework_clock_ns(reading->clock, fields.end);
    if (!diag_check_span(reading->diag, &place, "the range", start_ns, end_ns))
        return 0;
    if (framework_is_warm_up(framework, end_ns))
        return 0;
    make_name(&reading->name, &fields);
    if (reading->name.failed)
        return err_set(err, ERR_LIMIT, "'%s': a name of more than %zu bytes", record->path, NAME_LIMIT);
    struct framework_range range = {.start_ns = start_ns,
                                    .end_ns = end_ns,
                                    .thread = (int64_t)fields.thread,
                                    .flow = fields.flow,
                                    .flags = flags_of(reading->name.data, &fields)};
    if (intern_add(&framework->texts, reading->name.data, reading->name.length, &range.name, err) < 0 ||
        large_reserve(&framework->ranges, 1, err) < 0)
        return err_status(err);
    large_pass(framework->ranges.count);
    framework->ranges.items[framework->ranges.count++] = range;
    if (range.start_ns == range.end_ns)
        return 0;
    if (framework_names_step(reading->name.data) &&
        framework_add_step(framework, reading->name.data, range.start_ns, range.end_ns, err) < 0)
        return err_status(err);
    if (fields.graph && is_text(&fields.texts[TEXT_GRAPH_MODULE], "Dataset") && has_three_parts(reading->name.data))
        return add_dataset(reading, &fields, &range, err);
    return 0;
}

int mindspore_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err)
{
    struct reading reading = {
        .framework = framework, .clock = clock, .diag = diag, .groups = MAP_OF(struct group, key)};
    strbuf_init(&reading.name, NAME_LIMIT);
    bool failed = framework_read_tagged(directory, "FRAMEWORK/mindspore.op_range",
                                        (struct framework_lengths){FIXED, "54 bytes and texts"}, take_record, &reading,
                                        diag, err) < 0 ||
                  framework_finish(framework, err) < 0;
    strbuf_release(&reading.name);
    map_release(&reading.groups);
    return failed ? err_status(err) : 0;
}
