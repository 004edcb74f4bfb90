#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A limit on the size of files (ulimit -f) is an error as a full disk is: told, and nothing half is left.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    copy_capture
}

limited() {
    status=0
    (ulimit -f 16 && exec "$MSPROF" "$@") >stdout 2>stderr || status=$?
    stderr=$(<stderr)
}

@test "an import beyond the limit on the size of files ends with an error, not by SIGXFSZ" {
    limited import -dir JOBX
    expect_status 1
    expect_contains "$stderr" "cannot import"
    expect_equal "$(find JOBX/sqlite -mindepth 1)" ""
}

@test "an export beyond the limit on the size of files leaves no half report" {
    run_msprof import -q -dir JOBX
    limited export timeline -dir JOBX
    expect_status 1
    expect_contains "$stderr" "File too large"
    expect_equal "$(find JOBX -name '.msprof*')" ""
    # shellcheck disable=SC2044 # names without blanks
    for file in $(find JOBX/timeline -name '*.json'); do
        python3 -m json.tool "$file" >/dev/null
    done
}

@test "a sparse file of 32 GB is read up to its hole, which is told" {
    copy_capture JOBX
    before=$("$MSPROF" import -dir JOBX --output one 2>&1 | sed -n 's/.* \([0-9]*\) records decoded.*/\1/p')
    file=$(find JOBX/data -name 'aicore.*' ! -name '*.done' | sort | head -n 1)
    truncate -s 32G "$file"
    run_msprof import -dir JOBX --output two
    expect_status 3
    expect_contains "$stderr" "${file#JOBX/}: offset"
    expect_contains "$stderr" "a hole that was never written; nothing after it is read; expected 34359738368 bytes"
    expect_contains "$stderr" " $before records decoded"
}

@test "--clear waits for those who use the database, also where another import has replaced it, and says so" {
    copy_capture JOBX
    run_msprof import -q -dir JOBX
    # python3 is what uses it, as another msprof would: by a shared lock.
    mkfifo hold
    python3 -c 'import fcntl, os, sys
fcntl.flock(os.open("JOBX/sqlite", os.O_RDONLY), fcntl.LOCK_SH)
print("locked", flush=True)
sys.stdin.read()' <hold >locked &
    user=$!
    exec 7>hold
    until [ -s locked ]; do sleep 0.02; done
    cp JOBX/sqlite/runtime.db JOBX/sqlite/newer.db
    mv JOBX/sqlite/newer.db JOBX/sqlite/runtime.db
    "$MSPROF" export summary -dir JOBX --clear 2>said 7>&- &
    export=$!
    until grep -q "not cleared" said || ! kill -0 "$export" 2>/dev/null; do sleep 0.02; done
    [ -e JOBX/sqlite/runtime.db ]
    exec 7>&-
    wait "$user"
    wait "$export"
    [ ! -e JOBX/sqlite/runtime.db ]
}

@test "exports with --clear beside each other all succeed" {
    copy_capture JOBX
    for i in 1 2 3 4; do
        "$MSPROF" export summary -q -dir JOBX --clear 2>"said$i" &
        jobs[i]=$!
    done
    for i in 1 2 3 4; do
        wait "${jobs[i]}" || { cat "said$i" >&2; return 1; }
    done
    [ ! -e JOBX/sqlite/runtime.db ]
}

# Writes shim.c, in which calls of fcntl with a cmd, and an argument p, for which a condition holds fail with an errno.
make_lock_shim() { # condition, errno
    cat >shim.c <<END
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
int fcntl64(int fd, int cmd, ...)
{
    static int (*real)(int, int, ...);
    va_list a;
    va_start(a, cmd);
    void *p = va_arg(a, void *);
    va_end(a);
    if (!real)
        real = dlsym(RTLD_NEXT, "fcntl64");
    if ($1)
        return errno = $2, -1;
    return real(fd, cmd, p);
}
int fcntl(int fd, int cmd, ...)
{
    va_list a;
    va_start(a, cmd);
    void *p = va_arg(a, void *);
    va_end(a);
    return fcntl64(fd, cmd, p);
}
END
}

@test "every command works on a file system without POSIX locks, as Lustre without flock or NFS without a lock manager is" {
    needs cc
    [[ $MSPROF != *san/* ]] || skip "a sanitizer wants to be the first library"
    make_lock_shim 'cmd == F_SETLK || cmd == F_SETLKW || cmd == F_GETLK || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW || cmd == F_OFD_GETLK' \
        'atoi(getenv("LOCKERR"))'
    cat >>shim.c <<'END'
int flock(int fd, int how)
{
    return (void)fd, (void)how, errno = atoi(getenv("LOCKERR")), -1;
}
END
    cc -shared -fPIC -o shim.so shim.c -ldl
    cp -r "$repository"/testdata/frameworks/run_ascend_pt .
    chmod -R u+w run_ascend_pt
    copy_capture JOBONE
    mkdir RUN
    cp -r run_ascend_pt RUN/rank0_ascend_pt
    local error command
    for error in 37 38 95; do
        rm -rf JOBONE/sqlite run_ascend_pt/PROF_*/sqlite
        for command in "import -dir JOBONE" "export summary -dir JOBONE" "export timeline -dir JOBONE" "show JOBONE" "advise JOBONE" \
            "report JOBONE -o page.html" "diff JOBONE JOBONE" "query -dir JOBONE" "analyse run_ascend_pt --export text,db" "cluster RUN"; do
            # shellcheck disable=SC2086 # words
            LOCKERR=$error LD_PRELOAD=$PWD/shim.so run_msprof $command
            [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
            expect_not_contains "$stderr" "lock"
        done
    done
}

@test "a database that another program has locked is called that by every command, with what helps" {
    needs cc
    [[ $MSPROF != *san/* ]] || skip "a sanitizer wants to be the first library"
    make_lock_shim 'cmd == F_SETLK && ((struct flock *)p)->l_type != F_UNLCK' EAGAIN
    cc -shared -fPIC -o shim.so shim.c -ldl
    cp -r "$repository"/testdata/frameworks/run_ascend_pt .
    chmod -R u+w run_ascend_pt
    copy_capture JOBONE
    run_msprof import JOBONE run_ascend_pt/PROF_*
    local command option
    for command in "export summary -dir JOBONE" "export timeline -dir JOBONE" "show JOBONE" "advise JOBONE" "report JOBONE -o page.html" \
        "diff JOBONE JOBONE" "query -dir JOBONE" "analyse run_ascend_pt" "cluster --timeline run_ascend_pt"; do
        # shellcheck disable=SC2086 # words
        LD_PRELOAD=$PWD/shim.so run_msprof $command
        expect_status 1
        expect_contains "$stderr" "another program holds its lock, or the file system has no locks"
        option=--output
        [ "${command%% *}" != report ] || option=--results # its --output is the page
        expect_contains "$stderr" "choose a local disk with $option DIR"
    done
}
