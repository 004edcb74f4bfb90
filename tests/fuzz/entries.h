/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that describe files: bytes are taken off the front, 0 when there are none left, and names are own ones, those
 * of descriptions, or those that the record kinds say files of theirs have. */
#ifndef MSPROF_TESTS_FUZZ_ENTRIES_H
#define MSPROF_TESTS_FUZZ_ENTRIES_H

#include "tests/fuzz/support.h"

#define OWN_NAME_MAX 95 /* bytes */
#define ENTRY_NAME_SIZE 128
#define KIND_NAMES_MAX 512

struct input {
    const uint8_t *at, *end;
};

static inline uint8_t take_byte(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static inline size_t take_bytes(struct input *input, size_t wanted, const uint8_t **ret)
{
    size_t left = (size_t)(input->end - input->at), count = wanted < left ? wanted : left;
    *ret = input->at;
    input->at += count;
    return count;
}

/* A pattern of a kind with something in the place of each {placeholder}. */
static inline void fill_pattern(const char *pattern, char *name, size_t size)
{
    static const char *const words[][2] = {
        {"model", "net"}, {"tag", "op"}, {"number", "45"}, {"model_id", "1"}, {"process_id", "77"}};
    FILE *stream = fmemopen(name, size, "w");
    EXPECT(stream != NULL);
    while (*pattern != '\0') {
        if (*pattern != '{') {
            fputc(*pattern++, stream);
            continue;
        }
        const char *end = strchr(pattern, '}'), *word = "0";
        EXPECT(end != NULL);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (strlen(words[i][0]) == (size_t)(end - pattern) - 1 &&
                strncmp(words[i][0], pattern + 1, (size_t)(end - pattern) - 1) == 0)
                word = words[i][1];
        }
        fputs(word, stream);
        pattern = end + 1;
    }
    EXPECT(fclose(stream) == 0);
}

static char kind_names[KIND_NAMES_MAX][ENTRY_NAME_SIZE];
static size_t kind_name_count;

static inline void list_kind_names(void)
{
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const char *const *pattern = (*kind)->patterns;
        for (; pattern != NULL && *pattern != NULL; pattern++) {
            EXPECT(kind_name_count < KIND_NAMES_MAX);
            fill_pattern(*pattern, kind_names[kind_name_count++], ENTRY_NAME_SIZE);
        }
    }
}

/* The name of a file as the kinds say it, in their order. */
static inline const char *kind_file_name(size_t number)
{
    if (kind_name_count == 0)
        list_kind_names();
    return kind_names[number % kind_name_count];
}

/* A byte says which: below 96 the length of an own name, then those of descriptions, from 192 on with the next byte the
 * number of a kind's. */
static inline void take_name(struct input *input, char name[ENTRY_NAME_SIZE])
{
    static const char *const descriptions[] = {
        "info.json.0",          "info.json",
        "sample.json",          "start_info",
        "start_info.0",         "end_info",
        "end_info.0",           "host_start.log",
        "host_start.log.0",     "dev_start.log.0",
        "net.1.net.info",       "aicpu.0.net.1.1.1.0.done",
        "acl_api.0.net.1.done", "aicore.0.1.1.complete",
        "hwts.data.0.slice_1",
    };
    uint8_t choice = take_byte(input);
    if (choice > 191) {
        snprintf(name, ENTRY_NAME_SIZE, "%s", kind_file_name((size_t)(choice - 192) << 8 | take_byte(input)));
        return;
    }
    if (choice > OWN_NAME_MAX) {
        snprintf(name, ENTRY_NAME_SIZE, "%s", descriptions[choice % (sizeof descriptions / sizeof *descriptions)]);
        return;
    }
    const uint8_t *bytes;
    size_t length = take_bytes(input, choice, &bytes);
    memcpy(name, bytes, length);
    name[length] = '\0';
    for (char *slash = name; (slash = strchr(slash, '/')) != NULL;)
        *slash = '_';
}

#endif
