/* SPDX-License-Identifier: Apache-2.0 */
/* Which family a capture is of, and what follows from that: chips that are read, clocks, what must be there. */
#include "base/language.h"
#include "base/map.h"
#include "base/number.h"
#include "base/words.h"
#include "parsers/capture/capture_files.h"

extern const struct record_kind kind_acl_call, kind_aicpu_log, kind_ffts_profile, kind_hwts, kind_stars_soc,
    kind_svp_pmu, kind_training_trace;

#define LAST_CHIP_OF_2022 5
#define NANOSECONDS INT64_C(1000000000)

static bool has_kind(const struct capture *capture, const struct record_kind *kind)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        if (capture->files[i].kind == kind)
            return true;
    }
    return false;
}

static bool has_data(const struct capture *capture, size_t part)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        if (capture->files[i].part == part && capture->files[i].families != 0)
            return true;
    }
    return false;
}

/* The families that configuration files and directories leave. Hosts had a directory of their own in 2022, too, but
 * only with data in it. */
static unsigned families_of_parts(const struct capture *capture)
{
    unsigned families = FAMILY_ALL;
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (part->chip > LAST_CHIP_OF_2022)
            families &= FAMILY_CANN;
        else if (*part->directory != '\0')
            families &= FAMILY_2022 | FAMILY_CANN;
        else if (part->chip >= 0)
            families &= FAMILY_ASCEND;
        if (part->is_host && !has_data(capture, i))
            families &= FAMILY_CANN;
    }
    return families;
}

/* Whether info.json.<device> names a clock, which is all that it says on SVP boards. */
static bool has_clock(const struct capture *capture)
{
    for (size_t i = 0; i < capture->device_count; i++) {
        if (capture->devices[i].core_khz > 0)
            return true;
    }
    return false;
}

static unsigned restrict_to(unsigned families, unsigned others)
{
    return (families & others) != 0 ? families & others : families;
}

/* Evidence from the names of files. */
struct name_evidence {
    unsigned possible;  /* families that all names leave */
    unsigned alone;     /* families that a name has to itself */
    size_t svp, ascend; /* files whose names SVP, or only the other families, give */
};

static struct name_evidence weigh_names(const struct capture *capture)
{
    struct name_evidence evidence = {.possible = FAMILY_ALL};
    for (size_t i = 0; i < capture->file_count; i++) {
        unsigned families = capture->files[i].families;
        if (families == 0)
            continue;
        evidence.possible = restrict_to(evidence.possible, families);
        if ((families & (families - 1)) == 0)
            evidence.alone |= families;
        evidence.svp += families == FAMILY_SVP;
        evidence.ascend += (families & FAMILY_SVP) == 0;
    }
    return evidence;
}

/* Whether settings of a part are those of CANN since 2023, which say how much is recorded. Without the host's half its
 * files of 910 and 310 are those of 2022, too. */
static bool has_level(const struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_settings *settings = &capture->parts[i].settings;
        if (capture_setting_text(settings, "profLevel") != NULL || capture_setting_text(settings, "prof_level") != NULL)
            return true;
    }
    return false;
}

/* A name that only one family gives decides, the newest of the Ascend families first: their captures hold files of the
 * older ones, too. Between SVP and Ascend the more files decide. Between the families that all names leave, the
 * directories and info.json do; what they leave open is the oldest, but the newest for a device with STARS. */
static enum capture_family recognise_family(const struct capture *capture)
{
    static const enum capture_family newest[] = {CAPTURE_CANN, CAPTURE_2022, CAPTURE_JOB},
                                     oldest[] = {CAPTURE_SVP, CAPTURE_JOB, CAPTURE_2022, CAPTURE_CANN};
    struct name_evidence names = weigh_names(capture);
    unsigned parts = families_of_parts(capture), possible = restrict_to(names.possible, parts);
    bool by_parts = parts != FAMILY_ALL || has_clock(capture);
    if (capture->tree != NULL)
        return capture->tree->family;
    if (names.svp > names.ascend)
        return CAPTURE_SVP;
    for (size_t i = 0; i < sizeof newest / sizeof *newest; i++) {
        if (names.alone & 1u << newest[i])
            return newest[i];
    }
    /* files of STARS are of 2022 only when a name says so */
    if ((has_kind(capture, &kind_stars_soc) || has_kind(capture, &kind_ffts_profile)) && (possible & FAMILY_CANN) != 0)
        return CAPTURE_CANN;
    if (by_parts && (possible & FAMILY_CANN) != 0 && has_level(capture))
        return CAPTURE_CANN;
    for (size_t i = 0; (by_parts || names.possible != FAMILY_ALL) && i < sizeof oldest / sizeof *oldest; i++) {
        if (possible & 1u << oldest[i])
            return oldest[i];
    }
    return CAPTURE_UNKNOWN;
}

ENUM_NAMES(capture_family_name,
           enum capture_family, [CAPTURE_SVP] = "svp", [CAPTURE_JOB] = "ascend-job", [CAPTURE_2022] = "ascend-2022",
           [CAPTURE_CANN] = "ascend-cann", [CAPTURE_OPPROF] = "ascend-opprof", [CAPTURE_UNKNOWN] = "unknown")

static void leave_foreign_files_out(struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        struct capture_file *file = &capture->files[i];
        if (file->families == 0 || (file->families & 1u << capture->family) != 0)
            continue;
        if (file->kind != NULL)
            diag_report(capture->diag, DIAG_FILE_FOREIGN, FILE_PLACE(file->name, NULL),
                        "records of kind %s; the capture's family is %s", file->kind->name,
                        capture_family_name(capture->family));
        file->kind = NULL;
    }
}

/* Devices of a chip whose records are not known are left out; the host and the other devices are not. */
static void skip_unknown_chips(struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (part->is_host || part->chip < 0 || chip_is_known(part->chip))
            continue;
        diag_report(capture->diag, DIAG_CHIP_UNKNOWN, FILE_PLACE(part->directory, "platform_version"),
                    "chip %lld; expected " CHIPS_KNOWN_TEXT, (long long)part->chip);
        for (size_t k = 0; k < capture->file_count; k++) {
            struct capture_file *file = &capture->files[k];
            if (file->part == i)
                file->kind = NULL;
        }
    }
}

/* Files in a device's directory that are named after another device; the clocks are the directory's. */
static void report_foreign_devices(const struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        const struct capture_part *part = &capture->parts[file->part];
        if (file->kind == NULL || part->is_host || *part->directory == '\0' || file->identity.device_id < 0 ||
            part->device_id < 0 || file->identity.device_id == part->device_id)
            continue;
        diag_report(capture->diag, DIAG_DEVICE_UNKNOWN, FILE_PLACE(file->name, NULL),
                    "device %lld; expected %lld, as info.json and %s say", (long long)file->identity.device_id,
                    (long long)part->device_id, part->directory);
    }
}

static void shift_clock(struct capture_part *part, int64_t shift_ns)
{
    part->unix_offset_ns = number_add(part->unix_offset_ns, shift_ns);
    part->start_unix_ns = number_add(part->start_unix_ns, shift_ns);
    part->end_unix_ns = part->end_unix_ns >= 0 ? number_add(part->end_unix_ns, shift_ns) : part->end_unix_ns;
}

static void report_clocks(const struct capture *capture, const struct capture_part *part, const char *field,
                          const char *what, int64_t value, int64_t other)
{
    diag_report(capture->diag, DIAG_CONFIG_INVALID, FILE_PLACE(part->directory, field),
                "%lld ns %s; expected about %lld ns", (long long)value, what, (long long)other);
}

/* Whether two readings differ by less than a second and a hundredth. */
static bool clocks_agree(int64_t value, int64_t other)
{
    int64_t slack = NANOSECONDS + (other > 0 ? other / 100 : 0);
    return value > number_subtract(other, slack) && value < number_add(other, slack);
}

/* Checks the values that one clock has twice, or that two clocks have of the same moments: a damaged digit would move
 * every time, or the end. */
static void check_clocks(const struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (*part->directory == '\0' || part->start_unix_ns < 0 || part->start_monotonic_ns < 0)
            continue;
        int64_t offset = part->start_unix_ns - part->start_monotonic_ns;
        int64_t length = part->end_unix_ns - part->start_unix_ns;
        if (part->end_unix_ns >= 0 && length < 0)
            report_clocks(capture, part, "collectionTimeEnd", "after the start", length, 0);
        else if (part->end_unix_ns >= 0 && part->end_monotonic_ns >= 0 &&
                 !clocks_agree(part->end_monotonic_ns - part->start_monotonic_ns, length))
            report_clocks(capture, part, "clockMonotonicRaw", "from start to end",
                          part->end_monotonic_ns - part->start_monotonic_ns, length);
        if (part->host_unix_ns < 0 || part->host_monotonic_ns < 0)
            continue;
        int64_t moved = number_subtract(part->host_unix_ns - part->host_monotonic_ns, offset);
        if (!clocks_agree(moved, 0))
            report_clocks(capture, part, "clock_realtime", "between the offsets of host_start.log and start_info",
                          moved, 0);
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
            missing = LANGUAGE_MARK("no start_info: times count from the start of the host instead of from 1970");
        if (missing == NULL)
            shift_clock(part, capture->options.clock_shift_ns);
        if (part->host_monotonic_ns < 0 || (part->host_hz > 0 && part->host_tick < 0))
            missing = LANGUAGE_MARK("no host_start.log: times are shifted");
        else if (!part->is_host && part->device_tick < 0)
            missing = LANGUAGE_MARK("no dev_start.log: times are shifted");
        else if (!part->is_host && part->device_hz <= 0)
            missing = LANGUAGE_MARK("no hwts_frequency in info.json: the usual one of the chip is used");
        if (missing != NULL)
            diag_report(capture->diag, DIAG_CONFIG_MISSING, FILE_PLACE(part->directory, NULL), "%s", missing);
    }
}

/* Whether times of the file's records are counted by the clock that settle_clocks is about. */
static bool needs_clock(const struct capture *capture, const struct capture_file *file)
{
    if (capture->family == CAPTURE_SVP)
        return file->kind == &kind_svp_pmu;
    return file->kind == &kind_hwts || file->kind == &kind_training_trace || file->kind == &kind_aicpu_log;
}

static void report_clock(const struct capture *capture, int64_t device_id)
{
    const struct device_info *device = capture_device(capture, device_id);
    struct place place = {NULL, -1, -1, NULL};
    if (capture->family == CAPTURE_SVP && (device == NULL || device->core_khz <= 0) &&
        layout_frequency(capture->options.layouts, &kind_svp_pmu) <= 0)
        diag_report(capture->diag, DIAG_CONFIG_MISSING, &place,
                    "no aic_frequency for device %lld in info.json; times are unknown, cycles and ratios are right",
                    (long long)device_id);
    if (capture->family == CAPTURE_JOB && (device == NULL || device->counter_khz <= 0) &&
        capture->options.clock_khz <= 0)
        diag_report(capture->diag, DIAG_CLOCK_ASSUMED, &place,
                    "no hwts_frequency for device %lld; 100 MHz is assumed, the Ascend 910A's", (long long)device_id);
}

/* Frequencies: the option wins; what is missing is reported once for each device that needs it. */
static void settle_clocks(struct capture *capture)
{
    struct seen_device {
        int64_t id;
    };
    SCOPED(map_release) struct map seen = MAP_OF(struct seen_device, id);
    struct err ignored = ERR_INIT; /* without memory it is reported again */
    for (size_t i = 0; i < capture->device_count; i++) {
        struct device_info *device = &capture->devices[i];
        if (capture->options.clock_khz > 0 && capture->family == CAPTURE_SVP)
            device->core_khz = capture->options.clock_khz;
    }
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        bool added = true;
        if (!needs_clock(capture, file))
            continue;
        map_add(&seen, &file->identity.device_id, &added, &ignored);
        if (added)
            report_clock(capture, file->identity.device_id);
    }
}

static void report_absences(struct capture *capture)
{
    if (capture->family != CAPTURE_SVP)
        return;
    if (!has_kind(capture, &kind_svp_pmu))
        diag_report(capture->diag, DIAG_NO_DEVICE_DATA, NULL, "no device PMU file (aicore.*) with data");
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->kind == &kind_acl_call && !file->done.present)
            diag_report(capture->diag, DIAG_NO_FINALIZE, FILE_PLACE(file->name, NULL),
                        "no .done file: the last second may be missing");
    }
}

void capture_settle_family(struct capture *capture)
{
    capture->family = recognise_family(capture);
    leave_foreign_files_out(capture);
    if (capture->family == CAPTURE_CANN) {
        skip_unknown_chips(capture);
        report_foreign_devices(capture);
        check_clocks(capture);
        settle_parts(capture);
    } else {
        settle_clocks(capture);
    }
    report_absences(capture);
}
