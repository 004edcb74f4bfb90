/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as text (msprof-report(5)): those of users, and msprof's own that are a query, which the build took in;
 * and the list of all reports. */
#include "exporters/table/report.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/utf8.h"
#include "base/words.h"
#include "db/database.h"
#include "db/schema.h"
#include "exporters/query_compile.h"
#include "exporters/table/plan.h"
#include "parsers/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#define NAME_LIMIT 64
#define COLUMNS_LIMIT 128
_Static_assert(COLUMNS_LIMIT <= REPORT_MAX_COLUMNS, "a table has room for the columns of a file");

struct report_file {
    struct ARRAY_OF(char *) texts;                 /* all that the others point to */
    struct ARRAY_OF(struct report_column) columns; /* one without a title behind the last */
    struct report_user_query query;
    struct report report;
};

/* Where the text is being read. */
struct parser {
    struct report_file *file;
    bool own;         /* it is msprof's own */
    const char *line; /* the one under way */
    size_t length;
    size_t number; /* of it, from 1 */
    size_t name_line, name_column;
    struct err *err;
};

struct word {
    const char *text;
    size_t length, column; /* column from 1 */
};

static int fail(const struct parser *p, size_t column, const char *message)
{
    return err_set(p->err, ERR_FORMAT, "%s:%zu:%zu: %s", p->file->query.place, p->number, column,
                   language_said(message));
}

/* A copy that the file owns; NULL with err set. */
static const char *keep(struct report_file *file, const char *text, size_t length, struct err *err)
{
    char *copy = array_reserve(&file->texts, 1, err) == 0 ? strndup(text, length) : NULL;
    if (copy != NULL)
        file->texts.items[file->texts.count++] = copy;
    else
        err_set(err, ERR_NO_MEMORY, "out of memory for a report");
    return copy;
}

/* Where the line has what no text has; tabs are blanks. */
static size_t first_unsafe(const struct parser *p)
{
    size_t at = utf8_first_unsafe(p->line, p->length);
    while (at < p->length && p->line[at] == '\t')
        at += 1 + utf8_first_unsafe(p->line + at + 1, p->length - at - 1);
    return at;
}

/* ---- words ---- */

static void skip_blanks(const struct parser *p, size_t *at)
{
    while (*at < p->length && (p->line[*at] == ' ' || p->line[*at] == '\t'))
        (*at)++;
}

/* The next word of the line: with quotes around it as long as they say. length 0 at the end of the line. */
static int take_word(const struct parser *p, size_t *at, struct word *ret)
{
    skip_blanks(p, at);
    *ret = (struct word){p->line + *at, 0, *at + 1};
    if (*at < p->length && p->line[*at] == '"') {
        const char *begin = p->line + *at + 1, *end = memchr(begin, '"', p->length - *at - 1);
        if (end == NULL)
            return fail(p, *at + 1, "missing closing quote");
        *ret = (struct word){begin, (size_t)(end - begin), *at + 1};
        *at = (size_t)(end + 1 - p->line);
        return 0;
    }
    while (*at < p->length && p->line[*at] != ' ' && p->line[*at] != '\t')
        (*at)++;
    ret->length = (size_t)(p->line + *at - ret->text);
    return 0;
}

static bool is_word(const struct word *word, const char *text)
{
    return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

/* The rest of the line, without blanks around it and without quotes around all of it. */
static int take_rest(const struct parser *p, size_t at, const char **target, const char *twice)
{
    size_t end = p->length;
    skip_blanks(p, &at);
    while (end > at && (p->line[end - 1] == ' ' || p->line[end - 1] == '\t'))
        end--;
    if (*target != NULL)
        return fail(p, 1, twice);
    if (end == at)
        return fail(p, at + 1, "nothing follows");
    if (end - at >= 2 && p->line[at] == '"' && p->line[end - 1] == '"') {
        at++;
        end--;
    }
    *target = keep(p->file, p->line + at, end - at, p->err);
    return *target != NULL ? 0 : err_status(p->err);
}

/* The last column of the file; NULL: there is none yet. */
static struct report_column *last_column(const struct parser *p)
{
    size_t count = p->file->columns.count;
    return count > 0 ? &p->file->columns.items[count - 1] : NULL;
}

/* ---- statements ---- */

static int take_name(struct parser *p, size_t at)
{
    size_t column = at;
    skip_blanks(p, &column);
    int status = take_rest(p, at, &p->file->report.name, "a second name");
    if (status < 0)
        return status;
    p->name_line = p->number;
    p->name_column = column + 1;
    const char *name = p->file->report.name;
    size_t length = strlen(name), good = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (good < length || !islower((unsigned char)name[0]) || length > NAME_LIMIT)
        return fail(p, column + good + 1, "a name is made of at most 64 small letters, digits and '_', a letter first");
    return 0;
}

static int take_title(struct parser *p, size_t at)
{
    return take_rest(p, at, &p->file->report.title, "a second title");
}

static int take_doc(struct parser *p, size_t at)
{
    return take_rest(p, at, &p->file->report.doc, "a second description");
}

static int take_needs(struct parser *p, size_t at)
{
    return take_rest(p, at, &p->file->report.needs, "a second 'needs'");
}

/* Of the column before it; of the report in front of all columns. */
static int take_when(struct parser *p, size_t at)
{
    struct report_column *column = last_column(p);
    return take_rest(p, at, column != NULL ? &column->when : &p->file->report.when, "a second condition");
}

/* Its place among the tables of a tree, and the condition that it has there. */
static int take_place(struct parser *p, size_t at)
{
    struct word word;
    int status = take_word(p, &at, &word);
    if (status < 0)
        return status;
    if (word.length != 1 || !isdigit((unsigned char)word.text[0]) || word.text[0] == '0')
        return fail(p, word.column, "expected a place from 1 to 9");
    p->file->report.show_order = word.text[0] - '0';
    skip_blanks(p, &at);
    return at < p->length ? take_rest(p, at, &p->file->report.show_if, "a second condition") : 0;
}

/* Each word of the line is one of these. */
struct known_word {
    const char *word;
    unsigned value;
};

/* Whether the word is one of those; ended by no word. */
static const struct known_word *find_word(const struct known_word *known, const struct word *word)
{
    while (known->word != NULL && !is_word(word, known->word))
        known++;
    return known->word != NULL ? known : NULL;
}

static int take_words(const struct parser *p, size_t at, const struct known_word *known, const char *expected,
                      unsigned *values)
{
    struct word word;
    int status;
    while ((status = take_word(p, &at, &word)) == 0 && word.length > 0) {
        const struct known_word *found = find_word(known, &word);
        if (found == NULL)
            return fail(p, word.column, expected);
        *values |= found->value;
    }
    return status;
}

static int take_families(struct parser *p, size_t at)
{
    static const struct known_word known[] = {{"svp", FAMILY_SVP},
                                              {"2020", FAMILY_JOB},
                                              {"2022", FAMILY_2022},
                                              {"cann", FAMILY_CANN},
                                              {"opprof", FAMILY_OPPROF},
                                              {"any", FAMILY_ANY},
                                              {NULL, 0}};
    return take_words(p, at, known, "expected svp, 2020, 2022, cann, opprof or any", &p->file->report.families);
}

static int take_traits(struct parser *p, size_t at)
{
    enum { SHOWN_ONLY = 1, OF_DEVICE = 2, SHORT = 4, WINDOWED = 8 };
    static const struct known_word known[] = {
        {"shown", SHOWN_ONLY}, {"device", OF_DEVICE}, {"short", SHORT}, {"windowed", WINDOWED}, {NULL, 0}};
    struct report *report = &p->file->report;
    unsigned traits = 0;
    int status = take_words(p, at, known, "expected shown, device, short or windowed", &traits);
    report->shown_only = (traits & SHOWN_ONLY) != 0;
    report->of_device = (traits & OF_DEVICE) != 0;
    report->is_short = (traits & SHORT) != 0;
    report->windowed = (traits & WINDOWED) != 0;
    return status;
}

static int take_narrowed(struct parser *p, size_t at)
{
    struct word word;
    int status;
    for (size_t i = 0; (status = take_word(p, &at, &word)) == 0 && word.length > 0; i++) {
        if (i == QUERY_NARROWED_MAX)
            return fail(p, word.column, "too many tables");
        p->file->report.narrowed[i] = keep(p->file, word.text, word.length, p->err);
        if (p->file->report.narrowed[i] == NULL)
            return err_status(p->err);
    }
    return status;
}

/* ---- columns ---- */

static const struct {
    const char *word;
    enum report_form form;
    bool decimals; /* a number follows */
    unsigned flags;
} forms[] = {
    {"text", FORM_TEXT, false, 0},
    {"number", FORM_TEXT, false, REPORT_NUMBER},
    {"shortest", FORM_SHORTEST, true, 0},
    {"fixed", FORM_FIXED, true, 0},
    {"float", FORM_FLOAT, false, 0},
    {"scaled", FORM_SCALED, true, 0},
    {"scaled-fixed", FORM_SCALED_FIXED, true, 0},
    {"time", FORM_TIME, false, 0},
    {"name", FORM_NAME, false, 0},
    {"unsigned", FORM_UNSIGNED, false, REPORT_NUMBER},
};

/* Numbers that have names. */
static const struct {
    const char *word;
    const struct value_name *names;
} lists[] = {
    {"marks", mark_names}, {"tasks", device_task_names},     {"parts", device_part_names},
    {"cores", core_names}, {"copies", copy_direction_names}, {"levels", level_names},
};

/* A word that must follow. */
static int take_further(const struct parser *p, size_t *at, struct word *ret, const char *expected)
{
    int status = take_word(p, at, ret);
    return status == 0 && ret->length == 0 ? fail(p, ret->column, expected) : status;
}

static int take_decimals(const struct parser *p, size_t *at, struct report_column *column)
{
    struct word word;
    int status = take_word(p, at, &word);
    if (status < 0)
        return status;
    if (is_word(&word, "10"))
        column->decimals = 10;
    else if (word.length == 1 && isdigit((unsigned char)word.text[0]))
        column->decimals = (uint8_t)(word.text[0] - '0');
    else
        return fail(p, word.column, "expected the number of decimals, 0 to 10");
    return 0;
}

static int take_list(const struct parser *p, size_t *at, struct report_column *column)
{
    static const char expected[] = LANGUAGE_MARK("expected marks, tasks, parts, cores, copies or levels");
    struct word word;
    int status = take_further(p, at, &word, expected);
    for (size_t i = 0; status == 0 && i < sizeof lists / sizeof *lists; i++) {
        if (is_word(&word, lists[i].word))
            column->names = lists[i].names;
    }
    return status == 0 && column->names == NULL ? fail(p, word.column, expected) : status;
}

static int take_id(const struct parser *p, size_t *at, struct report_column *column)
{
    struct word word;
    int status = take_further(p, at, &word, "expected the name that --columns and --sort call it by");
    if (status == 0)
        column->id = keep(p->file, word.text, word.length, p->err);
    return status == 0 && column->id == NULL ? err_status(p->err) : status;
}

/* What stands behind the form, up to the description; *at is behind the word. */
static int take_attribute(const struct parser *p, const struct word *word, size_t *at, struct report_column *column)
{
    static const struct known_word flags[] = {{"narrow", REPORT_NARROW},
                                              {"hidden", REPORT_NO_TERMINAL},
                                              {"start", REPORT_START},
                                              {"sentences", REPORT_SENTENCES},
                                              {"guide", REPORT_GUIDE},
                                              {"vendor", REPORT_VENDOR},
                                              {NULL, 0}};
    static const struct known_word units[] = {
        {"ns", UNIT_NS}, {"ticks", UNIT_TICK}, {"cycles", UNIT_CYCLE}, {"bytes", UNIT_BYTE}, {NULL, 0}};
    const struct known_word *flag = find_word(flags, word), *unit = find_word(units, word);
    if (flag != NULL)
        column->flags |= flag->value;
    else if (unit != NULL)
        column->unit = (enum column_unit)unit->value;
    else if (is_word(word, "names"))
        return take_list(p, at, column);
    else if (is_word(word, "id"))
        return take_id(p, at, column);
    else
        return fail(p, word->column,
                    "expected narrow, hidden, start, sentences, guide, vendor, ns, ticks, cycles, bytes, "
                    "names LIST, id NAME, or '--' and a description");
    return 0;
}

/* The form, whose word was read; *ret: it is none. */
static int take_form(const struct parser *p, const struct word *word, size_t *at, struct report_column *column)
{
    size_t i = 0;
    while (i < sizeof forms / sizeof *forms && !is_word(word, forms[i].word))
        i++;
    if (i == sizeof forms / sizeof *forms)
        return fail(
            p, word->column,
            "unknown format; expected text, number, shortest N, fixed N, float, scaled N, scaled-fixed N, time, "
            "name or unsigned");
    column->form = forms[i].form;
    column->flags = forms[i].flags;
    return forms[i].decimals ? take_decimals(p, at, column) : 0;
}

/* What stands behind the title. */
static int take_looks(const struct parser *p, size_t at, struct report_column *column)
{
    struct word word;
    int status;
    bool first = true;
    while ((status = take_word(p, &at, &word)) == 0 && word.length > 0) {
        if (is_word(&word, "--"))
            return take_rest(p, at, &column->doc, "a second description");
        status = first ? take_form(p, &word, &at, column) : take_attribute(p, &word, &at, column);
        first = false;
        if (status < 0)
            return status;
    }
    return status;
}

static int take_column(struct parser *p, size_t at)
{
    struct word title;
    struct report_column column = {.form = FORM_TEXT};
    int status = take_word(p, &at, &title);
    if (status < 0)
        return status;
    if (title.length == 0)
        return fail(p, title.column, "expected the column's title, in quotes where it has blanks");
    if (p->file->columns.count == COLUMNS_LIMIT)
        return fail(p, 1, "more than 128 columns");
    if (take_looks(p, at, &column) < 0 || array_reserve(&p->file->columns, 2, p->err) < 0)
        return err_status(p->err);
    column.title = keep(p->file, title.text, title.length, p->err);
    if (column.title == NULL)
        return err_status(p->err);
    p->file->columns.items[p->file->columns.count++] = column;
    p->file->columns.items[p->file->columns.count] = (struct report_column){.title = NULL};
    return 0;
}

static int parse_line(struct parser *p)
{
    static const struct {
        const char *word;
        int (*take)(struct parser *p, size_t at);
        bool own; /* of msprof's own files */
    } statements[] = {{"report", take_name, false},     {"title", take_title, false}, {"doc", take_doc, false},
                      {"column", take_column, false},   {"when", take_when, true},    {"needs", take_needs, true},
                      {"table", take_traits, true},     {"place", take_place, true},  {"families", take_families, true},
                      {"narrowed", take_narrowed, true}};
    struct word word;
    size_t at = 0;
    int status = take_word(p, &at, &word);
    if (status < 0 || word.length == 0 || word.text[0] == '#')
        return status;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (is_word(&word, statements[i].word) && (p->own || !statements[i].own))
            return statements[i].take(p, at);
    }
    return fail(p, word.column, "expected report, title, doc, column or sql");
}

static bool begins_query(const struct parser *p)
{
    struct word word;
    size_t at = 0;
    skip_blanks(p, &at);
    if (at == p->length || (p->line[at] != 's' && p->line[at] != '"'))
        return false;
    return take_word(p, &at, &word) == 0 && is_word(&word, "sql");
}

/* ---- a text ---- */

static bool name_is_taken(const struct report_files *files, const struct report *const *all, const char *name)
{
    for (const struct report *const *report = all; *report != NULL; report++) {
        if (strcmp((*report)->name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].report.name, name) == 0)
            return true;
    }
    return false;
}

/* Reports of users have names of their own, unlike msprof's, of which each family of captures may have one. */
static int check_name(struct parser *p, const struct report_files *files)
{
    const struct report *const *all = report_all(p->err);
    if (all == NULL)
        return err_status(p->err);
    if (!name_is_taken(files, all, p->file->report.name))
        return 0;
    p->number = p->name_line;
    return fail(p, p->name_column, "another report has this name already");
}

static int check(struct parser *p, const struct report_files *files)
{
    const struct report_file *file = p->file;
    if (file->report.name == NULL)
        return fail(p, 1, "the report has no name: 'report NAME' is missing");
    if (!p->own && check_name(p, files) < 0)
        return err_status(p->err);
    if (file->columns.count == 0)
        return fail(p, 1, "the report has no column");
    if (file->query.text == NULL)
        return fail(p, 1, "the report has no query: 'sql' and the query after it are missing");
    return 0;
}

static int parse_text(struct parser *p, const char *text, size_t length)
{
    const char *end = text + length;
    int status = 0;
    if (memchr(text, '\0', length) != NULL)
        return fail(p, 1, "a NUL byte; expected text");
    for (const char *line = text, *next; status == 0 && line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop != NULL ? stop + 1 : end;
        p->line = line;
        p->length = (size_t)((stop != NULL ? stop : end) - line);
        p->length -= p->length > 0 && line[p->length - 1] == '\r';
        p->number++;
        size_t unsafe = first_unsafe(p);
        if (unsafe < p->length)
            return fail(p, unsafe + 1, "a control character or invalid UTF-8; expected text");
        if (begins_query(p)) {
            p->file->query.first_line = p->number + 1;
            p->file->query.text = keep(p->file, next, (size_t)(end - next), p->err);
            return p->file->query.text != NULL ? 0 : err_status(p->err);
        }
        status = parse_line(p);
    }
    return status;
}

static void release_file(struct report_file *file)
{
    for (size_t i = 0; i < file->texts.count; i++)
        free(file->texts.items[i]);
    free(file->texts.items);
    free(file->columns.items);
}

static void make_report(struct report_file *file)
{
    struct report *report = &file->report;
    if (report->title == NULL)
        report->title = report->name;
    if (report->doc == NULL)
        report->doc = "";
    if (report->families == 0)
        report->families = FAMILY_EVERY;
    report->columns = file->columns.items;
}

int report_files_parse(struct report_files *files, const char *name, const char *text, size_t length, struct err *err)
{
    struct report_file file = {.query = {.seconds = 0}};
    struct parser parser = {.file = &file, .own = files->own, .err = err};
    file.query.place = keep(&file, name, strlen(name), err);
    if (file.query.place == NULL || parse_text(&parser, text, length) < 0 || check(&parser, files) < 0 ||
        array_reserve(files, 1, err) < 0) {
        release_file(&file);
        return err_status(err);
    }
    make_report(&file);
    files->items[files->count++] = file;
    return 0;
}

int report_files_add_query(struct report_files *files, const char *name, const char *sql, struct err *err)
{
    struct report_file file = {.query = {.place = "query", .first_line = 1}};
    file.report.name = keep(&file, name, strlen(name), err);
    file.query.text = keep(&file, sql, strlen(sql), err);
    if (file.report.name == NULL || file.query.text == NULL || array_reserve(files, 1, err) < 0 ||
        array_reserve(&file.columns, 1, err) < 0) {
        release_file(&file);
        return err_status(err);
    }
    file.columns.items[0] = (struct report_column){.title = NULL};
    make_report(&file);
    file.report.open = report_user_columns;
    file.report.is_short = true;
    files->items[files->count++] = file;
    return 0;
}

int report_files_load(struct report_files *files, const char *path, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length = 0;
    return path_read_file(path, REPORT_FILE_LIMIT, &text, &length, err) < 0 ||
                   report_files_parse(files, path, text, length, err) < 0
               ? err_status(err)
               : 0;
}

static int is_report_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && words_end_in(entry->d_name, REPORT_FILE_SUFFIX);
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int report_files_load_directory(struct report_files *files, const char *path, struct err *err)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_report_file, compare_entries), status = 0;
    if (count < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read the reports in '%s'", path);
    for (int i = 0; i < count; i++) {
        char *file = status == 0 ? path_join(path, entries[i]->d_name) : NULL;
        if (status == 0)
            status = file != NULL ? report_files_load(files, file, err) : err_no_memory(err);
        free(file);
        free(entries[i]);
    }
    free(entries);
    return status;
}

void report_files_release(struct report_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        release_file(&files->items[i]);
    free(files->items);
    *files = (struct report_files){.items = NULL};
}

const struct report *report_files_get(const struct report_files *files, size_t i)
{
    /* The array may have moved since the report was made. */
    struct report_file *file = &files->items[i];
    *(files->own ? &file->report.own : &file->report.user) = &file->query;
    file->query.seconds = files->seconds;
    file->query.joint = files->joint;
    return &file->report;
}

/* ---- all reports ---- */

#define TEXT(name)
#define REPORT(name) extern const struct report report_##name;
#include "report_list.h"
#undef REPORT
#undef TEXT

/* The texts, each an array text_<name> and a file_<name>. */
#include "report_texts.h"

/* A report of a file of C; or one of a text. */
static const struct {
    const struct report *report;
    const char *file, *text;
    size_t length;
} sources[] = {
#define REPORT(name) {.report = &report_##name},
#define TEXT(name) {.file = file_##name, .text = text_##name, .length = sizeof text_##name - 1},
#include "report_list.h"
#undef REPORT
#undef TEXT
};

static struct report_files own_texts;
static struct report *series_reports;
static const struct report **all_reports;
static size_t own_count;              /* of them: those that stand in front of the series */
static struct err failure = ERR_INIT; /* why there are none */
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Where a family has a report of its own of this name, a kind's gives way. */
static unsigned free_families(const struct report *const *own, const char *name)
{
    unsigned families = FAMILY_EVERY;
    for (size_t i = 0; i < own_count; i++) {
        if (!own[i]->shown_only && strcmp(own[i]->name, name) == 0)
            families &= ~own[i]->families;
    }
    return families;
}

static size_t count_series(const struct record_kind *kind)
{
    size_t count = 0;
    for (const struct series_report *series = kind->series; series != NULL && series->name != NULL; series++)
        count += series->columns != NULL;
    return count;
}

static void take_series(const struct record_kind *kind, const struct report *const *own, struct report **next)
{
    for (const struct series_report *series = kind->series; series != NULL && series->name != NULL; series++) {
        if (series->columns == NULL)
            continue;
        **next = (struct report){
            .name = series->name,
            .title = series->title,
            .doc = series->doc,
            .families = free_families(own, series->name) & (series->families != 0 ? series->families : FAMILY_ANY),
            .of_kind = true,
            .tables = {kind->table, series->also},
            .narrowed = {kind->table, series->also},
            .when = series->when,
            .query = series->query,
            .columns = series->columns,
        };
        if ((*next)->query.from == NULL)
            (*next)->query.from = kind->table;
        ++*next;
    }
}

/* Those of C and those of texts, in the order of the list. */
static int take_own(const struct report **ret, struct err *err)
{
    own_texts.own = true;
    for (size_t i = 0; i < own_count; i++) {
        if (sources[i].report == NULL &&
            report_files_parse(&own_texts, sources[i].file, sources[i].text, sources[i].length, err) < 0)
            return err_status(err);
    }
    for (size_t i = 0, text = 0; i < own_count; i++)
        ret[i] = sources[i].report != NULL ? sources[i].report : report_files_get(&own_texts, text++);
    return 0;
}

/* Made once, and never released. */
static void make_list(void)
{
    size_t series = 0;
    own_count = sizeof sources / sizeof *sources;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        series += count_series(record_kinds[i]);
    const struct report **all = calloc(own_count + series + 1, sizeof(const struct report *));
    series_reports = calloc(series + 1, sizeof *series_reports);
    if (all == NULL || series_reports == NULL) {
        free(all);
        err_set(&failure, ERR_NO_MEMORY, "out of memory for the list of reports");
        return;
    }
    if (take_own(all, &failure) < 0) {
        free(all);
        return;
    }
    struct report *next = series_reports;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        take_series(record_kinds[i], all, &next);
    for (size_t i = 0; i < series; i++)
        all[own_count + i] = &series_reports[i];
    all_reports = all;
}

const struct report *const *report_all(struct err *err)
{
    pthread_once(&made, make_list);
    if (all_reports == NULL)
        *err = failure;
    return all_reports;
}

static int check_own(sqlite3 *db, const struct report *report, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    bool there = true;
    if (report->own == NULL || (report->when != NULL && query_ask(db, report->when, &there, err) < 0))
        return report->own == NULL ? 0 : err_status(err);
    return there ? report_own_prepare(db, report, &statement, err) : 0;
}

int report_check_own(struct err *err)
{
    sqlite3 *db = NULL;
    const struct report *const *all = report_all(err);
    if (all == NULL)
        return err_status(err);
    int status = database_open_memory(&db, err);
    if (status == 0)
        status = schema_create_tables(db, err);
    if (status == 0)
        status = query_functions_register(db, 0, err);
    for (const struct report *const *report = all; status == 0 && *report != NULL; report++)
        status = check_own(db, *report, err);
    database_close(db);
    return status;
}

static bool is_named(const struct report *report, const char *name, int family)
{
    return (report->families & FAMILY_OF(family)) != 0 && strcasecmp(report->name, name) == 0;
}

const struct report *report_find_file(const struct report *const *all, const char *name, int family)
{
    for (const struct report *const *report = all; *report != NULL; report++) {
        if (!(*report)->shown_only && is_named(*report, name, family))
            return *report;
    }
    return NULL;
}

const struct report *report_find(const struct report *const *all, const char *name, int family)
{
    for (const struct report *const *report = all; *report != NULL; report++) {
        if ((*report)->shown_only && is_named(*report, name, family))
            return *report;
    }
    return report_find_file(all, name, family);
}
