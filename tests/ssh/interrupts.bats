#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C at every moment: status 130, in time, and nothing left behind. faults.bats has those of upload, run and fetch.
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

# expect_end_within SECONDS: of what interrupt_collect interrupts. A wait of 50 s without it has 20, for busy
# machines.
expect_end_within() {
    local start=$SECONDS
    interrupt_collect
    [ $((SECONDS - start)) -le "$1" ]
    expect_status 130
}

is_connected_to_silence() {
    ss -Htn state established "dport = :$(sed -n 's/^port = //p' board.ini)" | grep -q .
}

@test "Ctrl-C ends the wait for a server that does not answer" {
    needs ss
    start_silent_server
    sed -i 's/^timeout = .*/timeout = 50/' board.ini
    collect_in_background ''
    wait_for is_connected_to_silence
    expect_end_within 20
}

@test "Ctrl-C ends the wait for a command that gives a secret" {
    write_ini 1 "pwd = cmd:touch '$scratch/asked'; exec sleep 50"
    sed -i 's/^timeout = .*/timeout = 50/' board.ini
    collect_in_background ''
    wait_for test -e asked
    expect_end_within 20
}

@test "Ctrl-C ends a dialogue with the board that hangs" {
    start_sshd
    sed -i 's/^timeout = .*/timeout = 50/' board.ini
    fake_command uname "touch '$scratch/asked'; exec sleep 50"
    collect_in_background ''
    wait_for test -e asked
    expect_end_within 20
    expect_tidy
}

@test "a second Ctrl-C ends at once" {
    start_sshd
    collect_in_background 'seconds=30 hang'
    wait_for grep -q "inference 1" collect.out
    kill -INT "$collect_process"
    sleep 0.5
    expect_end_within 2
}

@test "Ctrl-C with several boards brings the capture of each" {
    mkdir a b
    start_sshd "SetEnv HOME=$scratch/a TMPDIR=$scratch/a"
    port_a=$port
    start_sshd "SetEnv HOME=$scratch/b TMPDIR=$scratch/b"
    printf '[ssh_config:a]\nport = %s\n[ssh_config:b]\nport = %s\n' "$port_a" "$port" >>board.ini
    collect_in_background seconds=60 --board a --board b
    wait_for grep -q "\[a\] inference 1" collect.out
    wait_for grep -q "\[b\] inference 1" collect.out
    interrupt_collect
    expect_status 130
    the_capture "$project/profiling/a"
    the_capture "$project/profiling/b"
    expect_equal "$(find a b -mindepth 1)" ""
}

@test "Ctrl-C with NFS unmounts the project and puts acl.json back" {
    start_sshd
    fake_command mount "for d; do :; done; cp -R '$project/.' \"\$d/\""
    fake_command umount "echo \"\$@\" >'$scratch/unmounted'; rm -rf \"\$1\"/*"
    echo '{"other": 1}' >"$project/out/acl.json"
    collect_in_background seconds=60 --transfer=nfs --nfs-server 192.0.2.7
    wait_for grep -q "inference 1" collect.out
    grep -q profiler "$project/out/acl.json"
    interrupt_collect
    expect_status 130
    expect_equal "$(<unmounted)" "$home/profiling"
    expect_equal "$(<"$project/out/acl.json")" '{"other": 1}'
    the_capture
    expect_tidy
}

@test "what was captured before Ctrl-C comes home also when the connection then breaks" {
    cat >"$project/out/main" <<'PROGRAM'
#!/bin/sh
capture() {
    mkdir -p JOBBIG/data
    head -c 3000000 /dev/urandom >JOBBIG/data/aicore.0.1.1
    cp -R JOBBIG ../../../reference
    exit 0
}
trap capture INT
echo started
while :; do sleep 0.1; done
PROGRAM
    start_sshd
    start_proxy 1000000 1000000
    collect_in_background ''
    wait_for grep -q started collect.out
    interrupt_collect
    expect_status 130
    expect_contains "$stderr" "and restored"
    diff -r "$project/profiling/JOBBIG" reference
    expect_tidy
}
