/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/plan.h"

#include "base/array.h"
#include "base/number.h"
#include "db/query/cann_version.h"
#include "exporters/json_text.h"
#include "exporters/query_compile.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_MAX 65536 /* bytes of what stands between two cells */

/* Texts of an enumeration as the format has them. */
struct words {
    struct word {
        int64_t value;
        struct row_piece text;
    } * items;
    size_t count;
    bool dense; /* item i is of value i */
    struct row_piece other;
    bool has_other;
};

/* ---- columns ---- */

const char *report_title_unit(const char *title, size_t *ret_length)
{
    size_t length = strlen(title);
    const char *open = length > 2 && title[length - 1] == ')' ? strrchr(title, '(') : NULL;
    if (open == NULL || open == title) {
        *ret_length = 0;
        return "";
    }
    *ret_length = (size_t)(title + length - 1 - (open + 1));
    return open + 1;
}

/* The title in lower case without its unit, everything else than letters and digits as one '_'. */
static void make_id(const char *title, char *id, size_t size)
{
    size_t unit, used = 0;
    const char *end = report_title_unit(title, &unit);
    size_t length = unit > 0 ? (size_t)(end - 1 - title) : strlen(title);
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        unsigned char c = (unsigned char)title[i];
        if (c >= 0x80 || isalnum(c))
            id[used++] = (char)(c >= 0x80 ? c : tolower(c));
        else if (used > 0 && id[used - 1] != '_')
            id[used++] = '_';
    }
    while (used > 0 && id[used - 1] == '_')
        used--;
    id[used] = '\0';
}

void report_plan_id(const struct report_column *column, char id[REPORT_ID_MAX])
{
    if (column->id != NULL)
        snprintf(id, REPORT_ID_MAX, "%s", column->id);
    else
        make_id(column->title, id, REPORT_ID_MAX);
}

static int name_column(struct report_plan *plan, struct known_column *column, struct err *err)
{
    char id[REPORT_ID_MAX], numbered[REPORT_ID_MAX + 24];
    report_plan_id(&column->column, id);
    snprintf(numbered, sizeof numbered, "%s", id);
    for (size_t n = 2; report_plan_find(plan, numbered, strlen(numbered)) >= 0; n++)
        snprintf(numbered, sizeof numbered, "%s_%zu", id, n);
    column->id = strdup(numbered);
    column->title = strdup(column->column.title);
    column->column.title = column->title;
    return column->id != NULL && column->title != NULL ? 0 : err_no_memory(err);
}

int report_plan_add(struct report_plan *plan, const struct report_column *column, struct err *err)
{
    if (plan->column_count == REPORT_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, "a table of more than %d columns", REPORT_MAX_COLUMNS);
    struct known_column known = {.column = *column, .there = true};
    int status = plan->column_count < plan->capacity
                     ? 0
                     : array_grow(&plan->columns, &plan->capacity, plan->column_count, 1, sizeof *plan->columns, err);
    if (status == 0)
        status = name_column(plan, &known, err);
    if (status < 0) {
        free(known.id);
        free(known.title);
        return status;
    }
    plan->columns[plan->column_count++] = known;
    return 0;
}

int report_plan_rename(struct report_plan *plan, int cann_version, struct err *err)
{
    for (size_t i = 0; cann_version != CANN_VERSION_NEWEST && i < plan->column_count; i++) {
        struct known_column *known = &plan->columns[i];
        const char *title = cann_version_title(cann_version, known->title);
        char *copy = title != NULL && title != known->title ? strdup(title) : known->title;
        if (copy == NULL)
            return err_no_memory(err);
        if (known->column.form == FORM_SCALED && cann_version_has_point(cann_version, known->title))
            known->column.form = FORM_SCALED_FLOAT;
        if (copy != known->title)
            free(known->title);
        known->there &= title != NULL;
        known->title = copy;
        known->column.title = copy;
    }
    return 0;
}

int report_plan_find(const struct report_plan *plan, const char *id, size_t length)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        const char *other = plan->columns[i].id;
        const bool known = plan->columns[i].there || (plan->columns[i].column.flags & REPORT_START) != 0;
        if (known && strlen(other) == length && strncasecmp(other, id, length) == 0)
            return (int)i;
    }
    return -1;
}

/* Whether a text is a title, but for blanks and case: "total (us)" is "Total(us)". */
static bool is_title(const char *title, const char *text, size_t length)
{
    const char *end = text + length;
    for (;; title++, text++) {
        while (*title == ' ')
            title++;
        while (text < end && *text == ' ')
            text++;
        if (*title == '\0' || text == end)
            return *title == '\0' && text == end;
        if (tolower((unsigned char)*title) != tolower((unsigned char)*text))
            return false;
    }
}

int report_plan_find_typed(const struct report_plan *plan, const char *name, size_t length)
{
    int column = report_plan_find(plan, name, length);
    for (size_t i = 0; column < 0 && i < plan->column_count; i++) {
        const char *title = plan->columns[i].title;
        if (plan->columns[i].there && is_title(title, name, length))
            column = (int)i;
    }
    return column;
}

static bool has_column_like(const struct report_plan *plan, const struct report_column *column)
{
    char id[REPORT_ID_MAX];
    report_plan_id(column, id);
    return report_plan_find(plan, id, strlen(id)) >= 0;
}

int report_plan_take(struct report_plan *plan, const struct report_column *columns, sqlite3 *db,
                     enum column_set column_set, struct err *err)
{
    int status = 0;
    for (; status == 0 && columns->title != NULL; columns++) {
        bool there = (columns->flags & (column_set == COLUMNS_VENDOR ? REPORT_GUIDE : REPORT_VENDOR)) == 0 &&
                     (columns->flags & REPORT_INPUT) == 0;
        if (there && columns->when != NULL && db == NULL)
            there = !has_column_like(plan, columns); /* two columns with one title exclude each other */
        else if (there && columns->when != NULL)
            status = query_ask(db, columns->when, &there, err);
        if (status == 0)
            status = report_plan_add(plan, columns, err);
        if (status == 0)
            plan->columns[plan->column_count - 1].there = there;
    }
    return status;
}

/* ---- steps ---- */

static int encode_word(const struct row_format *pieces, const char *text, struct row_piece *ret, struct err *err)
{
    struct strbuf buf;
    strbuf_init(&buf, 65536 * JSON_TEXT_EXPANSION);
    row_format_text(pieces, text, strlen(text), &buf);
    ret->length = buf.length;
    ret->text = strbuf_detach(&buf);
    return ret->text != NULL ? 0 : err_no_memory(err);
}

static void free_words(struct words *words)
{
    if (words == NULL)
        return;
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i].text.text);
    free(words->other.text);
    free(words->items);
    free(words);
}

static int make_words(const struct row_format *pieces, const struct value_name *names, struct report_step *step,
                      struct err *err)
{
    struct words *words = calloc(1, sizeof *words);
    size_t count = 0;
    step->words = words;
    while (names[count].text != NULL)
        count++;
    if (words != NULL)
        words->items = calloc(count + 1, sizeof *words->items);
    if (words == NULL || words->items == NULL)
        return err_no_memory(err);
    int status = 0;
    words->dense = true;
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (names[i].value == VALUE_OTHER) {
            words->has_other = true;
            status = encode_word(pieces, names[i].text, &words->other, err);
            continue;
        }
        words->dense &= names[i].value == (int64_t)words->count;
        struct word *word = &words->items[words->count++];
        word->value = names[i].value;
        status = encode_word(pieces, names[i].text, &word->text, err);
    }
    return status;
}

static const struct row_piece *find_word(const struct words *words, int64_t value)
{
    if (words->dense) {
        if (value >= 0 && (uint64_t)value < words->count)
            return &words->items[value].text;
    } else {
        for (size_t i = 0; i < words->count; i++) {
            if (words->items[i].value == value)
                return &words->items[i].text;
        }
    }
    return words->has_other ? &words->other : NULL;
}

int report_step_init(struct report_step *step, const struct report_plan *plan, size_t column,
                     const struct row_format *pieces, const struct report_texts *texts, struct err *err)
{
    const struct report_column *source = &plan->columns[column].column;
    *step = (struct report_step){
        .names = texts->names,
        .column = (uint16_t)column,
        .value = source->value > 0 ? source->value : (uint16_t)column,
        .form = (uint8_t)(source->names != NULL ? FORM_TEXT : source->form),
        .decimals = source->decimals,
        .quick = source->names != NULL         ? NOT_QUICK
                 : source->form == FORM_SCALED ? source->decimals
                 : source->form == FORM_TEXT   ? 0
                                               : NOT_QUICK,
    };
    if (source->form == FORM_NAME) {
        step->texts = texts->names;
    } else if (source->form == FORM_TENSORS) {
        step->texts = texts->tensors;
        step->text_column = source->decimals;
    }
    return source->names != NULL ? make_words(pieces, source->names, step, err) : 0;
}

void report_step_release(struct report_step *step)
{
    free_words(step->words);
    step->words = NULL;
}

static void take_before(struct report_plan *plan, size_t i)
{
    const struct row_piece *before = &plan->pieces.before[i];
    plan->steps[i].before = *before;
    plan->steps[i].lead = before->length == 1 ? *before->text : '\0';
}

static int make_steps(struct report_plan *plan, const size_t *shown, size_t count, const struct report_texts *texts,
                      struct err *err)
{
    for (size_t i = 0; i < count; i++)
        plan->titles[i] = plan->columns[shown[i]].title;
    int status = row_format_init(&plan->pieces, plan->format, plan->titles, count, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        status = report_step_init(&plan->steps[i], plan, shown[i], &plan->pieces, texts, err);
        take_before(plan, i);
        plan->step_count++;
    }
    return status;
}

static int join_step(struct report_plan *plan, size_t i, struct err *err)
{
    struct report_step *step = &plan->steps[i];
    step->joined = (plan->columns[step->column].column.flags & REPORT_JOINED) != 0;
    if (!step->joined)
        return 0;
    int status = row_format_join(&plan->pieces, i, err);
    take_before(plan, i);
    return status;
}

/* The columns that are there, in their order. */
static size_t show_all(const struct report_plan *plan, enum table_format format, size_t *ret)
{
    unsigned hiding = format == TABLE_TERMINAL ? REPORT_NO_TERMINAL : REPORT_TERMINAL;
    size_t count = 0;
    for (int first = 1; first >= 0; first--) {
        for (size_t i = 0; i < plan->column_count; i++) {
            unsigned flags = plan->columns[i].column.flags;
            if (plan->columns[i].there && (flags & hiding) == 0 && ((flags & REPORT_FIRST) != 0) == (first != 0))
                ret[count++] = i;
        }
    }
    return count;
}

bool report_holds_texts(const struct report_column *column)
{
    return column->names != NULL || column->form == FORM_NAME || column->form == FORM_TENSORS ||
           (column->form == FORM_TEXT && (column->flags & REPORT_NUMBER) == 0);
}

int report_plan_compile(struct report_plan *plan, enum table_format format, const size_t *shown, size_t shown_count,
                        const struct report_texts *texts, struct err *err)
{
    size_t count = 0, *all = calloc(plan->column_count + 1, sizeof *all);
    plan->format = format;
    plan->titles = calloc(plan->column_count + 1, sizeof *plan->titles);
    plan->steps = calloc(plan->column_count + 1, sizeof *plan->steps);
    int status = all != NULL && plan->titles != NULL && plan->steps != NULL ? 0 : err_no_memory(err);
    if (status == 0 && shown == NULL)
        count = show_all(plan, format, all);
    if (status == 0)
        status = make_steps(plan, shown != NULL ? shown : all, shown != NULL ? shown_count : count, texts, err);
    for (size_t i = 1; status == 0 && shown == NULL && plan->frames && i < count; i++)
        status = join_step(plan, i, err);
    if (status == 0)
        plan->fixed_room = row_room(&plan->pieces, 0);
    free(all);
    return status;
}

int report_plan_lead(struct report_plan *plan, const char *title, const char *text, struct err *err)
{
    int status = row_format_lead(&plan->pieces, title, text, err);
    plan->fixed_room = row_room(&plan->pieces, 0);
    return status;
}

/* Puts a text in place of a piece. */
static int replace_piece(struct row_piece *piece, const struct strbuf *text, struct err *err)
{
    char *copy = text->failed ? NULL : strdup(text->data);
    if (copy == NULL)
        return err_no_memory(err);
    free(piece->text);
    *piece = (struct row_piece){copy, text->length};
    return 0;
}

int report_plan_arrange(struct report_plan *plan, const size_t *steps, size_t count, struct err *err)
{
    struct report_step *arranged = calloc(plan->step_count + 1, sizeof *arranged);
    SCOPED(strbuf_release) struct strbuf before; /* the next cell that there is */
    size_t placed = 0;
    strbuf_init(&before, PIECE_MAX);
    int status = arranged != NULL ? 0 : err_no_memory(err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (i > 0)
            strbuf_addc(&before, ',');
        if (steps[i] == SIZE_MAX) {
            strbuf_adds(&before, TABLE_MISSING);
            continue;
        }
        arranged[placed] = plan->steps[steps[i]];
        status = replace_piece(&plan->pieces.before[placed++], &before, err);
        strbuf_clear(&before);
    }
    if (status == 0)
        status = strbuf_addc(&before, '\n') == 0 ? replace_piece(&plan->pieces.end, &before, err) : err_no_memory(err);
    if (status < 0) {
        free(arranged);
        return status;
    }
    free(plan->steps);
    plan->steps = arranged;
    for (size_t i = 0; i < placed; i++)
        take_before(plan, i);
    plan->fixed_room = row_room(&plan->pieces, 0);
    return 0;
}

int row_owner_init(struct row_owner *owner, const char *name, bool device, bool host, struct err *err)
{
    static const struct row_format csv = {.format = TABLE_CSV};
    SCOPED(strbuf_release) struct strbuf plain, cell;
    strbuf_init(&plain, PIECE_MAX);
    strbuf_init(&cell, PIECE_MAX * JSON_TEXT_EXPANSION);
    *owner = (struct row_owner){.device = device, .host = host};
    strbuf_addf(&plain, "%s:", name);
    row_format_text(&csv, plain.data, plain.length, &cell);
    if (plain.failed || cell.failed)
        return err_no_memory(err);
    owner->quoted = *cell.data == '"';
    owner->text.length = cell.length - 2 * owner->quoted;
    owner->text.text = strndup(cell.data + owner->quoted, owner->text.length);
    return owner->text.text != NULL ? 0 : err_no_memory(err);
}

void row_owner_release(struct row_owner *owner)
{
    free(owner->text.text);
    *owner = (struct row_owner){.quoted = false};
}

void report_plan_name_owner(struct report_plan *plan, const struct row_owner *owner)
{
    plan->owner = owner;
    plan->fixed_room += owner->text.length + 2;
}

void report_plan_release(struct report_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        free_words(plan->steps[i].words);
    for (size_t i = 0; i < plan->column_count; i++) {
        free(plan->columns[i].id);
        free(plan->columns[i].title);
        map_release(&plan->columns[i].found);
    }
    row_format_release(&plan->pieces);
    free(plan->columns);
    free(plan->steps);
    free(plan->titles);
    *plan = (struct report_plan){.column_count = 0};
}

/* ---- values ---- */

/* The text that a value is: of an id its row's, of a number its word. NULL: it is none. */
static const char *text_of(const struct report_step *step, const struct report_value *value, size_t *ret_length)
{
    if (value->kind == VALUE_CELLS || value->kind == VALUE_STRING) {
        *ret_length = value->length;
        return value->text;
    }
    if (report_step_has_texts(step) || value->kind == VALUE_NAME) {
        bool name = value->kind == VALUE_NAME;
        struct cann_text text =
            cann_text(name ? step->names : step->texts, value->integer, name ? 0 : step->text_column);
        *ret_length = text.length;
        return text.text;
    }
    const struct row_piece *word = step->words != NULL ? find_word(step->words, value->integer) : NULL;
    *ret_length = word != NULL ? word->length : 0;
    return word != NULL ? word->text : NULL;
}

static bool is_number(const struct report_step *step, const struct report_value *value)
{
    if (value->kind == VALUE_INTEGER)
        return !report_step_has_texts(step) && (step->words == NULL || find_word(step->words, value->integer) == NULL);
    return value->kind == VALUE_SCALED;
}

static char *put_number(const struct report_step *step, const struct report_value *value, char *p,
                        enum table_format format)
{
    if (value->kind == VALUE_SCALED)
        return number_put_shortest(p, value->integer, value->decimals);
    p = form_put_integer(p, step->form, step->decimals, value->integer);
    if (step->form == FORM_TIME && (format == TABLE_CSV || format == TABLE_SPREADSHEET))
        *p++ = '\t';
    return p;
}

/* A number that is none is not a number of JSON either: it does not exist, and takes no bytes. */
static size_t print_real(const struct report_step *step, double real, char text[FORM_NUMBER_MAX])
{
    return isfinite(real) ? (size_t)(form_put_real(text, step->form, step->decimals, real) - text) : 0;
}

/* A row that is being put: what is left of the room beyond that of numbers. */
struct row_room {
    size_t used, limit;
};

/* Each returns the end; NULL: there is not so much room. */

static char *put_bytes(const char *text, size_t length, char *p, struct row_room *room)
{
    room->used += length;
    if (room->used > room->limit)
        return NULL;
    memcpy(p, text, length);
    return p + length;
}

static char *put_real(const struct report_plan *plan, const struct report_step *step, double value, char *p,
                      struct row_room *room)
{
    char text[FORM_NUMBER_MAX];
    size_t length = print_real(step, value, text);
    return length > 0 ? put_bytes(text, length, p, room) : put_piece(p, &plan->pieces.missing);
}

static char *put_text(const struct report_plan *plan, const struct report_step *step, const struct report_value *value,
                      char *p, struct row_room *room)
{
    size_t length;
    const char *text = text_of(step, value, &length);
    if (text == NULL)
        return put_piece(p, &plan->pieces.missing);
    if (value->kind != VALUE_STRING)
        return put_bytes(text, length, p, room);
    room->used += row_text_room(length);
    return room->used <= room->limit ? row_put_text(&plan->pieces, text, length, p) : NULL;
}

/* Puts the owner's name into the first cell of the row from p to end, with quotes around the cell if it needs them.
 * Returns the new end. */
static char *put_owner(const struct row_owner *owner, char *p, char *end)
{
    const bool has_quotes = *p == '"', gets_quotes = owner->quoted && !has_quotes;
    const size_t length = has_quotes ? 0 : strcspn(p, ",\n");
    if (!(length == strlen("host") && memcmp(p, "host", length) == 0 ? owner->host : owner->device))
        return end;
    char *text = p + has_quotes + gets_quotes, *rest = text + owner->text.length + length;
    memmove(rest + gets_quotes, p + has_quotes + length, (size_t)(end - p) - has_quotes - length);
    memmove(text + owner->text.length, p, length);
    memcpy(text, owner->text.text, owner->text.length);
    if (gets_quotes)
        *p = *rest = '"';
    return end + owner->text.length + 2 * gets_quotes;
}

char *report_plan_put(const struct report_plan *plan, const struct report_value *values, bool first, char *p, char *end,
                      size_t *ret_room)
{
    char *const start = p;
    struct row_room room = {.used = plan->fixed_room, .limit = (size_t)(end - p)};
    *ret_room = plan->fixed_room;
    if (room.used > room.limit)
        return NULL;
    p = put_piece(p, first ? &plan->pieces.begin : &plan->pieces.next);
    for (const struct report_step *step = plan->steps, *last = step + plan->step_count; step < last; step++) {
        const struct report_value *value = &values[step->value];
        if (step->lead != '\0')
            *p++ = step->lead;
        else
            p = put_piece(p, &step->before);
        const uint8_t decimals = value->kind == VALUE_SCALED    ? value->decimals
                                 : value->kind == VALUE_INTEGER ? step->quick
                                                                : NOT_QUICK;
        if (decimals != NOT_QUICK) {
            p = number_put_shortest(p, value->integer, decimals);
        } else if (value->kind == VALUE_MISSING) {
            p = put_piece(p, &plan->pieces.missing);
        } else if (is_number(step, value)) {
            p = put_number(step, value, p, plan->format);
        } else {
            p = value->kind == VALUE_REAL ? put_real(plan, step, value->real, p, &room)
                                          : put_text(plan, step, value, p, &room);
            if (p == NULL) {
                *ret_room = room.used;
                return NULL;
            }
            if (value->kind == VALUE_CELLS)
                step += value->decimals - 1;
        }
    }
    p = put_piece(p, &plan->pieces.end);
    return plan->owner != NULL ? put_owner(plan->owner, start, p) : p;
}

static int encode_cell(const struct report_plan *plan, const struct report_step *step, const struct report_value *value,
                       struct strbuf *buf)
{
    char number[FORM_NUMBER_MAX];
    size_t length = 0;
    const char *text = NULL;
    if (is_number(step, value))
        return strbuf_add(buf, number, (size_t)(put_number(step, value, number, plan->format) - number));
    if (value->kind == VALUE_REAL)
        text = (length = print_real(step, value->real, number)) > 0 ? number : NULL;
    else if (value->kind != VALUE_MISSING)
        text = text_of(step, value, &length);
    if (text == NULL)
        return strbuf_add(buf, plan->pieces.missing.text, plan->pieces.missing.length);
    return value->kind == VALUE_STRING ? row_format_add(&plan->pieces, text, length, buf)
                                       : strbuf_add(buf, text, length);
}

int report_plan_encode(const struct report_plan *plan, const struct report_value *values, size_t count,
                       struct strbuf *buf)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) {
        const struct report_step *step = &plan->steps[i];
        if (i > 0)
            status = strbuf_add(buf, step->before.text, step->before.length);
        if (status == 0)
            status = encode_cell(plan, step, &values[step->value], buf);
    }
    return status;
}

bool report_step_text(const struct report_step *step, const struct report_value *value, struct strbuf *buf)
{
    char text[FORM_NUMBER_MAX];
    size_t length = 0;
    const char *found = text;
    strbuf_clear(buf);
    if (is_number(step, value))
        length = (size_t)(put_number(step, value, text, TABLE_TERMINAL) - text);
    else if (value->kind == VALUE_REAL)
        found = (length = print_real(step, value->real, text)) > 0 ? text : NULL;
    else
        found = value->kind != VALUE_MISSING ? text_of(step, value, &length) : NULL;
    if (found != NULL)
        strbuf_add(buf, found, length);
    return found != NULL;
}

/* ---- values of types ---- */

static struct typed_value typed_integer(int64_t integer)
{
    return (struct typed_value){.kind = TYPED_INTEGER, .integer = integer};
}

static struct typed_value typed_real(double real)
{
    return (struct typed_value){.kind = TYPED_REAL, .real = real};
}

/* An integer in units of 10^-decimals: the nearest number, as its decimals read. */
static double unscaled(int64_t integer, unsigned decimals)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    return (double)integer / (decimals < sizeof powers / sizeof *powers ? powers[decimals] : pow(10, decimals));
}

static struct typed_value type_number(const struct report_step *step, const struct report_value *value)
{
    if (value->kind == VALUE_SCALED)
        return typed_real(unscaled(value->integer, value->decimals));
    if (form_is_scaled(step->form))
        return typed_real(unscaled(value->integer, step->decimals));
    if (step->form == FORM_UNSIGNED && value->integer < 0)
        return typed_real((double)(uint64_t)value->integer);
    return step->form == FORM_FLOAT || step->decimals > 0 ? typed_real((double)value->integer)
                                                          : typed_integer(value->integer);
}

/* The number that is printed, which has so many decimals. */
static struct typed_value type_real(const struct report_step *step, double real)
{
    char text[FORM_NUMBER_MAX];
    const size_t length = print_real(step, real, text);
    if (length == 0)
        return (struct typed_value){.kind = TYPED_MISSING};
    if (step->form != FORM_FIXED && step->form != FORM_SHORTEST)
        return typed_real(real);
    if (step->decimals == 0 && fabs(real) < 9e15)
        return typed_integer((int64_t)nearbyint(real));
    text[length] = '\0';
    return typed_real(strtod(text, NULL));
}

void report_plan_type(const struct report_plan *plan, const struct report_value *values, struct typed_value *ret)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct report_step *step = &plan->steps[i];
        const struct report_value *value = &values[step->value];
        size_t length;
        if (value->kind == VALUE_MISSING) {
            ret[i].kind = TYPED_MISSING;
        } else if (is_number(step, value)) {
            ret[i] = type_number(step, value);
        } else if (value->kind == VALUE_REAL) {
            ret[i] = type_real(step, value->real);
        } else {
            const char *text = text_of(step, value, &length);
            ret[i] = text != NULL ? (struct typed_value){.kind = TYPED_TEXT, .length = (uint32_t)length, .text = text}
                                  : (struct typed_value){.kind = TYPED_MISSING};
        }
    }
}

enum typed_kind report_step_kind(const struct report_plan *plan, const struct report_step *step)
{
    const struct report_column *column = &plan->columns[step->column].column;
    if (column->names != NULL || report_step_has_texts(step))
        return TYPED_TEXT;
    if (step->form == FORM_TIME)
        return TYPED_INTEGER;
    if (step->form != FORM_TEXT)
        return form_is_scaled(step->form) || step->form == FORM_FLOAT || step->decimals > 0 ? TYPED_REAL
                                                                                            : TYPED_INTEGER;
    if (column->field.row_size == 0 || column->field.type == FIELD_VALUE)
        return TYPED_MISSING;
    return column->field.type == FIELD_TEXT   ? TYPED_TEXT
           : column->field.type == FIELD_REAL ? TYPED_REAL
                                              : TYPED_INTEGER;
}
