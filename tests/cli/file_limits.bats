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
    expect_contains "$stderr" "a hole that was never written, and nothing behind it is read; expected 34359738368 bytes"
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
    until grep -q "clear waits" said || ! kill -0 "$export" 2>/dev/null; do sleep 0.02; done
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
