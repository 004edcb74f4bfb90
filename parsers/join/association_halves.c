/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of which one half is missing: a device that the host launched tasks on, the host, or what joins both. */
#include "parsers/decode/decoder.h"
#include "parsers/join/association_data.h"
#include "parsers/join/execution_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OF_DEVICES                                                                                                     \
    "when operators and communication ran and what was counted of them (op_summary, op_statistic, task_time, "         \
    "communication), overlap, steps, findings"

struct device_half *association_half(struct association *association, uint32_t device_id, struct err *err)
{
    uint32_t number;
    if (association->halves.count > 0 && association->halves.items[0].device_id == device_id) /* mostly the only one */
        return &association->halves.items[0];
    if (id_map_get(&association->half_numbers, device_id, &number))
        return &association->halves.items[number];
    if (id_map_set(&association->half_numbers, device_id, (uint32_t)association->halves.count, err) < 0)
        return NULL;
    struct device_half *added = ARRAY_NEXT(&association->halves, err);
    if (added != NULL)
        *added = (struct device_half){.device_id = device_id};
    return added;
}

/* A device of which nothing can be expected: its chip is not read, or its tasks are of a kind of their own. Captures of
 * 2020 do not say the chip. */
static bool is_strange(const struct capture *capture, const struct capture_part *part)
{
    enum { CHIP_NANO = 9 };
    return capture->family != CAPTURE_JOB && part != NULL &&
           (part->chip == CHIP_NANO || part->chip < 0 || part->chip >= 32 || (CHIPS_KNOWN >> part->chip & 1) == 0);
}

/* The part of a device; NULL: there is none. */
static const struct capture_part *part_of_device(const struct capture *capture, uint32_t device_id)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (!part->is_host && (part->device_id >= 0 ? part->device_id : 0) == device_id)
            return part;
    }
    return NULL;
}

/* Whether the settings of a device say that something was off; on: that it was on. */
static bool is_set(const struct capture_part *part, const char *name, bool on)
{
    const char *text = part != NULL ? capture_setting_text(&part->settings, name) : NULL;
    return text != NULL && (strcmp(text, "off") != 0) == on;
}

/* Until 2022 the log of tasks has a switch of its own. */
static bool is_missing(const struct capture *capture, const struct device_half *half)
{
    const struct capture_part *part = part_of_device(capture, half->device_id);
    return half->launched > 0 && half->ran == 0 && !is_strange(capture, part) && !is_set(part, "hwts_log", false);
}

bool association_misses_device(const struct association *association)
{
    for (size_t i = 0; i < association->halves.count; i++) {
        if (is_missing(decoder_capture(association->decoder), &association->halves.items[i]))
            return true;
    }
    return false;
}

/* Whether the settings say that the host recorded. */
static bool host_was_on(const struct capture *capture)
{
    static const char *const switches[] = {"acl", "runtimeApi", "modelExecution"};
    for (size_t i = 0; i < capture->part_count * (sizeof switches / sizeof *switches); i++) {
        if (is_set(&capture->parts[i % capture->part_count], switches[i / capture->part_count], true))
            return true;
    }
    return false;
}

/* It has no file of records. Until 2022 its files were the device's. */
bool association_misses_host(const struct association *association)
{
    const struct capture *capture = decoder_capture(association->decoder);
    if (capture->family == CAPTURE_JOB)
        return association->executions->task_operators.used == 0;
    if (capture->family != CAPTURE_CANN)
        return host_was_on(capture) && association->executions->launches == 0;
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->kind != NULL && file->part < capture->part_count && capture->parts[file->part].is_host)
            return false;
    }
    return true;
}

#define OF_OPERATORS                                                                                                   \
    "their operators (op_summary, op_statistic), communication, overlap, steps; times of tasks are right"

/* Whether most of what was launched and of what ran does not belong together. */
static bool is_other_half(const struct device_half *half)
{
    return half->matched * 2 < half->launched && half->unmatched * 2 > half->ran;
}

bool association_is_apart(const struct association *association, const struct device_half *half)
{
    const struct capture *capture = decoder_capture(association->decoder);
    return capture->family == CAPTURE_CANN && half->ran > 0 && !association_misses_host(association) &&
           !is_strange(capture, part_of_device(capture, half->device_id)) &&
           (half->launched == 0 || half->untyped == half->launched || is_other_half(half));
}

/* A device and the host have records, but what puts them together is missing: the launches, their kinds, or what their
 * streams are called. */
static void report_apart(struct diagnostics *diag, const struct device_half *half)
{
    if (half->launched == 0)
        diag_report(diag, DIAG_HALF_MISSING, NULL,
                    "the host's records of launches (task_track) are missing: device %" PRIu32 " ran %" PRIu64
                    " tasks; unknown: " OF_OPERATORS,
                    half->device_id, half->ran);
    else if (half->untyped == half->launched)
        diag_report(diag, DIAG_HALF_MISSING, NULL,
                    "no dictionary (type_info_dic, hash_dic) says what the %" PRIu64
                    " tasks launched on device %" PRIu32 " are; unknown: " OF_OPERATORS,
                    half->launched, half->device_id);
    else
        diag_report(diag, DIAG_HALF_MISSING, NULL,
                    "the launches and the runs of device %" PRIu32 " do not belong together: %" PRIu64 " of %" PRIu64
                    " tasks have no launch with their stream and number; a part of both, or expand_stream_spec, is "
                    "missing; unknown: " OF_OPERATORS,
                    half->device_id, half->unmatched, half->ran);
}

void association_report_halves(const struct association *association)
{
    const struct capture *capture = decoder_capture(association->decoder);
    struct diagnostics *diag = decoder_diag(association->decoder);
    uint64_t launched = 0, ran = 0;
    diag_go_back(diag, 0);
    for (size_t i = 0; i < association->halves.count; i++) {
        const struct device_half *half = &association->halves.items[i];
        launched += half->launched;
        ran += half->ran;
        if (is_missing(capture, half))
            diag_report(diag, DIAG_HALF_MISSING, NULL,
                        "data of device %" PRIu32 " is missing: the host launched %" PRIu64
                        " tasks on it, but the capture has no record of their runs; unknown: " OF_DEVICES,
                        half->device_id, half->launched);
        if (association_is_apart(association, half))
            report_apart(diag, half);
    }
    if (launched == 0 && ran > 0 && association_misses_host(association))
        diag_report(diag, DIAG_HALF_MISSING, NULL,
                    "host data is missing: devices ran %" PRIu64
                    " tasks, but no record of their launches exists; unknown: their operators (op_summary, "
                    "op_statistic), communication, calls (api_statistic), overlap, steps; times of tasks are right",
                    ran);
    diag_go_on(diag);
}
