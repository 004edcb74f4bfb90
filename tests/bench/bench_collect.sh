#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the transfer of collect beside what else brings files home over SSH, through an OpenSSH server on loopback
# that is started here with throw-away keys.
#
# usage: bench_collect.sh BUILD_DIR
#   BENCH_RUNS    runs of each measurement, in turns; the median counts (5)
#   BENCH_DELAY   milliseconds that a byte takes in each direction, for the small files (20)
#   TMPDIR        where files go (/tmp); 4 GB for a while
#
# collect verifies every file by SHA-256 on both sides, the others verify nothing; "and remove" is collect that then removes
# the files from the board, which it verifies once more. Nothing is asserted about time.
set -euo pipefail

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
runs=${BENCH_RUNS:-5}
delay=${BENCH_DELAY:-20}
umask 0027
unset SSH_AUTH_SOCK

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
servers=()
finish() {
    [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
    rm -rf "$directory"
}
trap finish EXIT
cd "$directory"
mkdir -p home/tmp /run/sshd

is_listening() {
    (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
free_port() {
    local free
    for _ in {1..50}; do
        free=$((20000 + RANDOM % 12000))
        is_listening "$free" || break
    done
    echo "$free"
}
wait_for_port() {
    for _ in {1..100}; do
        is_listening "$1" && break
        sleep 0.05
    done
}
# use_port PORT: from now on the board is there
use_port() {
    port=$1
    printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 host.pub)" >>known_hosts
    printf '[ssh_config]\nip = 127.0.0.1\nport = %s\nusername = %s\nkey = %s/user\nknown_hosts = %s/known_hosts\n' \
        "$port" "$(id -un)" "$directory" "$directory" >board.ini
    chmod 600 board.ini
}

server_port=$(free_port)
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
cat >sshd_config <<CONFIG
Port $server_port
ListenAddress 127.0.0.1
HostKey $directory/host
AuthorizedKeysFile $directory/user.pub
PidFile none
StrictModes no
UsePAM no
SetEnv HOME=$directory/home TMPDIR=$directory/home/tmp
Subsystem sftp internal-sftp
CONFIG
/usr/sbin/sshd -D -f "$directory/sshd_config" -E sshd.log &
servers+=($!)
wait_for_port "$server_port"
use_port "$server_port"
ssh=(-q -i user -o "UserKnownHostsFile=$directory/known_hosts" -o IdentitiesOnly=yes)

now() {
    date +%s%N
}
took() { # took NAME START: remembers the milliseconds since START
    echo $((($(now) - $2) / 1000000)) >>"times.$1"
}
median() {
    sort -n "times.$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# Each from the start of the program to its end: logging in, and what is on the disk at home.
run_collect() {
    local start
    start=$(now)
    "$build/msprof" collect --config board.ini --fetch-only "$directory/JOBBENCH" --output there 2>words >/dev/null || {
        cat words >&2
        return 1
    }
    took collect "$start"
    rm -rf there
}
run_removing() {
    local start
    cp -R JOBBENCH home/JOBBENCH
    start=$(now)
    "$build/msprof" collect --config board.ini --fetch-only "$directory/home/JOBBENCH" --output there --remove-remote 2>words >/dev/null || {
        cat words >&2
        return 1
    }
    took removing "$start"
    rm -rf there home/JOBBENCH
}
run_tar() {
    local start
    mkdir there
    start=$(now)
    # shellcheck disable=SC2029 # the path is this machine's
    ssh "${ssh[@]}" -p "$port" 127.0.0.1 "cd '$directory' && tar cf - JOBBENCH" | tar xf - -C there
    took tar "$start"
    rm -rf there
}
run_scp() {
    local start
    mkdir there
    start=$(now)
    scp "${ssh[@]}" -P "$port" -r "127.0.0.1:$directory/JOBBENCH" there
    took scp "$start"
    rm -rf there
}
run_sftp() {
    local start
    mkdir there
    start=$(now)
    sftp "${ssh[@]}" -P "$port" -r "127.0.0.1:$directory/JOBBENCH" there >/dev/null
    took sftp "$start"
    rm -rf there
}

names=(collect tar scp sftp removing)
measure() { # measure TITLE NAME...
    local name title=$1
    shift
    rm -f times.*
    for ((run = 0; run < runs; run++)); do
        for name; do
            "run_$name"
        done
    done
    printf '%-34s' "$title"
    for name in "${names[@]}"; do
        [ -e "times.$name" ] && printf ' %8s ms' "$(median "$name")" || printf ' %11s' -
    done
    echo
}
# small_files COUNT BYTES
small_files() {
    rm -rf JOBBENCH
    mkdir -p JOBBENCH/data
    head -c $(($1 * $2)) /dev/urandom | split -b "$2" -d -a 5 - JOBBENCH/data/aicore.0.1.1.slice_
}

printf '%-34s %11s %11s %11s %11s %11s\n' "median of $runs, $(nproc) cores" collect 'ssh tar' scp sftp 'and remove'
small_files 2000 65536
measure '2,000 files of 64 KB' "${names[@]}"
rm -r JOBBENCH
mkdir -p JOBBENCH/data
head -c 1073741824 /dev/urandom >JOBBENCH/data/aicore.0.1.1
measure 'one file of 1 GB' "${names[@]}"
small_files 3000 2048
measure '3,000 files of 2 KB' "${names[@]}"
slow_port=$(free_port)
"$here/delay_proxy.py" "$slow_port" "$server_port" "$delay" >proxy.out &
servers+=($!)
wait_for_port "$slow_port"
use_port "$slow_port"
measure "the same, $delay ms each way" collect tar removing # of the others each file takes several round trips: minutes
