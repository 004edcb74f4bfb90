#include "cli/answers/screen.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

int screen_width(const struct settings *settings)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int64_t width;

    if (settings->width != WIDTH_DEFAULT)
        return settings->width;
    if (columns != NULL && number_parse_integer(columns, strlen(columns), &width) == 0 && width > 0 && width <= 100000)
        return (int)width;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
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
