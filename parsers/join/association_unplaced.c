/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the host that say something about a call or an operator that no other record knows. */
#include "parsers/decode/decoder.h"
#include "parsers/join/association_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_UNPLACED(association, kind, items, count, member)                                                        \
    do {                                                                                                               \
        for (size_t i = 0; i < (count); i++)                                                                           \
            (association)->unplaced[kind] += (items)[i].member == NO_INDEX;                                            \
    } while (0)

void association_count_unplaced(struct association *association, const struct thread *thread)
{
    static const enum unplaced_kind kinds[] = {
        [NOTE_COPY] = UNPLACED_COPY,
        [NOTE_FUSION] = UNPLACED_FUSION,
        [NOTE_COLLECTIVE] = UNPLACED_COLLECTIVE,
        [NOTE_TRANSFER] = UNPLACED_TRANSFER,
    };
    COUNT_UNPLACED(association, UNPLACED_NODE, thread->nodes, thread->node_count, launch);
    COUNT_UNPLACED(association, UNPLACED_TENSORS, thread->tensors, thread->tensor_count, launch);
    COUNT_UNPLACED(association, UNPLACED_ATTRIBUTE, thread->attributes, thread->attribute_count, launch);
    for (size_t i = 0; i < thread->context_count; i++)
        association->unplaced[UNPLACED_CONTEXTS] +=
            thread->contexts[i].launch == NO_INDEX && thread->contexts[i].communication == NO_INDEX;
    for (size_t i = 0; i < thread->note_count; i++)
        association->unplaced[kinds[thread->notes[i].kind]] += thread->notes[i].call == NO_INDEX;
}

void association_drop_joined(struct association *association, size_t part, const struct record_kind *kind,
                             enum diag_id reason, uint64_t count)
{
    struct capture *capture = decoder_capture(association->decoder);
    struct capture_file *last = NULL;
    uint64_t left = count;
    for (size_t i = capture->file_count; i-- > 0 && left > 0;) {
        struct capture_file *file = &capture->files[i];
        if (file->kind != kind || (part != ANY_PART && file->part != part))
            continue;
        last = last != NULL ? last : file;
        for (; left > 0 && file->joined > 0; left--)
            capture_file_drop(file, reason);
    }
    struct place place = {last != NULL ? last->name : NULL, -1, -1, NULL};
    diag_report(capture->diag, reason, &place, "%" PRIu64 " records of kind %s", count, kind->name);
}

static const char *const kind_names[UNPLACED_KINDS] = {
    [UNPLACED_NODE] = "node_basic_info",     [UNPLACED_TENSORS] = "tensor_info",
    [UNPLACED_ATTRIBUTE] = "node_attr_info", [UNPLACED_CONTEXTS] = "context_id_info",
    [UNPLACED_COPY] = "memcpy_info",         [UNPLACED_FUSION] = "fusion_op_info",
    [UNPLACED_COLLECTIVE] = "hccl_op_info",  [UNPLACED_TRANSFER] = "hccl_info",
};

void association_report_unplaced(struct association *association)
{
    for (size_t i = 0; i < UNPLACED_KINDS; i++) {
        if (association->unplaced[i] > 0)
            association_drop_joined(association, association->part, record_kind_find(kind_names[i]),
                                    DIAG_RECORD_UNPLACED, association->unplaced[i]);
        association->unplaced[i] = 0;
    }
}

/* ---- launches that did not run ---- */

static int count_described(struct association *association, struct thread *thread, uint32_t launch,
                           enum unplaced_kind kind, struct err *err)
{
    if (launch == NO_INDEX)
        return 0;
    if (thread->described[launch] == NO_INDEX) {
        struct described_launch *added =
            ARRAY_NEXT(association->described, association->described_count, association->described_capacity, err);
        if (added == NULL)
            return -(int)err->code;
        *added = (struct described_launch){.ran = false};
        thread->described[launch] = (uint32_t)(association->described_count - 1);
    }
    association->described[thread->described[launch]].records[kind]++;
    return 0;
}

int association_count_described(struct association *association, struct thread *thread, struct err *err)
{
    int status = 0;
    thread->described = malloc((thread->call_count + 1) * sizeof *thread->described);
    if (thread->described == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    memset(thread->described, 0xff, thread->call_count * sizeof *thread->described); /* NO_INDEX */
    for (size_t i = 0; status == 0 && i < thread->node_count; i++)
        status = count_described(association, thread, thread->nodes[i].launch, UNPLACED_NODE, err);
    for (size_t i = 0; status == 0 && i < thread->tensor_count; i++)
        status = count_described(association, thread, thread->tensors[i].launch, UNPLACED_TENSORS, err);
    for (size_t i = 0; status == 0 && i < thread->attribute_count; i++)
        status = count_described(association, thread, thread->attributes[i].launch, UNPLACED_ATTRIBUTE, err);
    return status;
}

void association_note_ran(struct association *association, uint32_t launch)
{
    association->described[launch].ran = true;
}

void association_report_not_run(struct association *association)
{
    uint64_t not_run[DESCRIBED_KINDS] = {0};
    for (size_t i = 0; i < association->described_count; i++) {
        for (size_t k = 0; k < DESCRIBED_KINDS; k++)
            not_run[k] += association->described[i].ran ? 0 : association->described[i].records[k];
    }
    for (size_t k = 0; k < DESCRIBED_KINDS; k++) {
        if (not_run[k] > 0)
            association_drop_joined(association, ANY_PART, record_kind_find(kind_names[k]), DIAG_TASK_NOT_RUN,
                                    not_run[k]);
    }
}
