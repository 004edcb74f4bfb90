/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the host that say something about a call or an operator that no other record knows. */
#include "parsers/join/association_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void association_report_undescribed(struct association *association)
{
    struct diagnostics *diag = decoder_capture(association->decoder)->diag;
    uint64_t nameless = association->operators.nameless, tensorless = association->operators.tensorless;
    uint64_t described = association->operators.described;
    struct place place = {NULL, -1, -1, NULL};
    memset(&association->operators, 0, sizeof association->operators);
    if (described == 0 || nameless + tensorless == 0)
        return;
    diag_report(diag, DIAG_OPERATOR_UNDESCRIBED, &place,
                "of %" PRIu64 " operators, the launches of %" PRIu64 " have no record of kind %s, and those of %" PRIu64
                " only records of kind %s with other names",
                described + nameless, nameless, kind_names[UNPLACED_NODE], tensorless, kind_names[UNPLACED_TENSORS]);
}

/* ---- launches that did not run ---- */

static int end_run(struct association *association, struct err *err)
{
    const struct described_run *run = &association->described_run;
    const struct spool_key key = {0, run->first};
    return run->count > 0 ? join_spool_add(&association->described, NULL, &key, run, sizeof *run, err) : 0;
}

int association_number_launch(struct association *association, struct call_state *launch, struct err *err)
{
    struct described_run *run = &association->described_run;
    uint32_t records = 0;
    for (size_t k = 0; k < DESCRIBED_KINDS; k++)
        records |= launch->records[k];
    if (records == 0)
        return 0;
    if (association->described_count >= NO_INDEX - 1)
        return err_set(err, ERR_LIMIT, "more than %u launches in one capture", NO_INDEX - 1);
    launch->described = association->described_count++;
    if (run->count == 0 || memcmp(run->records, launch->records, sizeof run->records) != 0) {
        if (end_run(association, err) < 0)
            return err_status(err);
        *run = (struct described_run){.first = launch->described};
        memcpy(run->records, launch->records, sizeof run->records);
    }
    run->count++;
    return 0;
}

#define WORD_BITS 64

int association_note_ran(struct association *association, uint32_t launch, struct err *err)
{
    while (launch / WORD_BITS >= association->ran_launches.count) {
        uint64_t *word = ARRAY_NEXT(&association->ran_launches, err);
        if (word == NULL)
            return err_status(err);
        *word = 0;
    }
    association->ran_launches.items[launch / WORD_BITS] |= UINT64_C(1) << launch % WORD_BITS;
    return 0;
}

static uint64_t count_not_run(const struct association *association, const struct described_run *run)
{
    uint64_t count = 0;
    for (uint32_t i = run->first; i - run->first < run->count; i++)
        count += i / WORD_BITS >= association->ran_launches.count ||
                 (association->ran_launches.items[i / WORD_BITS] >> i % WORD_BITS & 1) == 0;
    return count;
}

int association_report_not_run(struct association *association, struct err *err)
{
    const enum diag_id reason = association_misses_device(association) ? DIAG_HALF_MISSING : DIAG_TASK_NOT_RUN;
    uint64_t not_run[DESCRIBED_KINDS] = {0};
    struct spool_item item;
    int status = end_run(association, err);
    if (status == 0 && association->described != NULL)
        status = spool_finish(association->described, err);
    if (status < 0 || association->described == NULL)
        return status;
    while ((status = spool_next(association->described, &item, err)) > 0) {
        struct described_run run;
        memcpy(&run, item.record, sizeof run);
        uint64_t launches = count_not_run(association, &run);
        for (size_t k = 0; k < DESCRIBED_KINDS; k++)
            not_run[k] += launches * run.records[k];
    }
    for (size_t k = 0; status == 0 && k < DESCRIBED_KINDS; k++) {
        if (not_run[k] > 0)
            association_drop_joined(association, ANY_PART, record_kind_find(kind_names[k]), reason, not_run[k]);
    }
    return status;
}
