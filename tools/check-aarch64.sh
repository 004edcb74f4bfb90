#!/bin/bash
# The preload library on aarch64: cross-compiled and run under qemu's user emulation. Needs gcc-aarch64-linux-gnu,
# libc6-dev-arm64-cross and qemu-user. usage: check-aarch64.sh BUILD_DIR (of this machine, for msprof and the generated list)
set -euo pipefail

build=$(cd "$1" && pwd)
repository=$(cd "$(dirname "$0")/.." && pwd)
compiler=${AARCH64_CC:-aarch64-linux-gnu-gcc}
emulator=(qemu-aarch64 -L "${AARCH64_ROOT:-/usr/aarch64-linux-gnu}")
for tool in "$compiler" "${emulator[0]}" sqlite3; do
    command -v "$tool" >/dev/null || { echo "check-aarch64.sh: $tool is not installed" >&2 && exit 1; }
done
directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-aarch64.XXXXXX")
trap 'rm -rf "$directory"' EXIT

cd "$repository"
compile=("$compiler" -O2 -g -std=c17 -pthread -I. -I"$build/generated" -D_GNU_SOURCE -DMSPROF_VERSION='"aarch64"' -Wall -Wextra -Werror)
"${compile[@]}" -fPIC -fvisibility=hidden -shared -Wl,-z,nodelete -Wl,-z,defs \
    -Wl,--version-script=acl/preload/libmsprof_preload.map acl/preload/*.c acl/preload/trampoline.S \
    acl/recorder/*.c \
    base/*.c base/file/*.c -o "$directory/libmsprof_preload.so"
"${compile[@]}" -fPIC -shared tests/acl/fake_acl.c -o "$directory/libascendcl.so"
"${compile[@]}" tests/acl/acl_program.c -L"$directory" -lascendcl -Wl,-rpath,"$directory" -o "$directory/acl_program"
"${compile[@]}" tests/acl/acl_loader.c -o "$directory/acl_loader"

failures=0
# expect STATUS CALLS PROGRAM [ARGUMENT ...]
expect() {
    local wanted_status=$1 wanted_calls=$2 status=0 calls
    shift 2
    rm -rf "$directory/captures"
    MSPROF_OUTPUT=$directory/captures "${emulator[@]}" -E LD_PRELOAD="$directory/libmsprof_preload.so" "$directory/$1" \
        "${@:2}" 2>"$directory/stderr" || status=$?
    "$build/msprof" import -q -dir "$directory"/captures/PROF_* || status+=", import failed"
    calls=$(sqlite3 "$directory"/captures/PROF_*/sqlite/runtime.db 'SELECT count(*) FROM host_call')
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
exit $((failures > 0))
