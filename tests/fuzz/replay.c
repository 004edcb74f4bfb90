/* Runs a fuzz target on the files of its corpus, without libFuzzer and with any compiler; prints TAP.
 * usage: replay_<target> CORPUS_DIRECTORY */
#include "base/fsutil.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED_LIMIT (16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs one seed in a block of exactly its size, so that a sanitizer sees every byte read beyond it. */
static int replay(const char *path, struct err *err)
{
    char *text;
    size_t size;
    uint8_t *seed;

    if (read_whole_file(path, SEED_LIMIT, &text, &size, err) != 0)
        return -err->code;
    seed = malloc(size > 0 ? size : 1);
    if (seed == NULL) {
        free(text);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    memcpy(seed, text, size);
    free(text);
    LLVMFuzzerTestOneInput(seed, size);
    free(seed);
    return 0;
}

static int is_seed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    struct dirent **seeds = NULL;
    int count, failures = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
        return 2;
    }
    count = scandir(argv[1], &seeds, is_seed, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s: no seeds in '%s'\n", argv[0], argv[1]);
        free(seeds);
        return 1;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        struct err err = ERR_INIT;
        char *path = path_join(argv[1], seeds[i]->d_name);
        int result = path != NULL ? replay(path, &err) : err_set(&err, ERR_NO_MEMORY, "out of memory");

        printf("%sok %d - the target survives %s\n", result == 0 ? "" : "not ", i + 1, seeds[i]->d_name);
        fflush(stdout); /* the next seed may end the program */
        if (result != 0) {
            fprintf(stderr, "# %s\n", err_message(&err));
            failures++;
        }
        free(path);
        free(seeds[i]);
    }
    free(seeds);
    return failures > 0 ? 1 : 0;
}
