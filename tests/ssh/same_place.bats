#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The board is this machine, or both see one directory: what would be removed there is what is here.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # make_board and run_msprof set them

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
}

leave_capture() {
    mkdir -p "$home/profiling/out/JOBX/data"
    local i
    for i in 1 2 3; do
        head -c $((i * 1000)) /dev/urandom >"$home/profiling/out/JOBX/data/f$i"
    done
    cp -R "$home/profiling/out/JOBX" reference
}

@test "--remove-remote removes nothing where the board's directory is the copy that is here, whatever leads to it" {
    leave_capture
    start_sshd
    ln -s "$home/profiling/out" link
    ln -s "$home/profiling/out/JOBX" "$home/JOBLINK"
    mkdir other
    for places in "$home/profiling/out/JOBX $home/profiling/out" "profiling/out $home/profiling/out" \
        "$home/profiling/out/JOBX link" "$home/profiling/../profiling/out/JOBX $home/profiling/out/."; do
        # shellcheck disable=SC2086 # words
        set -- $places
        run_msprof collect --config board.ini --fetch-only "$1" --output "$2" --remove-remote
        expect_status 2
        expect_contains "$stderr" "are one directory: nothing is removed"
        expect_contains "$stderr" "leave --remove-remote out, or choose another --output"
        diff -r "$home/profiling/out/JOBX" reference
    done
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output "$home/profiling/out"
    expect_status 0
    diff -r "$home/profiling/out/JOBX" reference
    # a copy of its own is none of the board's
    cp -R reference other/JOBX
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output other --remove-remote
    expect_status 0
    [ ! -e "$home/profiling/out/JOBX" ]
    diff -r other/JOBX reference
}

@test "a run keeps its capture where the results are to go into the board's own directory, and a project that stands there" {
    start_sshd
    run_msprof collect -m "$project/out/main" --config board.ini --output "$home/profiling/out"
    expect_status 1
    expect_contains "$stderr" "already exists: each capture needs its own directory"
    [ -n "$(find "$home" -path '*/JOB*' -type f)" ]
    rm -r "$home/profiling"
    mkdir "$home/profiling"
    mv "$project"/* "$home/profiling"
    cp -R "$home/profiling" before
    run_msprof collect -m "$home/profiling/out/main" --config board.ini
    expect_status 0
    local file
    for file in $(cd before && find . -type f); do
        cmp "before/$file" "$home/profiling/$file"
    done
    [ -n "$(find "$home" -path '*/JOB*' -type f)" ]
}

@test "a link in the place of what a fetch left unfinished loses nothing of what it leads to" {
    leave_capture
    start_sshd
    mkdir there mine
    echo mine >mine/0123456789abcdef
    ln -s "$PWD/mine" there/.partial-JOBX
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBX" --output there
    expect_status 0
    expect_equal "$(<mine/0123456789abcdef)" mine
}
