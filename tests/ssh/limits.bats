#!/usr/bin/env bats
# Every exchange with a board has a limit in time and in bytes.
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2119,SC2120 # the options of start_impatient_sshd may be left out

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
}

# The board answers within three seconds or not at all.
start_impatient_sshd() {
    start_sshd "$@"
    sed -i 's/^timeout = .*/timeout = 1/' board.ini
}

# A command of the board that never answers is given up: expect_given_up
expect_given_up() {
    local start=$SECONDS
    collect
    [ $((SECONDS - start)) -lt 30 ]
    expect_status 5
    expect_contains "$stderr" "has not answered for"
    expect_contains "$stderr" "timeout"
}

@test "a command of the board that never answers is given up, whichever it is" {
    make_big_project 2 4
    start_impatient_sshd
    for command in uname df ldd ls; do
        rm -f "$fake"/*
        fake_command "$command" 'exec sleep 100'
        expect_given_up
    done
}

@test "a fetch whose bytes or checksums never come is given up, and the capture stays" {
    make_big_project 2 4
    start_impatient_sshd
    for command in sha256sum cat; do
        rm -rf "${fake:?}"/* "$project/profiling" "$home/profiling" reference
        fake_command openssl 'exit 1'
        fake_command "$command" 'case "$PWD" in */JOB*) exec sleep 100;; esac; exec '"$command"' "$@"'
        expect_given_up
        diff -r "$home/profiling/out/JOBBIG" reference
    done
}

@test "an upload that the board does not take is given up" {
    start_impatient_sshd
    fake_command tar 'exec sleep 100'
    expect_given_up
}

@test "endless checksum lines, endless complaints and endless answers end with status 5" {
    make_big_project 2 4
    start_impatient_sshd
    fake_command openssl 'exit 1'
    fake_command sha256sum 'case "$PWD" in */JOB*) exec yes "no checksum at all";; esac; exec sha256sum "$@"'
    collect
    expect_status 5
    expect_contains "$stderr" "list of checksums does not end"
    diff -r "$home/profiling/out/JOBBIG" reference
    rm -r "$project/profiling" "$home/profiling" reference
    fake_command sha256sum 'case "$PWD" in */JOB*) exec yes "no checksum at all" >&2;; esac; exec sha256sum "$@"'
    collect
    expect_status 5
    expect_contains "$stderr" "does not stop to complain"
    rm -r "$home/profiling" "$project/profiling"
    fake_command ls 'exec yes JOBX/'
    collect
    expect_status 5
    expect_contains "$stderr" "where it should be brief"
}

@test "noise, half an answer and one byte a second end in time, and what the run made stays" {
    make_big_project 2 4
    start_impatient_sshd
    fake_command openssl 'exit 1'
    for answer in "head -c 300000 /dev/urandom" "printf '5d41402abc'; exec sleep 100" \
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf a; sleep 1; done"; do
        rm -rf "$project/profiling" "$home/profiling" reference
        fake_command sha256sum "case \"\$PWD\" in */JOB*) $answer; exit;; esac; exec sha256sum \"\$@\""
        start=$SECONDS
        collect
        [ $((SECONDS - start)) -lt 45 ]
        expect_status 5
        expect_contains "$stderr" "--fetch-only $home/profiling/out"
        diff -r "$home/profiling/out/JOBBIG" reference
    done
    rm "$fake"/*
    fake_command uname "head -c 300000 /dev/urandom"
    collect
    expect_status 5
}

@test "a lock whose answer never comes is given up" {
    start_impatient_sshd
    fake_command mkdir 'exec sleep 100'
    expect_given_up
    expect_contains "$stderr" "cannot lock the board"
}

@test "more files than are taken, and a list that does not end, are the board's fault: status 5" {
    make_big_project 1 1
    start_impatient_sshd
    fake_command find 'case "$PWD" in */JOB*) i=0; while [ $i -lt 1000002 ]; do echo "81a4 1 ./f$i"; i=$((i+1)); done;; esac
        exec find "$@"'
    collect
    expect_status 5
    expect_contains "$stderr" "more than 1000000 files"
}

@test "a command that gives a secret and never answers is given up" {
    write_ini 1 "pwd = cmd:exec sleep 300"
    sed -i 's/^timeout = .*/timeout = 1/' board.ini
    start=$SECONDS
    collect
    [ $((SECONDS - start)) -lt 20 ]
    expect_status 5
    expect_contains "$stderr" "the command that gives 'pwd' has not answered"
}
