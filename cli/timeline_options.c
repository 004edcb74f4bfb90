/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "cli/command.h"
#include "cli/options/options.h"
#include "exporters/export.h"

#include <string.h>

struct unit {
    const char *name;
    int64_t size;
};
static const struct unit times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct unit sizes[] = {
    {"KB", INT64_C(1) << 10}, {"MB", INT64_C(1) << 20}, {"GB", INT64_C(1) << 30}, {NULL, 0}};

/* "1.5s": digits, perhaps with decimals, and a unit. */
static bool read_quantity(const char *text, const struct unit *units, int64_t *ret)
{
    const size_t digits = strspn(text, "0123456789.");
    const struct unit *unit = units;
    int64_t scaled, decimals = 1;
    while (unit->name != NULL && strcmp(unit->name, text + digits) != 0)
        unit++;
    if (digits == 0 || unit->name == NULL)
        return false;
    *ret = 0;
    for (size_t i = 0, point = 0; i < digits; i++) {
        if (text[i] == '.') {
            if (point++ > 0)
                return false;
            continue;
        }
        if (point > 0 && (decimals *= 10) > unit->size)
            return text[i] == '0'; /* finer than a unit has parts */
        if (__builtin_mul_overflow(text[i] - '0', unit->size / decimals, &scaled))
            return false;
        if (point == 0 && __builtin_mul_overflow(*ret, (int64_t)10, ret))
            return false;
        if (__builtin_add_overflow(*ret, scaled, ret))
            return false;
    }
    return true;
}

static int read_time(const char *option, const char *text, int64_t *ret, struct err *err)
{
    *ret = 0;
    if (text == NULL || read_quantity(text, times, ret))
        return 0;
    err_set(err, ERR_USAGE, "%s '%s' is no time", option, text);
    return err_hint(err, "a number and s, ms, us or ns, as in 1.5s: since the start of the capture");
}

static int read_split(const char *text, struct export_options *options, struct err *err)
{
    bool known = true;
    if (text == NULL)
        return 0;
    if (strcmp(text, "iteration") == 0) {
        options->split = SPLIT_STEPS;
    } else if (strncmp(text, "time=", 5) == 0) {
        options->split = SPLIT_TIME;
        known = read_quantity(text + 5, times, &options->split_value);
    } else if (strncmp(text, "size=", 5) == 0) {
        options->split = SPLIT_SIZE;
        known = read_quantity(text + 5, sizes, &options->split_value);
    } else {
        known = false;
    }
    if (known && (options->split == SPLIT_STEPS || options->split_value > 0))
        return 0;
    err_set(err, ERR_USAGE, "--split '%s' says no parts", text);
    return err_hint(err, "time=10s, size=200MB or iteration");
}

int timeline_options_read(const struct settings *settings, struct export_options *options, struct err *err)
{
    const struct timeline_settings *timeline = &settings->timeline;
    options->trace_format = (enum trace_format)timeline->format;
    if (settings->trace_compat && options->trace_format >= TRACE_PFTRACE)
        return err_set(err, ERR_USAGE,
                       "--trace-compat is JSON as the vendor's tool writes it; leave it out, or --format pftrace");
    if (settings->trace_compat && (timeline->split != NULL || timeline->from != NULL || timeline->until != NULL))
        return err_set(err, ERR_USAGE,
                       "--trace-compat writes whole timelines, as the vendor's tool does: without --split, --from and "
                       "--until");
    if (read_time("--from", timeline->from, &options->from_ns, err) < 0 ||
        read_time("--until", timeline->until, &options->until_ns, err) < 0 ||
        read_split(timeline->split, options, err) < 0)
        return err_status(err);
    if (timeline->until != NULL && options->until_ns <= options->from_ns)
        return err_set(err, ERR_USAGE, "there is no time between --from %s and --until %s",
                       timeline->from != NULL ? timeline->from : "0s", timeline->until);
    return 0;
}
