#!/usr/bin/env bash
# Measures the transfer of collect beside what else brings files home over SSH, through an OpenSSH server on loopback
# that is started here with throw-away keys.
#
# usage: bench_collect.sh BUILD_DIR
#   BENCH_RUNS    runs of each measurement, in turns; the median counts (5)
#   TMPDIR        where files go (/tmp); 4 GB for a while
#
# collect verifies every file by SHA-256 on both sides, the others verify nothing. Nothing is asserted about time.
set -euo pipefail

build=$(cd "$1" && pwd)
runs=${BENCH_RUNS:-5}
umask 0027
unset SSH_AUTH_SOCK

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$directory"
}
trap finish EXIT
cd "$directory"
mkdir -p home project/out home/profiling/out /run/sshd

port=0
for _ in {1..50}; do
    port=$((20000 + RANDOM % 40000))
    (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
done
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
cat >sshd_config <<CONFIG
Port $port
ListenAddress 127.0.0.1
HostKey $directory/host
AuthorizedKeysFile $directory/user.pub
PidFile none
StrictModes no
UsePAM no
SetEnv HOME=$directory/home
Subsystem sftp internal-sftp
CONFIG
/usr/sbin/sshd -D -f "$directory/sshd_config" -E sshd.log &
server=$!
for _ in {1..100}; do
    (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.05
done
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 host.pub)" >known_hosts
printf '[ssh_config]\nip = 127.0.0.1\nport = %s\nusername = %s\nkey = %s/user\nknown_hosts = %s/known_hosts\n' \
    "$port" "$(id -un)" "$directory" "$directory" >board.ini
chmod 600 board.ini
ssh=(-q -i user -o "UserKnownHostsFile=$directory/known_hosts" -o IdentitiesOnly=yes)

# The board's program: the capture is there already, under another name.
printf '#!/bin/sh\nmv "%s/capture" JOBBENCH\n' "$directory" >project/out/main
chmod +x project/out/main

now() {
    date +%s%N
}
took() { # took NAME START: remembers the milliseconds since START
    echo $((($(now) - $2) / 1000000)) >>"times.$1"
}
median() {
    sort -n "times.$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# collect says itself how long the fetch took, from listing to the last verified name: "..., 1.234 s, verified by"
run_collect() {
    rm -rf fetched
    "$build/msprof" collect -m project/out/main --config board.ini --keep --output fetched 2>words >/dev/null || {
        cat words >&2
        return 1
    }
    sed -n 's/.* bytes, \([0-9]*\)\.\([0-9]*\) s, verified by SHA-256.*/\1\2/p' words | sed 's/^0*//' >>times.collect
    mv home/profiling/out/JOBBENCH capture
    rm -rf fetched
}
run_tar() {
    local start
    mkdir there
    start=$(now)
    # shellcheck disable=SC2029 # the path is this machine's
    ssh "${ssh[@]}" -p "$port" 127.0.0.1 "cd '$directory' && tar cf - capture" | tar xf - -C there
    took tar "$start"
    rm -rf there
}
run_sftp() {
    local start
    mkdir there
    start=$(now)
    sftp "${ssh[@]}" -P "$port" -r "127.0.0.1:$directory/capture" there >/dev/null
    took sftp "$start"
    rm -rf there
}

measure() { # measure TITLE
    rm -f times.*
    for ((run = 0; run < runs; run++)); do
        run_collect
        run_tar
        run_sftp
    done
    printf '%-28s %11s ms %11s ms %11s ms\n' "$1" "$(median collect)" "$(median tar)" "$(median sftp)"
}

printf '%-28s %14s %14s %14s\n' "median of $runs, $(nproc) cores" collect 'ssh tar' sftp
mkdir -p capture/data
head -c $((2000 * 65536)) /dev/urandom | split -b 65536 -d -a 5 - capture/data/aicore.0.1.1.slice_
measure '2,000 files of 64 KB'
rm -r capture
mkdir -p capture/data
head -c 1073741824 /dev/urandom >capture/data/aicore.0.1.1
measure 'one file of 1 GB'
