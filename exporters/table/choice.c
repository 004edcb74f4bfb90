/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/choice.h"

#include "base/progress.h"
#include "base/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TEXT_MAX (1 << 20)
#define OPERAND_MAX 4096

enum comparison { LIKE, UNLIKE, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL };

struct filter {
    struct report_step step;
    enum comparison comparison;
    char *operand;
    bool is_number;
    double number; /* in the unit that the column shows */
    /* The number in whole units of the values: times have more digits than a double. */
    bool is_exact;
    int64_t whole;
    int fraction; /* 1: a little more than whole; -1: a little less */
};

/* ---- the value of a cell as a number ---- */

static double power_of_ten(unsigned n)
{
    double power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* Digits behind the point of the number that an integer is shown as. */
static unsigned decimals_of(const struct report_step *step)
{
    return step->form == FORM_TIME ? 3 : form_is_scaled(step->form) ? step->decimals : 0;
}

static bool number_of(const struct report_step *step, const struct report_value *value, double *ret)
{
    switch ((enum value_kind)value->kind) {
    case VALUE_SCALED:
        *ret = (double)value->integer / power_of_ten(value->decimals);
        return true;
    case VALUE_REAL:
        *ret = value->real;
        return isfinite(*ret);
    case VALUE_INTEGER:
        if (report_step_has_texts(step) || step->words != NULL)
            return false;
        *ret = (double)value->integer / power_of_ten(decimals_of(step));
        return true;
    default:
        return false;
    }
}

/* ---- units ---- */

struct unit {
    const char *name;
    char dimension;
    double size;
};

static const struct unit *find_unit(const char *name, size_t length)
{
    static const struct unit units[] = {
        {"ns", 't', 1e-9},    {"us", 't', 1e-6}, {"ms", 't', 1e-3},   {"s", 't', 1},
        {"B", 'b', 1},        {"Byte", 'b', 1},  {"KB", 'b', 1024},   {"MB", 'b', 1024.0 * 1024},
        {"GB", 'b', 1 << 30}, {"Hz", 'f', 1},    {"kHz", 'f', 1e3},   {"MHz", 'f', 1e6},
        {"GHz", 'f', 1e9},    {"MB/s", 'r', 1},  {"GB/s", 'r', 1000}, {"%", '%', 1},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && strncasecmp(units[i].name, name, length) == 0)
            return &units[i];
    }
    return NULL;
}

/* Takes a plain decimal number in whole units of the step's integers; false: it is none, or has too many digits. */
static bool take_exact(struct filter *filter)
{
    const char *p = filter->operand;
    const bool negative = *p == '-';
    unsigned behind = 0;
    bool point = false, any = false, more = false;
    int64_t whole = 0;
    for (p += *p == '-' || *p == '+'; *p != '\0'; p++) {
        if (*p == '.' && !point) {
            point = true;
        } else if (*p < '0' || *p > '9') {
            return false;
        } else if (point && behind == decimals_of(&filter->step)) {
            more |= *p != '0';
        } else {
            if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *p - '0', &whole))
                return false;
            behind += point;
            any = true;
        }
    }
    for (; behind < decimals_of(&filter->step); behind++)
        if (__builtin_mul_overflow(whole, 10, &whole))
            return false;
    filter->whole = negative ? -whole : whole;
    filter->fraction = more ? (negative ? -1 : 1) : 0;
    return any;
}

/* "100", "1.5ms": a number and, behind it, a unit, which is turned into that of the column. */
static int take_operand(struct filter *filter, const char *title, struct err *err)
{
    char *end;
    const char *text = filter->operand;
    size_t length;
    if (*text == '\0' || strspn(text, "+-.0123456789") == 0)
        return 0;
    filter->number = strtod(text, &end);
    if (end == text || !isfinite(filter->number))
        return 0;
    end += strspn(end, " \t");
    filter->is_number = *end == '\0';
    filter->is_exact = filter->is_number && take_exact(filter);
    if (filter->is_number)
        return 0;
    const struct unit *given = find_unit(end, strlen(end));
    if (given == NULL)
        return 0; /* a text that begins with digits */
    const char *name = report_title_unit(title, &length);
    const struct unit *shown = find_unit(name, length);
    if (shown == NULL || shown->dimension != given->dimension)
        return err_set(err, ERR_USAGE, "column '%s' does not have a unit like '%s'", title, end);
    filter->number = filter->number * given->size / shown->size;
    filter->is_number = true;
    return 0;
}

/* ---- columns ---- */

static int no_column(const struct report_plan *plan, const char *id, size_t length, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf ids;
    strbuf_init(&ids, 65536);
    for (size_t i = 0; i < plan->column_count; i++) {
        if (plan->columns[i].there)
            strbuf_addf(&ids, "%s%s", ids.length > 0 ? ", " : "", plan->columns[i].id);
    }
    struct nearest nearest = nearest_to(id, length < 200 ? length : 200);
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].there)
            nearest_add(&nearest, plan->columns[i].id);
    err_set(err, ERR_USAGE, "unknown column '%.*s'%s%s%s", (int)nearest.length, id, NEAREST_TEXT(nearest));
    return err_hint(err, "it has %s", ids.data != NULL ? ids.data : "none");
}

/* The text without blanks at its ends. */
static const char *trim(const char *text, size_t *length)
{
    while (*length > 0 && isblank((unsigned char)*text)) {
        text++;
        --*length;
    }
    while (*length > 0 && isblank((unsigned char)text[*length - 1]))
        --*length;
    return text;
}

static int find_column(const struct report_plan *plan, const char *id, size_t length, size_t *ret, struct err *err)
{
    id = trim(id, &length);
    int column = report_plan_find_typed(plan, id, length);
    if (column < 0)
        return no_column(plan, id, length, err);
    *ret = (size_t)column;
    return 0;
}

int row_choice_columns(const struct table_choice *wanted, const struct report_plan *plan, size_t **ret_columns,
                       size_t *ret_count, struct err *err)
{
    size_t count = 0;
    *ret_columns = NULL;
    *ret_count = 0;
    if (wanted == NULL || wanted->columns == NULL)
        return 0;
    size_t *columns = calloc(REPORT_MAX_COLUMNS, sizeof *columns);
    int status = columns != NULL ? 0 : err_no_memory(err);
    for (const char *p = wanted->columns; status == 0; p++) {
        size_t length = strcspn(p, ",");
        if (count == REPORT_MAX_COLUMNS)
            status = err_set(err, ERR_USAGE, "more than %d columns", REPORT_MAX_COLUMNS);
        else
            status = find_column(plan, p, length, &columns[count], err);
        count++;
        p += length;
        if (*p == '\0')
            break;
    }
    if (status < 0) {
        free(columns);
        return status;
    }
    *ret_columns = columns;
    *ret_count = count;
    return 0;
}

/* ---- filters ---- */

static const struct {
    const char *text;
    enum comparison comparison;
} comparisons[] = {{"!~", UNLIKE},  {"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"!=", UNEQUAL},
                   {"<>", UNEQUAL}, {"==", EQUAL},      {"=~", LIKE},          {"~", LIKE},
                   {"<", LESS},     {">", GREATER},     {"=", EQUAL}};

static int compile_filter(struct row_choice *choice, const char *text, const struct report_plan *plan,
                          const struct report_texts *texts, struct err *err)
{
    size_t length = strcspn(text, "~<>=!"), column = 0, i = 0;
    struct filter *filter = &choice->filters[choice->filter_count];
    while (i < sizeof comparisons / sizeof *comparisons &&
           strncmp(text + length, comparisons[i].text, strlen(comparisons[i].text)) != 0)
        i++;
    if (length == 0 || i == sizeof comparisons / sizeof *comparisons) {
        err_set(err, ERR_USAGE, "invalid filter '%.200s'", text);
        return err_hint(err, "write COLUMN~GLOB, or a comparison: 'task_duration>100us'");
    }
    if (find_column(plan, text, length, &column, err) < 0)
        return err_status(err);
    filter->comparison = comparisons[i].comparison;
    const char *operand = text + length + strlen(comparisons[i].text);
    size_t operand_length = strlen(operand);
    operand = trim(operand, &operand_length);
    filter->operand = strndup(operand, operand_length);
    if (filter->operand == NULL)
        return err_no_memory(err);
    choice->filter_count++;
    int status = report_step_init(&filter->step, plan, column, &choice->plain, texts, err);
    if (status == 0 && filter->comparison > UNLIKE)
        status = take_operand(filter, plan->columns[column].title, err);
    if (status == 0 && filter->comparison >= LESS && filter->comparison <= GREATER_EQUAL && !filter->is_number &&
        !report_holds_texts(&plan->columns[column].column)) {
        err_set(err, ERR_USAGE, "invalid number '%.200s', expected a number after '%.200s'", filter->operand,
                plan->columns[column].id);
        return err_hint(err, "a number may have a unit behind it: 'task_duration>100us'");
    }
    return status;
}

/* The order behind a column, which a comma, a colon or a blank divides from it ("total desc"); NULL: none. *ret_length:
 * that of the column. */
static const char *order_behind(const char *text, size_t *ret_length)
{
    const size_t length = strlen(text), comma = strcspn(text, ",");
    const char *last = text + length;

    *ret_length = comma;
    if (text[comma] == ',')
        return text + comma + 1;
    while (last > text && last[-1] != ' ' && last[-1] != ':')
        last--;
    if (last == text || (strcasecmp(last, "asc") != 0 && strcasecmp(last, "desc") != 0))
        return NULL;
    *ret_length = (size_t)(last - 1 - text);
    return last;
}

static int compile_sort(struct row_choice *choice, const char *text, const struct report_plan *plan,
                        const struct report_texts *texts, struct err *err)
{
    const bool minus = text[0] == '-';
    size_t length, column = 0;
    text += minus || text[0] == '+';
    const char *order = order_behind(text, &length);
    if (order == NULL)
        order = minus ? "desc" : "asc";
    if (find_column(plan, text, length, &column, err) < 0)
        return err_status(err);
    choice->descending = strcasecmp(order, "desc") == 0;
    if (!choice->descending && strcasecmp(order, "asc") != 0)
        return err_set(err, ERR_USAGE, "invalid order '%.200s', expected asc or desc", order);
    choice->sorted = true;
    return report_step_init(&choice->sort, plan, column, &choice->plain, texts, err);
}

int row_choice_compile(struct row_choice *choice, const struct table_choice *wanted, const struct report_plan *plan,
                       const struct report_texts *texts, struct err *err)
{
    *choice = (struct row_choice){.top = wanted->top};
    strbuf_init(&choice->text, TEXT_MAX);
    if (wanted->filter_count > CHOICE_MAX_FILTERS)
        return err_set(err, ERR_USAGE, "more than %d filters", CHOICE_MAX_FILTERS);
    choice->filters = calloc(wanted->filter_count + 1, sizeof *choice->filters);
    int status =
        choice->filters != NULL ? row_format_init(&choice->plain, TABLE_TERMINAL, NULL, 0, err) : err_no_memory(err);
    for (size_t i = 0; status == 0 && i < wanted->filter_count; i++)
        status = compile_filter(choice, wanted->filters[i], plan, texts, err);
    return status == 0 && wanted->sort != NULL ? compile_sort(choice, wanted->sort, plan, texts, err) : status;
}

void row_choice_release(struct row_choice *choice)
{
    for (size_t i = 0; i < choice->filter_count; i++) {
        report_step_release(&choice->filters[i].step);
        free(choice->filters[i].operand);
    }
    report_step_release(&choice->sort);
    row_format_release(&choice->plain);
    strbuf_release(&choice->text);
    free(choice->filters);
    *choice = (struct row_choice){.top = 0};
}

/* ---- rows ---- */

static bool holds(enum comparison comparison, int order)
{
    switch (comparison) {
    case LESS:
        return order < 0;
    case LESS_EQUAL:
        return order <= 0;
    case GREATER:
        return order > 0;
    case GREATER_EQUAL:
        return order >= 0;
    case EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

/* A value that does not exist passes nothing but what asks for another one. */
static bool passes(struct row_choice *choice, const struct filter *filter, const struct report_value *value)
{
    double number;
    bool is_number = number_of(&filter->step, value, &number);
    if (filter->comparison > UNLIKE && filter->is_exact && is_number && value->kind == VALUE_INTEGER)
        return holds(filter->comparison, value->integer != filter->whole
                                             ? (value->integer > filter->whole) - (value->integer < filter->whole)
                                             : -filter->fraction);
    if (filter->comparison > UNLIKE && filter->is_number && is_number)
        return holds(filter->comparison, (number > filter->number) - (number < filter->number));
    if (!report_step_text(&filter->step, value, &choice->text) || choice->text.failed)
        return filter->comparison == UNLIKE || filter->comparison == UNEQUAL;
    const char *text = choice->text.data != NULL ? choice->text.data : "";
    if (filter->comparison <= UNLIKE)
        return (sqlite3_strglob(filter->operand, text) == 0) == (filter->comparison == LIKE);
    if (filter->is_number && filter->comparison < EQUAL) /* a text is no number: neither less nor greater */
        return false;
    return holds(filter->comparison, strcmp(text, filter->operand));
}

bool row_choice_passes(struct row_choice *choice, const struct report_value *values)
{
    for (size_t i = 0; i < choice->filter_count; i++) {
        if (!passes(choice, &choice->filters[i], &values[choice->filters[i].step.value]))
            return false;
    }
    return true;
}

bool row_choice_needs(const struct row_choice *choice, size_t value)
{
    bool needs = choice->sorted && choice->sort.value == value;
    for (size_t i = 0; i < choice->filter_count; i++)
        needs |= choice->filters[i].step.value == value;
    return needs;
}

struct sort_key row_choice_key(struct row_choice *choice, const struct report_value *values)
{
    const struct report_value *value = &values[choice->sort.value];
    struct sort_key key = {.kind = KEY_NUMBER};
    if (number_of(&choice->sort, value, &key.number)) {
        if (value->kind == VALUE_INTEGER) {
            key.kind = KEY_INTEGER; /* exactly: times have more digits than a double */
            key.integer = value->integer;
            key.number = (double)value->integer;
        }
        return key;
    }
    key.kind = report_step_text(&choice->sort, value, &choice->text) ? KEY_TEXT : KEY_NONE;
    key.text = choice->text.data;
    key.length = choice->text.length;
    return key;
}

/* ---- sorter ---- */

#define PRUNE_AFTER 256 /* rows beyond those that are wanted */

struct sorter {
    sqlite3 *db;
    sqlite3_stmt *insert;
    bool descending;
    uint64_t top, rows;
    bool has_limit; /* of the rows that are kept the last one has this key */
    double limit;
};

struct sorter *sorter_new(bool descending, uint64_t top, struct err *err)
{
    struct sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter == NULL) {
        err_no_memory(err);
        return NULL;
    }
    sorter->descending = descending;
    sorter->top = top > INT64_MAX / 2 ? 0 : top;
    /* A name of no characters: a file of SQLite's own, which nobody else sees. */
    if (sqlite3_open_v2("", &sorter->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ==
            SQLITE_OK &&
        database_exec(sorter->db,
                      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;"
                      "CREATE TABLE row(id INTEGER PRIMARY KEY, key, bytes BLOB); BEGIN",
                      err) == 0 &&
        database_prepare(sorter->db, "INSERT INTO row(key, bytes) VALUES(?1, ?2)", &sorter->insert, err) == 0)
        return sorter;
    if (err->code == 0)
        database_error(err, sorter->db, "cannot sort rows");
    sorter_free(sorter);
    return NULL;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    sqlite3_finalize(sorter->insert);
    sqlite3_close(sorter->db);
    free(sorter);
}

bool sorter_wants(const struct sorter *sorter, const struct sort_key *key)
{
    if (!sorter->has_limit || key->kind == KEY_TEXT)
        return true;
    if (key->kind == KEY_NONE)
        return false;
    return sorter->descending ? key->number >= sorter->limit : key->number <= sorter->limit;
}

#define ORDER(sorter) ((sorter)->descending ? "key IS NULL, key DESC, id" : "key IS NULL, key, id")

/* Leaves the rows that are wanted so far, and notes what a new one has to beat. */
static int prune(struct sorter *sorter, struct err *err)
{
    char sql[256];
    sqlite3_stmt *last = NULL;
    snprintf(sql, sizeof sql, "DELETE FROM row WHERE id NOT IN (SELECT id FROM row ORDER BY %s LIMIT %llu)",
             ORDER(sorter), (unsigned long long)sorter->top);
    int status = database_exec(sorter->db, sql, err);
    snprintf(sql, sizeof sql, "SELECT key FROM row ORDER BY %s LIMIT 1 OFFSET %llu", ORDER(sorter),
             (unsigned long long)(sorter->top - 1));
    if (status == 0)
        status = database_prepare(sorter->db, sql, &last, err);
    bool there = false;
    status = status < 0 ? status : database_step(last, &there, err);
    if (there) {
        int type = sqlite3_column_type(last, 0);
        sorter->has_limit = type == SQLITE_FLOAT || type == SQLITE_INTEGER;
        sorter->limit = sqlite3_column_double(last, 0);
    }
    sqlite3_finalize(last);
    sorter->rows = sorter->top;
    return status;
}

int sorter_put(struct sorter *sorter, const struct sort_key *key, const char *row, size_t length, struct err *err)
{
    if (key->kind == KEY_INTEGER)
        sqlite3_bind_int64(sorter->insert, 1, key->integer);
    else if (key->kind == KEY_NUMBER)
        sqlite3_bind_double(sorter->insert, 1, key->number);
    else if (key->kind == KEY_TEXT)
        sqlite3_bind_text64(sorter->insert, 1, key->text != NULL ? key->text : "", key->length, SQLITE_STATIC,
                            SQLITE_UTF8);
    else
        sqlite3_bind_null(sorter->insert, 1);
    sqlite3_bind_blob64(sorter->insert, 2, row, length, SQLITE_STATIC);
    int code = sqlite3_step(sorter->insert);
    sqlite3_reset(sorter->insert);
    if (code != SQLITE_DONE)
        return database_error(err, sorter->db, "cannot sort rows");
    if (interrupted())
        return interrupt_error(err);
    return ++sorter->rows > 2 * sorter->top + PRUNE_AFTER && sorter->top > 0 ? prune(sorter, err) : 0;
}

int sorter_each(struct sorter *sorter, int (*each)(void *arg, const char *row, size_t length, struct err *err),
                void *arg, struct err *err)
{
    char sql[256];
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_ROW;
    snprintf(sql, sizeof sql, "SELECT bytes FROM row ORDER BY %s LIMIT %lld", ORDER(sorter),
             sorter->top > 0 ? (long long)sorter->top : -1LL);
    int status = database_prepare(sorter->db, sql, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *row = sqlite3_column_blob(statement, 0);
        status = interrupted() ? interrupt_error(err)
                               : each(arg, row != NULL ? row : "", (size_t)sqlite3_column_bytes(statement, 0), err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, sorter->db, "cannot sort rows");
    sqlite3_finalize(statement);
    return status;
}
