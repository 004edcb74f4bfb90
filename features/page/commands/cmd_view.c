/* SPDX-License-Identifier: Apache-2.0 */
/* msprof view: a capture in the browser. */
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "exporters/export.h"
#include "features/page/loopback.h"
#include "features/page/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VIEWER_DEFAULT "https://ui.perfetto.dev"
#define PAGE_MAX ((size_t)64 * 1024)

/* A capture that is shown. */
struct viewing {
    const struct settings *settings;
    bool of_page;    /* the page of report; else a timeline for Perfetto */
    int ui;          /* the directory of --ui; -1: not given */
    char *directory; /* of our own, removed at the end; NULL: none */
    char *file;      /* in it: the page, or the largest timeline */
    off_t size;
    char *name; /* of the capture */
};

/* ---- files ---- */

static int make_directory(struct viewing *viewing, struct err *err)
{
    const char *temporary = temporary_parent();
    char *directory = path_join(temporary, "msprof-view.XXXXXX");
    if (directory == NULL)
        return err_no_memory(err);
    if (mkdtemp(directory) == NULL) {
        err_set_errno(err, errno, "cannot make a directory in '%s'", temporary);
        free(directory);
        return err_status(err);
    }
    viewing->directory = directory;
    return 0;
}

/* Told of each timeline; keeps the largest: the one of everything. */
static void take_file(void *arg, const char *report, const char *path)
{
    struct viewing *viewing = arg;
    struct stat st;
    const char *gone = path;
    (void)report;
    if (stat(path, &st) == 0 && (viewing->file == NULL || st.st_size >= viewing->size)) {
        char *copy = strdup(path);
        if (copy != NULL) {
            gone = viewing->file;
            if (gone != NULL)
                unlink(gone);
            free(viewing->file);
            viewing->file = copy;
            viewing->size = st.st_size;
            return;
        }
    }
    unlink(gone);
}

static void remove_files(struct viewing *viewing)
{
    if (viewing->file != NULL)
        unlink(viewing->file);
    if (viewing->directory != NULL)
        rmdir(viewing->directory);
    free(viewing->directory);
    free(viewing->file);
    free(viewing->name);
}

static int write_timeline(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    struct export_result result = {0};
    int cann_version = 0;
    if (capture_names_version(visit->settings, db, NULL, visit->shown, &cann_version, err) < 0)
        return err_status(err);
    const struct export_options options = {
        .database = visit->database,
        .directory = viewing->directory,
        .model_id = -1,
        .cann_version = cann_version,
        .trace_format = TRACE_PFTRACE_RAW,
        .written = take_file,
        .written_arg = viewing,
        .progress = console_progress(),
    };
    int status = export_timeline(db, &options, &result, err);
    console_progress_end();
    if (status < 0)
        return status;
    if (viewing->file == NULL)
        return err_set(err, ERR_NOT_FOUND, "'%s' has no data for a timeline", visit->shown);
    return 0;
}

static int write_page(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    const struct html_capture capture = {.name = viewing->name, .database = visit->database};
    struct html_report *page = NULL;
    viewing->file = path_join(viewing->directory, "report.html");
    if (viewing->file == NULL)
        return err_no_memory(err);
    const struct html_options options = {
        .path = viewing->file,
        .title = viewing->name,
        .version = MSPROF_VERSION,
        .captures = 1,
        .progress = console_progress(),
    };
    if (html_report_open(&options, &page, err) < 0)
        return err_status(err);
    bool is_tree = false;
    int status = html_report_add_any(page, db, &capture, &is_tree, err);
    console_progress_end();
    return html_report_close(page, status, err);
}

static int view_database(struct capture_visit *visit, sqlite3 *db)
{
    struct viewing *viewing = visit->context;
    struct err err = ERR_INIT;

    viewing->name = strdup(path_name(visit->directory));
    int result = viewing->name == NULL ? err_no_memory(&err) : make_directory(viewing, &err);
    if (result == 0)
        result = viewing->of_page ? write_page(visit, viewing, db, &err) : write_timeline(visit, viewing, db, &err);
    if (result == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot show '%s'", visit->shown);
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

/* ---- the page that hands the trace to the viewer ---- */

static void add_html(struct strbuf *page, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (strchr("<>&\"'", *p) != NULL || *p < ' ')
            strbuf_addf(page, "&#%u;", *p);
        else
            strbuf_addc(page, (char)*p);
    }
}

/* The viewer answers PONG to PING as soon as it listens, and then takes the trace. */
static const char script[] =
    "'use strict';\n"
    "const viewer = document.body.dataset.viewer, origin = new URL(viewer, location).origin;\n"
    "const state = document.getElementById('state'), button = document.getElementById('open');\n"
    "let buffer = null;\n"
    "function show() {\n"
    "  const view = window.open(viewer);\n"
    "  button.hidden = false;\n"
    "  if (view === null) {\n"
    "    state.textContent = 'The browser opened no window: press the button.';\n"
    "    return;\n"
    "  }\n"
    "  state.textContent = 'Waiting for ' + origin + ' ...';\n"
    "  const timer = setInterval(() => view.postMessage('PING', origin), 50);\n"
    "  addEventListener('message', function give(event) {\n"
    "    if (event.source !== view || event.origin !== origin || event.data !== 'PONG') return;\n"
    "    clearInterval(timer);\n"
    "    removeEventListener('message', give);\n"
    "    view.postMessage({perfetto: {buffer, title: document.title, keepApiOpen: false}}, origin);\n"
    "    state.textContent = 'The other window has the trace; this one may be closed.';\n"
    "  });\n"
    "}\n"
    "button.addEventListener('click', show);\n"
    "fetch('trace').then(answer => {\n"
    "  if (!answer.ok) throw new Error(answer.status);\n"
    "  return answer.arrayBuffer();\n"
    "}).then(bytes => { buffer = bytes; show(); },\n"
    "        error => { state.textContent = 'The trace did not come: ' + error.message; });\n";

static char *make_page(const struct viewing *viewing, const char *viewer, const char *nonce)
{
    struct strbuf page;
    strbuf_init(&page, PAGE_MAX);
    strbuf_adds(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    add_html(&page, viewing->name);
    strbuf_addf(&page,
                "</title>\n<style nonce=\"%s\">body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; "
                "max-width: 40rem; padding: 0 1rem; color-scheme: light dark }</style>\n<body data-viewer=\"",
                nonce);
    add_html(&page, viewer);
    strbuf_adds(&page, "\">\n<h1>");
    add_html(&page, viewing->name);
    strbuf_addf(
        &page,
        "</h1>\n<p id=\"state\" role=\"status\">Reading the trace ...</p>\n"
        "<p><button id=\"open\" hidden>Open the viewer</button></p>\n"
        "<noscript><p>Without scripts: save <a href=\"trace\">the trace</a> and open it in the viewer.</p></noscript>\n"
        "<script nonce=\"%s\">\n%s</script>\n</body>\n</html>\n",
        nonce, script);
    return strbuf_detach(&page);
}

/* "https://host[:port][/path]", of characters that mean nothing in HTML. */
static bool is_address(const char *text)
{
    const size_t scheme = strncmp(text, "https://", 8) == 0 ? 8 : strncmp(text, "http://", 7) == 0 ? 7 : 0;
    return scheme > 0 && text[scheme] != '\0' &&
           text[scheme + strspn(text + scheme,
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?=%#!")] == '\0';
}

/* ---- the browser ---- */

/* Whether a program that opens addresses was started. */
static bool open_browser(const char *address)
{
    char *argv[] = {(char[]){"xdg-open"}, strdup(address), NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (argv[1] == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        free(argv[1]);
        return false;
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(argv[1]);
    return started;
}

static void tell_address(const struct viewing *viewing, const char *address, int port)
{
    const bool display = console_has_variable("DISPLAY") || console_has_variable("WAYLAND_DISPLAY");
    printf("%s\n", address);
    fflush(stdout);
    const bool opened = !viewing->settings->view.no_browser && display && open_browser(address);
    if (viewing->ui >= 0)
        console_note("this address works until you press Ctrl-C");
    if (opened)
        return;
    if (viewing->ui < 0)
        console_note("open this address in a browser on this machine; it works once");
    else
        console_note("open this address in a browser on this machine");
    if (!display)
        console_note("from another machine: ssh -N -L %d:127.0.0.1:%d THIS-MACHINE, and the same address there", port,
                     port);
}

/* What a copy of Perfetto may do: everything with this server, and nothing with another. */
#define UI_POLICY                                                                                                      \
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; object-src 'none'; base-uri 'self'; "               \
    "form-action 'none'; frame-ancestors 'self'"

static int serve_items(const struct viewing *viewing, const struct loopback_item *items, size_t count,
                       const char *fragment, struct err *err)
{
    char token[LOOPBACK_TOKEN_SIZE], address[128];
    int port = viewing->settings->view.port;
    if (loopback_token(token, err) < 0)
        return err_status(err);
    int fd = loopback_open(&port, err);
    if (fd < 0)
        return port > 0 ? err_hint(err, "omit --port to use a free port") : fd;
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/%s", port, token, fragment);
    tell_address(viewing, address, port);
    return loopback_serve(fd, port, token, items, count, err);
}

static int serve_page(const struct viewing *viewing, struct err *err)
{
    const struct loopback_item page = {
        .name = "", .type = "text/html; charset=utf-8", .path = viewing->file, .last = true};
    return serve_items(viewing, &page, 1, viewing->settings->view.report ? "" : "#c1-timeline", err);
}

static int serve_trace(const struct viewing *viewing, struct err *err)
{
    const struct settings *settings = viewing->settings;
    const char *viewer = viewing->ui >= 0                ? "ui/"
                         : settings->view.viewer != NULL ? settings->view.viewer
                                                         : VIEWER_DEFAULT;
    char nonce[LOOPBACK_TOKEN_SIZE], policy[256];
    if (loopback_token(nonce, err) < 0)
        return err_status(err);
    snprintf(policy, sizeof policy,
             "default-src 'none'; connect-src 'self'; script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             nonce, nonce);
    SCOPED_FREE char *page = make_page(viewing, viewer, nonce);
    if (page == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a page");
    const struct loopback_item items[] = {
        {.name = "", .type = "text/html; charset=utf-8", .policy = policy, .text = page},
        {.name = "trace", .type = "application/octet-stream", .path = viewing->file, .last = viewing->ui < 0},
        {.name = "ui/", .policy = UI_POLICY, .is_below = true, .directory = viewing->ui}};
    return serve_items(viewing, items, viewing->ui >= 0 ? 3 : 2, "", err);
}

/* ---- the command ---- */

/* The first two options that exclude each other; false: none do. */
static bool exclude_each_other(const struct view_settings *view, const char *ret[2])
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{view->report, "--report"},
                   {view->ui != NULL, "--ui"},
                   {view->viewer != NULL, "--viewer"},
                   {view->perfetto, "--perfetto"}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options && count < 2; i++)
        if (options[i].given)
            ret[count++] = options[i].name;
    /* --perfetto says what the two before it mean already */
    return count == 2 && (view->report || strcmp(ret[1], "--perfetto") != 0);
}

/* Opens the directory of --ui, before anything is imported: 0, or -code. */
static int open_ui(struct viewing *viewing, struct err *err)
{
    static const char hint[] =
        LANGUAGE_MARK("pass the directory of a built Perfetto UI, such as ui/out/dist of its sources");
    const char *directory = viewing->settings->view.ui;
    if (directory == NULL)
        return 0;
    viewing->ui = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (viewing->ui < 0) {
        err_set_errno(err, errno, "cannot open the directory '%s' of --ui", directory);
        err_hint(err, hint);
        return err_status(err);
    }
    SCOPED_CLOSE int page = loopback_open_below(viewing->ui, "index.html");
    if (page >= 0)
        return 0;
    err_set(err, ERR_NOT_FOUND, "'%s' of --ui has no page to serve: it lacks index.html, or that is no regular file",
            directory);
    err_hint(err, hint);
    return err_status(err);
}

static int check_options(const struct settings *settings)
{
    const char *both[2];
    if (settings->view.viewer != NULL && !is_address(settings->view.viewer))
        return console_fail(ERR_USAGE, "as in " VIEWER_DEFAULT, "--viewer '%s' is not an address",
                            settings->view.viewer);
    if (exclude_each_other(&settings->view, both))
        return console_fail(ERR_USAGE, "omit one of the two", "%s and %s exclude each other", both[0], both[1]);
    return STATUS_DONE;
}

static int run_view(const struct settings *settings)
{
    struct viewing viewing = {.settings = settings, .ui = -1};
    struct err err = ERR_INIT;
    int status = check_options(settings);
    if (status != STATUS_DONE)
        return status;
    viewing.of_page = !settings->view.perfetto && settings->view.viewer == NULL && settings->view.ui == NULL;
    if (open_ui(&viewing, &err) < 0)
        return console_error(&err);
    status = captures_query(settings, &settings->captures, visit_open_prepared, view_database, &viewing);
    if (viewing.file != NULL && (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS) &&
        (viewing.of_page ? serve_page(&viewing, &err) : serve_trace(&viewing, &err)) < 0)
        status = status_worse(status, console_error(&err));
    remove_files(&viewing);
    if (viewing.ui >= 0)
        close(viewing.ui);
    return status;
}

const struct command command_view = {
    .path = "view",
    .people = {.all = true},
    .parent = COMMAND_ROOT,
    .order = 160,
    .imports = true,
    .summary = "show the timeline in the browser",
    .description =
        "Serves the page of 'msprof report' once to the browser on this machine and opens it at its\ntimeline. Neither "
        "needs a network. With --perfetto or --ui the complete timeline opens in\nPerfetto; it never leaves this "
        "machine. Exits when the browser has fetched it.\n",
    .needs_capture = true,
    .takes_one = true,
    EXAMPLES({"the timeline in the page of 'msprof report'", "msprof view JOBX"},
             {"the complete timeline, in ui.perfetto.dev", "msprof view JOBX --perfetto"},
             {"on a machine without a display, for 'ssh -L 8000:127.0.0.1:8000'", "msprof view JOBX --port 8000"}),
    .run = run_view,
};
