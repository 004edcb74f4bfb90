#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What an SSH library could get wrong and no other test would see: new keys in the middle, ends of streams, statuses, slow
# agents, broken packets. These run on both libraries.
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

# The board program is this shell script, behind what makes a small capture.
program() {
    printf '#!/bin/sh\nmkdir -p JOBX/data\nhead -c 5000 /dev/urandom >JOBX/data/aicore.0.1.1.slice_0\n%s\n' "$1" >"$project/out/main"
    chmod +x "$project/out/main"
}

@test "keys that are agreed on anew again and again change no byte, of files and of what is printed, in either direction" {
    make_big_project 3 4096
    sed -i '/^cp -R/i seq 200000' "$project/out/main"
    head -c 3000000 /dev/urandom >"$project/model.om"
    start_sshd 'RekeyLimit 256K' 'LogLevel DEBUG1'
    forgive_library
    collect --keep
    expect_status 0
    expect_contains "$stderr" "verified by SHA-256"
    cmp "$project/model.om" "$home/profiling/model.om"
    expect_equal "$(grep -c 'rekeying' sshd.log | awk '{ print ($1 > 20) }')" 1
    diff -r reference/data "$(the_capture)/data"
    expect_equal "$(printf '%s\n' "$output" | grep -xE '[0-9]+')" "$(seq 200000)"
}

@test "a program that closes what it prints to goes on, and its status is told" {
    program 'exec >&- 2>&-; sleep 1; echo late >JOBX/data/late.0.1.1.slice_0; exit 7'
    start_sshd
    collect
    expect_contains "$stderr" "status 7"
    [ -e "$(the_capture)/data/late.0.1.1.slice_0" ]
}

@test "statuses and signals of programs are told as they were" {
    start_sshd
    for end in 'exit 1' 'exit 255' 'kill -TERM $$' 'kill -SEGV $$' 'exit 0'; do
        program "$end"
        rm -rf "$project/profiling"
        collect
        case $end in
        'exit 0') expect_status 0 ;;
        'exit '*) expect_contains "$stderr" "status ${end#exit }" ;;
        *) expect_contains "$stderr" "$(expr "$end" : '.*-\([A-Z]*\)')" ;;
        esac
    done
}

@test "output and errors of a program come whole, each on its own, also when both are long" {
    program 'i=0; while [ $i -lt 3000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i + 1)); done'
    start_sshd
    collect
    expect_status 0
    expect_equal "$(printf '%s\n' "$output" | grep -c '^out ')" 3000
    expect_equal "$(printf '%s\n' "$stderr" | grep -c '^err ')" 3000
}

# An agent in front of the real one, which takes so many seconds for each signature.
start_slow_agent() { # seconds
    eval "$(ssh-agent -s)" >/dev/null
    board_processes+=("$SSH_AGENT_PID")
    ssh-add -q "$keys/user"
    python3 -c "
import socket, sys, time
def whole(s):
    head = s.recv(4, socket.MSG_WAITALL)
    return head + s.recv(int.from_bytes(head, 'big'), socket.MSG_WAITALL) if head else b''
server = socket.socket(socket.AF_UNIX); server.bind('$scratch/slow'); server.listen()
while True:
    client, _ = server.accept()
    real = socket.socket(socket.AF_UNIX); real.connect('$SSH_AUTH_SOCK')
    while question := whole(client):
        if question[4] == 13:
            open('$scratch/asked', 'w').close()
            time.sleep($1)
        real.sendall(question)
        client.sendall(whole(real))" 3>&- &
    board_processes+=($!)
    wait_for test -S slow
    export SSH_AUTH_SOCK=$scratch/slow
}

@test "an agent that asks its user may take longer than the timeout" {
    start_sshd
    start_slow_agent 8
    sed -i -e '/^key = /d' -e 's/^timeout = .*/timeout = 6/' board.ini
    collect
    expect_status 0
    expect_contains "$stderr" "(agent)"
}

@test "Ctrl-C ends the wait for an agent that asks its user" {
    start_sshd
    start_slow_agent 60
    sed -i '/^key = /d' board.ini
    collect_in_background ''
    wait_for test -e asked
    interrupt_collect
    expect_status 130
}

# A server that speaks SSH, or what it holds for it; it gets the connection as c.
start_odd_server() { # Python statements, in one line
    local odd
    odd=$(free_port)
    python3 -c "
import os, socket, struct, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', $odd)); s.listen()
def packet(payload):
    pad = 8 - (len(payload) + 5) % 8
    pad += 8 if pad < 4 else 0
    return struct.pack('>IB', len(payload) + pad + 1, pad) + payload + bytes(pad)
def names(*lists):
    return b'\x14' + os.urandom(16) + b''.join(struct.pack('>I', len(l)) + l for l in lists) + bytes(5)
def kexinit(kex=b'curve25519-sha256', key=b'ssh-ed25519', cipher=b'aes128-ctr', mac=b'hmac-sha2-256'):
    return packet(names(kex, key, cipher, cipher, mac, mac, b'none', b'none', b'', b''))
while True:
    c, _ = s.accept()
    try:
        $1
    except OSError:
        pass
    c.close()" 3>&- &
    board_processes+=($!)
    wait_for is_listening "$odd"
    write_ini "$odd"
    sed -i 's/^timeout = .*/timeout = 3/' board.ini
}

@test "servers that send no SSH, half of it, or too much of it, end with status 5 and a message" {
    local what
    for what in \
        'c.sendall(b"A" * 300000)' \
        'c.sendall(b"SSH-2.0-x\r\n"); c.sendall(bytes(70000))' \
        'c.sendall(b"SSH-2.0-x\r\n" + b"\xff" * 65536)' \
        'c.sendall(b"SSH-2.0-x\r\n" + packet(b"\x14" + bytes(16) + b"\xff\xff\xff\xff" * 10))' \
        'c.sendall(b"SSH-2.0-x\r\n" + packet(b"\x01" + struct.pack(">II", 2, 5) + b"\x1b[2Jx" + bytes(4)))' \
        'c.sendall(b"SSH-2.0-x\r\n" + kexinit()[:40])' \
        'c.sendall(b"SSH-2.0-x\r\n" + kexinit() + packet(b"\x1f" + struct.pack(">I", 0xfffffff0) + bytes(40)))' \
        'c.sendall(b"SSH-2.0-x\r\n" + kexinit() + packet(b"\x1f" + struct.pack(">I", 3) + b"abc" + bytes(8)))' \
        'c.sendall(b"SSH-2.0-x\r\n" + kexinit() + packet(b"\x15"))' \
        'c.sendall(b"SSH-2.0-x\r\n" + b"".join(packet(b"\x02" + bytes(9)) for _ in range(20000)))'; do
        start_odd_server "$what"
        collect --reconnect-seconds 0
        expect_status 5
        expect_contains "$stderr" "msprof: "
        expect_not_contains "$stderr" $'\e'
    done
}

@test "a server that sends messages which nobody knows, without end, does not fill the memory" {
    # shellcheck disable=SC2154 # which library a program has says doctor
    [[ $("$MSPROF" doctor 2>/dev/null) == *libssh2* ]] || skip "libssh keeps no such messages"
    start_odd_server 'c.sendall(b"SSH-2.0-x\r\n" + kexinit()); [c.sendall(p) for p in [packet(b"\xc8" + bytes(30000))] * 20000]'
    sed -i 's/^timeout = .*/timeout = 60/' board.ini
    collect --reconnect-seconds 0
    [ "$status" -ne 0 ]
    expect_contains "$stderr" "out of memory"
}

@test "a key file that is damaged is said to be one, and the connection goes on" {
    start_sshd
    ssh-keygen -q -t ed25519 -N '' -f damaged
    sed -i 3d damaged
    sed -i "s|^key = .*|key = $PWD/damaged|" board.ini
    collect --reconnect-seconds 0
    expect_status 5
    expect_contains "$stderr" "cannot use the key '$PWD/damaged': its format is unknown"
}

@test "what the server and this program do not agree on is named, with the server's list" {
    local part what
    for part in 'kex=b"sntrup"' 'key=b"ssh-dss"' 'cipher=b"aes256-cbc"' 'mac=b"umac"'; do
        start_odd_server "c.sendall(b\"SSH-2.0-x\r\n\" + kexinit($part)); time.sleep(3)"
        collect --reconnect-seconds 0
        expect_status 5
        expect_contains "$stderr" "cannot agree with the SSH server"
        what=${part#*\"}
        expect_contains "$stderr" "${what%\"}"
    done
}
