/* SPDX-License-Identifier: Apache-2.0 */
/* Results of msprof op: each file is a byte that chooses its name, two bytes of its length (little endian) and its
 * content. */
#include "tests/fuzz/directory.h"
#include "tests/fuzz/entries.h"

#define FILES_MAX 24

static const char *const names[] = {
    "OpBasicInfo.csv",
    "PipeUtilization.csv",
    "ArithmeticUtilization.csv",
    "Memory.csv",
    "MemoryL0.csv",
    "MemoryUB.csv",
    "L2Cache.csv",
    "ResourceConflictRatio.csv",
    "PipeUtilization_20260101000000001.csv",
    "PipeUtilization_99999999999999999.csv",
    "add/0/OpBasicInfo_20260101000000001.csv",
    "add/0/PipeUtilization_20260101000000001.csv",
    "device1/add/1/OpBasicInfo_20260101000000002.csv",
    "device1/add/1/L2Cache_20260101000000002.csv",
    "simulator/trace.json",
    "simulator/core0.veccore0/core0.veccore0_code_exe.csv",
    "simulator/core0.veccore0/core0.veccore0_instr_exe.csv",
    "simulator/core1.cubecore0/core1.cubecore0_instr_exe_20260101000000001.csv",
    "add/0/simulator/trace.json",
};
enum { NAMES = sizeof names / sizeof *names };

static void make_file(const char *name, const uint8_t *content, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", fuzz_directory, name);
    for (char *slash = path + strlen(fuzz_directory) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    fuzz_write_file(name, content, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    const struct capture_options options = {.clock_khz = 0};
    fuzz_directory_make();
    fuzz_directory_clear();
    for (int i = 0; i < FILES_MAX && input.at < input.end; i++) {
        const char *name = names[take_byte(&input) % NAMES];
        const uint8_t *content;
        size_t length = take_byte(&input);
        length |= (size_t)take_byte(&input) << 8;
        length = take_bytes(&input, length, &content);
        make_file(name, content, length);
    }
    expect_decoded(fuzz_directory, &options, NULL);
    return 0;
}
