/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/absence.h"

#include "db/database.h"
#include "db/query/query.h"
#include "exporters/reports/answers/effects.h"
#include "exporters/reports/answers/outcome.h"

#include <stdio.h>
#include <string.h>

#define MOST_SETTING 128 /* bytes of a setting that a sentence shows */

/* What the capture says of one effect. */
struct trace {
    bool on_chip; /* one of its chips has it, or none of them is known */
    bool said;    /* its setting is known: */
    char setting[MOST_SETTING];
};

static int ask_chips(sqlite3 *db, const struct switch_effect *effect, struct trace *trace, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = false;
    int step = sqlite3_prepare_v2(db, "SELECT DISTINCT chip FROM capture_part WHERE NOT is_host AND chip IS NOT NULL",
                                  -1, &statement, NULL);
    if (step != SQLITE_OK)
        return database_error(err, db, "cannot read the chips");
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        any = true;
        trace->on_chip |= switch_effect_on_chip(effect, sqlite3_column_int64(statement, 0));
    }
    trace->on_chip |= !any;
    sqlite3_finalize(statement);
    return step == SQLITE_DONE ? 0 : database_error(err, db, "cannot read the chips");
}

static int ask_setting(sqlite3 *db, const struct switch_effect *effect, struct trace *trace, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    if (effect->setting == NULL)
        return 0;
    if (sqlite3_prepare_v2(db, "SELECT value FROM setting WHERE name = ?1 ORDER BY part_id", -1, &statement, NULL) !=
        SQLITE_OK)
        return database_error(err, db, "cannot read the settings");
    sqlite3_bind_text(statement, 1, effect->setting, -1, SQLITE_STATIC);
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (text == NULL || (trace->said && switch_was_on(effect, trace->setting)))
            continue; /* on in one part is on */
        trace->said = true;
        snprintf(trace->setting, sizeof trace->setting, "%s", *text != '\0' ? text : "off");
    }
    sqlite3_finalize(statement);
    return step == SQLITE_DONE ? 0 : database_error(err, db, "cannot read the settings");
}

static void put_need(struct strbuf *ret, const struct switch_effect *effect)
{
    const struct switch_rule *rule = switch_rule_find(effect->key, effect->writers);
    bool is_switch = rule != NULL && rule->check == SWITCH_WORD && switch_list_has(rule->words, "on", 2);
    const char *value = effect->value != NULL ? effect->value : is_switch ? "on" : NULL;
    strbuf_addf(ret, "%s%s%s", effect->key, value != NULL ? " = " : "", value != NULL ? value : "");
}

static void put_reason(struct strbuf *ret, const struct switch_effect *effect, const struct trace *trace)
{
    char setting[MOST_SETTING];
    snprintf(setting, sizeof setting, "%s", trace->setting);
    err_mask_text(setting);
    if (!trace->on_chip) {
        strbuf_adds(ret, "; chips of this kind do not have it");
    } else if (trace->said && switch_was_on(effect, trace->setting)) {
        strbuf_adds(ret, ", though ");
        put_need(ret, effect);
        strbuf_adds(ret, " was set");
    } else {
        strbuf_adds(ret, "; it needs ");
        put_need(ret, effect);
        if (trace->said)
            strbuf_addf(ret, ", which this capture had %s", setting);
    }
}

/* The effect that tells most: one that was off before one that says nothing. */
static int find_cause(sqlite3 *db, const char *report, const struct switch_effect **ret, struct trace *ret_trace,
                      struct err *err)
{
    const struct switch_effect *effect = effects_all(err);
    int status = 0;
    *ret = NULL;
    if (effect == NULL)
        return -(int)err->code;
    for (; status == 0 && effect->key != NULL; effect++) {
        struct trace trace = {.on_chip = false};
        if ((effect->writers & (SWITCH_GE | SWITCH_ACL)) == 0 || !outcome_has_table(effect, report))
            continue;
        status = ask_chips(db, effect, &trace, err);
        if (status == 0)
            status = ask_setting(db, effect, &trace, err);
        bool tells_more = trace.said && !ret_trace->said && trace.on_chip;
        if (status == 0 && (*ret == NULL || tells_more)) {
            *ret = effect;
            *ret_trace = trace;
        }
    }
    return status;
}

int absence_tell(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err)
{
    const struct switch_effect *cause = NULL;
    struct trace trace = {.on_chip = false};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    if (status == 0 && facts.family != CAPTURE_SVP) /* no capture of SVP says what was on */
        status = find_cause(db, report, &cause, &trace, err);
    if (status < 0)
        return status;
    strbuf_addf(ret, "%s: no data", report);
    if (cause != NULL)
        put_reason(ret, cause, &trace);
    return ret->failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;
}
