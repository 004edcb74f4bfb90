#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# libmsprof_acl as a library: what it exports, and that programs written for other headers are built with it.
# shellcheck disable=SC2154 # enter_scratch and run_msprof set scratch, status and output

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
    needs gcc
}

# The functions that its headers declare.
declared() {
    cat "$repository"/include/msprof/*acl_prof.h | gcc -fpreprocessed -dD -E -P - 2>/dev/null | sed '/^ *#/d' | tr '\n' ' ' |
        grep -o 'MSPROF_API [^;(]*([^;]*;' | sed 's/^MSPROF_API [^(]*[ *]\([a-z][A-Za-z0-9_]*\)(.*/\1/' | sort
}

@test "the shared library exports the functions of the headers, each with a version, and nothing else" {
    [ "$(declared | wc -l)" -gt 60 ]
    expect_equal "$(nm -D --defined-only "$build/libmsprof_acl.so.1" | awk '$2 != "A" { print $3 }' | sort)" \
        "$(declared | sed 's/$/@@MSPROF_ACL_1.0/; s/^\(msprof_acl_\(replay_runs\|set_program\)@@MSPROF_ACL_1\).0/\1.1/
            s/^\(msprof_acl_flush@@MSPROF_ACL_1\).0/\1.2/
            s/^\(aclprof\(Warmup\|GetSupportedFeatures\(V2\)\?\|RegisterDeviceCallback\|SetStamp\(TagName\|CallStack\|Category\|Payload\)\|SetCategoryName\|MsproftxSwitch\|ReportStamp\|GetGraphId\)@@MSPROF_ACL_1\).0/\1.2/; $ a InitInjectionMstx@@MSPROF_ACL_1.2' | sort)"
}

@test "the static library defines the functions of the headers for its users, and nothing else" {
    [[ $build != */coverage ]] || skip "the coverage runtime adds symbols"
    expect_equal "$(nm -g --defined-only "$build/libmsprof_acl.a" | awk 'NF == 3 { print $3 }' | grep -v '^__odr_asan' |
        sort)" "$({ declared && echo InitInjectionMstx; } | sort)"
}

@test "the shared library needs the C library and cJSON and nothing else" {
    [[ $build == */release ]] || skip "sanitizers bring libraries of their own"
    expect_equal "$(readelf -d "$build/libmsprof_acl.so.1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^ld-' | sort)" \
        "libc.so.6
libcjson.so.1"
    expect_contains "$(readelf -d "$build/libmsprof_acl.so.1")" "soname: [libmsprof_acl.so.1]"
}

@test "the headers are good C99, C17 and C++, alone, twice, and with all warnings" {
    needs g++
    for header in msprof/acl_prof.h msprof/svp_acl_prof.h; do
        printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$header" "$header" >program.c
        cp program.c program.cc
        gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$repository/include" -fsyntax-only program.c
        gcc -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$repository/include" -fsyntax-only program.c
        g++ -std=c++11 -Wall -Wextra -Werror -I"$repository/include" -fsyntax-only program.cc
        g++ -std=c++20 -Wall -Wextra -Werror -I"$repository/include" -fsyntax-only program.cc
    done
}

# Writes the CANN headers that matter here, in a directory as CANN installs it.
write_cann_headers() {
    mkdir -p cann/acl
    cat >cann/acl/acl_base.h <<'END'
#ifndef INC_EXTERNAL_ACL_ACL_BASE_H_
#define INC_EXTERNAL_ACL_ACL_BASE_H_
typedef void *aclrtStream;
typedef int aclError;
static const int ACL_SUCCESS = 0;
static const int ACL_ERROR_INVALID_PARAM = 100000;
#endif
END
    printf '#include "acl_base.h"\n' >cann/acl/acl.h
    cat >cann/acl/acl_prof.h <<'END'
#ifndef INC_EXTERNAL_ACL_PROF_H_
#define INC_EXTERNAL_ACL_PROF_H_
#include "acl_base.h"
#define ACL_PROF_ACL_API 0x0001ULL
typedef struct aclprofConfig aclprofConfig;
aclError aclprofInit(const char *profilerResultPath, size_t length);
void *aclprofCreateStamp();
void aclprofDestroyStamp(void *stamp);
aclError aclprofMark(void *stamp);
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
aclError aclprofRangeStop(uint32_t rangeId);
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);
#endif
END
}

@test "the header gets on with CANN's headers, whichever comes first" {
    needs g++
    write_cann_headers
    local orders=("acl/acl.h msprof/acl_prof.h" "msprof/acl_prof.h acl/acl.h" "acl/acl_prof.h msprof/acl_prof.h"
        "msprof/acl_prof.h acl/acl_prof.h")
    for order in "${orders[@]}"; do
        printf '#include <stddef.h>\n#include <stdint.h>\n' >program.c
        for header in $order; do
            printf '#include "%s"\n' "$header" >>program.c
        done
        printf 'int main(void) { MSPROF_SCOPE("x"); return aclprofInit("x", 1) == ACL_ERROR_INVALID_PARAM; }\n' >>program.c
        gcc -Wall -Werror -Icann -I"$repository/include" -fsyntax-only program.c
        g++ -x c++ -Wall -Werror -Icann -I"$repository/include" -fsyntax-only program.c
    done
}

@test "a program of its own definitions of tensors is built, and one that takes those of the header" {
    cat >own.c <<'END'
#include "msprof/acl_prof.h"
#ifndef ACL_PROF_TENSOR_INFO_DEFINED
#define ACL_PROF_TENSOR_INFO_DEFINED
struct aclprofEventAttributes { uint16_t version, size; uint32_t messageType; void *message; };
#endif
int main(void) { struct aclprofEventAttributes a = {1, 8, 0, 0}; return aclprofRangePushEx(&a) == 0; }
END
    cat >taken.c <<'END'
#include "msprof/acl_prof.h"
#define MSPROF_ACL_TENSOR_INFO
#include "msprof/acl_prof.h"
int main(void) { struct aclprofEventAttributes a = {1, 8, 0, {0}}; return aclprofRangePushEx(&a) == 0; }
END
    for program in own taken; do
        gcc -Wall -Werror -I"$repository/include" "$program.c" -fsyntax-only
    done
}

# Installs the library below $scratch/root.
install_library() {
    mkdir tree
    tar -C "$repository" -c --exclude=./.git --exclude=./build . | tar -C tree -x
    mkdir tree/build
    cp -a "$repository/build/release" tree/build/
    env -u MAKEFLAGS -u MAKELEVEL -u VARIANT make -s -C tree install prefix="$scratch/root" >/dev/null
    export PKG_CONFIG_PATH=$scratch/root/lib/pkgconfig
}

@test "the installed library builds programs with pkg-config, shared and static, also unchanged ones of CANN and of boards" {
    [[ $build == */release ]] || skip "what is installed is the release build"
    needs pkg-config
    install_library
    cat >cann.c <<'END'
#include "acl/acl_prof.h"
#include <string.h>
int main(int argc, char **argv)
{
    uint32_t device = 0;
    aclError ret = aclprofInit(argv[1], strlen(argv[1]));
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_PIPE_UTILIZATION, NULL, ACL_PROF_ACL_API);
    if (argc != 2 || ret != ACL_SUCCESS || aclprofStart(config) != ACL_ERROR_NONE || aclprofStop(config) != ACL_SUCCESS)
        return 1;
    return aclprofDestroyConfig(config) + aclprofFinalize();
}
END
    cat >board.c <<'END'
#include "svp_acl_prof.h"
#include <string.h>
int main(int argc, char **argv)
{
    uint32_t device = 0;
    svp_acl_error ret = svp_acl_prof_init(argv[1], strlen(argv[1]));
    svp_acl_prof_config *config = svp_acl_prof_create_config(&device, 1, SVP_ACL_AICORE_ARITHMETIC_UTILIZATION, NULL,
                                                             SVP_ACL_PROF_ACL_API | SVP_ACL_PROF_AICPU_TRACE);
    if (argc != 2 || ret != SVP_ACL_SUCCESS || svp_acl_prof_start(config) != 0 || svp_acl_prof_stop(config) != 0)
        return 1;
    return svp_acl_prof_destroy_config(config) + svp_acl_prof_finalize();
}
END
    read -ra flags <<<"-I$(pkg-config --variable=compatdir msprof_acl) $(pkg-config --cflags msprof_acl)"
    read -ra libraries <<<"$(pkg-config --libs msprof_acl)"
    for program in cann board; do
        gcc "${flags[@]}" "$program.c" "${libraries[@]}" -o "$program"
        LD_LIBRARY_PATH=$scratch/root/lib "./$program" "$scratch/shared-$program"
        gcc "${flags[@]}" "$program.c" "$scratch/root/lib/libmsprof_acl.a" -lcjson -pthread -o "$program-static"
        "./$program-static" "$scratch/static-$program"
    done
    for capture in shared-cann/PROF_* static-cann/PROF_* shared-board/JOB* static-board/JOB*; do
        [ -d "$capture" ]
    done
    expect_equal "$(pkg-config --modversion msprof_acl)" "$("$MSPROF" --version | sed 's/^msprof \([^ ]*\).*/\1/')"
}

@test "messages go to standard error only when MSPROF_ACL_LOG asks for them" {
    run -1 --separate-stderr "$programs/sample_push_pop" out 1 0x8000000000
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -1 --separate-stderr env MSPROF_ACL_LOG=0 "$programs/sample_push_pop" out 1 0x8000000000
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -1 --separate-stderr env MSPROF_ACL_LOG=1 "$programs/sample_push_pop" out 1 0x8000000000
    [[ ${stderr_lines[0]} =~ ^libmsprof_acl\[[0-9]+\]:\ EK0005:\ Parameter\ dataTypeConfig ]]
}

@test "parsing acl.json leaves the program's cJSON as it was" {
    cat >program.c <<'END'
#include "msprof/acl_prof.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
static int calls;
static void *counted(size_t size) { calls++; return malloc(size); }
int main(int argc, char **argv)
{
    cJSON_Hooks hooks = {counted, free};
    cJSON_InitHooks(&hooks);
    if (argc != 2 || msprof_acl_json_start(argv[1]) != 0 || msprof_acl_json_stop() != 0)
        return 1;
    calls = 0;
    cJSON_Delete(cJSON_Parse("[1]"));
    return calls == 0;
}
END
    [[ $build == */release ]] || skip "built for the release library"
    gcc -I"$repository/include" program.c -L"$build" -lmsprof_acl -lcjson -Wl,-rpath,"$build" -o program
    echo '{"profiler": {"switch": "on", "output": "out"}}' >acl.json
    ./program acl.json
}
