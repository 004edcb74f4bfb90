/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/checksum.h"
#include "base/format/csv_in.h"
#include "base/format/json_in.h"
#include "base/language.h"
#include "base/library.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/screen.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_inventory.h"
#include "db/warm_up.h"
#include "exporters/json_text.h"
#include "exporters/table/terminal.h"
#include "parsers/capture/archive.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/layout.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The machine and the process that 'msprof doctor' describes: numbers, and words of the system's release. */

#define DOCTOR_NOT_KNOWN INT64_MIN /* of a number; of a limit: there is none */
#define DOCTOR_TEXT_SIZE 64
#define DOCTOR_LIBRARIES 9

struct doctor_space {
    bool writable;
    int64_t free_bytes;
};

/* Properties of this machine and this process. */
struct machine {
    struct library_version libraries[DOCTOR_LIBRARIES];
    size_t library_count;
    bool has_collect, has_run, has_mpi;
    char kernel[DOCTOR_TEXT_SIZE], distribution[DOCTOR_TEXT_SIZE], locale[DOCTOR_TEXT_SIZE],
        characters[DOCTOR_TEXT_SIZE];
    bool shows_utf8, has_terminal;
    int64_t processors, memory_total, memory_available;
    int64_t open_files, open_files_most, file_size, address_space; /* limits */
    struct doctor_space temporary;
    bool temporary_is_named; /* by TMPDIR */
};

/* Ended by NULL: the variables that msprof or its libraries read, of which console_has_variable says which are set. */
static const char *const machine_variables[] = {"COLUMNS",
                                                "HOME",
                                                "LANG",
                                                "LC_ALL",
                                                "LC_CTYPE",
                                                "LD_LIBRARY_PATH",
                                                "LD_PRELOAD",
                                                "MSPROF_ACL_DEVICES",
                                                "MSPROF_ACL_LOG",
                                                "MSPROF_OUTPUT",
                                                "MSPROF_REPLAY",
                                                "NO_COLOR",
                                                "PAGER",
                                                "SSH_AUTH_SOCK",
                                                "TERM",
                                                "TMPDIR",
                                                "XDG_CONFIG_HOME",
                                                NULL};

/* The characters of versions and of locales; at another one the text ends, so that nothing else comes along. */
static void keep_word(char *ret, const char *text, const char *allowed)
{
    size_t length = strspn(text, allowed);

    snprintf(ret, DOCTOR_TEXT_SIZE, "%.*s", (int)(length < DOCTOR_TEXT_SIZE ? length : DOCTOR_TEXT_SIZE - 1), text);
}

#define DIGITS_AND_DOTS "0123456789."
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void take_library(struct machine *machine, struct library_version version)
{
    machine->libraries[machine->library_count++] = version;
}

static void ask_libraries(struct machine *machine)
{
    struct library_version ssh, archives, screens;

    take_library(machine, (struct library_version){"SQLite", SQLITE_VERSION, sqlite3_libversion()});
    take_library(machine, json_library());
    take_library(machine, csv_library());
    take_library(machine, checksum_library());
    take_library(machine, checksum_xxhash_library());
    machine->has_collect = collect_library(&ssh);
    if (machine->has_collect)
        take_library(machine, ssh);
    if (archive_library(&archives))
        take_library(machine, archives);
    if (tui_library(&screens))
        take_library(machine, screens);
    take_library(machine, (struct library_version){"glibc", AS_TEXT(__GLIBC__) "." AS_TEXT(__GLIBC_MINOR__),
                                                   gnu_get_libc_version()});
}

/* msprof-mpi is built and installed beside msprof. */
static bool mpi_stands_beside(void)
{
    char path[PATH_MAX + NAME_MAX];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "msprof-mpi");
    return access(path, X_OK) == 0;
}

static void ask_features(struct machine *machine)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *library = NULL;

    machine->has_run = run_find_library(&library, &ignored) == 0;
    machine->has_mpi = mpi_stands_beside();
}

/* The value of KEY=value, or KEY="value", of a line; NULL: it is another key. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (strncmp(line, key, length) != 0 || line[length] != '=')
        return NULL;
    return line[length + 1] == '"' ? line + length + 2 : line + length + 1;
}

static void ask_distribution(struct machine *machine)
{
    char id[DOCTOR_TEXT_SIZE] = "", version[DOCTOR_TEXT_SIZE] = "", line[256];
    FILE *file = fopen("/etc/os-release", "re");
    const char *value;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if ((value = value_of(line, "ID")) != NULL)
            keep_word(id, value, LETTERS DIGITS_AND_DOTS "_-");
        else if ((value = value_of(line, "VERSION_ID")) != NULL)
            keep_word(version, value, LETTERS DIGITS_AND_DOTS "_-");
    }
    if (file != NULL)
        fclose(file);
    snprintf(machine->distribution, sizeof machine->distribution, "%.31s%s%.31s", id, *version != '\0' ? " " : "",
             version);
}

/* A line of /proc/meminfo in bytes; DOCTOR_NOT_KNOWN when it is not there. */
static int64_t memory_of(const char *name)
{
    FILE *file = fopen("/proc/meminfo", "re");
    int64_t kilobytes, bytes = DOCTOR_NOT_KNOWN;
    char line[256];

    while (file != NULL && bytes == DOCTOR_NOT_KNOWN && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(name), start, digits;
        if (strncmp(line, name, length) != 0 || line[length] != ':')
            continue;
        start = length + 1 + strspn(line + length + 1, " ");
        digits = strspn(line + start, "0123456789");
        if (number_parse_integer(line + start, digits, &kilobytes) == 0)
            bytes = number_multiply(kilobytes, 1024);
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

static int64_t limit_of(rlim_t value)
{
    return value == RLIM_INFINITY || value > INT64_MAX ? DOCTOR_NOT_KNOWN : (int64_t)value;
}

static void ask_limits(struct machine *machine)
{
    struct rlimit files = {RLIM_INFINITY, RLIM_INFINITY}, size = files, memory = files;

    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_FSIZE, &size);
    getrlimit(RLIMIT_AS, &memory);
    machine->open_files = limit_of(files.rlim_cur);
    machine->open_files_most = limit_of(files.rlim_max);
    machine->file_size = limit_of(size.rlim_cur);
    machine->address_space = limit_of(memory.rlim_cur);
    machine->processors = sysconf(_SC_NPROCESSORS_ONLN);
    machine->memory_total = memory_of("MemTotal");
    machine->memory_available = memory_of("MemAvailable");
}

static struct doctor_space machine_space(const char *directory)
{
    struct doctor_space space = {.writable = access(directory, W_OK | X_OK) == 0, .free_bytes = DOCTOR_NOT_KNOWN};
    struct statvfs info;

    if (statvfs(directory, &info) == 0)
        space.free_bytes = number_multiply((int64_t)info.f_bavail, (int64_t)info.f_frsize);
    return space;
}

/* Asks for the locale as it is, which is not always the one that was asked for. */
static void ask_locale(struct machine *machine)
{
    const char *locale = setlocale(LC_CTYPE, NULL);

    keep_word(machine->locale, locale != NULL ? locale : "", LETTERS DIGITS_AND_DOTS "_-@");
    keep_word(machine->characters, nl_langinfo(CODESET), LETTERS DIGITS_AND_DOTS "_-");
    machine->shows_utf8 = !screen_is_ascii();
    machine->has_terminal = isatty(STDOUT_FILENO) == 1;
}

static void machine_ask(struct machine *machine)
{
    const char *named = getenv("TMPDIR");
    struct utsname name;

    *machine = (struct machine){.library_count = 0};
    ask_libraries(machine);
    ask_features(machine);
    ask_distribution(machine);
    ask_limits(machine);
    ask_locale(machine);
    if (uname(&name) == 0)
        keep_word(machine->kernel, name.release, DIGITS_AND_DOTS);
    machine->temporary_is_named = named != NULL && *named != '\0';
    machine->temporary = machine_space(machine->temporary_is_named ? named : "/tmp");
}

#define HEAD_BLANKS "           "
#define HEAD_WIDTH strlen(HEAD_BLANKS)
#define TEXT_LIMIT 65536
#define KINDS_SHOWN 6

/* No name that a user, a host, a directory or a capture has is kept here, so none can be printed. */

#define DOCTOR_REMARKS 12

/* Where a layout comes from that is not built in. */
enum layout_origin { LAYOUT_INSTALLED, LAYOUT_OF_USER, LAYOUT_NAMED, LAYOUT_ORIGINS };

struct inventory {
    int status; /* the exit status of opening it; the rest is known when opened is true */
    bool opened;
    const char *family;
    struct doctor_space results;
    int64_t devices, undecoded_files;
    struct inventory_kind all; /* added up */
    int64_t by_severity[3];
    struct inventory_kinds ARRAY_OF(struct inventory_kind) kinds;
    struct inventory_problems ARRAY_OF(struct inventory_problem) problems;
    struct inventory_parts ARRAY_OF(struct inventory_part) parts;
};

/* Compiler of this program, and the machine that it is for. */
#ifdef __clang__
#define DOCTOR_COMPILER "clang " __clang_version__
#else
#define DOCTOR_COMPILER "gcc " __VERSION__
#endif
#if defined __x86_64__
#define DOCTOR_MACHINE "x86_64"
#elif defined __aarch64__
#define DOCTOR_MACHINE "aarch64"
#else
#define DOCTOR_MACHINE "another"
#endif

struct doctor {
    const char *commit;
    struct machine machine;
    struct layout_set layouts;
    bool layouts_failed; /* those that are not built in cannot be loaded */
    size_t built_in_layouts;
    const char *remarks[DOCTOR_REMARKS]; /* what may be amiss */
    size_t remark_count;
    struct inventories ARRAY_OF(struct inventory) captures;
};

/* `text` filled with blanks up to so many columns of a terminal; before: the blanks come first. */
static void print_padded(FILE *stream, const char *text, size_t columns, bool before)
{
    SCOPED(display_release) struct display display;
    display_init(&display);
    const size_t width = display_width(&display, text, strlen(text));
    const int blanks = width < columns ? (int)(columns - width) : 0;
    fprintf(stream, "%*s%s%*s", before ? blanks : 0, "", text, before ? 0 : blanks, "");
}

/* "head  first, second, third", on as many lines as that takes. */
static void print_list(FILE *stream, const char *head, const char *items)
{
    SCOPED(display_release) struct display display;
    char filled[64];
    display_init(&display);
    const size_t width = display_width(&display, head, strlen(head));
    snprintf(filled, sizeof filled, "%s%*s", head, width < HEAD_WIDTH ? (int)(HEAD_WIDTH - width) : 0, "");
    screen_print_text(stream, filled, HEAD_BLANKS, false, items);
}

/* Prints what was added, and empties it. */
static void print_built(FILE *stream, const char *head, struct strbuf *text)
{
    print_list(stream, head, text->length > 0 ? text->data : language_shown("none"));
    strbuf_clear(text);
}

static void add_item(struct strbuf *text, const char *item)
{
    strbuf_addf(text, "%s%s", text->length > 0 ? ", " : "", item);
}

static void add_bytes(struct strbuf *text, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    if (bytes == DOCTOR_NOT_KNOWN) {
        strbuf_adds(text, language_shown("not known"));
        return;
    }
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    strbuf_addf(text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

static void add_limit(struct strbuf *text, const char *name, int64_t limit, bool is_bytes)
{
    add_item(text, name);
    strbuf_addc(text, ' ');
    if (limit == DOCTOR_NOT_KNOWN)
        strbuf_adds(text, language_shown("unlimited"));
    else if (is_bytes)
        add_bytes(text, limit);
    else
        strbuf_add_integer(text, limit);
}

static void add_library(struct strbuf *text, const struct library_version *library)
{
    const char *running = library->running != NULL ? library->running : library->compiled;
    const size_t length = strcspn(running, "/"); /* some also name the libraries that they use */

    add_item(text, library->name);
    strbuf_addf(text, " %.*s", (int)length, running);
    if (strncmp(running, library->compiled, length) != 0 || library->compiled[length] != '\0')
        strbuf_addf(text, language_shown(" (compiled with %s)"), library->compiled);
}

static const char *yes_or_no(bool yes)
{
    return language_shown(yes ? "yes" : "no");
}

static void print_program(const struct doctor *doctor, FILE *stream, struct strbuf *text)
{
    static const char *const documents[] = SCHEMA_LIST;

    strbuf_addf(text, "msprof %s%s%s%s, %s, %s", MSPROF_VERSION, *doctor->commit != '\0' ? " (commit " : "",
                doctor->commit, *doctor->commit != '\0' ? ")" : "", DOCTOR_COMPILER, DOCTOR_MACHINE);
    print_built(stream, language_shown("Program"), text);
    strbuf_addf(text, language_shown("database %d"), DATABASE_USER_VERSION);
    for (size_t i = 0; documents[i] != NULL; i++)
        add_item(text, documents[i] + strlen("msprof."));
    print_built(stream, language_shown("Schemas"), text);
    for (size_t i = 0; i < doctor->machine.library_count; i++)
        add_library(text, &doctor->machine.libraries[i]);
    print_built(stream, language_shown("Libraries"), text);
    strbuf_addf(text, language_shown("collect %s, run %s, mpi %s"), yes_or_no(doctor->machine.has_collect),
                yes_or_no(doctor->machine.has_run), yes_or_no(doctor->machine.has_mpi));
    print_built(stream, language_shown("Features"), text);
}

static void print_machine(const struct machine *machine, FILE *stream, struct strbuf *text)
{
    strbuf_addf(text, language_shown("Linux %s, %s, %" PRId64 " processors, memory "), machine->kernel,
                machine->distribution, machine->processors);
    add_bytes(text, machine->memory_total);
    strbuf_adds(text, " (");
    add_bytes(text, machine->memory_available);
    strbuf_adds(text, language_shown(" free)"));
    print_built(stream, language_shown("System"), text);
    add_limit(text, language_shown("open files"), machine->open_files, false);
    if (machine->open_files_most != machine->open_files && machine->open_files_most != DOCTOR_NOT_KNOWN)
        strbuf_addf(text, language_shown(" of %" PRId64), machine->open_files_most);
    add_limit(text, language_shown("size of a file"), machine->file_size, true);
    add_limit(text, language_shown("memory"), machine->address_space, true);
    print_built(stream, language_shown("Limits"), text);
    strbuf_addf(text, language_shown("%s, %s, free "), machine->temporary_is_named ? "TMPDIR" : "/tmp",
                language_shown(machine->temporary.writable ? "writable" : "NOT writable"));
    add_bytes(text, machine->temporary.free_bytes);
    print_built(stream, language_shown("Temporary"), text);
    strbuf_addf(text, language_shown("%s, characters %s, tables in %s; terminal %s"), machine->locale,
                machine->characters, machine->shows_utf8 ? "UTF-8" : "ASCII", yes_or_no(machine->has_terminal));
    print_built(stream, language_shown("Locale"), text);
    for (size_t i = 0; machine_variables[i] != NULL; i++)
        if (console_has_variable(machine_variables[i]))
            add_item(text, machine_variables[i]);
    print_built(stream, language_shown("Variables"), text);
}

static const char *const layout_origin_names[LAYOUT_ORIGINS] = {"installed", "user", "command line"};

static enum layout_origin layout_origin_of(const struct loaded_layout *layout)
{
    return layout->shipped ? LAYOUT_INSTALLED : layout->named ? LAYOUT_NAMED : LAYOUT_OF_USER;
}

/* Adds those that are not built in: how many of each origin, and for which records. */
static void add_loaded(struct strbuf *text, const struct doctor *doctor, enum layout_origin origin)
{
    const char *head = "";

    for (const struct loaded_layout *layout = doctor->layouts.first; layout != NULL; layout = layout->next) {
        if (layout_origin_of(layout) != origin)
            continue;
        if (*head == '\0')
            strbuf_addf(text, "; %s: ", layout_origin_names[origin]);
        strbuf_addf(text, language_shown("%s%s of %" PRIu32 " bytes"), head, layout->kind->name,
                    layout->layout.record_size);
        head = ", ";
    }
}

static void print_layouts(const struct doctor *doctor, FILE *stream, struct strbuf *text)
{
    strbuf_addf(text, language_shown("%zu built in"), doctor->built_in_layouts);
    for (int origin = 0; origin < LAYOUT_ORIGINS; origin++)
        add_loaded(text, doctor, (enum layout_origin)origin);
    if (doctor->layouts_failed)
        strbuf_adds(text, language_shown("; others cannot be loaded"));
    print_built(stream, language_shown("Layouts"), text);
    for (size_t i = 0; i < doctor->remark_count; i++)
        print_list(stream, language_shown("Remark"), language_shown(doctor->remarks[i]));
}

static void print_kind(FILE *stream, const char *name, const struct inventory_kind *kind)
{
    print_padded(stream, name, 25, false);
    fprintf(stream, "%7" PRId64 "%13" PRId64 "%12" PRId64 "%12" PRId64 "%10" PRId64 "\n", kind->files, kind->bytes,
            kind->rows, kind->joined, kind->rejected);
}

static void add_kind(struct inventory_kind *sum, const struct inventory_kind *kind)
{
    sum->files += kind->files;
    sum->bytes += kind->bytes;
    sum->rows += kind->rows;
    sum->joined += kind->joined;
    sum->rejected += kind->rejected;
}

static void print_heads(FILE *stream)
{
    print_padded(stream, language_shown("Kind"), 25, false);
    print_padded(stream, language_shown("Files"), 7, true);
    print_padded(stream, language_shown("Bytes"), 13, true);
    print_padded(stream, language_shown("Rows"), 12, true);
    print_padded(stream, language_shown("Joined"), 12, true);
    print_padded(stream, language_shown("Rejected"), 10, true);
    fputc('\n', stream);
}

/* Those with losses and the largest; what is left in one row. */
static void print_kinds(const struct inventory_kinds *kinds, FILE *stream)
{
    struct inventory_kind rest = {.files = 0};
    size_t shown = kinds->count > KINDS_SHOWN + 1 ? KINDS_SHOWN : kinds->count;
    char name[32];

    if (kinds->count > 0)
        print_heads(stream);
    for (size_t i = 0; i < kinds->count; i++) {
        const struct inventory_kind *kind = &kinds->items[i];
        if (i < shown)
            print_kind(stream, kind->kind != NULL ? kind->kind->name : language_shown("(of no kind)"), kind);
        else
            add_kind(&rest, kind);
    }
    snprintf(name, sizeof name, language_shown("(%zu more)"), kinds->count - shown);
    if (kinds->count > shown)
        print_kind(stream, name, &rest);
}

static void add_chips(struct strbuf *text, const struct inventory_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].is_host)
            strbuf_adds(text, language_shown(", host"));
        else if (parts->items[i].chip != DB_NULL)
            strbuf_addf(text, language_shown(", chip %" PRId64), parts->items[i].chip);
}

static void print_capture(const struct inventory *capture, size_t number, FILE *stream, struct strbuf *text)
{
    static const char *const severities[] = {"note", "warning", "error"};
    char head[32];

    snprintf(head, sizeof head, language_shown("Capture %zu"), number);
    if (!capture->opened) {
        strbuf_addf(text, language_shown("cannot be imported (status %d); free for results "), capture->status);
        add_bytes(text, capture->results.free_bytes);
        print_built(stream, head, text);
        return;
    }
    strbuf_addf(text,
                language_counted_shown("%s, %" PRId64 " device", "%s, %" PRId64 " devices", (uint64_t)capture->devices),
                capture->family, capture->devices);
    add_chips(text, &capture->parts);
    strbuf_addf(text,
                language_counted_shown("; %" PRId64 " file (%" PRId64 " of no kind), ",
                                       "; %" PRId64 " files (%" PRId64 " of no kind), ", (uint64_t)capture->all.files),
                capture->all.files, capture->undecoded_files);
    add_bytes(text, capture->all.bytes);
    strbuf_adds(text, language_shown("; free for results "));
    add_bytes(text, capture->results.free_bytes);
    print_built(stream, head, text);
    strbuf_addf(text, language_shown("%" PRId64 " = %" PRId64 " rows + %" PRId64 " joined + %" PRId64 " rejected"),
                capture->all.rows + capture->all.joined + capture->all.rejected, capture->all.rows, capture->all.joined,
                capture->all.rejected);
    print_built(stream, language_shown("Records"), text);
    for (int severity = DIAG_ERROR; severity >= DIAG_NOTE; severity--)
        if (capture->by_severity[severity] > 0)
            strbuf_addf(text, "%s%" PRId64 " %s%s", text->length > 0 ? ", " : "", capture->by_severity[severity],
                        severities[severity], capture->by_severity[severity] == 1 ? "" : "s");
    for (size_t i = 0; i < capture->problems.count; i++)
        strbuf_addf(text, "%s %s %" PRId64, i == 0 ? ":" : ",", diag_info(capture->problems.items[i].id)->id,
                    capture->problems.items[i].occurrences);
    print_built(stream, language_shown("Problems"), text);
    print_kinds(&capture->kinds, stream);
}

static void doctor_print_text(const struct doctor *doctor, FILE *stream)
{
    SCOPED(strbuf_release) struct strbuf text;

    strbuf_init(&text, TEXT_LIMIT);
    print_program(doctor, stream, &text);
    print_machine(&doctor->machine, stream, &text);
    print_layouts(doctor, stream, &text);
    for (size_t i = 0; i < doctor->captures.count; i++)
        print_capture(&doctor->captures.items[i], i + 1, stream, &text);
}

static const char *known(const char *text)
{
    return *text != '\0' ? text : NULL;
}

static void put_capture(struct json_out *json, const struct inventory *capture)
{
    json_put_begin(json, NULL, '{');
    json_put_members(json, JSON_INTEGER("bytes", capture->all.bytes), JSON_INTEGER("devices", capture->devices),
                     JSON_TEXT("family", capture->family), JSON_INTEGER("files", capture->all.files),
                     JSON_INTEGER("joined", capture->all.joined));
    json_put_begin(json, "kinds", '[');
    for (size_t i = 0; i < capture->kinds.count; i++) {
        const struct inventory_kind *kind = &capture->kinds.items[i];

        json_put_object(json, NULL, JSON_INTEGER("bytes", kind->bytes), JSON_INTEGER("files", kind->files),
                        JSON_INTEGER("joined", kind->joined),
                        JSON_TEXT("kind", kind->kind != NULL ? kind->kind->name : NULL),
                        JSON_INTEGER("rejected", kind->rejected), JSON_INTEGER("rows", kind->rows));
    }
    json_put_end(json, ']');
    json_put_bool(json, "opened", capture->opened);
    json_put_begin(json, "parts", '[');
    for (size_t i = 0; i < capture->parts.count; i++)
        json_put_object(json, NULL, JSON_INTEGER("chip", capture->parts.items[i].chip),
                        JSON_INTEGER("device_id", capture->parts.items[i].device_id),
                        JSON_BOOL("host", capture->parts.items[i].is_host));
    json_put_end(json, ']');
    json_put_begin(json, "problems", '[');
    for (size_t i = 0; i < capture->problems.count; i++) {
        const struct inventory_problem *problem = &capture->problems.items[i];
        const struct diag_info *info = diag_info(problem->id);

        json_put_object(json, NULL, JSON_TEXT("code", info->id), JSON_INTEGER("files", problem->files),
                        JSON_INTEGER("occurrences", problem->occurrences), JSON_INTEGER("rejected", problem->rejected),
                        JSON_TEXT("severity", diag_severity_name(info->severity)));
    }
    json_put_end(json, ']');
    json_put_members(json, JSON_INTEGER("rejected", capture->all.rejected));
    json_put_object(json, "results", JSON_INTEGER("free_bytes", capture->results.free_bytes),
                    JSON_BOOL("writable", capture->results.writable));
    json_put_members(json, JSON_INTEGER("rows", capture->all.rows), JSON_INTEGER("status", capture->status),
                     JSON_INTEGER("undecoded_files", capture->undecoded_files));
    json_put_end(json, '}');
}

static void put_layouts(struct json_out *json, const struct doctor *doctor)
{
    json_put_begin(json, "layouts", '{');
    json_put_members(json, JSON_INTEGER("built_in", doctor->built_in_layouts),
                     JSON_BOOL("failed", doctor->layouts_failed));
    json_put_begin(json, "loaded", '[');
    for (const struct loaded_layout *layout = doctor->layouts.first; layout != NULL; layout = layout->next)
        json_put_object(json, NULL, JSON_TEXT("kind", layout->kind->name),
                        JSON_TEXT("origin", layout_origin_names[layout_origin_of(layout)]),
                        JSON_INTEGER("record_size", layout->layout.record_size),
                        JSON_BOOL("replaced", layout->replaced));
    json_put_end(json, ']');
    json_put_end(json, '}');
}

static void put_program(struct json_out *json, const struct doctor *doctor)
{
    static const char *const documents[] = SCHEMA_LIST;

    json_put_object(json, "program", JSON_TEXT("commit", known(doctor->commit)), JSON_TEXT("compiler", DOCTOR_COMPILER),
                    JSON_TEXT("machine", DOCTOR_MACHINE), JSON_TEXT("version", MSPROF_VERSION));
    json_put_begin(json, "remarks", '[');
    for (size_t i = 0; i < doctor->remark_count; i++)
        json_put_text(json, NULL, doctor->remarks[i]);
    json_put_end(json, ']');
    json_put_text(json, "schema", SCHEMA_DOCTOR);
    json_put_begin(json, "schemas", '{');
    json_put_members(json, JSON_INTEGER("database", DATABASE_USER_VERSION));
    json_put_begin(json, "documents", '[');
    for (size_t i = 0; documents[i] != NULL; i++)
        json_put_text(json, NULL, documents[i]);
    json_put_end(json, ']');
    json_put_end(json, '}');
}

/* By the schema msprof.doctor/1. */
static void doctor_print_json(const struct doctor *doctor, FILE *stream)
{
    const struct machine *machine = &doctor->machine;
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    json_put_begin(&json, "captures", '[');
    for (size_t i = 0; i < doctor->captures.count; i++)
        put_capture(&json, &doctor->captures.items[i]);
    json_put_end(&json, ']');
    json_put_begin(&json, "environment", '[');
    for (size_t i = 0; machine_variables[i] != NULL; i++)
        if (console_has_variable(machine_variables[i]))
            json_put_text(&json, NULL, machine_variables[i]);
    json_put_end(&json, ']');
    json_put_object(&json, "features", JSON_BOOL("collect", machine->has_collect), JSON_BOOL("mpi", machine->has_mpi),
                    JSON_BOOL("run", machine->has_run));
    put_layouts(&json, doctor);
    json_put_begin(&json, "libraries", '[');
    for (size_t i = 0; i < machine->library_count; i++)
        json_put_object(&json, NULL, JSON_TEXT("compiled", machine->libraries[i].compiled),
                        JSON_TEXT("name", machine->libraries[i].name),
                        JSON_TEXT("running", machine->libraries[i].running));
    json_put_end(&json, ']');
    json_put_object(&json, "limits", JSON_INTEGER("address_space", machine->address_space),
                    JSON_INTEGER("file_size", machine->file_size), JSON_INTEGER("open_files", machine->open_files),
                    JSON_INTEGER("open_files_most", machine->open_files_most));
    json_put_object(&json, "locale", JSON_TEXT("characters", known(machine->characters)),
                    JSON_TEXT("name", known(machine->locale)), JSON_BOOL("terminal", machine->has_terminal),
                    JSON_BOOL("utf8", machine->shows_utf8));
    json_put_object(&json, "memory", JSON_INTEGER("available", machine->memory_available),
                    JSON_INTEGER("total", machine->memory_total));
    put_program(&json, doctor);
    json_put_object(&json, "system", JSON_TEXT("distribution", known(machine->distribution)),
                    JSON_TEXT("kernel", known(machine->kernel)), JSON_INTEGER("processors", machine->processors));
    json_put_object(&json, "temporary", JSON_INTEGER("free_bytes", machine->temporary.free_bytes),
                    JSON_BOOL("named", machine->temporary_is_named),
                    JSON_BOOL("writable", machine->temporary.writable));
    json_put_end(&json, '}');
    fputc('\n', stream);
}

/* msprof doctor: what a report of a fault needs to say, without a name or a value of anybody. */

#define FEW_FILES 256
#define LITTLE_SPACE ((int64_t)1000 * 1000 * 1000)

/* ---- a capture's inventory ---- */

static int take_kind(void *arg, const struct inventory_kind *kind, struct err *err)
{
    struct inventory *inventory = arg;

    add_kind(&inventory->all, kind);
    inventory->undecoded_files += kind->kind == NULL ? kind->files : 0;
    return array_add(&inventory->kinds, err, *kind);
}

static int take_problem(void *arg, const struct inventory_problem *problem, struct err *err)
{
    struct inventory *inventory = arg;

    inventory->by_severity[diag_info(problem->id)->severity] += problem->occurrences;
    return array_add(&inventory->problems, err, *problem);
}

static int take_part(void *arg, const struct inventory_part *part, struct err *err)
{
    struct inventory *inventory = arg;

    inventory->devices += !part->is_host;
    return array_add(&inventory->parts, err, *part);
}

static int read_inventory(sqlite3 *db, struct inventory *inventory, struct err *err)
{
    struct db_facts facts;

    if (db_read_facts(db, &facts, err) != 0)
        return err_status(err);
    inventory->family = capture_family_name((enum capture_family)facts.family);
    if (inventory_each_kind(db, take_kind, inventory, err) != 0 ||
        inventory_each_problem(db, take_problem, inventory, err) != 0 ||
        inventory_each_part(db, take_part, inventory, err) != 0)
        return err_status(err);
    inventory->opened = true;
    return 0;
}

/* Messages of an import name files and models: what they say is in the report, by its code. */
static int examine(struct capture_visit *visit)
{
    struct doctor *doctor = visit->context;
    struct inventory inventory = {.opened = false};
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;

    if (array_reserve(&doctor->captures, 1, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    console_mute(true);
    inventory.status = visit_open_database(visit, &db);
    if (db == NULL && inventory.status == STATUS_NOTHING)
        warm_up_open(visit->database, &db, &err);
    console_mute(false);
    inventory.results = machine_space(visit->results);
    err = (struct err)ERR_INIT;
    if (db != NULL && read_inventory(db, &inventory, &err) != 0)
        inventory.status = status_worse(inventory.status, visit_fail(visit, LOG_SOURCE_COMMON, &err));
    database_close(db);
    doctor->captures.items[doctor->captures.count++] = inventory;
    if (!inventory.opened && inventory.status != STATUS_INTERRUPTED)
        console_warning("cannot import capture %zu; run 'msprof import' to see why", doctor->captures.count);
    return inventory.status;
}

/* ---- the report ---- */

static void remark(struct doctor *doctor, bool applies, const char *text)
{
    if (applies && doctor->remark_count < DOCTOR_REMARKS)
        doctor->remarks[doctor->remark_count++] = text;
}

static bool is_below(int64_t value, int64_t limit)
{
    return value != DOCTOR_NOT_KNOWN && value < limit;
}

/* The first numbers of two versions: "3.40" and "3.39" run together, "3" and "1" do not. */
static bool is_other_library(const struct machine *machine)
{
    for (size_t i = 0; i < machine->library_count; i++) {
        const struct library_version *library = &machine->libraries[i];
        size_t length = strcspn(library->compiled, ".");
        if (library->running != NULL && strncmp(library->compiled, library->running, length + 1) != 0)
            return true;
    }
    return false;
}

/* Whether a board's capture has no layers, though its model may have run. */
static bool is_without_layers(const struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->captures.count; i++) {
        const struct inventory_problem *problems = doctor->captures.items[i].problems.items;
        for (size_t k = 0; k < doctor->captures.items[i].problems.count; k++)
            if (problems[k].id == DIAG_NO_DEVICE_DATA)
                return true;
    }
    return false;
}

static void remark_all(struct doctor *doctor)
{
    const struct machine *machine = &doctor->machine;

    remark(doctor, !machine->temporary.writable,
           LANGUAGE_MARK("cannot write temporary files: set TMPDIR to a writable directory"));
    remark(doctor, is_below(machine->temporary.free_bytes, LITTLE_SPACE),
           LANGUAGE_MARK("less than 1 GB is free for temporary files: set TMPDIR to a larger file system"));
    remark(doctor, is_below(machine->open_files, FEW_FILES), LANGUAGE_MARK("low limit of open files: see 'ulimit -n'"));
    remark(doctor, machine->file_size != DOCTOR_NOT_KNOWN, LANGUAGE_MARK("file size is limited: see 'ulimit -f'"));
    remark(doctor, machine->address_space != DOCTOR_NOT_KNOWN, LANGUAGE_MARK("memory is limited: see 'ulimit -v'"));
    remark(doctor, is_other_library(machine), LANGUAGE_MARK("a library has another version than at compile time"));
    remark(doctor, !machine->has_run, LANGUAGE_MARK("libmsprof_preload.so is missing: 'msprof run' cannot record"));
    remark(
        doctor, is_without_layers(doctor),
        LANGUAGE_MARK(
            "a board capture has no layers: if its model ran, ATC compiled it with --online_model_type 0, 1, 4 or 5, "
            "which mark no layers; 2 (default), 3, 6 and 7 do"));
    remark(doctor, doctor->layouts_failed,
           LANGUAGE_MARK("cannot load layouts, so no capture is read: run 'msprof kinds' to see why"));
}

static size_t count_built_in(void)
{
    size_t count = 0;

    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++)
        count += (*kind)->layout_count;
    return count;
}

static int tell(const struct settings *settings, struct doctor *doctor)
{
    console_output_begin();
    if (settings->doctor_format == 1)
        doctor_print_json(doctor, stdout);
    else
        doctor_print_text(doctor, stdout);
    return console_output_end(false);
}

static void doctor_release(struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->captures.count; i++) {
        free(doctor->captures.items[i].kinds.items);
        free(doctor->captures.items[i].problems.items);
        free(doctor->captures.items[i].parts.items);
    }
    free(doctor->captures.items);
    layout_set_release(&doctor->layouts);
}

static int run_doctor(const struct settings *settings)
{
    SCOPED(doctor_release) struct doctor doctor = {.commit = MSPROF_COMMIT, .built_in_layouts = count_built_in()};
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    layout_set_init(&doctor.layouts);
    machine_ask(&doctor.machine);
    doctor.layouts_failed = layouts_load(&doctor.layouts, settings, &err) != 0;
    if (doctor.layouts_failed)
        status = status_of_error(&err);
    else if (settings->captures.count > 0)
        status = captures_process(settings, &settings->captures, examine, &doctor);
    remark_all(&doctor);
    if (status != STATUS_USAGE && status != STATUS_INTERRUPTED)
        status = status_worse(status, tell(settings, &doctor));
    return status;
}

const struct command command_doctor = {
    .path = "doctor",
    .people = READ_BY_PEOPLE(doctor_format, 1U << 0),
    .parent = COMMAND_ROOT,
    .order = 230,
    .imports = true,
    .summary = "print what a bug report needs",
    .description = "Prints versions, libraries, features, system limits, locale and layouts; for a capture\nalso the "
                   "kinds of its files, counts and losses. The output contains no data and no name of\na user, host, "
                   "directory, file or model, so you can pass it on.\n",
    .operands = "[CAPTURE...]",
    .needs_capture = true,
    .captures_optional = true,
    EXAMPLES({"describe this machine for a bug report", "msprof doctor"},
             {"the same, with counts and losses of a capture", "msprof doctor JOBX"},
             {"for programs", "msprof doctor JOBX --format json"}),
    .run = run_doctor,
};
