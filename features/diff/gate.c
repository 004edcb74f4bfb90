/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/gate.h"

#include "base/language.h"
#include "base/suggest.h"
#include "features/answers/analysis/profile.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 1e15

/* The first ones are measures of steps, and have their names. */
static const struct {
    const char *name;
    enum gate_unit unit;
    bool more_is_better;
} metrics[] = {
    [GATE_FPS] = {"fps", UNIT_OF_COUNT, true},           [GATE_AI_CPU] = {"aicpu", UNIT_OF_TIME, false},
    [GATE_CONVERSIONS] = {"trans", UNIT_OF_TIME, false}, [GATE_CUBE] = {"cube_util", UNIT_OF_SHARE, true},
    [GATE_BYTES] = {"ddr_bytes", UNIT_OF_BYTES, false},  [GATE_OP] = {"op:", UNIT_OF_TIME, false},
    [GATE_TYPE] = {"type:", UNIT_OF_TIME, false},        [GATE_API] = {"api:", UNIT_OF_TIME, false},
    [GATE_COUNT] = {"count:", UNIT_OF_COUNT, false},     [GATE_GAP] = {"gap:", UNIT_OF_TIME, false},
    [GATE_OP_TIME] = {"op_time", UNIT_OF_TIME, false},   [GATE_PIPE] = {"pipe:", UNIT_OF_TIME, false},
    [GATE_PATH] = {"bytes:", UNIT_OF_BYTES, false},
};
#define METRICS (sizeof metrics / sizeof *metrics)

enum gate_unit gate_unit(enum gate_metric metric)
{
    return metrics[metric].unit;
}

bool gate_has_pattern(enum gate_metric metric)
{
    return metric >= GATE_OP;
}

bool gate_more_is_better(enum gate_metric metric)
{
    return metrics[metric].more_is_better;
}

/* Digits, and digits behind a point: no sign, exponent, nan or inf. Returns what follows; NULL: no number. */
static const char *parse_number(const char *text, double *ret)
{
    double value = 0, place = 1;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++)
        value = value * 10 + (*p - '0');
    if (p == text)
        return NULL;
    if (*p == '.') {
        const char *point = p++;
        for (; *p >= '0' && *p <= '9'; p++) {
            place /= 10;
            value += place * (*p - '0');
        }
        if (p == point + 1)
            return NULL;
    }
    *ret = value;
    return value <= LARGEST ? p : NULL;
}

static const struct suffix {
    const char *text;
    enum gate_unit unit;
    double factor;
} suffixes[] = {
    {"ns", UNIT_OF_TIME, 1},    {"us", UNIT_OF_TIME, 1e3},  {"ms", UNIT_OF_TIME, 1e6},
    {"s", UNIT_OF_TIME, 1e9},   {"B", UNIT_OF_BYTES, 1},    {"KB", UNIT_OF_BYTES, 1e3},
    {"MB", UNIT_OF_BYTES, 1e6}, {"GB", UNIT_OF_BYTES, 1e9}, {"", UNIT_OF_COUNT, 1},
};

static const char *expected_units(enum gate_unit unit)
{
    static const char *const texts[] = {
        [UNIT_OF_TIME] = LANGUAGE_MARK("%, ns, us, ms or s"),
        [UNIT_OF_SHARE] = "%",
        [UNIT_OF_BYTES] = LANGUAGE_MARK("%, B, KB, MB or GB"),
        [UNIT_OF_COUNT] = LANGUAGE_MARK("% or no unit"),
    };
    return language_said(texts[unit]);
}

static int parse_limit(struct gate *gate, struct err *err)
{
    static const char kinds[] = "+=<>";
    const char *text = gate->limit_text, *kind = text[0] != '\0' ? strchr(kinds, text[0]) : NULL;
    enum gate_unit unit = gate_unit(gate->metric);
    const char *rest = kind != NULL ? parse_number(text + 1, &gate->value) : NULL;

    if (rest == NULL)
        return err_set(err, ERR_USAGE,
                       "invalid limit '%s' of gate '%.*s', expected +, =, < or > and a number up to 10^15 with its "
                       "unit: +3%%, +10ms, =0, <5%%",
                       text, gate->metric_length, gate->metric_text);
    gate->kind = (enum limit_kind)(kind - kinds);
    gate->percent = strcmp(rest, "%") == 0;
    if (gate->percent && gate->kind == LIMIT_EQUAL && unit != UNIT_OF_SHARE && gate->value != 0)
        return err_set(err, ERR_USAGE, "invalid limit '%s' of gate '%.*s': '=' takes no percentage, expected %s", text,
                       gate->metric_length, gate->metric_text, expected_units(unit) + 3);
    if (gate->percent && (gate->kind == LIMIT_BELOW || gate->kind == LIMIT_ABOVE) && unit != UNIT_OF_SHARE &&
        unit != UNIT_OF_TIME)
        return err_set(err, ERR_USAGE,
                       "invalid limit '%s' of gate '%.*s': only times have a percentage of a step, expected a number",
                       text, gate->metric_length, gate->metric_text);
    if (gate->percent || (rest[0] == '\0' && gate->value == 0))
        return 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].unit == unit && strcmp(suffixes[i].text, rest) == 0) {
            gate->value *= suffixes[i].factor;
            return 0;
        }
    return err_set(err, ERR_USAGE, "invalid limit '%s' of gate '%.*s': unit '%s', expected %s", text,
                   gate->metric_length, gate->metric_text, rest, expected_units(unit));
}

const char *gate_metric_name(size_t i)
{
    return i < MEASURES ? profile_measure_name((enum measure)i) : i < METRICS ? metrics[i].name : NULL;
}

/* Finds the metric that was meant; of one with a pattern only the part before that counts. */
static struct nearest nearest_metric(const struct gate *gate)
{
    const char *colon = memchr(gate->metric_text, ':', (size_t)gate->metric_length);
    size_t length = colon != NULL ? (size_t)(colon - gate->metric_text) + 1 : (size_t)gate->metric_length;
    struct nearest nearest = nearest_to(gate->metric_text, length < 200 ? length : 200);

    for (size_t i = 0; gate_metric_name(i) != NULL; i++)
        nearest_add(&nearest, gate_metric_name(i));
    return nearest;
}

static int parse_metric(struct gate *gate, struct err *err)
{
    for (size_t i = 0; i < METRICS; i++) {
        size_t length = strlen(gate_metric_name(i)), given = (size_t)gate->metric_length;
        bool pattern = gate_has_pattern((enum gate_metric)i);
        if (given < length || (!pattern && given != length) ||
            memcmp(gate->metric_text, gate_metric_name(i), length) != 0)
            continue;
        if (given - length >= sizeof gate->pattern || (pattern && given == length))
            return err_set(err, ERR_USAGE, "gate '%.*s' has no pattern, expected 1 to %zu characters",
                           gate->metric_length, gate->metric_text, sizeof gate->pattern - 1);
        memcpy(gate->pattern, gate->metric_text + length, given - length);
        gate->pattern[given - length] = '\0';
        gate->metric = (enum gate_metric)i;
        return 0;
    }
    struct nearest nearest = nearest_metric(gate);
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < METRICS; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s%s", i > 0 ? ", " : "", gate_metric_name(i),
                                 gate_has_pattern((enum gate_metric)i) ? "GLOB" : "");
    return err_set(err, ERR_USAGE, "unknown gate '%.*s'%s%s%s, expected one of: %s", gate->metric_length,
                   gate->metric_text, NEAREST_TEXT(nearest), names);
}

int gate_parse(const char *text, struct gate *ret, struct err *err)
{
    const char *colon = strrchr(text, ':');

    if (colon == NULL || colon - text > INT16_MAX)
        return err_set(err, ERR_USAGE, "invalid gate '%s', expected METRIC:LIMIT, as step_time:+3%%", text);
    *ret = (struct gate){.metric_text = text, .metric_length = (int)(colon - text), .limit_text = colon + 1};
    int status = parse_metric(ret, err);
    return status == 0 ? parse_limit(ret, err) : status;
}

bool gate_holds(const struct gate *gate, double base, double new_value, double step_new)
{
    const double tolerance = 1e-9;
    double limit = gate->value;
    enum gate_unit unit = gate_unit(gate->metric);

    if (gate->kind == LIMIT_WORSE_BY) {
        double worse = gate_more_is_better(gate->metric) ? base - new_value : new_value - base;
        if (gate->percent)
            limit = gate->value / 100 * base;
        return worse <= limit + tolerance * base;
    }
    if (gate->percent)
        limit = unit == UNIT_OF_TIME ? gate->value / 100 * step_new : gate->value;
    if (gate->kind == LIMIT_EQUAL)
        return new_value - limit <= tolerance * limit && limit - new_value <= tolerance * limit;
    return gate->kind == LIMIT_BELOW ? new_value < limit : new_value > limit;
}
