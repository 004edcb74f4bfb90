/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: METRIC:LIMIT, what a comparison must hold. */
#ifndef MSPROF_FEATURES_DIFF_GATE_H
#define MSPROF_FEATURES_DIFF_GATE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum gate_metric {
    GATE_STEP_TIME, /* up to GATE_EXPOSED in the order of enum measure */
    GATE_DEVICE_BUSY,
    GATE_PERIOD,
    GATE_BUSY,
    GATE_FREE,
    GATE_EXPOSED,
    GATE_FPS, /* the throughput */
    GATE_AI_CPU,
    GATE_CONVERSIONS,
    GATE_CUBE,
    GATE_BYTES,
    GATE_OP_TIME, /* of captures of one operator */
    GATE_OP,      /* from here on with a pattern */
    GATE_TYPE,
    GATE_API,
    GATE_COUNT,
    GATE_GAP,
    GATE_PIPE, /* of captures of one operator */
    GATE_PATH,
};

/* Units of metrics. */
enum gate_unit { UNIT_OF_TIME, UNIT_OF_SHARE, UNIT_OF_BYTES, UNIT_OF_COUNT };

enum limit_kind {
    LIMIT_WORSE_BY, /* +: at most that much worse than the base */
    LIMIT_EQUAL,    /* =: exactly that */
    LIMIT_BELOW,    /* <: less than that */
    LIMIT_ABOVE,    /* >: more than that */
};

struct gate {
    enum gate_metric metric;
    const char *metric_text; /* as given up to the last colon; not NUL-terminated */
    int metric_length;
    const char *limit_text; /* behind it */
    char pattern[512];      /* of a metric that has one */
    enum limit_kind kind;
    bool percent; /* of the base; of < and > on times: of the step; on shares: the share itself */
    double value; /* ns, bytes, counts, or percent */
};

/* text must live as long as the gate. -ERR_USAGE says what is wrong with it: an unknown metric, a limit that is no
 * finite number with a unit of the metric. */
int gate_parse(const char *text, struct gate *ret, struct err *err);

/* The i-th metric; those that end in a colon have a pattern behind it. NULL: there are no more. */
const char *gate_metric_name(size_t i);
enum gate_unit gate_unit(enum gate_metric metric);
bool gate_has_pattern(enum gate_metric metric);
/* Whether captures of one operator alone have it. */
static inline bool gate_is_of_operator(enum gate_metric metric)
{
    return metric == GATE_OP_TIME || metric == GATE_PIPE || metric == GATE_PATH;
}
/* Frames a second, utilisation: less is worse. */
bool gate_more_is_better(enum gate_metric metric);

/* Whether a limit holds; step_new is what a percentage of a step is of. */
bool gate_holds(const struct gate *gate, double base, double new_value, double step_new);

#endif
