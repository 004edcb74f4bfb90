#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs in which several libraries have a function of one name: each caller reaches its own, as without the preload library,
# and every call is recorded.
# shellcheck disable=SC2154 # common.bash and preload.bash set status, output, stderr and build

bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
    needs gcc
    [[ $build == */release ]] || skip "the preload library is the same in every variant"
    cat >common.h <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int aclrtFree(void *);
typedef int function(void *);
#define EXPECT(value, wanted) do { int got_ = (value); if (got_ != (wanted)) { \
    printf("line %d: %d, not %d\n", __LINE__, got_, wanted); return 1; } } while (0)
END
}

# lib<name>.so, whose aclrtFree returns a number.
make_library() { # name, number
    echo "int aclrtFree(void *p) { return $2; }" >"$1.c"
    gcc -w -shared -fPIC -Wl,-soname,"lib$1.so" -o "lib$1.so" "$1.c"
}

# <name>.so, whose call() returns what its aclrtFree returns.
make_plugin() { # name, library
    echo 'int aclrtFree(void *); int call(void *p) { int result = aclrtFree(p); return result; }' >plugin.c
    gcc -w -shared -fPIC -o "$1.so" plugin.c -L. "-l$2" -Wl,-rpath,"$PWD"
}

# The program of standard input runs alike without and with the preload library, which records so many calls.
runs_alike() { # calls, linker flag...
    local count=$1
    shift
    { echo '#include "common.h"' && cat; } >program.c
    gcc -w -o program program.c -L. "$@" -Wl,-rpath,"$PWD" -ldl
    ./program
    preloaded ./program
    expect_equal "$status $output $stderr" "0  "
    expect_equal "$(calls)" "aclrtFree $count"
}

@test "a lookup in another library does not turn linked calls, nor does closing it crash them" {
    make_library ascendcl 1
    make_library other 2
    runs_alike 14 -lascendcl <<'END'
int main(void) {
    void *other = dlopen("./libother.so", RTLD_NOW | RTLD_LOCAL);
    function *looked_up = dlsym(other, "aclrtFree");
    EXPECT(looked_up(0), 2);
    EXPECT(aclrtFree(0), 1);
    EXPECT(looked_up(0), 2);
    function *found = dlsym(RTLD_DEFAULT, "aclrtFree"), *own = dlsym(dlopen("libascendcl.so", RTLD_NOW), "aclrtFree");
    EXPECT(found == aclrtFree, 1);
    EXPECT(own == aclrtFree, 1);
    EXPECT(dlerror() == NULL, 1);
    dlclose(other);
    EXPECT(dlopen("./libother.so", RTLD_NOW | RTLD_NOLOAD) == NULL, 1); /* it is really gone */
    EXPECT(aclrtFree(0), 1);
    for (int i = 0; i < 5; i++) {
        other = dlopen("./libother.so", RTLD_NOW | RTLD_LOCAL);
        looked_up = dlsym(other, "aclrtFree");
        EXPECT(looked_up(0), 2);
        dlclose(other);
        EXPECT(aclrtFree(0), 1);
    }
    return 0;
}
END
}

@test "a library in a namespace of its own has its own function, also after it was closed" {
    make_library ascendcl 1
    make_library other 2
    runs_alike 4 -lascendcl <<'END'
int main(void) {
    void *other = dlmopen(LM_ID_NEWLM, "./libother.so", RTLD_NOW);
    function *looked_up = dlsym(other, "aclrtFree");
    EXPECT(looked_up(0), 2);
    EXPECT(aclrtFree(0), 1);
    EXPECT(looked_up(0), 2);
    dlclose(other);
    EXPECT(aclrtFree(0), 1);
    return 0;
}
END
}

@test "each caller reaches the version that it was linked with, and dlvsym the one that it names" {
    printf 'V1 { global: aclrtFree; local: *; };\n' >one.map
    printf 'V1 { global: aclrtFree; local: *; };\nV2 { global: aclrtFree; } V1;\n' >two.map
    echo 'int aclrtFree(void *p) { return 1; }' >ascendcl.c
    gcc -w -shared -fPIC -Wl,-soname,libascendcl.so -Wl,--version-script=one.map -o libascendcl.so ascendcl.c
    echo 'int aclrtFree(void *); int old_call(void *p) { int result = aclrtFree(p); return result; }' >old.c
    gcc -w -shared -fPIC -o libold.so old.c -L. -lascendcl -Wl,-rpath,"$PWD"
    cat >ascendcl.c <<'END'
__asm__(".symver old, aclrtFree@V1");
__asm__(".symver new, aclrtFree@@V2");
int old(void *p) { return 1; }
int new(void *p) { return 2; }
END
    gcc -w -shared -fPIC -Wl,-soname,libascendcl.so -Wl,--version-script=two.map -o libascendcl.so ascendcl.c
    runs_alike 7 -lold -lascendcl <<'END'
int old_call(void *);
int main(void) {
    function *newest = dlsym(RTLD_DEFAULT, "aclrtFree"), *first = dlvsym(RTLD_DEFAULT, "aclrtFree", "V1");
    function *second = dlvsym(dlopen("libascendcl.so", RTLD_NOW), "aclrtFree", "V2");
    EXPECT(newest(0), 2);
    EXPECT(first(0), 1);
    EXPECT(second(0), 2);
    EXPECT(old_call(0), 1);
    EXPECT(aclrtFree(0), 2);
    EXPECT(old_call(0), 1);
    EXPECT(aclrtFree(0), 2);
    EXPECT(dlvsym(RTLD_DEFAULT, "aclrtFree", "V3") == NULL, 1);
    EXPECT(dlerror() != NULL, 1);
    return 0;
}
END
}

@test "libraries that are loaded for themselves each reach the library that they were linked with, whatever is closed before" {
    make_library first 1
    make_library second 2
    make_plugin one first
    make_plugin two second
    runs_alike 24 <<'END'
int main(void) {
    for (int i = 0; i < 6; i++) {
        void *one = dlopen("./one.so", RTLD_NOW | RTLD_LOCAL), *two = dlopen("./two.so", RTLD_NOW | RTLD_LOCAL);
        EXPECT(((function *)dlsym(one, "call"))(0), 1);
        EXPECT(((function *)dlsym(two, "call"))(0), 2);
        dlclose(one);
        EXPECT(((function *)dlsym(two, "call"))(0), 2);
        dlclose(two);
        two = dlopen(i % 2 ? "./one.so" : "./two.so", RTLD_NOW | RTLD_LOCAL);
        EXPECT(((function *)dlsym(two, "call"))(0), i % 2 ? 1 : 2);
        dlclose(two);
    }
    return 0;
}
END
}

@test "a program that looks up more functions than there are entries for works, and is told that their calls are not recorded" {
    awk 'NF == 2 && $1 !~ /^#/ { print "int " $2 "(void) { return 1; }" }' "$repository/acl/preload/functions.list" >all.c
    gcc -w -shared -fPIC -o all1.so all.c
    for copy in 2 3 4 5; do cp all1.so "all$copy.so"; done
    awk 'NF == 2 && $1 !~ /^#/ { print "\"" $2 "\"," }' "$repository/acl/preload/functions.list" >names.h
    cat >program.c <<'END'
#include "common.h"
static const char *names[] = {
#include "names.h"
};
int main(void) {
    for (int copy = 1; copy <= 5; copy++) {
        char path[20];
        sprintf(path, "./all%d.so", copy);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            EXPECT(((int (*)(void))dlsym(library, names[i]))(), 1);
    }
    return 0;
}
END
    gcc -w -o program program.c -ldl
    preloaded ./program
    expect_equal "$status $output" "0 "
    expect_contains "$stderr" "and others are not recorded: the program has looked up too many functions"
    lost=$(($(wc -l <names.h) * 5 - 4096))
    expect_contains "$stderr" "is incomplete: $lost calls lost"
    run_msprof import -dir "$(captures)"
    expect_contains "$output$stderr" "$lost calls"
    expect_equal "$(sqlite3 "$(captures)/sqlite/runtime.db" "SELECT count(*) FROM host_call_report")" 4096
}

@test "a program built with MemorySanitizer is recorded with the setting of the manual" {
    needs clang
    make_library ascendcl 0
    echo 'int aclrtFree(void *); int main(void) { for (int i = 0; i < 5; i++) aclrtFree(0); return 0; }' >program.c
    clang -w -fsanitize=memory -o program program.c -L. -lascendcl -Wl,-rpath,"$PWD" || skip "clang has no MemorySanitizer"
    MSAN_OPTIONS=report_umrs=0 run_msprof run --output out -- ./program
    expect_status 0
    run_msprof show -q --table api --format csv out/PROF_*
    expect_contains "$output" "aclrtFree"
    expect_contains "$output" ",5,"
}
