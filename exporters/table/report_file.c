/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/report.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/utf8.h"
#include "base/words.h"
#include "exporters/table/plan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define NAME_LIMIT 64
#define COLUMNS_LIMIT 128
_Static_assert(COLUMNS_LIMIT <= REPORT_MAX_COLUMNS, "a table has room for the columns of a file");

struct report_file {
    char *place; /* of messages: the file */
    char *name, *title, *doc, *sql;
    struct ARRAY_OF(struct report_column) columns; /* titles are owned; one without a title behind the last */
    struct report_user_query query;
    struct report report;
};

/* Where the text is being read. */
struct parser {
    struct report_file *file;
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
    return err_set(p->err, ERR_FORMAT, "%s:%zu:%zu: %s", p->file->place, p->number, column, message);
}

static int no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory for a report");
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
static int take_rest(const struct parser *p, size_t at, char **target, const char *twice)
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
    *target = strndup(p->line + at, end - at);
    return *target != NULL ? 0 : no_memory(p->err);
}

/* ---- statements ---- */

static int take_name(struct parser *p, size_t at)
{
    size_t column = at;
    skip_blanks(p, &column);
    int status = take_rest(p, at, &p->file->name, "a second name");
    if (status < 0)
        return status;
    p->name_line = p->number;
    p->name_column = column + 1;
    size_t length = strlen(p->file->name), good = strspn(p->file->name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (good < length || !islower((unsigned char)p->file->name[0]) || length > NAME_LIMIT)
        return fail(p, column + good + 1, "a name is made of at most 64 small letters, digits and '_', a letter first");
    return 0;
}

static int take_title(struct parser *p, size_t at)
{
    return take_rest(p, at, &p->file->title, "a second title");
}

static int take_doc(struct parser *p, size_t at)
{
    return take_rest(p, at, &p->file->doc, "a second description");
}

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
    {"time", FORM_TIME, false, 0},
    {"name", FORM_NAME, false, 0},
    {"unsigned", FORM_UNSIGNED, false, REPORT_NUMBER},
};

static int take_decimals(const struct parser *p, size_t *at, struct report_column *column)
{
    struct word word;
    int status = take_word(p, at, &word);
    if (status < 0)
        return status;
    if (word.length != 1 || !isdigit((unsigned char)word.text[0]))
        return fail(p, word.column, "expected the number of decimals, 0 to 9");
    column->decimals = (uint8_t)(word.text[0] - '0');
    return 0;
}

static int take_form(const struct parser *p, size_t *at, struct report_column *column)
{
    struct word word;
    int status = take_word(p, at, &word);
    if (status < 0 || word.length == 0)
        return status;
    size_t i = 0;
    while (i < sizeof forms / sizeof *forms && !is_word(&word, forms[i].word))
        i++;
    if (i == sizeof forms / sizeof *forms)
        return fail(
            p, word.column,
            "unknown format; expected text, number, shortest N, fixed N, float, scaled N, time, name or unsigned");
    column->form = forms[i].form;
    column->flags = forms[i].flags;
    status = forms[i].decimals ? take_decimals(p, at, column) : 0;
    if (status == 0)
        status = take_word(p, at, &word);
    return status == 0 && word.length > 0 ? fail(p, word.column, "expected the end of the line") : status;
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
    status = take_form(p, &at, &column);
    if (status < 0)
        return status;
    if (array_reserve(&p->file->columns, 2, p->err) < 0)
        return -(int)p->err->code;
    column.title = strndup(title.text, title.length);
    if (column.title == NULL)
        return no_memory(p->err);
    p->file->columns.items[p->file->columns.count++] = column;
    p->file->columns.items[p->file->columns.count] = (struct report_column){.title = NULL};
    return 0;
}

static int parse_line(struct parser *p)
{
    static const struct {
        const char *word;
        int (*take)(struct parser *p, size_t at);
    } statements[] = {{"report", take_name}, {"title", take_title}, {"doc", take_doc}, {"column", take_column}};
    struct word word;
    size_t at = 0;
    int status = take_word(p, &at, &word);
    if (status < 0 || word.length == 0 || word.text[0] == '#')
        return status;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (is_word(&word, statements[i].word))
            return statements[i].take(p, at);
    }
    return fail(p, word.column, "expected report, title, doc, column or sql");
}

static bool begins_query(const struct parser *p)
{
    struct word word;
    size_t at = 0;
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
        if (strcmp(files->items[i].name, name) == 0)
            return true;
    }
    return false;
}

static int check(struct parser *p, const struct report_files *files)
{
    const struct report_file *file = p->file;
    const struct report *const *all = report_all(p->err);
    if (all == NULL)
        return -(int)p->err->code;
    if (file->name == NULL)
        return fail(p, 1, "the report has no name: 'report NAME' is missing");
    if (name_is_taken(files, all, file->name)) {
        p->number = p->name_line;
        return fail(p, p->name_column, "another report has this name already");
    }
    if (file->columns.count == 0)
        return fail(p, 1, "the report has no column");
    if (file->sql == NULL)
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
            p->file->sql = strndup(next, (size_t)(end - next));
            return p->file->sql != NULL ? 0 : no_memory(p->err);
        }
        status = parse_line(p);
    }
    return status;
}

static void release_file(struct report_file *file)
{
    for (size_t i = 0; i < file->columns.count; i++)
        free((void *)(uintptr_t)file->columns.items[i].title);
    free(file->columns.items);
    free(file->place);
    free(file->name);
    free(file->title);
    free(file->doc);
    free(file->sql);
}

static void make_report(struct report_file *file)
{
    file->query.text = file->sql;
    file->query.place = file->place;
    file->report = (struct report){
        .name = file->name,
        .title = file->title != NULL ? file->title : file->name,
        .doc = file->doc != NULL ? file->doc : "",
        .families = FAMILY_EVERY,
        .columns = file->columns.items,
    };
}

int report_files_parse(struct report_files *files, const char *name, const char *text, size_t length, struct err *err)
{
    struct report_file file = {.place = strdup(name)};
    struct parser parser = {.file = &file, .err = err};
    int status = file.place != NULL ? parse_text(&parser, text, length) : no_memory(err);
    if (status == 0)
        status = check(&parser, files);
    if (status == 0)
        status = array_reserve(files, 1, err);
    if (status < 0) {
        release_file(&file);
        return status;
    }
    make_report(&file);
    files->items[files->count++] = file;
    return 0;
}

int report_files_add_query(struct report_files *files, const char *name, const char *sql, struct err *err)
{
    struct report_file file = {
        .place = strdup("query"), .name = strdup(name), .sql = strdup(sql), .query = {.first_line = 1}};
    const bool has_texts = file.place != NULL && file.name != NULL && file.sql != NULL;
    if (!has_texts || array_reserve(files, 1, err) < 0 || array_reserve(&file.columns, 1, err) < 0) {
        release_file(&file);
        return has_texts ? err_status(err) : no_memory(err);
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
            status = file != NULL ? report_files_load(files, file, err) : no_memory(err);
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
    files->items[i].report.user = &files->items[i].query;
    files->items[i].query.seconds = files->seconds;
    files->items[i].query.joint = files->joint;
    return &files->items[i].report;
}
