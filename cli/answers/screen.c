/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers/screen.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What stdout was before a pager took it. */
static const struct winsize *terminal(void)
{
    static bool asked, is_terminal;
    static struct winsize size;

    if (!asked) {
        is_terminal = isatty(STDOUT_FILENO) == 1;
        if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
            size.ws_col = 0;
        asked = true;
    }
    return is_terminal ? &size : NULL;
}

int screen_width(const struct settings *settings)
{
    const char *columns = getenv("COLUMNS");
    int64_t width;

    if (settings->width != WIDTH_DEFAULT)
        return settings->width;
    if (columns != NULL && number_parse_integer(columns, strlen(columns), &width) == 0 && width > 0 && width <= 100000)
        return (int)width;
    return terminal() != NULL ? terminal()->ws_col : 0;
}

int screen_answer_width(const struct settings *settings)
{
    return settings->width != WIDTH_DEFAULT || terminal() != NULL ? screen_width(settings) : 0;
}

bool screen_is_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") == NULL && strcasestr(value, "utf8") == NULL;
    }
    return true;
}
