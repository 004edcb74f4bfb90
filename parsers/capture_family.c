/* Which family a capture is of, and what follows from that: chips that are read, clocks, what must be there. */
#include "parsers/capture_files.h"

#include <string.h>

static bool has_kind(const struct capture *capture, const char *name)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        if (capture->files[i].kind != NULL && strcmp(capture->files[i].kind->name, name) == 0)
            return true;
    }
    return false;
}

static bool has_one_of(const struct capture *capture, const char *const *kinds)
{
    while (*kinds != NULL && !has_kind(capture, *kinds))
        kinds++;
    return *kinds != NULL;
}

/* Names that only CANN since 2023 gives: "<age>.additional.<name>.slice_<n>". */
static bool has_additional(const struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        if (capture->files[i].kind != NULL && strstr(base_name(capture->files[i].name), ".additional.") != NULL)
            return true;
    }
    return false;
}

static enum capture_family recognise_family(const struct capture *capture)
{
    static const char *const cann[] = {"api_event", "node_basic_info", "task_track",   "task_track_v2", "tensor_info",
                                       "hash_dic",  "stars_soc",       "ffts_profile", "type_info_dic", NULL};
    static const char *const legacy[] = {"acl_data",       "runtime_api", "runtime_task_track",
                                         "framework_task", "ts_track",    NULL};
    static const char *const job[] = {"hwts", "task_desc", "graph_desc", NULL};
    bool has_host = capture->part_count > 0 && capture->parts[0].is_host;
    if (has_one_of(capture, cann) || has_additional(capture) || (has_host && !has_one_of(capture, legacy)))
        return CAPTURE_CANN;
    if (has_one_of(capture, legacy))
        return CAPTURE_LEGACY;
    if (has_one_of(capture, job))
        return CAPTURE_JOB;
    return has_kind(capture, "msproftx") ? CAPTURE_LEGACY : CAPTURE_SVP;
}

static bool is_known_chip(int64_t chip)
{
    static const int64_t known[] = {0, 1, 2, 3, 4, 5, 7, 8, 11};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i] == chip)
            return true;
    }
    return false;
}

/* Devices of a chip whose records are not known are left out; the host and the other devices are not. */
static void skip_unknown_chips(struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        struct place place = {part->directory, -1, -1, "platform_version"};
        if (part->is_host || part->chip < 0 || is_known_chip(part->chip))
            continue;
        diag_report(capture->diag, DIAG_CHIP_UNKNOWN, &place, "chip %lld; expected 0 to 5, 7, 8 or 11",
                    (long long)part->chip);
        for (size_t k = 0; k < capture->file_count; k++) {
            if (capture->files[k].part == i)
                capture->files[k].kind = NULL;
        }
    }
}

/* The clocks of a new capture: every time becomes one since 1970. */
static void settle_parts(struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        struct capture_part *part = &capture->parts[i];
        const char *missing = NULL;
        if (part->start_unix_ns >= 0 && part->start_monotonic_ns >= 0 &&
            part->start_monotonic_ns <= part->start_unix_ns)
            part->unix_offset_ns = part->start_unix_ns - part->start_monotonic_ns;
        else
            missing = "start_info: times count from the start of the host instead of from 1970";
        if (part->host_monotonic_ns < 0 || (part->host_hz > 0 && part->host_tick < 0))
            missing = "host_start.log: times are shifted";
        else if (!part->is_host && part->device_tick < 0)
            missing = "dev_start.log: times are shifted";
        else if (!part->is_host && part->device_hz <= 0)
            missing = "hwts_frequency in info.json: the chip's usual one is assumed";
        struct place place = {part->directory, -1, -1, NULL};
        if (missing != NULL)
            diag_report(capture->diag, DIAG_CONFIG_MISSING, &place, "no %s", missing);
    }
}

/* Frequencies: the option wins; what is missing is reported once for each device that needs it. */
static void settle_clocks(struct capture *capture)
{
    const char *kind = capture->family == CAPTURE_SVP ? "svp_pmu" : "hwts";
    int64_t reported = -1;
    for (size_t i = 0; i < capture->device_count; i++) {
        struct device_info *device = &capture->devices[i];
        if (capture->options.clock_khz > 0 && capture->family == CAPTURE_SVP)
            device->core_khz = capture->options.clock_khz;
    }
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->kind == NULL || strcmp(file->kind->name, kind) != 0 || file->identity.device_id == reported)
            continue;
        const struct device_info *device = capture_device(capture, file->identity.device_id);
        reported = file->identity.device_id;
        struct place place = {NULL, -1, -1, NULL};
        if (capture->family == CAPTURE_SVP && (device == NULL || device->core_khz <= 0))
            diag_report(capture->diag, DIAG_CONFIG_MISSING, &place,
                        "no aic_frequency for device %lld in info.json; times are unknown, cycles and ratios are right",
                        (long long)reported);
        if (capture->family == CAPTURE_JOB && (device == NULL || device->counter_khz <= 0) &&
            capture->options.clock_khz <= 0)
            diag_report(capture->diag, DIAG_CLOCK_ASSUMED, &place,
                        "no hwts_frequency for device %lld; 100 MHz is assumed, the Ascend 910A's",
                        (long long)reported);
    }
}

static void report_absences(struct capture *capture)
{
    if (capture->family != CAPTURE_SVP)
        return;
    if (!has_kind(capture, "svp_pmu"))
        diag_report(capture->diag, DIAG_NO_DEVICE_DATA, NULL, "no device PMU file (aicore.*) with data");
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        struct place place = {file->name, -1, -1, NULL};
        if (file->kind != NULL && strcmp(file->kind->name, "acl_call") == 0 && !file->done.present)
            diag_report(capture->diag, DIAG_NO_FINALIZE, &place, "no .done file: the last second may be missing");
    }
}

void capture_settle_family(struct capture *capture)
{
    capture->family = recognise_family(capture);
    if (capture->family == CAPTURE_CANN) {
        skip_unknown_chips(capture);
        settle_parts(capture);
    } else {
        settle_clocks(capture);
    }
    report_absences(capture);
}
