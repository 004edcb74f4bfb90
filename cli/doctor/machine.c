/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/machine.h"
#include "base/file/checksum.h"
#include "base/format/csv_in.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "cli/answers/answer.h"
#include "cli/cmd_run.h"
#include "cli/collect_library.h"

#include <gnu/libc-version.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#define AS_TEXT(number) AS_WRITTEN(number)
#define AS_WRITTEN(number) #number

const char *const machine_variables[] = {"COLUMNS",
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

bool machine_has_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

/* The characters of versions and of locales; at another one the text ends, so that nothing else comes along. */
static void keep_word(char *ret, const char *text, const char *allowed)
{
    size_t length = strspn(text, allowed);

    snprintf(ret, DOCTOR_TEXT_SIZE, "%.*s", (int)(length < DOCTOR_TEXT_SIZE ? length : DOCTOR_TEXT_SIZE - 1), text);
}

#define DIGITS_AND_DOTS "0123456789."
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void add_library(struct machine *machine, struct library_version version)
{
    machine->libraries[machine->library_count++] = version;
}

static void ask_libraries(struct machine *machine)
{
    struct library_version ssh;

    add_library(machine, (struct library_version){"SQLite", SQLITE_VERSION, sqlite3_libversion()});
    add_library(machine, json_library());
    add_library(machine, csv_library());
    add_library(machine, checksum_library());
    machine->has_collect = collect_library(&ssh);
    if (machine->has_collect)
        add_library(machine, ssh);
    add_library(machine, (struct library_version){"glibc", AS_TEXT(__GLIBC__) "." AS_TEXT(__GLIBC_MINOR__),
                                                  gnu_get_libc_version()});
}

/* msprof-mpi is built and installed beside msprof. */
static bool stands_beside(const char *name)
{
    char path[PATH_MAX + NAME_MAX];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "%s", name);
    return access(path, X_OK) == 0;
}

static void ask_features(struct machine *machine)
{
    struct err ignored = ERR_INIT;
    char *library = NULL;

    machine->has_run = run_find_library(&library, &ignored) == 0;
    free(library);
    machine->has_mpi = stands_beside("msprof-mpi");
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

struct doctor_space machine_space(const char *directory)
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

void machine_ask(struct machine *machine)
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
    machine->temporary_is_named = named != NULL && named[0] != '\0';
    machine->temporary = machine_space(machine->temporary_is_named ? named : "/tmp");
}
