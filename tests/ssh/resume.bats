#!/usr/bin/env bats
# Transfers over links that break, and removals of many files.
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2030,SC2031 # each scene has variables of its own

load ../cli/common
load server

setup_file() {
    begin_scenes partial killed_fetch outage slow_removal many_cuts
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
    expect_contains "$stderr" "went on behind the first $arrived bytes"
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
    expect_contains "$stderr" "went on behind the first 3000000 bytes"
    diff -r there/JOBX reference
    rm -r there/JOBX "$fake/cat"
    mkdir -p there/.partial-JOBX there/JOBX
    fetch_large
    expect_status 0
    diff -r there/JOBX reference
}

@test "a fetch that was killed is gone on with in the middle of its file" {
    scene killed_fetch
}

scene_outage() {
    make_big_project 4 2000
    start_sshd
    start_proxy 3000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    collect_in_background ''
    link_is_cut() { [ -n "$(find "$project/profiling" -name 'aicore*' -size +1000k)" ]; }
    wait_for link_is_cut
    stop_proxy
    sleep 9
    # shellcheck disable=SC2094
    proxy_port=$(sed -n 's/^port = //p' board.ini)
    "$ssh_programs/cutting_proxy" "$proxy_port" "$port" >proxy.out 2>&1 3>&- &
    board_processes+=($!)
    await_collect
    expect_status 0
    expect_contains "$stderr" "made anew"
    diff -r "$project/profiling/JOBBIG" reference
}

@test "an outage is waited for" {
    scene outage
}

scene_many_cuts() {
    leave_large_capture 115
    start_sshd
    start_proxy 17500000 17500000 17500000 17500000 17500000 17500000 -
    fetch_large
    expect_status 0
    expect_contains "$stderr" "the connection broke 6 times"
    diff -r there/JOBX reference
}

@test "a link that is cut again and again is good enough when much comes in between" {
    scene many_cuts
}

scene_slow_removal() {
    mkdir -p "$home/JOBX/data"
    for i in $(seq 1000); do echo "$i" >"$home/JOBX/data/f$i"; done
    cp -R "$home/JOBX" reference
    start_sshd
    sed -i 's/^timeout = .*/timeout = 1/' board.ini
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
