#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong on the way: after each fault the right exit status, a message that helps, and nothing left behind.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes

load ../cli/common
load server

setup_file() {
    begin_scenes frozen killed always_cut unverified fetch_interrupted second_run upload_cut fetch_cut file_cut
}

teardown_file() {
    end_scenes
}

setup() {
    make_board
}

teardown() {
    stop_all
}

@test "an unknown host key is refused with its fingerprint and the way to accept it" {
    start_sshd
    rm "$keys/known_hosts"
    collect
    expect_status 5
    expect_contains "$stderr" "$(ssh-keygen -lf "$keys/host.pub" | cut -d ' ' -f 2)"
    expect_contains "$stderr" --accept-new-host-key
    [ ! -e "$keys/known_hosts" ]
    collect --accept-new-host-key
    expect_status 0
    ssh-keygen -F "[127.0.0.1]:$port" -f "$keys/known_hosts"
    rm -r "$project/profiling"
    collect
    expect_status 0
}

@test "hashed names of known_hosts are understood" {
    start_sshd
    ssh-keygen -q -H -f "$keys/known_hosts"
    expect_failure grep -q 127.0.0.1 "$keys/known_hosts"
    collect
    expect_status 0
}

@test "a changed host key is refused, also with --accept-new-host-key" {
    start_sshd
    ssh-keygen -q -t ed25519 -N '' -f "$keys/other"
    printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$keys/other.pub")" >"$keys/known_hosts"
    cp "$keys/known_hosts" before
    collect --accept-new-host-key
    expect_status 5
    expect_contains "$stderr" "has changed"
    cmp before "$keys/known_hosts"
    expect_tidy
}

@test "a key of a type that is not known of this host is no new host" {
    start_sshd
    ssh-keygen -q -t rsa -N '' -f "$keys/other"
    printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$keys/other.pub")" >"$keys/known_hosts"
    collect --accept-new-host-key
    expect_status 5
    expect_contains "$stderr" "another type"
}

@test "a refused key, a missing key file and a closed port have messages of their own" {
    start_sshd
    : >"$keys/authorized"
    collect
    expect_status 5
    expect_contains "$stderr" "refused to log in"
    mv "$keys/user" "$keys/away"
    collect
    expect_status 1
    expect_contains "$stderr" "$keys/user"
    stop_all
    collect
    expect_status 5
    expect_contains "$stderr" "onnection refused"
}

@test "a host that does not exist or does not answer ends in time" {
    start_sshd
    sed -i 's/^ip = .*/ip = no-such-host.invalid/' board.ini
    collect
    expect_status 5
    expect_contains "$stderr" "cannot find the address of 'no-such-host.invalid'"
    start_silent_server
    sed -i 's/^timeout = .*/timeout = 1/' board.ini
    collect
    expect_status 5
    expect_contains "$stderr" "no answer in time"
}

@test "a port on which something else answers is named" {
    other=$(free_port)
    python3 -c "
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', $other)); s.listen()
while True:
    c, _ = s.accept(); c.sendall(b'HTTP/1.0 400 Bad Request\r\n\r\n'); c.close()" 3>&- &
    board_processes+=($!)
    wait_for is_listening "$other"
    write_ini "$other"
    collect
    expect_status 5
    expect_contains "$stderr" "port $other"
}

scene_upload_cut() {
    head -c 3000000 /dev/urandom >"$project/model.om"
    start_sshd
    start_proxy up:1500000
    collect --keep
    expect_status 0
    cmp "$project/model.om" "$home/profiling/model.om"
    expect_equal "$(find "$home" "$board_tmp" -name '.msprof*')" ""
}

@test "a connection cut in the middle of the upload is made anew and the upload goes on" {
    scene upload_cut
}

scene_fetch_cut() {
    make_big_project 20 400
    start_sshd
    start_proxy 3000000 2000000
    collect
    expect_status 0
    expect_contains "$stderr" "and restored"
    diff -r "$project/profiling/JOBBIG" reference
    expect_tidy
}

@test "a connection cut in the middle of the fetch is made anew and the fetch goes on" {
    scene fetch_cut
}

scene_file_cut() {
    make_big_project 1 8000
    start_sshd
    start_proxy 5000000
    collect
    expect_status 0
    diff -r "$project/profiling/JOBBIG" reference
    expect_tidy
}

@test "one large file goes on in its middle after a cut" {
    scene file_cut
}

scene_always_cut() {
    make_big_project 40 400
    start_sshd
    start_proxy 2000000 150000 150000 150000 150000 150000 150000 -
    collect
    expect_status 5
    expect_contains "$stderr" "the capture is still in '$home/profiling/out/JOBBIG'"
    for file in "$project"/profiling/JOBBIG/data/*; do
        cmp "$file" "reference/data/${file##*/}"
    done
    expect_contains "$stderr" "$(find "$project/profiling/JOBBIG" -type f | wc -l) file"
    # how many is up to what the last bytes before each cut were; that none is cut itself is checked above
    [ "$(find "$project/profiling/JOBBIG" -type f | wc -l)" -ge 1 ]
    diff -r "$home/profiling/out/JOBBIG" reference
    [ ! -e "$home/profiling/out/main" ]
}

@test "a connection that always breaks ends the fetch with what arrived, and the capture stays on the board" {
    scene always_cut
}

# Collects a program that is this script, beside the usual one as ./works, and waits until it says that it runs.
run_script_in_background() { # text, arguments
    mv "$project/out/main" "$project/out/works"
    printf '#!/bin/sh\n%s\n' "$1" >"$project/out/main"
    chmod +x "$project/out/main"
    collect_in_background "${2:-}"
    wait_for grep -q "it runs" collect.out
}

# Collects a program that says no more once it runs.
run_quietly_in_background() {
    run_script_in_background "echo it runs; exec ./works \"\$@\" >$scratch/works.out" seconds=300
    wait_for grep -q "inference 1" works.out
}

# The program was stopped when the connection had been made anew, and its capture is whole.
expect_stopped_after_break() {
    await_collect
    expect_status 5
    expect_contains "$stderr" "the connection was lost while 'main' ran; it was stopped"
    expect_contains "$stderr" "output of the program after the loss is missing"
    run_msprof import -dir "$(the_capture)"
    expect_status 0
}

@test "a connection cut while the program runs stops it and fetches what it captured" {
    start_sshd
    start_proxy "file:$scratch/cut"
    run_quietly_in_background
    touch cut
    expect_stopped_after_break
    wait_for expect_failure pgrep -f "$home/profiling"
    expect_tidy
}

@test "an outage while the program runs is waited for, then the program is stopped and what it captured is fetched" {
    start_sshd
    start_proxy -
    run_quietly_in_background
    stop_proxy
    sleep 3 # in which nobody answers
    resume_proxy
    expect_stopped_after_break
    expect_tidy
}

@test "a program whose output nobody takes, for the board does not know of the break, is stopped, and its capture has its end" {
    start_sshd
    start_proxy "hold:$scratch/cut"
    run_script_in_background 'trap "./works; exit" INT
echo it runs
t=$(head -c 65536 /dev/zero | tr "\0" x)
while :; do echo "$t"; done'
    touch cut
    expect_stopped_after_break
    expect_tidy
}

# Starts "sleep 300" as the process of this number, which nobody has.
start_as() { # number
    python3 - "$1" <<'END'
import os, sys
number = int(sys.argv[1])
for _ in range(1000):
    with open('/proc/sys/kernel/ns_last_pid', 'w') as last:
        last.write(str(number - 1))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.getpid() == number:
            os.execvp('sleep', ['sleep', '300'])
        os._exit(0)
    if pid == number:
        sys.exit(0)
    os.waitpid(pid, 0)
sys.exit('another process is always faster')
END
}

@test "the process that has got the number of the program, which ended in an outage, is not stopped; what the program left is told" {
    { echo $$ >/proc/sys/kernel/ns_last_pid; } 2>/dev/null || skip "the number of a process cannot be chosen here"
    start_sshd
    start_proxy -
    run_script_in_background "./works >$scratch/works.out
echo it runs as \$\$
sleep 60 >/dev/null 2>&1 &
while [ ! -e $scratch/over ]; do sleep 0.1; done"
    local number
    number=$(sed -n 's/.*it runs as //p' collect.out)
    stop_proxy
    touch over
    wait_for test ! -e "/proc/$number"
    start_as "$number"
    resume_proxy
    await_collect
    kill "$number" # there is one to end
    expect_status 5
    expect_contains "$stderr" "the connection was lost while 'main' ran; it ended before it could be stopped"
    expect_contains "$stderr" "1 process started by 'main' still runs on the board: sleep ("
    kill "$(sed -n 's/.*on the board: sleep (\([0-9]*\)).*/\1/p' <<<"$stderr")"
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
}

@test "a program that prints into a connection that broke goes on until it is stopped, and its capture has its end" {
    start_sshd
    start_proxy "file:$scratch/cut"
    run_script_in_background 'trap "./works; exit" INT
echo it runs
while :; do echo on; echo on >&2; sleep 0.01; done'
    touch cut
    expect_stopped_after_break
    expect_tidy
}

@test "an end that the board does not tell is no success: what still ran is stopped, and its capture fetched" {
    start_sshd
    # as by the killer of a board that is out of memory: the shell that waits for the program is gone
    printf '#!/bin/sh\ncd "$(dirname "$0")"; mkdir -p JOBA/data; echo "{}" >JOBA/info.json.0; echo x >JOBA/data/aicore.0.1.1\n%s\n' \
        'kill -9 $PPID; exit 7' >"$project/out/main"
    run_msprof collect -m "$project/out/main" --config board.ini --output ended
    expect_status 5
    expect_contains "$stderr" "the exit status of 'main' is unknown; "
    [ -e ended/JOBA/info.json.0 ]
    sed -i 's/exit 7/sleep 30/' "$project/out/main"
    run_msprof collect -m "$project/out/main" --config board.ini --output stopped
    expect_status 5
    expect_contains "$stderr" "the exit status of 'main' is unknown; "
    [ -e stopped/JOBA/info.json.0 ]
    wait_for expect_failure pgrep -f "$home/profiling/out/main"
    expect_tidy
}

@test "Ctrl-C stops the program on the board, keeps what was captured and ends with 130" {
    start_sshd
    collect_in_background seconds=60
    wait_for grep -q "inference 1" collect.out
    interrupt_collect
    expect_status 130
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
}

@test "Ctrl-C while uploading leaves nothing on the board" {
    head -c 30000000 /dev/urandom >"$project/model.om"
    start_sshd
    fake_command tar 'sleep 1; exec tar "$@"'
    collect_in_background ''
    wait_for test -e "$home/profiling/.msprof-upload"
    interrupt_collect
    expect_status 130
    wait_for test ! -e "$home/profiling"
    expect_tidy
}

scene_fetch_interrupted() {
    make_big_project 40 100
    start_sshd
    fake_command cat '[ $# -gt 0 ] || exec cat; for f; do cat "$f"; sleep 0.1; done'
    collect_in_background ''
    wait_for test -e "$project/profiling/JOBBIG/data/aicore.0.1.1.slice_11"
    interrupt_collect
    expect_status 130
    expect_contains "$stderr" "the transfer is incomplete"
    expect_contains "$stderr" "the capture is still in '$home/profiling/out/JOBBIG'"
    arrived=$(find "$project/profiling/JOBBIG" -type f | wc -l)
    [ "$arrived" -gt 0 ] && [ "$arrived" -lt 40 ]
    expect_contains "$stderr" "$arrived files are here"
    for file in "$project"/profiling/JOBBIG/data/*; do
        cmp "$file" "reference/data/${file##*/}"
    done
    diff -r "$home/profiling/out/JOBBIG" reference
    expect_equal "$(cd "$home/profiling" && find . -type f ! -path './out/JOBBIG/*')" ""
    expect_equal "$(find "$scratch" -name '.msprof*')" ""
    # cat gets SIGPIPE
    wait_for expect_failure pgrep -f "$fake/cat"
}

@test "Ctrl-C while fetching keeps what had arrived whole, and the capture stays on the board" {
    scene fetch_interrupted
}

scene_unverified() {
    make_big_project 10 100
    start_sshd
    sed -i 's/^timeout = .*/timeout = 4/' board.ini
    touch held
    local hold="for _ in \$(seq 600); do [ ! -e '$scratch/held' ] || sleep 0.1; done"
    for tool in openssl sha256sum; do # a board may have but one
        fake_command "$tool" "case \"\$PWD\" in */JOB*) $hold; exit 1;; esac; exec $tool \"\$@\""
    done
    fake_command cat "[ \$# -gt 0 ] || exec cat; for f; do cat \"\$f\"; done; $hold"
    collect_in_background ''
    all_have_arrived() {
        [ "$(find "$project/profiling" -name '.msprof*' -size 200 | wc -l)" -eq 10 ]
    }
    wait_for all_have_arrived
    interrupt_collect
    rm held
    expect_status 130
    expect_contains "$stderr" "10 files are here (10 of them not verified)"
    diff -r "$project/profiling/JOBBIG" reference
}

@test "files whose checksum had not come before the end are kept and counted as not verified" {
    scene unverified
}

@test "a program that hangs is stopped by --timeout and its capture comes home" {
    start_sshd
    run_msprof collect -m "$project/out/main seconds=60" --config board.ini --timeout 1
    expect_status 0
    expect_contains "$stderr" "was still running after 1 s"
    the_capture
    expect_tidy
}

scene_killed() {
    start_sshd
    run_msprof collect -m "$project/out/main seconds=60 hang" --config board.ini --timeout 1
    expect_status 5
    expect_contains "$stderr" killed
    expect_tidy
}

@test "a program that ignores signals is killed" {
    scene killed
}

@test "the exit status and the signal of the program are told, and its capture comes home" {
    start_sshd
    run_msprof collect -m "$project/out/main exit=3" --config board.ini
    expect_status 5
    expect_contains "$stderr" "exit status 3"
    the_capture
    rm -r "$project/profiling"
    run_msprof collect -m "$project/out/main crash" --config board.ini
    expect_status 5
    expect_contains "$stderr" "SIGSEGV"
    the_capture
    expect_tidy
}

@test "no capture brings the vendor's message" {
    start_sshd
    run_msprof collect -m "$project/out/main captures=0" --config board.ini
    expect_status 5
    expect_contains "$stderr" "Failed to generate JOB, please check whether the profiling function is enabled"
    expect_tidy
}

@test "a program that is missing or not executable is told before anybody connects" {
    write_ini 1
    run_msprof collect -m "$project/out/other" --config board.ini
    expect_status 1
    expect_contains "$stderr" "$project/out/other"
    chmod -x "$project/out/main"
    collect
    expect_status 1
    expect_contains "$stderr" "chmod +x"
}

@test "a program for another architecture is refused before anything is changed" {
    start_sshd
    fake_command uname 'echo sparc'
    collect
    expect_status 5
    expect_contains "$stderr" "the board is sparc"
    expect_tidy
}

@test "missing shared libraries are named and the program is not run" {
    start_sshd
    fake_command ldd 'echo "	libfirst.so.1 => not found"; echo "	libc.so.6 => /lib/libc.so.6 (0x1)"; echo "	libsvp_acl.so => not found"'
    collect
    expect_status 5
    expect_contains "$stderr" "libfirst.so.1 libsvp_acl.so"
    expect_equal "$(find "$project/profiling" -name 'JOB*')" ""
    expect_tidy
}

@test "too little space on the board is found before the upload" {
    start_sshd
    fake_command df 'echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "/dev/root 10000 9990 10 100% /"'
    collect
    expect_status 5
    expect_contains "$stderr" "10 KB free"
    expect_tidy
}

@test "a board whose disk fills up during the upload says so and is tidied up" {
    start_sshd
    fake_command tar 'head -c 1000 >/dev/null; echo "tar: write error: No space left on device" >&2; exit 1'
    head -c 3000000 /dev/urandom >"$project/model.om"
    collect
    expect_status 5
    expect_contains "$stderr" "No space left on device"
    expect_contains "$stderr" remote_dir
    expect_tidy
}

@test "a directory that cannot be written on the board is found before the upload" {
    start_sshd
    write_ini "$port" "remote_dir = /proc/none"
    collect
    expect_status 5
    expect_contains "$stderr" remote_dir
}

@test "a path that the profiler cannot take is refused with the character" {
    start_sshd
    write_ini "$port" "remote_dir = $home/a+b"
    collect
    expect_status 2
    expect_contains "$stderr" "does not support '+'"
    expect_tidy
}

scene_second_run() {
    start_sshd
    collect_in_background seconds=600 --output first
    wait_for grep -q "inference 0" collect.out
    collect --output second
    expect_status 5
    expect_contains "$stderr" "another run is active"
    # nor in another directory: there is one device
    write_ini "$port" "remote_dir = $scratch/elsewhere"
    collect --output second
    expect_status 5
    expect_contains "$stderr" "another run is active on the board: started from $(uname -n), in '$home'"
    interrupt_collect
    expect_status 130
    the_capture first
    expect_tidy
}

@test "a second run on the same board waits for nobody: it is refused" {
    scene second_run
}

@test "a lock whose owner is gone is taken over" {
    start_sshd
    mkdir "$board_tmp/.msprof-$(id -u).lock"
    echo 999999999 >"$board_tmp/.msprof-$(id -u).lock/pid"
    collect
    expect_status 0
    expect_tidy
}

@test "a lock that somebody made a link leads nowhere" {
    start_sshd
    mkdir elsewhere
    echo 999999999 >elsewhere/pid
    ln -s "$scratch/elsewhere" "$board_tmp/.msprof-$(id -u).lock"
    collect
    expect_status 0
    expect_equal "$(ls elsewhere)$(<elsewhere/pid)" pid999999999
    expect_tidy
}

@test "a lock that another user made is not read, and keeps the run from starting" {
    [ "$(id -u)" -eq 0 ] || skip "a file of another user needs root"
    start_sshd
    lock=$board_tmp/.msprof-$(id -u).lock
    install -d -o nobody "$lock" other
    sleep 60 3>&- &
    victim=$!
    board_processes+=("$victim")
    echo 999999999 >"$lock/pid"
    echo "$victim" >"$lock/program"
    echo "$scratch/other" >"$lock/mounted"
    collect --take-over
    expect_status 5
    expect_contains "$stderr" "another run is active on the board: started from another user, whose is '$lock'"
    kill -0 "$victim"
    [ -d other ]
    rm -r "$lock"
}

@test "where no temporary file can be made, the lock is in the directory of the project" {
    start_sshd "SetEnv HOME=$home TMPDIR=$scratch/none"
    mkdir "$home/.msprof.lock"
    echo $$ >"$home/.msprof.lock/pid"
    echo "somebody" >"$home/.msprof.lock/owner"
    collect
    expect_status 5
    expect_contains "$stderr" "another run is active on the board: started from somebody"
    rm -r "$home/.msprof.lock"
    collect
    expect_status 0
    expect_equal "$(find "$home" -name '.msprof*')" ""
}

@test "a capture never goes into a directory that is there already" {
    make_big_project 1 1
    start_sshd
    mkdir -p "$project/profiling/JOBBIG"
    collect
    expect_status 1
    expect_contains "$stderr" "already exists"
    expect_equal "$(find "$project/profiling/JOBBIG" -mindepth 1)" ""
}

# A board that lists what it likes: hostile_listing LINE...
hostile_listing() {
    printf '%s\n' "$@" >"$scratch/listing"
    fake_command find "case \"\$PWD\" in */JOB*) cat '$scratch/listing';; *) exec find \"\$@\";; esac"
}

@test "names that lead out of the capture are refused and nothing is written outside" {
    make_big_project 1 1
    start_sshd
    hostile_listing '81a4 4 ./../../evil' '81a4 4 /tmp/msprof-evil' '81a4 4 ./a/../../../evil' '81a4 4 ./..' \
        "$(printf '81a4 4 ./con\033[31mtrol')" '81a4 4 ./a//b' '81a4 -4 ./minus' 'nonsense' \
        '81a4 1024 ./data/aicore.0.1.1.slice_0' 'a1ff 5 ./link'
    find "$scratch" ! -path "$project/profiling/*" ! -path "$home/*" | sort >"$BATS_TEST_TMPDIR/before"
    collect
    expect_status 5
    expect_contains "$stderr" "unsafe names that are skipped"
    find "$scratch" ! -path "$project/profiling/*" ! -path "$home/*" | sort >"$BATS_TEST_TMPDIR/after"
    expect_equal "$(diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" |
        sed -n -e '/reference/d' -e '/\/profiling$/d' -e '/^[<>]/p')" ""
    [ ! -e /tmp/msprof-evil ]
    expect_equal "$(cd "$project/profiling" && find JOBBIG -mindepth 1 | sort)" \
        "$(printf 'JOBBIG/data\nJOBBIG/data/aicore.0.1.1.slice_0')"
}

@test "a board that lies about sizes is caught: nothing wrong gets a name" {
    make_big_project 2 4
    start_sshd
    hostile_listing '81a4 1000 ./data/aicore.0.1.1.slice_0' '81a4 4096 ./data/aicore.0.1.1.slice_1'
    collect
    expect_status 5
    expect_equal "$(find "$project/profiling/JOBBIG" -type f)" ""
    hostile_listing '81a4 1125899906842624 ./data/aicore.0.1.1.slice_0'
    rm -r "$project/profiling" reference "$home/profiling"
    collect
    expect_status 5
    expect_equal "$(find "$project/profiling/JOBBIG" -type f)" ""
    expect_contains "$stderr" "it is incomplete"
}

@test "bytes that change on the way are caught by the checksum" {
    make_big_project 3 4
    start_sshd
    fake_command cat 'for f; do case "$f" in *slice_1) tr "\000" "x" <"$f" | sed "s/a/b/";; *) cat "$f";; esac; done
        [ $# -gt 0 ] || exec cat'
    collect
    expect_status 5
    expect_contains "$stderr" "aicore.0.1.1.slice_1"
    [ ! -e "$project/profiling/JOBBIG/data/aicore.0.1.1.slice_1" ]
}

@test "what the board says of a file that it cannot read is told" {
    make_big_project 3 10
    start_sshd
    fake_command cat '[ $# -gt 0 ] || exec cat
for f; do case $f in *slice_1) echo "cat: $f: Input/output error" >&2 ;; *) cat "$f" ;; esac; done; exit 1'
    collect
    expect_status 5
    expect_contains "$stderr" "were not transferred, the first is 'data/aicore.0.1.1.slice_1'"
    expect_contains "$stderr" "slice_1: Input/output error"
    diff -r "$home/profiling/out/JOBBIG" reference
}

@test "an --output that cannot be made is told before anybody connects, and --dry-run makes none" {
    start_sshd
    echo mine >file
    for what in "-m $project/out/main" "--fetch-only profiling/out"; do
        # shellcheck disable=SC2086 # several words
        run_msprof collect $what --config board.ini --output file/there
        expect_status 1
        expect_contains "$stderr" "nothing was started: captures would go into '$PWD/file/there'"
        expect_contains "$stderr" "a file of this name exists"
        expect_not_contains "$stderr" "connected to"
        # shellcheck disable=SC2086 # several words
        run_msprof collect $what --config board.ini --output new/there --dry-run
        expect_status 0
        [ ! -e new ]
    done
    expect_equal "$(<file)" mine
    expect_tidy
}

@test "a full local disk is named, and the capture stays on the board" {
    [ "$(id -u)" -eq 0 ] || skip "a small file system needs root"
    mkdir small
    mount -t tmpfs -o size=200k tmpfs small 2>/dev/null || skip "mount does not work here"
    make_big_project 4 100
    start_sshd
    collect --output small
    left=$(find small -name '.msprof*')
    umount small
    expect_status 1
    expect_contains "$stderr" "No space left on device"
    expect_equal "$left" ""
    diff -r "$home/profiling/out/JOBBIG" reference
}

@test "the ini file: what is wrong is told with its line, never with its content" {
    collect
    expect_status 1
    expect_contains "$stderr" board.ini
    printf '[ssh_config]\nip = 127.0.0.1\nusername = u\nport = many\n' >board.ini
    chmod 600 board.ini
    collect
    expect_status 2
    expect_contains "$stderr" "line 4"
    printf '[ssh_config]\nip = 127.0.0.1\n' >board.ini
    collect
    expect_status 2
    expect_contains "$stderr" "has no 'username'"
    printf '[other]\n' >board.ini
    collect
    expect_status 2
    expect_contains "$stderr" "no section [ssh_config]"
    printf '[ssh_config]\nsecret-without-equals\n' >board.ini
    collect
    expect_status 1
    expect_contains "$stderr" "line 2"
    expect_not_contains "$stderr" secret-without
    chmod 644 board.ini
    collect
    expect_not_contains "$stderr" secret-without
    printf '[ssh_config]\nip = 1.2.3.4\nusername = u\nprt = 3\n' >board.ini
    collect --dry-run
    expect_contains "$stderr" "other users can read"
    expect_contains "$stderr" "did you mean 'port'"
    printf '[ssh_config]\nip = 1.2.3.4\nusername = u\npasswd = secret\n[ssh_config:b]\nhost=x\nqqqq = 1\n' >board.ini
    collect --dry-run
    expect_contains "$stderr" "line 4: unknown key 'passwd', did you mean 'pwd'"
    expect_contains "$stderr" "line 6: unknown key 'host', did you mean 'ip'"
    expect_contains "$stderr" "line 7: unknown key 'qqqq'; expected one of ip, username, pwd"
    expect_not_contains "$stderr" secret
    printf '[ssh_confg]\npasswd = a\n[SSH_CONFIG:a]\n[ssh-config:lab]\n[other]\n[ssh_config]\nip = 1.2.3.4\nusername = u\n' >board.ini
    collect --dry-run
    expect_status 0
    expect_contains "$stderr" "line 1: unknown section [ssh_confg], did you mean [ssh_config]?"
    expect_contains "$stderr" "line 3: unknown section [SSH_CONFIG:a], did you mean [ssh_config:a]?"
    expect_contains "$stderr" "line 4: unknown section [ssh-config:lab], did you mean [ssh_config:lab]?"
    expect_contains "$stderr" "line 5: unknown section [other]; expected [ssh_config] and [ssh_config:NAME]"
    expect_not_contains "$stderr" "key"
    printf '[ssh_config:lab1]\nip = 1.2.3.4\nusername = u\n' >board.ini
    collect --dry-run --board lab
    expect_status 2
    expect_contains "$stderr" "no section [ssh_config:lab]"
    expect_contains "$stderr" "it has [ssh_config:lab1]"
}

scene_frozen() {
    start_sshd
    sed -i 's/^timeout = .*/timeout = 4/' board.ini # a busy machine's board connects within four seconds
    collect_in_background seconds=300 --reconnect-seconds 0
    wait_for grep -q "inference 0" collect.out
    freeze_board
    start=$SECONDS
    await_collect
    [ $((SECONDS - start)) -lt 150 ]
    thaw_board
    expect_status 5
    expect_contains "$stderr" "the connection was lost while the program ran"
    expect_contains "$stderr" "'$home/profiling' may be left on the board"
    process=$(sed -n 's/.*(process \([0-9]*\) on the board).*/\1/p' collect.err)
    sleep 2 # in which it prints, into a connection that is gone
    kill -0 "$process"
    collect --take-over --output second
    expect_status 0
    expect_contains "$stderr" "(process $process) was still running and was stopped"
}

@test "a board that freezes while the program runs is noticed in three times the timeout" {
    scene frozen
}
