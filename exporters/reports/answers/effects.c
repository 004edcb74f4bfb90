/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/effects.h"

#include "parsers/record.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

static struct switch_effect *effects; /* NULL: memory ran out */
static once_flag made = ONCE_FLAG_INIT;

/* Made once, and never released. */
static void make_effects(void)
{
    size_t count = 0;
    while (switch_effects[count].key != NULL)
        count++;
    size_t last = count;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        last += record_kinds[i]->option != NULL;
    effects = calloc(last + 1, sizeof *effects);
    if (effects == NULL)
        return;
    memcpy(effects, switch_effects, count * sizeof *effects);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->option != NULL)
            effects[count++] = (struct switch_effect){.key = record_kinds[i]->option,
                                                      .writers = SWITCH_GE | SWITCH_ACL,
                                                      .chips = SWITCH_EVERY_CHIP,
                                                      .what = record_kinds[i]->title,
                                                      .kinds = record_kinds[i]->name};
    }
}

const struct switch_effect *effects_all(struct err *err)
{
    call_once(&made, make_effects);
    if (effects == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for what comes of options");
    return effects;
}
