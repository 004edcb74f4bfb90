#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole program and the recording libraries on aarch64: cross-built, run under qemu's user emulation; the program's outputs of every
# capture are compared with those of this machine's, byte by byte. 'tools/packages.sh package' installs what it needs.
# usage: check-aarch64.sh BUILD_DIR (of this machine: build/release)
set -euo pipefail

build=$(cd "$1" && pwd)
repository=$(cd "$(dirname "$0")/.." && pwd)
triplet=aarch64-linux-gnu
for tool in $triplet-gcc qemu-aarch64 sqlite3; do
    command -v "$tool" >/dev/null || { echo "check-aarch64.sh: $tool is not installed" >&2 && exit 1; }
done
directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-aarch64.XXXXXX")
trap 'rm -rf "$directory"' EXIT

cd "$repository"
root=$(dirname "$build")
sysroot=$root/sysroot-arm64
objects=$root/$triplet-release
tools/sysroot.sh arm64 "$sysroot"
make --no-print-directory -j "$(nproc)" CROSS=$triplet SYSROOT="$sysroot" BUILD="$root" HOST_MSPROF="$build/msprof" all
emulator=(qemu-aarch64 -L "$sysroot")
compile=("$triplet-gcc" --sysroot="$sysroot" -O2 -g -std=c17 -pthread -I. -D_GNU_SOURCE)
cp "$objects/libmsprof_preload.so" "$directory"
"${compile[@]}" -fPIC -shared tests/acl/fake_acl.c -o "$directory/libascendcl.so"
"${compile[@]}" tests/acl/acl_program.c -L"$directory" -lascendcl -Wl,-rpath,"$directory" -o "$directory/acl_program"
"${compile[@]}" tests/acl/acl_loader.c -o "$directory/acl_loader"
"${compile[@]}" -Iinclude tests/acl/acl_mstx.c -o "$directory/acl_mstx"

failures=0
table=host_call
# expect STATUS CALLS PROGRAM [ARGUMENT ...]: CALLS rows of table
expect() {
    local wanted_status=$1 wanted_calls=$2 status=0 calls
    shift 2
    rm -rf "$directory/captures"
    MSPROF_OUTPUT=$directory/captures "${emulator[@]}" -E LD_PRELOAD="$directory/libmsprof_preload.so" "$directory/$1" \
        "${@:2}" 2>"$directory/stderr" || status=$?
    # 3: calls that a longjmp left are reported
    "$build/msprof" import -q -dir "$directory"/captures/PROF_* 2>/dev/null || [ $? -eq 3 ] || status+=", import failed"
    calls=$(sqlite3 "$directory"/captures/PROF_*/sqlite/runtime.db "SELECT count(*) FROM $table")
    if [ "$status $calls" = "$wanted_status $wanted_calls" ]; then
        echo "ok: $*"
    else
        echo "not ok: $*: status $status, $calls calls; expected $wanted_status and $wanted_calls"
        cat "$directory/stderr"
        failures=$((failures + 1))
    fi
}

expect 0 15 acl_program arguments
expect 0 7 acl_program nest
expect 0 2 acl_program leave
expect 0 3 acl_loader dlsym "$directory/libascendcl.so"
expect 5 3000 acl_program end exit 3000
expect 6 3000 acl_program end _exit 3000
expect 139 3000 acl_program end segv 3000
expect 143 3000 acl_program end TERM 3000
expect 140 5 acl_program signals
expect 0 800 acl_program threads 4 200
table=msproftx
expect 0 604 acl_mstx threads 50

printf '#!/bin/sh\nexec qemu-aarch64 -L %s %s "$@"\n' "$sysroot" "$objects/msprof" >"$directory/msprof"
chmod +x "$directory/msprof"
tools/outputs.sh "$build/msprof" >"$directory/here"
tools/outputs.sh "$directory/msprof" >"$directory/there"
if cmp -s "$directory/here" "$directory/there"; then
    echo "ok: $(wc -l <"$directory/here") outputs are those of this machine"
else
    echo "not ok: outputs differ:"
    diff "$directory/here" "$directory/there" | awk '/^[<>]/ { print $3 }' | sort -u | head -n 20
    failures=$((failures + 1))
fi
exit $((failures > 0))
