#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Boards as they are: busybox instead of GNU tools, dropbear instead of OpenSSH, small disks, several at a time.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
    [ ! -d "$scratch/small" ] || umount "$scratch/small" 2>/dev/null || true
}

# A board whose every command is one of busybox.
start_busybox_board() {
    needs busybox
    mkdir busybox
    for applet in $(busybox --list); do
        ln -s "$(command -v busybox)" "busybox/$applet"
    done
    start_sshd "SetEnv HOME=$home PATH=$scratch/busybox TMPDIR=$board_tmp"
}

# A board whose home is a small file system: start_small_board KILOBYTES
start_small_board() {
    [ "$(id -u)" -eq 0 ] || skip "a small file system needs root"
    mkdir small
    mount -t tmpfs -o "size=${1}k" tmpfs small 2>/dev/null || skip "mount does not work here"
    home=$scratch/small
    start_sshd
}

@test "a board with the tools of busybox only: upload, run, fetch with checksums" {
    start_busybox_board
    head -c 300000 /dev/urandom >"$project/model.om"
    collect --keep
    expect_status 0
    expect_contains "$stderr" "verified by SHA-256"
    cmp "$project/model.om" "$home/profiling/model.om"
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    change_byte "$project/model.om" 5000
    collect --output second
    expect_status 0
    expect_contains "$stderr" "uploaded 1 file,"
    # what the first run kept stays
    expect_equal "$(find "$home" -name model.om)$(find "$home" -name '.msprof*')" ""
    [ -e "$home/profiling/out/main" ]
}

@test "a board with the tools of busybox only: a fetch goes on after cuts, in the middle of a file" {
    make_big_project 3 3000
    start_busybox_board
    start_proxy 2000000 4000000
    collect
    expect_status 0
    expect_contains "$stderr" "and restored"
    diff -r "$project/profiling/JOBBIG" reference
    expect_tidy
}

@test "a board with the tools of busybox only: Ctrl-C and --timeout stop the program" {
    start_busybox_board
    collect_in_background seconds=60
    wait_for grep -q "inference 1" collect.out
    interrupt_collect
    expect_status 130
    the_capture
    expect_tidy
    run_msprof collect -m "$project/out/main seconds=60 hang" --config board.ini --timeout 1 --output second
    expect_status 5
    expect_contains "$stderr" killed
    expect_tidy
}

@test "with dropbear a fetch goes on after cuts" {
    make_big_project 3 3000
    start_dropbear
    sed -i "s|$scratch/reference|$home/reference|" "$project/out/main"
    start_proxy 2000000 4000000
    collect
    expect_status 0
    expect_contains "$stderr" "and restored"
    diff -r "$project/profiling/JOBBIG" "$home/reference"
    [ ! -e "$home/profiling" ]
}

@test "a board whose disk is filled by the upload says so and is tidied up" {
    start_small_board 3000
    # the disk fills up between the look at it and the upload
    fake_command df "[ ! -e '$scratch/asked' ] || exec df \"\$@\"; touch '$scratch/asked'
        echo Filesystem 1024-blocks Used Available Capacity Mounted on; echo /dev/root 100000 10 99990 1% /"
    head -c 5000000 /dev/urandom >"$project/model.om"
    collect
    expect_status 5
    expect_contains "$stderr" "the board's disk is full"
    expect_contains "$stderr" remote_dir
    expect_tidy
}

@test "a board whose disk is filled by the capture: what was written comes home" {
    make_big_project 10 400
    sed -i -e 's/^    head .*/& || exit 1/' -e '/^cp -R/d' "$project/out/main"
    start_small_board 3000
    collect
    expect_status 5
    expect_contains "$stderr" "No space left on device"
    expect_contains "$stderr" "exit status 1"
    [ "$(find "$project/profiling/JOBBIG" -type f | wc -l)" -ge 4 ]
    expect_tidy
}

@test "of several boards those that work bring their captures, also when one fails" {
    start_sshd
    mkdir "$scratch/a"
    printf '[ssh_config:a]\nremote_dir = %s\n[ssh_config:off]\nport = %s\n' "$scratch/a" "$(free_port)" >>board.ini
    collect --board a --board off --all
    expect_status 5
    expect_contains "$stderr" "board off: cannot connect"
    capture=$(the_capture "$project/profiling/a")
    [ -s "$capture/sqlite/runtime.db" ]
    expect_equal "$(find "$project/profiling" -path '*off*' -name 'JOB*')" ""
    expect_equal "$(find a -mindepth 1)" ""
}

@test "a server that allows two sessions at a time is enough, and with one the hint says so" {
    start_sshd 'MaxSessions 2'
    collect
    expect_status 0
    expect_contains "$stderr" "verified by SHA-256"
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
    stop_all
    start_sshd 'MaxSessions 1'
    collect --output second
    expect_status 5
    expect_contains "$stderr" MaxSessions
    wait_for expect_tidy
}

@test "a board with the tools of busybox only: a capture whose name its ls does not print comes home" {
    printf '#!/bin/sh\nfor n in old JOBÄ; do mkdir -p "JOB$n/data"; echo "$n" >"JOB$n/data/f"; done; touch -d 2001-01-01 JOBold\n' \
        >"$project/out/main"
    start_busybox_board
    collect
    expect_status 0
    expect_contains "$stderr" "the board has 2 new captures: the newest, 'JOBJOBÄ', is used"
    expect_equal "$(<"$project/profiling/JOBJOBÄ/data/f")" JOBÄ
}
