#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names that frameworks and older programs use beside those of the guides, and the libraries in which they look for them.
# shellcheck disable=SC2154 # common.bash, acl.bash and preload.bash set status, output, stderr, build and programs

bats_require_minimum_version 1.5.0
load ../cli/common
load acl
load preload

setup() {
    enter_preload_scratch
}

@test "functions of frameworks and of older programs work without a device, or return the documented code" {
    run -0 "$programs/names" captures
    expect_equal "$output" ""
    "$MSPROF" import -q --strict -dir captures/PROF_*
    expect_equal "$(sqlite3 -separator ' ' captures/PROF_*/sqlite/runtime.db 'SELECT category, payload_type, payload_value FROM msproftx ORDER BY start_ns')" "0 0 0
3 3 9
3 2 $(python3 -c 'import struct; print(struct.unpack("<q", struct.pack("<d", 2.5))[0])')"
}

@test "a program that is linked with -lmsprofiler, or loads libmsprofiler.so, gets this library" {
    needs gcc
    [[ $build == */release ]] || skip "sanitizers bring libraries of their own"
    printf '#include "msprof/acl_prof.h"\nint main(void) { return aclprofFinalize() == ACL_ERROR_PROF_NOT_RUN ? 0 : 1; }\n' >program.c
    gcc -I"$repository/include" -o program program.c -L"$build" -lmsprofiler -Wl,-rpath,"$build"
    ./program
}

@test "a program that looks aclprof functions up in libascendcl.so is served under the preload library, and no other name" {
    needs gcc
    [[ $build == */release ]] || skip "the preload library is the same in every variant"
    cat >program.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *acl = dlopen(argv[1], RTLD_NOW), *other = dlopen("libm.so.6", RTLD_NOW);
    int (*init)(const char *, size_t) = dlsym(acl, "aclprofInit");
    int (*finalize)(void) = dlsym(acl, "aclprofFinalize");
    if (init == NULL || finalize == NULL)
        return 3;
    if (dlerror() != NULL || dlsym(acl, "aclprofNoSuchName") != NULL || dlerror() == NULL)
        return 4;
    if (dlsym(other, "aclprofInit") != NULL)
        return 5;
    return init("out", 3) == 0 && finalize() == 0 ? 0 : 6;
}
END
    gcc -w -o program program.c -ldl
    run -3 ./program "$build/tests/acl/libascendcl.so"
    preloaded ./program "$build/tests/acl/libascendcl.so"
    expect_equal "$status $stderr" "0 "
}
