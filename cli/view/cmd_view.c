/* SPDX-License-Identifier: Apache-2.0 */
/* msprof view: a capture in the browser. */
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "cli/answers/answer.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/view/loopback.h"
#include "db/database.h"
#include "exporters/export.h"
#include "exporters/html/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
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
    char directory[64]; /* of our own, removed at the end; "": none */
    char *file;         /* in it: the page, or the largest timeline */
    off_t size;
    char *name; /* of the capture */
};

/* ---- files ---- */

static int make_directory(struct viewing *viewing, struct err *err)
{
    const char *temporary = getenv("TMPDIR");
    if (temporary == NULL || strlen(temporary) > 32)
        temporary = "/tmp";
    snprintf(viewing->directory, sizeof viewing->directory, "%s/msprof-view.XXXXXX", temporary);
    if (mkdtemp(viewing->directory) != NULL)
        return 0;
    err_set_errno(err, errno, "cannot make a directory in '%s'", temporary);
    viewing->directory[0] = '\0';
    return -(int)err->code;
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
    if (viewing->directory[0] != '\0')
        rmdir(viewing->directory);
    free(viewing->file);
    free(viewing->name);
}

static int write_timeline(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    struct export_result result = {0};
    int cann_version = 0;
    if (names_version(visit->settings, db, NULL, visit->directory, &cann_version, err) < 0)
        return -(int)err->code;
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
        return err_set(err, ERR_NOT_FOUND, "'%s' has no data for a timeline", visit->directory);
    return 0;
}

static int write_page(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    const struct html_capture capture = {.name = viewing->name, .database = visit->database};
    struct html_report *page = NULL;
    viewing->file = path_join(viewing->directory, "report.html");
    if (viewing->file == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    const struct html_options options = {
        .path = viewing->file, .title = viewing->name, .version = MSPROF_VERSION, .captures = 1};
    if (html_report_open(&options, &page, err) < 0)
        return -(int)err->code;
    int status = html_report_add(page, db, &capture, err);
    return html_report_close(page, status, err);
}

static int view_one(struct capture_visit *visit)
{
    struct viewing *viewing = visit->context;
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    if (visit->capture_count > 1) {
        err_set(&err, ERR_USAGE, "view shows one capture, and there are %zu", visit->capture_count);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    int status = host_side_open(visit, &db);
    if (db == NULL)
        return status;
    const char *slash = strrchr(visit->directory, '/');
    viewing->name = strdup(slash != NULL ? slash + 1 : visit->directory);
    int result = viewing->name == NULL ? err_set(&err, ERR_NO_MEMORY, "out of memory") : make_directory(viewing, &err);
    if (result == 0)
        result = viewing->settings->view.report ? write_page(visit, viewing, db, &err)
                                                : write_timeline(visit, viewing, db, &err);
    database_close(db);
    if (result == 0)
        return status;
    err_wrap(&err, "cannot show '%s'", visit->directory);
    return status_worse(status, visit_fail(visit, LOG_SOURCE_COMMON, &err));
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
    "const viewer = document.body.dataset.viewer, origin = new URL(viewer).origin;\n"
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

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

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

static void tell_address(const struct settings *settings, const char *address, int port)
{
    const bool display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    printf("%s\n", address);
    fflush(stdout);
    if (!settings->view.no_browser && display && open_browser(address))
        return;
    console_note("open this address in a browser on this machine; it works once");
    if (!display)
        console_note("from another machine: ssh -N -L %d:127.0.0.1:%d THIS-MACHINE, and the same address there", port,
                     port);
}

static int serve(struct viewing *viewing, struct err *err)
{
    const struct settings *settings = viewing->settings;
    const char *viewer = settings->view.viewer != NULL ? settings->view.viewer : VIEWER_DEFAULT;
    char token[LOOPBACK_TOKEN_SIZE], nonce[LOOPBACK_TOKEN_SIZE], policy[256], address[128];
    int port = settings->view.port;
    if (loopback_token(token, err) < 0 || loopback_token(nonce, err) < 0)
        return -(int)err->code;
    snprintf(policy, sizeof policy,
             "default-src 'none'; connect-src 'self'; script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             nonce, nonce);
    char *page = settings->view.report ? NULL : make_page(viewing, viewer, nonce);
    if (!settings->view.report && page == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a page");
    const struct loopback_item report[] = {
        {.name = "", .type = "text/html; charset=utf-8", .path = viewing->file, .last = true}};
    const struct loopback_item trace[] = {
        {.name = "", .type = "text/html; charset=utf-8", .policy = policy, .text = page},
        {.name = "trace", .type = "application/octet-stream", .path = viewing->file, .last = true}};
    int fd = loopback_open(&port, err);
    if (fd >= 0) {
        snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", port, token);
        tell_address(settings, address, port);
    }
    int status = fd < 0                  ? fd
                 : settings->view.report ? loopback_serve(fd, port, token, report, sizeof report / sizeof *report, err)
                                         : loopback_serve(fd, port, token, trace, sizeof trace / sizeof *trace, err);
    free(page);
    return status;
}

static int run_view(const struct settings *settings)
{
    struct viewing viewing = {.settings = settings};
    struct err err = ERR_INIT;
    if (settings->view.viewer != NULL && !is_address(settings->view.viewer)) {
        err_set(&err, ERR_USAGE, "--viewer '%s' is no address", settings->view.viewer);
        err_hint(&err, "as in " VIEWER_DEFAULT);
        return console_error(&err);
    }
    int status = captures_process_list(settings, &settings->captures, view_one, &viewing);
    if (viewing.file != NULL && (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS) && serve(&viewing, &err) < 0)
        status = status_worse(status, console_error(&err));
    remove_files(&viewing);
    return status;
}

static const struct example examples[] = {
    {"the timeline, in ui.perfetto.dev", "msprof view JOBX"},
    {"the page of 'msprof report'", "msprof view JOBX --report"},
    {"on a machine without a display, for 'ssh -L 8000:127.0.0.1:8000'", "msprof view JOBX --port 8000"},
    {NULL, NULL},
};

const struct command command_view = {
    .path = "view",
    .parent = COMMAND_ROOT,
    .order = 160,
    .imports = true,
    .summary = "show a capture in the browser: the timeline, or the report",
    .description = "Serves the timeline of a capture to the browser of this machine, once, and lets it be opened in\n"
                   "ui.perfetto.dev, which gets it from the browser and not over the network. Ends when it was\n"
                   "fetched.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_view,
};
