/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps and which stretch of time answers are about, and what completes the options of advise. */
#include "cli/capture/captures.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/load/load.h"

static int choose_steps(struct capture_visit *visit, sqlite3 *db, bool *ret_usable)
{
    struct err err = ERR_INIT;

    if (visit->settings->step_range == NULL || step_range_choose(db, visit->settings->step_range, &err) == 0)
        return STATUS_DONE;
    *ret_usable = false;
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static int open_window(struct capture_visit *visit, sqlite3 *db, bool *ret_usable)
{
    const struct window_settings *window = &visit->settings->window;
    struct err err = ERR_INIT;

    if (window_choose_texts(db, window->step, window->from, window->until, "--", &err) == 0)
        return STATUS_DONE;
    *ret_usable = false;
    return err.code == ERR_NOT_FOUND ? console_missing(&err) : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static const char *rule_id(size_t i)
{
    return i < advice_rule_count ? advice_rules[i]->id : NULL;
}

const struct command_extension command_extension_steps = {
    .order = 10, .open = choose_steps, .offer = OFFER_RULES, .word = rule_id};

/* After what a framework said: its steps may be chosen. */
const struct command_extension command_extension_window = {.order = 30, .open = open_window};
