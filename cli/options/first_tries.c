/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/first_tries.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORTS "msprof export summary CAPTURE, or msprof export timeline CAPTURE"

struct first_try {
    const char *typed, *command;
};

/* Switches of Ascend's msprof, and what -dir is mistaken for. */
static const struct first_try options[] = {
    {"--application", "msprof run -- PROGRAM [ARGUMENT]..."},
    {"--export", EXPORTS},
    {"--analyze", EXPORTS},
    {"--parse", "msprof import CAPTURE"},
    {"--query", "msprof query CAPTURE"},
    {"-d", "-dir CAPTURE, or the capture's path alone"},
    {NULL, NULL},
};

static const struct first_try words[] = {
    {"summary", "msprof export summary CAPTURE"},
    {"timeline", "msprof export timeline CAPTURE"},
    {"trace", "msprof export timeline CAPTURE"},
    {"db", "msprof export db CAPTURE"},
    {"analyze", "msprof advise CAPTURE"},
    {"analyse", "msprof advise CAPTURE"},
    {"parse", "msprof import CAPTURE"},
    {"decode", "msprof import CAPTURE"},
    {"record", "msprof run -- PROGRAM"},
    {"profile", "msprof run -- PROGRAM"},
    {"report", EXPORTS},
    {"stats", "msprof show CAPTURE"},
    {"compare", "msprof diff CAPTURE CAPTURE"},
    {NULL, NULL},
};

static const char *find(const struct first_try *tries, const char *word, size_t length)
{
    for (; tries->typed != NULL; tries++) {
        if (strlen(tries->typed) == length && strncmp(tries->typed, word, length) == 0)
            return tries->command;
    }
    return NULL;
}

void hint_of_option(const char *word, struct err *err)
{
    const char *command = find(options, word, strcspn(word, "="));

    if (command != NULL)
        err_hint(err, "%s", command);
}

void hint_of_word(const char *word, enum command_id parent, struct err *err)
{
    const char *command = parent == COMMAND_ROOT ? find(words, word, strlen(word)) : NULL;
    struct stat info;

    if (command != NULL)
        err_hint(err, "%s", command);
    else if (stat(word, &info) != 0)
        return;
    else if (S_ISDIR(info.st_mode))
        err_hint(err, "msprof export summary %s, or msprof export timeline %s", word, word);
    else if (parent == COMMAND_ROOT && S_ISREG(info.st_mode) && access(word, X_OK) == 0)
        err_hint(err, "msprof run -- %s", word);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);

    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

void hint_of_file(const char *path, struct err *err)
{
    static const char *const packed[] = {".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst"};
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (ends_with(path, packed[i])) {
            err_hint(err, "unpack it, and give the directory: tar -xf %s", path);
            return;
        }
    }
    if (ends_with(path, ".zip"))
        err_hint(err, "unpack it, and give the directory: unzip %s", path);
    else
        err_hint(err, "a capture is a directory; the file lies in %.*s", slash != NULL ? (int)(slash - path) : 1,
                 slash == path   ? "/"
                 : slash != NULL ? path
                                 : ".");
}
