/* SPDX-License-Identifier: Apache-2.0 */
/* torch.op_range and torch.memory_usage, and what holds all of PyTorch's files together. */
#include "features/frameworks/pytorch/torch.h"

#include "base/array.h"
#include "base/diag.h"
#include "base/number.h"
#include "features/frameworks/records.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_NAME, TEXT_TYPES, TEXT_SHAPES, TEXT_COUNT = 7 };

/* Forms of a record of torch.op_range, the newest first. Texts of modules and of operations are not read. */
static const struct op_form {
    struct framework_texts texts;
    unsigned stack; /* place of the call stack among the texts */
} op_forms[] = {
    {{58, 2, 9}, 6}, /* since October 2024 */
    {{58, 3, 8}, 5}, /* since September 2024, when the scope was added */
    {{57, 3, 6}, 3},
};
static const struct framework_lengths op_lengths = {57, "57 or 58 bytes and texts"};

/* The component was added in June 2025. */
#define MEMORY_COMPONENT 58
static const struct framework_lengths memory_lengths = {0, "76 or 77 bytes"};

void torch_forget_memory(struct torch *torch)
{
    large_free(torch->memories.items);
    torch->memories = (struct framework_memories){.count = 0};
}

void torch_free(struct torch *torch)
{
    if (torch == NULL)
        return;
    large_free(torch->ops.items);
    large_free(torch->enqueues.items);
    large_free(torch->dequeues.items);
    free(torch->threads.items);
    torch_forget_memory(torch);
    large_free(torch->calls.items);
    free(torch->gcs.items);
    free(torch->names.items);
    free(torch);
}

/* ---- operators ---- */

static int take_text(struct framework *framework, const struct framework_text *text, uint32_t *ret, struct err *err)
{
    *ret = TORCH_NONE;
    return text->text != NULL ? intern_add(&framework->texts, text->text, text->length, ret, err) : 0;
}

/* Reports a record whose texts stand behind a fixed part that no form has; false: they are damaged. */
static bool is_other_form(const struct torch_reading *reading, const struct framework_record *record)
{
    enum { SHORTEST = 40, LONGEST = 96 };
    uint32_t types = 0;
    for (size_t fixed = SHORTEST; fixed <= LONGEST && fixed <= record->value.length; fixed++) {
        if (!framework_texts_fit(record, fixed, &types) || types == 0)
            continue;
        framework_report_length(record, fixed, op_lengths, reading->diag);
        return true;
    }
    return false;
}

/* The form of a record; NULL: none, which was reported. A file's records have one form, and all have a name. */
static const struct op_form *form_of(struct torch_reading *reading, const struct framework_record *record)
{
    enum { NEWEST, MIDDLE, OLDEST };
    uint32_t types, old_types;
    if (framework_texts_fit(record, op_forms[NEWEST].texts.fixed, &types)) {
        reading->newest |= (types >> op_forms[NEWEST].texts.first & 1) != 0;
        return &op_forms[reading->newest || types == 0 ? NEWEST : MIDDLE];
    }
    if (framework_texts_fit(record, op_forms[OLDEST].texts.fixed, &old_types))
        return &op_forms[OLDEST];
    return is_other_form(reading, record) ? NULL : &op_forms[reading->newest ? NEWEST : MIDDLE];
}

static int take_op(void *arg, const struct framework_record *record, struct err *err)
{
    struct torch_reading *reading = arg;
    struct framework *framework = reading->framework;
    const unsigned char *p = record->value.data;
    const struct place place = framework_place(record);
    const struct op_form *form = form_of(reading, record);
    struct framework_text texts[TEXT_COUNT];
    if (form == NULL)
        return 0;
    struct torch_op op = {
        .start_ns = framework_clock_ns_cut(reading->clock, bytes_load(p, 8, false)),
        .end_ns = framework_clock_ns_cut(reading->clock, bytes_load(p + 8, 8, false)),
        .sequence = (int64_t)bytes_load(p + 16, 8, false),
        .pid = (int64_t)bytes_load(p + 24, 8, false),
        .thread = (int64_t)bytes_load(p + 32, 8, false),
        .forward_thread = (int64_t)bytes_load(p + 48, 8, false),
        .parent = TORCH_NONE,
    };
    framework_read_texts(record, &form->texts, texts, TEXT_COUNT, reading->diag);
    if (bytes_load(p, 8, false) == 0) {
        diag_report(reading->diag, DIAG_RECORD_VALUE, &place, "it has no start");
        return 0;
    }
    if (!diag_check_span(reading->diag, &place, "the operator", op.start_ns, op.end_ns))
        return 0;
    torch_check_process(reading, record, op.pid);
    if (framework_is_warm_up(framework, op.end_ns))
        return 0;
    if (texts[TEXT_NAME].text == NULL)
        texts[TEXT_NAME] = (struct framework_text){"", 0};
    if (take_text(framework, &texts[TEXT_NAME], &op.name, err) < 0 ||
        take_text(framework, &texts[TEXT_TYPES], &op.types, err) < 0 ||
        take_text(framework, &texts[TEXT_SHAPES], &op.shapes, err) < 0 ||
        take_text(framework, &texts[form->stack], &op.stack, err) < 0 ||
        large_reserve(&reading->torch->ops, 1, err) < 0)
        return err_status(err);
    const char *name = framework_text(framework, op.name);
    op.is_step = framework_names_step(name);
    large_pass(reading->torch->ops.count);
    reading->torch->ops.items[reading->torch->ops.count++] = op;
    return op.is_step ? framework_add_step(framework, name, op.start_ns, op.end_ns, err) : 0;
}

ARRAY_COMPARE(compare_ops, struct torch_op, ARRAY_BY(start_ns), ARRAY_BY_MOST(end_ns))

/* ---- memory ---- */

static int take_memory(void *arg, const struct framework_record *record, struct err *err)
{
    enum { OLD_SIZE = 76, SIZE = 77 };
    struct torch_reading *reading = arg;
    const unsigned char *p = record->value.data;
    struct framework_memories *memories = &reading->torch->memories;
    const struct place place = framework_place(record);
    const bool newest = record->value.length == SIZE;
    if (!newest && record->value.length != OLD_SIZE) {
        framework_report_length(record, record->value.length, memory_lengths, reading->diag);
        return 0;
    }
    const unsigned char *behind = p + MEMORY_COMPONENT + newest;
    const int64_t time_ns = framework_clock_ns_cut(reading->clock, bytes_load(p + 8, 8, false));
    if (framework_is_warm_up(reading->framework, time_ns))
        return 0;
    if (large_reserve(memories, 1, err) < 0)
        return err_status(err);
    large_pass(memories->count);
    const unsigned component = newest ? p[MEMORY_COMPONENT] : MEMORY_CACHING;
    torch_check_process(reading, record, (int64_t)bytes_load(behind + 10, 8, false));
    if ((p[56] != MEMORY_OF_CPU && p[56] != MEMORY_OF_NPU) || component > MEMORY_WORKSPACE ||
        behind[0] > MEMORY_FREE_AGAIN || behind[1] > 1)
        diag_report(reading->diag, DIAG_RECORD_ODD, &place, "device type %u, component %u, kind %u, allocator %u",
                    p[56], component, behind[0], behind[1]);
    memories->items[memories->count++] = (struct framework_memory){
        .address = bytes_load(p, 8, false),
        .time_ns = time_ns,
        .size = (int64_t)bytes_load(p + 16, 8, false),
        .allocated = (int64_t)bytes_load(p + 24, 8, false),
        .reserved = (int64_t)bytes_load(p + 32, 8, false),
        .active = (int64_t)bytes_load(p + 40, 8, false),
        .stream = bytes_load(p + 48, 8, false),
        .device_type = p[56],
        .device = p[57],
        .component = (uint8_t)component,
        .kind = behind[0],
        .allocator = behind[1],
        .thread = (int64_t)bytes_load(behind + 2, 8, false),
    };
    return 0;
}

ARRAY_COMPARE(compare_memories, struct framework_memory, ARRAY_BY(time_ns))

/* ---- all of it ---- */

/* As framework_finish has them, of what takes work out of queues: of ranges inside each other the innermost, so they
 * are sorted by their ends. */
static int find_launches(struct framework *framework, struct err *err)
{
    const struct torch_ranges *ranges = &framework->torch->dequeues;
    framework->launches = large_new(ranges->count + 1, sizeof *framework->launches, err);
    if (framework->launches == NULL)
        return err_status(err);
    framework->launch_count = ranges->count;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct torch_range *range = &ranges->items[i];
        large_pass(i);
        framework->launches[i] = (struct framework_launch){torch_thread_of(framework->torch, range)->thread,
                                                           range->start_ns, range->end_ns, range->end_ns, i};
    }
    framework_sort_launches_by_end(framework);
    return 0;
}

int pytorch_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                 struct diagnostics *diag, struct err *err)
{
    struct torch *torch = framework->torch = calloc(1, sizeof *torch);
    struct torch_reading reading = {
        .framework = framework, .torch = torch, .clock = clock, .directory = directory, .diag = diag};
    if (torch == NULL)
        return err_no_memory(err);
    bool failed =
        framework_read_tagged(directory, "FRAMEWORK/torch.op_range", op_lengths, take_op, &reading, diag, err) < 0;
    if (!failed) {
        large_sort(torch->ops.items, torch->ops.count, sizeof *torch->ops.items, compare_ops);
        failed = torch_read_marks(&reading, err) < 0;
    }
    failed = failed || framework_read_tagged(directory, "FRAMEWORK/torch.memory_usage", memory_lengths, take_memory,
                                             &reading, diag, err) < 0;
    large_sort(torch->memories.items, torch->memories.count, sizeof *torch->memories.items, compare_memories);
    failed = failed || torch_read_python(&reading, err) < 0 || torch_build_tree(torch, err) < 0;
    framework_unite_steps(framework);
    return failed ? err_status(err) : find_launches(framework, err);
}
