#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Transfers over links that break, and removals of many files.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2030,SC2031 # each scene has variables of its own

load ../cli/common
load server

setup_file() {
    begin_scenes partial killed_fetch other_beginning outage slow_removal many_cuts many_upload_cuts partial_upload killed_upload
}

teardown_file() {
    end_scenes
}

setup() {
    make_board
}

# One file of so many megabytes in a capture on the board.
leave_large_capture() {
    mkdir -p "$home/JOBX/data"
    head -c $(($1 * 1000000)) /dev/urandom >"$home/JOBX/data/f"
    cp -R "$home/JOBX" reference
    mkdir there
}

fetch_large() {
    run_msprof collect --config board.ini --fetch-only "$home/JOBX" --output there "$@"
}

scene_partial() {
    leave_large_capture 9
    start_sshd
    arrived=1 # each run ends after the same bytes, with all of its new connections refused
    for _ in 1 2 3; do
        start_proxy 3000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
        fetch_large --reconnect-seconds 0
        expect_status 5
        stop_proxy
        [ ! -e there/JOBX/data/f ]
        before=$arrived
        arrived=$(stat -c %s there/.partial-JOBX/*)
        [ "$arrived" -ge "$before" ]
    done
    write_ini "$port"
    fetch_large --remove-remote
    expect_status 0
    expect_contains "$stderr" "continued a file after $arrived bytes"
    diff -r there/JOBX reference
    expect_equal "$(ls -A there)" "$(printf 'JOBX\nlog')"
    [ ! -e "$home/JOBX" ]
}

stop_proxy() {
    local process=${board_processes[-1]}
    kill "$process"
    wait "$process" 2>/dev/null || true
    unset 'board_processes[-1]'
}

@test "a file that came in part is completed by the next run, however often the link is cut" {
    scene partial
}

scene_killed_fetch() {
    leave_large_capture 4
    start_sshd
    fake_command cat 'for f; do head -c 3000000 "$f"; sleep 30; done'
    "$MSPROF" collect --config board.ini --fetch-only "$home/JOBX" --output there >collect.out 2>&1 3>&- &
    collect_process=$!
    has_come() { [ "$(find there -name '.msprof.*' -printf %s)" = 3000000 ]; }
    wait_for has_come
    kill -9 "$collect_process"
    wait "$collect_process" || true
    fake_command cat 'exit 1' # the rest comes by tail
    fetch_large
    expect_status 0
    expect_contains "$stderr" "continued a file after 3000000 bytes"
    diff -r there/JOBX reference
    rm -r there/JOBX "$fake/cat"
    mkdir -p there/.partial-JOBX there/JOBX
    fetch_large
    expect_status 0
    diff -r there/JOBX reference
}

# A range in the middle of what came is not the board's, as after a loss of power; or the board has nothing to compare with.
scene_other_beginning() {
    leave_large_capture 30
    start_sshd
    leave_part() {
        rm -rf there
        mkdir -p there/JOBX/data there/.partial-JOBX
        head -c 25000000 reference/data/f >part
        printf 'not the same' | dd of=part bs=1 seek=9000000 conv=notrunc status=none
        mv part "there/.partial-JOBX/$name"
    }
    mkdir -p there
    start_proxy 3000000 0 0 0 0 0 0 0 0 0 0
    fetch_large --reconnect-seconds 0
    expect_status 5
    stop_proxy
    write_ini "$port"
    name=$(ls there/.partial-JOBX)
    leave_part
    fetch_large
    expect_status 0
    expect_contains "$stderr" "continued a file after 8388608 bytes"
    expect_contains "$stderr" "16611392 bytes of a file that were already here were sent again: they differ from the board's"
    diff -r there/JOBX reference
    leave_part
    for tool in sha256sum md5sum cksum openssl; do fake_command $tool 'exit 1'; done
    fetch_large
    expect_status 0
    expect_contains "$stderr" "25000000 bytes of a file that were already here were sent again: they cannot be compared"
    diff -r there/JOBX reference
}

@test "a file that came in part is gone on with as far as its ranges are the board's, and sent anew where that cannot be told" {
    scene other_beginning
}

@test "a fetch that was killed is gone on with in the middle of its file" {
    scene killed_fetch
}

scene_outage() {
    make_big_project 4 2000
    start_sshd
    start_proxy 3000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    collect_in_background ''
    has_begun() { [ -n "$(find "$project/profiling" -type f -size +1000k)" ]; }
    wait_for has_begun
    stop_proxy
    sleep 13
    # shellcheck disable=SC2094
    proxy_port=$(sed -n 's/^port = //p' board.ini)
    "$ssh_programs/cutting_proxy" "$proxy_port" "$port" >proxy.out 2>&1 3>&- &
    board_processes+=($!)
    await_collect
    expect_status 0
    expect_contains "$stderr" "and restored"
    diff -r "$project/profiling/JOBBIG" reference
}

@test "an outage is waited for" {
    scene outage
}

scene_many_cuts() {
    leave_large_capture 15
    start_sshd
    start_proxy 2000000 2000000 2000000 2000000 2000000 2000000 2000000 -
    fetch_large
    expect_status 0
    expect_contains "$stderr" "the connection was lost 7 times"
    diff -r there/JOBX reference
}

scene_many_upload_cuts() {
    # of what a cut link has taken up to 2 MB never reach the board's tar: that much its server holds
    head -c 45000000 /dev/urandom >"$project/model.om"
    start_sshd
    start_proxy up:6000000 up:6000000 up:6000000 up:6000000 up:6000000 up:6000000 up:6000000 -
    collect --keep
    expect_status 0
    expect_contains "$stderr" "the connection was lost 7 times"
    expect_contains "$stderr" "continued a file after"
    cmp "$project/model.om" "$home/profiling/model.om"
    expect_equal "$(find "$home" "$board_tmp" -name '.msprof*')" ""
}

@test "a link that is cut again and again is good enough when much comes in between, for a fetch and for an upload" {
    scene many_cuts many_upload_cuts
}

# An upload whose link ends and does not come back.
cut_upload() {
    start_proxy up:5000000 0 0 0 0 0 0 0 0 0 0
    collect --reconnect-seconds 0
    expect_status 5
    stop_proxy
    write_ini "$port"
}

scene_partial_upload() {
    head -c 9000000 /dev/urandom >"$project/model.om"
    echo first >"$project/a.txt"
    start_sshd
    cut_upload
    wait_for test ! -e "$board_tmp"/.msprof-*.lock
    arrived=$(stat -c %s "$home/profiling/.msprof-upload/model.om")
    [ "$arrived" -gt 1000000 ]
    collect --keep
    expect_status 0
    expect_contains "$stderr" "continued a file after $arrived bytes that had arrived before"
    expect_contains "$stderr" "1 file from an interrupted upload"
    cmp "$project/model.om" "$home/profiling/model.om"
    rm -r "$home/profiling" "$project/profiling"
    cut_upload
    # a disk with room for the rest alone, and for the 2 MB that a capture begins with
    whole=$(find "$project" -type f -printf '%s\n' | awk '{ bytes += $1 } END { print int(bytes / 1024) + 2048 }')
    arrived=$(du -sk "$home/profiling/.msprof-upload" | cut -f 1)
    [ "$arrived" -gt 1000 ]
    fake_command df "printf 'Filesystem 1024-blocks Used Available Capacity Mounted\n/dev/x 9 9 $((whole - arrived)) 9%% /\n'"
    printf 'not the same' | dd of="$home/profiling/.msprof-upload/model.om" bs=1 seek=70000 conv=notrunc status=none
    ln -s /etc "$home/profiling/.msprof-upload/out.d" # no file of the project
    collect --keep
    expect_status 0
    expect_contains "$stderr" "bytes that had arrived before were sent again: they differ from the project's"
    cmp "$project/model.om" "$home/profiling/model.om"
    expect_equal "$(find "$home" "$board_tmp" -name '.msprof*' -o -name out.d)" ""
    rm "$fake/df"
    rm -r "$home/profiling" "$project/profiling"
    start_proxy up:5000000 0 - # the link is back in time to tidy up
    collect --reconnect-seconds 0
    expect_status 5
    expect_contains "$stderr" "stays in '$home/profiling/.msprof-upload' on the board; the next run continues from there"
    expect_equal "$(find "$home" -type f ! -path '*/.msprof-*')" ""
    stop_proxy
    write_ini "$port"
    for tool in sha256sum md5sum cksum openssl; do fake_command $tool 'exit 1'; done
    collect
    expect_status 0
    expect_contains "$stderr" "bytes that had arrived before were sent again: they cannot be compared"
    expect_tidy
}

@test "an upload that was cut is gone on with by the next run, as far as what arrived is right" {
    scene partial_upload
}

scene_killed_upload() {
    head -c 9000000 /dev/urandom >"$project/model.om"
    start_sshd
    fake_command tar 'head -c 6000000 | tar "$@"; exec sleep 30'
    collect_in_background ''
    has_come() { [ "$(stat -c %s "$home/profiling/.msprof-upload/model.om")" -gt 5000000 ]; }
    wait_for has_come
    kill -9 "$collect_process"
    wait "$collect_process" || true
    rm "$fake/tar"
    wait_for test ! -e "$board_tmp"/.msprof-*.lock
    collect
    expect_status 0
    expect_contains "$stderr" "continued a file after"
    expect_tidy
}

@test "an upload that was killed is gone on with in the middle of its file" {
    scene killed_upload
}

scene_slow_removal() {
    mkdir -p "$home/JOBX/data"
    for i in $(seq 1000); do echo "$i" >"$home/JOBX/data/f$i"; done
    cp -R "$home/JOBX" reference
    start_sshd
    sed -i 's/^timeout = .*/timeout = 4/' board.ini
    fake_command rm 'sleep 0.3; echo >>'"'$scratch/removals'"'; exec rm "$@"'
    fetch_large --remove-remote
    expect_status 0
    diff -r there/JOBX reference
    expect_equal "$(find "$home" -mindepth 1)" ""
    [ "$(wc -l <removals)" -lt 100 ]
}

@test "many files are removed by one command, in its own time" {
    scene slow_removal
}
