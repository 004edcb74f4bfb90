/* SPDX-License-Identifier: Apache-2.0 */
/* Program of the "board" in tests: obeys acl.json, takes its time, and leaves a capture as a program with profiling
 * does.
 *
 * usage: board-program [seconds=N] [captures=N] [exit=N] [crash] [hang] [partial] [say=TEXT]
 *
 * Runs for so many seconds (0) or until SIGINT, then writes so many captures (1) and ends. hang: takes no notice of
 * SIGINT and SIGTERM. crash: dies by SIGSEGV after the captures. partial: the .done files are missing. */
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "testdata/generate/board.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACL_LIMIT ((size_t)1024 * 1024)
#define INFERENCES 2

struct wishes {
    long seconds, captures, exit_status;
    bool crash, hang, partial;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static bool take_wish(struct wishes *wishes, const char *word)
{
    char *end = NULL;

    if (strncmp(word, "seconds=", 8) == 0)
        wishes->seconds = strtol(word + 8, &end, 10);
    else if (strncmp(word, "captures=", 9) == 0)
        wishes->captures = strtol(word + 9, &end, 10);
    else if (strncmp(word, "exit=", 5) == 0)
        wishes->exit_status = strtol(word + 5, &end, 10);
    else if (strcmp(word, "crash") == 0)
        return wishes->crash = true;
    else if (strcmp(word, "hang") == 0)
        return wishes->hang = true;
    else if (strcmp(word, "partial") == 0)
        return wishes->partial = true;
    else if (strncmp(word, "say=", 4) == 0)
        return puts(word + 4) >= 0;
    return end != NULL && *end == '\0';
}

/* Reads acl.json: the directory for captures, NULL when profiling is off (as without the file). */
static char *read_acl_json(struct err *err)
{
    char *text = NULL, *output = NULL;
    const char *enabled, *directory;
    struct json *root;
    size_t length;

    if (path_read_file("acl.json", ACL_LIMIT, &text, &length, err) != 0)
        return NULL;
    root = json_parse(text, length, err);
    enabled = json_string(json_member(json_member(root, "profiler"), "switch"));
    directory = json_string(json_member(json_member(root, "profiler"), "output"));
    if (enabled != NULL && strcmp(enabled, "on") == 0 && directory != NULL)
        output = strdup(directory);
    json_free(root);
    free(text);
    return output;
}

static void work(const struct wishes *wishes)
{
    const struct timespec tick = {.tv_nsec = 50000000};

    for (long i = 0; i < wishes->seconds * 20 && !stopped; i++) {
        if (i % 10 == 0) {
            printf("inference %ld\n", i / 10);
            fflush(stdout);
        }
        nanosleep(&tick, NULL);
    }
}

/* As when the program ends without svp_acl_finalize(). */
static void remove_done_files(const char *capture)
{
    char *data = path_join(capture, "data");
    DIR *stream = data != NULL ? opendir(data) : NULL;
    const struct dirent *item;

    while (stream != NULL && (item = readdir(stream)) != NULL) {
        const char *dot = strrchr(item->d_name, '.');

        if (dot != NULL && strcmp(dot, ".done") == 0)
            unlinkat(dirfd(stream), item->d_name, 0);
    }
    if (stream != NULL)
        closedir(stream);
    free(data);
}

static int write_captures(const struct wishes *wishes, const char *output, struct err *err)
{
    struct board_options board = {.seed = (uint64_t)getpid() * 1000,
                                  .models = {{"resnet50", 6}},
                                  .model_count = 1,
                                  .batches = {1},
                                  .batch_count = 1,
                                  .devices = 1,
                                  .inputs = 1,
                                  .streams = 1,
                                  .inferences = INFERENCES,
                                  .api_calls = 100,
                                  .ai_cpu = true,
                                  .megahertz = 600};
    struct network network;
    int result = network_init(&network, NETWORK_RESNET50_LAYERS + NETWORK_AI_CPU_LAYERS, true, err);

    if (result != 0)
        return result;
    for (long i = 0; i < wishes->captures && result == 0; i++) {
        char *directory = NULL;
        uint64_t records;

        board.seed++;
        result = board_run(&board, &network, output, &directory, &records, err);
        if (result == 0 && wishes->partial)
            remove_done_files(directory);
        free(directory);
    }
    network_release(&network);
    return result;
}

int main(int argc, char **argv)
{
    struct wishes wishes = {.captures = 1};
    struct err err = ERR_INIT;
    char *output;
    int result = 0;

    for (int i = 1; i < argc; i++)
        if (!take_wish(&wishes, argv[i])) {
            fprintf(stderr, "board-program: unknown word '%s'\n", argv[i]);
            return 2;
        }
    signal(SIGINT, wishes.hang ? SIG_IGN : stop);
    signal(SIGTERM, wishes.hang ? SIG_IGN : SIG_DFL);
    work(&wishes);
    output = read_acl_json(&err);
    if (output != NULL)
        result = write_captures(&wishes, output, &err);
    free(output);
    if (result != 0) {
        fprintf(stderr, "board-program: %s\n", err_message(&err));
        return 1;
    }
    if (wishes.crash) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
        raise(SIGSEGV);
    }
    return (int)wishes.exit_status;
}
