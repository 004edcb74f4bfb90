/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress_bar.h"

#include "base/number.h"
#include "cli/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DELAY_NS 500000000
#define REDRAW_NS 100000000
#define DEFAULT_WIDTH 80
#define MAX_WIDTH 200
#define BAR_WIDTH 30

static struct {
    pthread_mutex_t lock;
    char what[64];
    int64_t start_ns, drawn_ns; /* start_ns 0: nothing is going on */
    bool visible;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* 12345678 -> "12.3 M". */
static void format_amount(char *buffer, size_t size, uint64_t amount)
{
    static const char prefixes[] = " kMGTPE";
    size_t prefix = 0;
    uint64_t tenths = 0;

    while (amount >= 1000 && prefix + 1 < sizeof prefixes - 1) {
        tenths = amount % 1000 / 100;
        amount /= 1000;
        prefix++;
    }
    if (prefix == 0)
        snprintf(buffer, size, "%llu", (unsigned long long)amount);
    else
        snprintf(buffer, size, "%llu.%llu %c", (unsigned long long)amount, (unsigned long long)tenths,
                 prefixes[prefix]);
}

void progress_bar_format(char *buffer, size_t size, int width, const char *what, uint64_t done, uint64_t total,
                         int64_t elapsed_ns)
{
    static const char marks[] = "##############################";
    char rate[24];
    const int64_t second_ns = 1000000000;
    int64_t amount = done < INT64_MAX ? (int64_t)done : INT64_MAX;
    unsigned percent = 0, filled;

    if (total > 0 && total <= INT64_MAX)
        percent = done < total ? (unsigned)number_scale(amount, 100, (int64_t)total) : 100;
    filled = percent * BAR_WIDTH / 100;
    format_amount(rate, sizeof rate, elapsed_ns > 0 ? (uint64_t)number_scale(amount, second_ns, elapsed_ns) : 0);
    snprintf(buffer, (size_t)width < size ? (size_t)width + 1 : size, "%s [%.*s%*s] %3u%% %s/s", what, (int)filled,
             marks, (int)(BAR_WIDTH - filled), "", percent, rate);
}

static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col < MAX_WIDTH ? size.ws_col : MAX_WIDTH;
}

/* One write, so that lines of other threads do not fall into it. Output that cannot be shown is not worth an error. */
static void put(const char *text, size_t length)
{
    while (write(STDERR_FILENO, text, length) < 0 && errno == EINTR)
        ;
}

static void erase(void)
{
    static const char clear_line[] = "\r\033[K";

    if (bar.visible)
        put(clear_line, sizeof clear_line - 1);
    bar.visible = false;
}

static void draw(const char *what, uint64_t done, uint64_t total, int64_t elapsed_ns)
{
    char line[MAX_WIDTH + 8] = "\r";

    /* the last column stays free: terminals would wrap */
    progress_bar_format(line + 1, sizeof line - 5, terminal_width() - 1, what, done, total, elapsed_ns);
    size_t length = strlen(line);
    length += (size_t)snprintf(line + length, sizeof line - length, "\033[K");
    put(line, length);
    bar.visible = true;
}

void progress_bar_update(void *unused, const char *what, uint64_t done, uint64_t total)
{
    int64_t now = clock_now_ns();

    (void)unused;
    pthread_mutex_lock(&bar.lock);
    if (bar.start_ns == 0 || strncmp(bar.what, what, sizeof bar.what - 1) != 0) {
        /* a next step of visible work shows at once */
        bar.start_ns = now;
        bar.drawn_ns = bar.visible ? now - REDRAW_NS : now + DELAY_NS - REDRAW_NS;
        snprintf(bar.what, sizeof bar.what, "%s", what);
    }
    if (now - bar.drawn_ns >= REDRAW_NS) {
        draw(what, done, total, now - bar.start_ns);
        bar.drawn_ns = now;
    }
    pthread_mutex_unlock(&bar.lock);
}

void progress_bar_pause(void)
{
    pthread_mutex_lock(&bar.lock);
    erase();
}

void progress_bar_resume(void)
{
    pthread_mutex_unlock(&bar.lock);
}

void progress_bar_end(void)
{
    pthread_mutex_lock(&bar.lock);
    erase();
    bar.start_ns = 0;
    pthread_mutex_unlock(&bar.lock);
}
