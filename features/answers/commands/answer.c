/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps and which stretch of time answers are about, and what completes the options of advise. */
#include "base/quantity.h"
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

static int choose_window(const struct settings *settings, sqlite3 *db, struct err *err)
{
    const struct window_settings *window = &settings->window;
    struct window_wanted wanted = {.step = window->step};

    if (window->step == NULL && window->from == NULL && window->until == NULL)
        return 0;
    if (window->step != NULL && (window->from != NULL || window->until != NULL))
        return err_set(err, ERR_USAGE, "--step already chooses a time range: omit --from and --until");
    if (quantity_read_time("--from", window->from, &wanted.from_ns, err) < 0 ||
        quantity_read_time("--until", window->until, &wanted.until_ns, err) < 0)
        return err_status(err);
    if (window->until != NULL && wanted.until_ns <= wanted.from_ns)
        return err_set(err, ERR_USAGE, "--until %s must be later than --from %s", window->until,
                       window->from != NULL ? window->from : "0s");
    return window_choose(db, &wanted, err);
}

static int open_window(struct capture_visit *visit, sqlite3 *db, bool *ret_usable)
{
    struct err err = ERR_INIT;

    if (choose_window(visit->settings, db, &err) == 0)
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
