/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on files and directories of files: the regression test of its corpus, without libFuzzer.
 * Prints TAP, a line after each input, so that the input that ends the program is the one after the last line. */
#include "tests/fuzz/support.h"

#include <dirent.h>
#include <errno.h>

#define LONGEST_INPUT (16 * 1024 * 1024)

static size_t inputs;

static int replay_file(const char *path)
{
    FILE *stream = fopen(path, "re");
    uint8_t *data = malloc(LONGEST_INPUT);
    if (stream == NULL || data == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        free(data);
        if (stream != NULL)
            fclose(stream);
        return -1;
    }
    size_t size = fread(data, 1, LONGEST_INPUT, stream);
    int status = ferror(stream) ? -1 : 0;
    fclose(stream);
    /* In a block of its own size, so that a sanitizer sees every byte too far. */
    uint8_t *exact = realloc(data, size > 0 ? size : 1);
    if (status == 0 && exact != NULL) {
        LLVMFuzzerTestOneInput(exact, size);
        printf("ok %zu - the target survives %s\n", ++inputs, path);
        fflush(stdout);
    }
    free(exact != NULL ? exact : data);
    return status;
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_input, alphasort), status = 0;
    if (count < 0)
        return errno == ENOTDIR ? replay_file(path) : (perror(path), -1);
    for (int i = 0; i < count; i++) {
        char *file = NULL;
        if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
            file = NULL;
        if (file == NULL || replay_file(file) < 0)
            status = -1;
        free(file);
        free(entries[i]);
    }
    free(entries);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= replay(argv[i]);
    if (inputs > 0)
        printf("1..%zu\n", inputs);
    return status == 0 && inputs > 0 ? 0 : 1;
}
