/* SPDX-License-Identifier: Apache-2.0 */
/* Hot lines of the simulator beside their source. */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "features/opprof/opprof_page.h"

#include <limits.h>
#include <stdlib.h>

#define LINES_MAX 20
#define SOURCE_BYTES_MAX ((size_t)16 * 1024 * 1024)

/* A file that the capture names. */
struct source {
    char *path, *text; /* text NULL: it is not below the directory */
    size_t length;
};

struct sources {
    struct html_page *page;
    char *root; /* as realpath has it */
    struct ARRAY_OF(struct source) files;
    size_t rows, left; /* left: those behind LINES_MAX */
};

static bool has_parents(const char *path)
{
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcmp(part, "..") == 0 || strncmp(part, "../", 3) == 0)
            return true;
    }
    return false;
}

/* Reads a file whose real path is below the directory: a link that leads out of it does not count. */
static bool read_below(const struct sources *sources, const char *tail, struct source *file)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *joined = path_join(sources->root, tail);
    SCOPED_FREE char *real = joined != NULL ? realpath(joined, NULL) : NULL;
    const size_t length = strlen(sources->root);

    return real != NULL && strncmp(real, sources->root, length) == 0 &&
           (real[length] == '/' || strcmp(sources->root, "/") == 0) &&
           path_read_file(real, SOURCE_BYTES_MAX, &file->text, &file->length, &ignored) == 0;
}

/* The longest tail of the path that is a file below the directory. */
static void find_file(const struct sources *sources, struct source *file)
{
    if (has_parents(file->path))
        return;
    for (const char *tail = file->path; tail != NULL && !read_below(sources, tail + (*tail == '/'), file);)
        tail = strchr(tail + (*tail == '/'), '/');
}

static void tell_missing(struct html_page *page, const char *path)
{
    html_open(&page->w, "p");
    html_name(&page->w, path, strlen(path));
    html_text(&page->w, " is not below the directory of --source.");
    html_close(&page->w);
}

static struct source *source_of(struct sources *sources, const char *code, size_t length, struct err *err)
{
    for (size_t i = 0; i < sources->files.count; i++)
        if (strlen(sources->files.items[i].path) == length && memcmp(sources->files.items[i].path, code, length) == 0)
            return &sources->files.items[i];
    struct source file = {.path = strndup(code, length)};
    if (file.path == NULL || array_reserve(&sources->files, 1, err) < 0) {
        free(file.path);
        err_no_memory(err);
        return NULL;
    }
    find_file(sources, &file);
    sources->files.items[sources->files.count] = file;
    return &sources->files.items[sources->files.count++];
}

/* A line of a text, counted from 1; false: it has none. */
static bool line_of(const struct source *file, int64_t number, const char **ret, size_t *ret_length)
{
    const char *at = file->text, *end = file->text + file->length;

    for (; number > 1 && at != NULL && at < end; number--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || at >= end || number < 1)
        return false;
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    while (at < (line_end != NULL ? line_end : end) && (*at == ' ' || *at == '\t'))
        at++;
    end = line_end != NULL ? line_end : end;
    *ret = at;
    *ret_length = (size_t)(end - at) - (end > at && end[-1] == '\r');
    return true;
}

enum { LAUNCH, LINE, CYCLES, SHARE, TIME, CORE, COLUMNS };
static const char *const ids[] = {"launch", "line", "cycles", "of_core", "time", "core"};

static void begin_table(struct html_page *page)
{
    static const char *const heads[] = {"Line", "Core", "#Cycles", "#Of Core(%)", "#Time(us)", "Source"};

    html_table_begin(page, "Hot lines beside their source", heads, sizeof heads / sizeof *heads);
}

/* The launch stands in front of the core where there are several. */
static void put_core(struct html_page *page, const char *launch, const char *core)
{
    html_open(&page->w, "td");
    if (launch != NULL && *launch != '\0') {
        html_name(&page->w, launch, strlen(launch));
        html_text(&page->w, " ");
    }
    html_text(&page->w, core);
    html_close(&page->w);
}

static int take_line(void *arg, const char *const *cells, struct err *err)
{
    struct sources *sources = arg;
    struct html_page *page = sources->page;
    const char *code = cells[LINE], *colon = code != NULL ? strrchr(code, ':') : NULL, *text;
    int64_t number;
    size_t length;

    if (colon == NULL || colon == code || number_parse_integer(colon + 1, strlen(colon + 1), &number) != 0)
        return 0;
    if (sources->rows == LINES_MAX) {
        sources->left++;
        return 0;
    }
    const struct source *file = source_of(sources, code, (size_t)(colon - code), err);
    if (file == NULL)
        return err_status(err);
    if (sources->rows++ == 0)
        begin_table(page);
    html_open(&page->w, "tr");
    html_cell_name(page, code);
    put_core(page, cells[LAUNCH], cells[CORE]);
    html_cell_number(page, "%s|%s|%s", cells[CYCLES], cells[SHARE], cells[TIME]);
    html_open(&page->w, "td");
    if (file->text == NULL) {
        html_text(&page->w, TABLE_MISSING);
    } else if (line_of(file, number, &text, &length)) {
        html_name_class(&page->w, text, length);
        html_name(&page->w, text, length);
    } else {
        html_text(&page->w, "the file has no such line");
    }
    html_close(&page->w);
    html_close(&page->w);
    return 0;
}

int opprof_put_source(struct html_page *page, struct err *err)
{
    struct sources sources = {.page = page};

    if (page->source == NULL)
        return 0;
    sources.root = realpath(page->source, NULL);
    if (sources.root == NULL)
        return err_set(err, ERR_NOT_FOUND, "cannot open the directory of --source '%s'", page->source);
    const int status = html_each_row(page, "lines", ids, COLUMNS, take_line, &sources, err);
    if (sources.rows > 0)
        html_table_end(page);
    if (sources.left > 0)
        html_note(page, "The first %d are beside their source; the table of lines has %zu more.", LINES_MAX,
                  sources.left);
    for (size_t i = 0; i < sources.files.count; i++) {
        if (sources.files.items[i].text == NULL)
            tell_missing(page, sources.files.items[i].path);
        free(sources.files.items[i].path);
        free(sources.files.items[i].text);
    }
    free(sources.files.items);
    free(sources.root);
    return status;
}
