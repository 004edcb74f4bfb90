#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every exchange with a board has a limit in time and in bytes.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2119,SC2120 # the options of start_impatient_sshd may be left out

load ../cli/common
load server

setup_file() {
    begin_scenes silent_uname silent_df silent_ldd silent_ls silent_tar silent_sums silent_cat silent_lock endless_sums \
        endless_complaints endless_answers noise half_an_answer drop_by_drop noisy_uname many_files silent_secret silent_program
}

teardown_file() {
    end_scenes
}

setup() {
    make_board # or skips all, where there is no server
}

# The board answers within twelve seconds, three times the timeout, or not at all: a busy machine's connects within four.
start_impatient_sshd() {
    start_sshd "$@"
    sed -i 's/^timeout = .*/timeout = 4/' board.ini
}

# A command of the board that never answers is given up: expect_given_up
expect_given_up() {
    local start=$SECONDS
    collect
    [ $((SECONDS - start)) -lt 150 ]
    expect_status 5
    expect_contains "$stderr" "did not answer within"
    expect_contains "$stderr" "timeout"
}

silent_command() {
    make_big_project 2 4
    start_impatient_sshd
    fake_command "$1" 'exec sleep 200'
    expect_given_up
}
scene_silent_uname() { silent_command uname; }
scene_silent_df() { silent_command df; }
scene_silent_ldd() { silent_command ldd; }
scene_silent_ls() { silent_command ls; }

@test "a command of the board that never answers is given up, whichever it is" {
    scene silent_uname silent_df silent_ldd silent_ls
}

silent_fetch() {
    make_big_project 2 4
    start_impatient_sshd
    fake_command openssl 'exit 1'
    fake_command "$1" 'case "$PWD" in */JOB*) exec sleep 200;; esac; exec '"$1"' "$@"'
    expect_given_up
    diff -r "$home/profiling/out/JOBBIG" reference
}
scene_silent_sums() { silent_fetch sha256sum; }
scene_silent_cat() { silent_fetch cat; }

@test "a fetch whose bytes or checksums never come is given up, and the capture stays" {
    scene silent_sums silent_cat
}

scene_silent_tar() {
    start_impatient_sshd
    fake_command tar 'exec sleep 200'
    expect_given_up
}

@test "an upload that the board does not take is given up" {
    scene silent_tar
}

# The board's tool for checksums does what a script says: spoilt_sums SERVER SCRIPT
spoilt_sums() {
    make_big_project 2 4
    "start_$1"
    fake_command openssl 'exit 1'
    fake_command sha256sum "case \"\$PWD\" in */JOB*) $2; exit;; esac; exec sha256sum \"\$@\""
    collect
    expect_status 5
    diff -r "$home/profiling/out/JOBBIG" reference
}

scene_endless_sums() {
    spoilt_sums sshd 'exec yes "no checksum at all"'
    expect_contains "$stderr" "list of checksums is endless"
}

scene_endless_complaints() {
    spoilt_sums sshd 'exec yes "no checksum at all" >&2'
    expect_contains "$stderr" "prints errors endlessly"
}

scene_endless_answers() {
    start_sshd
    fake_command ls 'exec yes JOBX/'
    collect
    expect_status 5
    expect_contains "$stderr" "sent an answer of more than"
}

@test "endless checksum lines, endless complaints and endless answers end with status 5" {
    scene endless_sums endless_complaints endless_answers
}

spoilt_sums_in_time() {
    local start=$SECONDS
    spoilt_sums impatient_sshd "$1"
    [ $((SECONDS - start)) -lt 150 ]
    expect_contains "$stderr" "--fetch-only $home/profiling/out"
}
scene_noise() { spoilt_sums_in_time 'head -c 300000 /dev/urandom'; }
scene_half_an_answer() { spoilt_sums_in_time 'printf 5d41402abc; exec sleep 200'; }
scene_drop_by_drop() { spoilt_sums_in_time 'for i in 1 2 3 4; do printf a; sleep 1; done'; }

scene_noisy_uname() {
    start_sshd
    fake_command uname 'printf x; head -c 300000 /dev/urandom' # a newline in front would be no answer
    collect
    expect_status 5
}

@test "noise, half an answer and one byte a second end in time, and what the run made stays" {
    scene noise half_an_answer drop_by_drop noisy_uname
}

scene_silent_lock() {
    start_impatient_sshd
    fake_command mkdir 'exec sleep 200'
    expect_given_up
    expect_contains "$stderr" "cannot lock the board"
}

@test "a lock whose answer never comes is given up" {
    scene silent_lock
}

scene_many_files() {
    make_big_project 1 1
    start_sshd
    fake_command find 'case "$PWD" in */JOB*) seq -f "81a4 1 ./f%.0f" 1000002;; esac; exec find "$@"'
    collect
    expect_status 5
    expect_contains "$stderr" "more than 1000000 files"
}

@test "more files than are taken, and a list that does not end, are the board's fault: status 5" {
    scene many_files
}

scene_silent_secret() {
    write_ini 1 "pwd = cmd:exec sleep 300"
    sed -i 's/^timeout = .*/timeout = 1/' board.ini
    local start=$SECONDS
    collect
    [ $((SECONDS - start)) -lt 20 ]
    expect_status 5
    expect_contains "$stderr" "the command for 'pwd' did not answer"
}

@test "a command that gives a secret and never answers is given up" {
    scene silent_secret
}

# The board itself must answer meanwhile, also when this machine has much else to do.
scene_silent_program() {
    start_impatient_sshd
    mv "$project/out/main" "$project/out/works"
    printf '#!/bin/sh\nsleep 16\nexec ./works\n' >"$project/out/main"
    chmod +x "$project/out/main"
    collect
    expect_status 0
    the_capture
}

@test "the program may be silent for longer than any command may" {
    scene silent_program
}
