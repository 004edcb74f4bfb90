#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a run made on the board and nobody has at home is never removed, and --fetch-only brings it.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
}

# The board's ls does TEXT when it is asked for captures after the run.
fake_listing_after_run() {
    fake_command ls "if [ -e '$scratch/reference' ]; then $1; fi; exec ls \"\$@\""
}

# The command that an output names is run as it stands: fetch_as_told FILE [OPTION...]
fetch_as_told() {
    local told
    told=$(sed -n 's/.*fetch it with: msprof //p' "$1" | tail -n 1)
    [ -n "$told" ]
    shift
    eval "run_msprof $told $*"
}

# shellcheck disable=SC2120 # the name has a default
expect_capture_on_board() {
    diff -r "$home/profiling/out/${1:-JOBBIG}" reference
    [ ! -e "$home/profiling/out/main" ]
}

@test "a link that breaks while captures are listed after the run removes none of them" {
    make_big_project 3 40
    start_sshd
    start_proxy "file:$scratch/cut"
    fake_listing_after_run "[ -e '$scratch/cut' ] || { touch '$scratch/cut'; sleep 3; }"
    collect
    expect_status 5
    expect_contains "$stderr" "stay in '$home/profiling/out' on the board"
    # shellcheck disable=SC2119
    expect_capture_on_board
    printf '%s\n' "$stderr" >told
    fetch_as_told told
    expect_status 0
    diff -r "$project/profiling/JOBBIG" reference
    # shellcheck disable=SC2119
    expect_capture_on_board # it was not asked to remove it
    fetch_as_told told --remove-remote
    expect_status 0
    expect_contains "$stderr" "3 files (3 of them were here already)"
    diff -r "$project/profiling/JOBBIG" reference
    [ ! -e "$home/profiling/out/JOBBIG" ]
}

@test "SIGTERM and SIGINT while captures are listed after the run remove none of them" {
    make_big_project 2 10
    start_sshd
    for signal in TERM INT; do
        rm -rf "$home/profiling" reference asked
        fake_listing_after_run "touch '$scratch/asked'; sleep 3"
        collect_in_background ''
        wait_for test -e asked
        kill -"$signal" "$collect_process"
        await_collect
        expect_status 130
        expect_contains "$stderr" "--fetch-only $home/profiling/out"
        # shellcheck disable=SC2119
        expect_capture_on_board
    done
    rm "$fake/ls"
    fetch_as_told collect.err --remove-remote
    expect_status 0
    diff -r "$project/profiling/JOBBIG" reference
    expect_equal "$(find "$home" -name 'JOB*')" ""
}

@test "the directory of a capture may have any name that is safe" {
    start_sshd
    for name in JOB_run1 'JOB a b' "JOB'x\"\$(y)" JOB.lower-case; do
        rm -rf reference "$project/profiling"
        make_big_project 2 3
        printf '%s' "$name" >name
        sed -i "s|cp -R JOBBIG|n=\$(cat $scratch/name); mv JOBBIG \"\$n\"; cp -R \"\$n\"|" "$project/out/main"
        collect
        expect_status 0
        capture=$(the_capture)
        expect_equal "${capture##*/}" "$name"
        diff -r "$capture" reference
        expect_tidy
    done
}

@test "a capture whose name cannot be taken stays on the board and is told" {
    make_big_project 1 3
    sed -i "s|cp -R JOBBIG.*|mv JOBBIG \"\$(printf 'JOB\\\\033[31mX')\"|" "$project/out/main"
    start_sshd
    collect
    expect_status 5
    expect_contains "$stderr" "1 unsafe name that is skipped, the first is 'JOB?[31mX'"
    expect_contains "$stderr" "--fetch-only $home/profiling/out"
    expect_equal "$(find "$home/profiling/out" -name 'aicore.0.1.1.slice_0' -size 3k | wc -l)" 1
}

@test "what else the program made is not removed either, and is told" {
    printf '#!/bin/sh\nmkdir -p JOBA/data results empty; echo x >JOBA/data/f; echo y >results/r; ln -s f JOBA/data/l\n' \
        >"$project/out/main"
    start_sshd
    collect
    expect_status 0
    expect_contains "$stderr" "entries that were not fetched stay in '$home/profiling/out/JOBA'"
    expect_equal "$(cd "$home" && find . ! -type d | sort)" \
        "$(printf './profiling/out/JOBA/data/l\n./profiling/out/results/r')"
}

@test "of several new captures the newest comes home, and for each other one stands how to fetch it" {
    printf '#!/bin/sh\nfor n in A B C; do mkdir -p JOB$n/data; echo $n >JOB$n/data/f; sleep 0.02; done\ntouch JOBC\n' \
        >"$project/out/main"
    start_sshd
    collect
    expect_status 0
    [ -e "$project/profiling/JOBC/data/f" ]
    for name in A B; do
        expect_contains "$stderr" "--fetch-only $home/profiling/out/JOB$name "
    done
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/" --output all --remove-remote
    expect_status 0
    expect_equal "$(cat all/JOB[AB]/data/f | sort)" "$(printf 'A\nB')"
    expect_equal "$(find "$home" -name 'JOB*')" ""
}

@test "what a program in the background still writes is not removed from the board" {
    make_big_project 2 3
    start_sshd
    # it grows once its checksums are told and it is here
    for tool in sha256sum openssl busybox; do
        fake_command "$tool" "$tool \"\$@\"; status=\$? tries=0
            while [ -e '$scratch/reference' ] && [ \$tries -lt 100 ] &&
                [ -z \"\$(find '$project/profiling' -name 'aicore.0.1.1.slice_1*' -size 3072c)\" ]; do
                sleep 0.1; tries=\$((tries + 1))
            done
            [ ! -e '$scratch/reference' ] || echo more >>'$home/profiling/out/JOBBIG/data/aicore.0.1.1.slice_1'; exit \$status"
    done
    collect
    expect_status 5
    expect_contains "$stderr" "'data/aicore.0.1.1.slice_1' on the board has changed since it was fetched"
    expect_contains "$stderr" "--fetch-only $home/profiling/out"
    grep -q more "$home/profiling/out/JOBBIG/data/aicore.0.1.1.slice_1"
    cmp "$home/profiling/out/JOBBIG/data/aicore.0.1.1.slice_0" reference/data/aicore.0.1.1.slice_0
}

@test "captures that are newer by a wrong clock, and an out/ that is a link, are no reason to remove anything" {
    make_big_project 2 3
    sed -i 's|^cp -R|touch -d "1999-01-01" JOBBIG\ncp -R|' "$project/out/main"
    mkdir -p "$home/profiling/out/JOBOLD/data" elsewhere
    echo old >"$home/profiling/out/JOBOLD/data/f"
    touch -d "2099-01-01" "$home/profiling/out/JOBOLD"
    mv "$home/profiling/out" elsewhere/out
    ln -s "$scratch/elsewhere/out" "$home/profiling/out"
    start_sshd
    collect
    expect_status 0
    diff -r "$project/profiling/JOBBIG" reference
    expect_equal "$(cat elsewhere/out/JOBOLD/data/f)" old
}

@test "whatever a collect has the board do when the link breaks, a signal comes or a file changes, nothing is lost" {
    export PYTHONPATH=$repository/tests/lib:$repository/tests/faults
    for how in gone TERM KILL changed changed-after; do
        rm -rf board
        python3 "$repository/tests/faults/exchange.py" "$MSPROF" "$how" 7
    done
}

# A capture of five files on the board, as a run that failed left it.
leave_capture() {
    mkdir -p "$home/profiling/out/JOBX/data"
    for i in 1 2 3 4 5; do
        head -c 300000 /dev/urandom >"$home/profiling/out/JOBX/data/f$i"
    done
    cp -R "$home/profiling/out/JOBX" reference
}

@test "--fetch-only goes on where a fetch was: what is here is checked and not sent again" {
    leave_capture
    start_sshd
    mkdir -p there/JOBX/data
    cp reference/data/f[12] there/JOBX/data/
    head -c 1000 reference/data/f3 >there/JOBX/data/f3 # the beginning only
    fake_command cat "printf '%s\\n' \"\$@\" >>'$scratch/sent'; exec cat \"\$@\""
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there
    expect_status 0
    diff -r there/JOBX reference
    expect_equal "$(grep -c '/f[12]$' sent)" 0
    expect_equal "$(find "$home/profiling/out/JOBX" -type f | wc -l)" 5
    expect_contains "$stderr" "5 files (2 of them were here already)"
}

@test "a fetch that was killed leaves what the next one removes, and two never go into one directory" {
    leave_capture
    start_sshd
    fake_command cat 'cat "$1"; sleep 5'
    "$MSPROF" collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there >collect.out 2>&1 3>&- &
    collect_process=$!
    wait_for test -e there/JOBX/data
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there
    expect_status 1
    expect_contains "$stderr" "another msprof is fetching into"
    kill -9 "$collect_process"
    wait "$collect_process" || true
    rm "$fake/cat"
    printf part >there/JOBX/data/.msprof.0123456789abcdef.tmp
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there
    expect_status 0
    diff -r there/JOBX reference
}

@test "--fetch-only never overwrites what is not the board's" {
    leave_capture
    start_sshd
    mkdir -p there/JOBX/data
    tr '\000-\377' '\001-\377\000' <reference/data/f2 >there/JOBX/data/f2 # same size
    cp -R there before
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there --remove-remote
    expect_status 1
    expect_contains "$stderr" "choose another --output"
    cmp there/JOBX/data/f2 before/JOBX/data/f2
    head -c 1000 before/JOBX/data/f2 >there/JOBX/data/f2 # shorter, and not the beginning
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there --remove-remote
    expect_status 1
    cmp -n 1000 there/JOBX/data/f2 before/JOBX/data/f2
    expect_equal "$(stat -c %s there/JOBX/data/f2)" 1000
    rm -r there/JOBX/data/f2
    mkdir elsewhere
    ln -s "$PWD/elsewhere" there/JOBX/data/sub
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there --remove-remote
    expect_status 1
    expect_equal "$(find elsewhere -mindepth 1)" ""
    diff -r "$home/profiling/out/JOBX" reference # nothing of it was removed
}

@test "--remove-remote removes only what was fetched and verified" {
    leave_capture
    ln -s f1 "$home/profiling/out/JOBX/data/link"
    start_sshd
    fake_command sha256sum 'sha256sum "$@" | sed "/f3/s/^./x/"'
    fake_command openssl 'exit 1'
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there --remove-remote
    expect_status 5
    expect_equal "$(find "$home/profiling/out/JOBX" -type f | wc -l)" 5
    rm "$fake/sha256sum"
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there --remove-remote
    expect_status 0
    expect_equal "$(find "$home/profiling/out/JOBX" ! -type d)" "$home/profiling/out/JOBX/data/link"
    diff -r there/JOBX reference
}

@test "--fetch-only takes no directory for a capture that is none, and --remove-remote removes nothing of it" {
    mkdir -p "$home/profiling/out/model" "$home/profiling/out/JOBAAA/data" "$home/profiling/data" "$home/JOBS/JOBA/data" \
        "$home/JOBS/JOBTOOLS" "$home/JOBNONE/sub"
    for file in out/main out/acl.json out/model/net.om out/JOBAAA/data/aicore.0.1.1.slice_0 data/picture.bin; do
        echo "$file" >"$home/profiling/$file"
    done
    for file in JOBS/JOBA/data/f JOBS/notes.txt JOBS/JOBTOOLS/plot.py JOBNONE/notes.txt JOBNONE/sub/data; do
        echo "$file" >"$home/$file"
    done
    cp -R "$home" before
    start_sshd
    for place in JOBNONE profiling; do
        run_msprof collect --config board.ini --fetch-only "$place" --output there --remove-remote
        expect_status 5
        expect_contains "$stderr" "'$home/$place' on the board is not a capture and contains none"
        diff -r "$home" before
    done
    run_msprof collect --config board.ini --fetch-only profiling/out --output there --remove-remote
    expect_status 0
    diff -r there/JOBAAA before/profiling/out/JOBAAA
    rm -r before/profiling/out/JOBAAA
    run_msprof collect --config board.ini --fetch-only profiling/out --output there --remove-remote
    expect_status 5
    diff -r "$home" before
    run_msprof collect --config board.ini --fetch-only JOBS --output there --remove-remote
    expect_status 3
    expect_contains "$stderr" "'$home/JOBS/JOBTOOLS' on the board contains no capture: it stays there"
    diff -r there/JOBA before/JOBS/JOBA
    rm -r before/JOBS/JOBA
    diff -r "$home" before
    expect_equal "$(ls -A there)" "$(printf 'JOBA\nJOBAAA\nlog')"
}

@test "--fetch-only fetches a capture of CANN by its name, and a capture that is empty" {
    mkdir -p "$home/out/PROF_1/device_0/data" "$home/out/JOBEMPTY"
    echo x >"$home/out/PROF_1/device_0/data/f"
    cp -R "$home/out/PROF_1" reference
    start_sshd
    run_msprof collect --config board.ini --fetch-only out/PROF_1 --output there --remove-remote
    expect_status 0
    diff -r there/PROF_1 reference
    run_msprof collect --config board.ini --fetch-only out/JOBEMPTY --output there --remove-remote
    expect_status 0
    expect_contains "$stderr" "'$home/out/JOBEMPTY' is empty"
    expect_equal "$(find "$home/out" -mindepth 1)" ""
}

@test "--fetch-only: what is not there, and what cannot go together" {
    start_sshd
    run_msprof collect --config board.ini --fetch-only "$home/none/JOBX" --output there
    expect_status 5
    expect_contains "$stderr" "missing directory '$home/none/JOBX' on the board"
    run_msprof collect --config board.ini --fetch-only none/JOBX --output there
    expect_contains "$stderr" "missing directory '$home/none/JOBX' on the board"
    collect --fetch-only /x
    expect_status 2
    expect_contains "$stderr" "--fetch-only cannot be combined with --main"
    collect --remove-remote
    expect_status 2
    expect_contains "$stderr" "--remove-remote needs --fetch-only"
    run_msprof collect --config board.ini --fetch-only "$home/JOBX" --dry-run --all --remove-remote
    expect_status 0
    expect_contains "$output" "fetch '$home/JOBX' into '$PWD'"
    expect_contains "$output" "remove fetched, verified and unchanged files from the board"
}

@test "--fetch-only --all makes the reports of what it fetched" {
    start_sshd
    collect --keep
    expect_status 0
    run_msprof collect --config board.ini --fetch-only profiling/out --output there --all
    expect_status 0
    [ -e "$(the_capture there)/sqlite/runtime.db" ]
}
