#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a release must hold beside the tests (docs/releasing.md): takes an hour, needs root and 'tools/packages.sh package'.
# usage: tools/release-check.sh [BUILD_DIR]
# shellcheck disable=SC2317 # check() calls the functions
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
version=$(make -s version)
log=$build/release-check.log
failures=0
mkdir -p "$build"
: >"$log"

check() { # what must be true, command...
    local sentence=$1
    shift
    if "$@" >>"$log" 2>&1; then
        echo "ok: $sentence"
    else
        echo "not ok: $sentence (see $log)"
        failures=$((failures + 1))
    fi
}

archive_is_reproducible() {
    local first second
    first=$(sha256sum <"$(tools/dist.sh "$build" | tail -n 1)")
    second=$(sha256sum <"$(tools/dist.sh "$build" | tail -n 1)")
    [ "$first" = "$second" ]
}

archive_builds_without_git() {
    local room
    room=$(mktemp -d)
    tar -xzf "$build/dist/msprof-$version.tar.gz" -C "$room" &&
        make -C "$room/msprof-$version" -j "$(nproc)" && "$room/msprof-$version/build/msprof" --version
    local status=$?
    rm -rf "$room"
    return "$status"
}

small_build() {
    local room
    room=$(mktemp -d)
    make -j "$(nproc)" COLLECT=no ACL=no TUI=no BUILD="$room" && ! ldd "$room/msprof" | grep ssh2
    local status=$?
    rm -rf "$room"
    return "$status"
}

portable_gives_the_same() {
    local room=$build/portable/msprof-$version-linux-x86_64
    cmp <(tools/outputs.sh "$build/msprof") <(tools/outputs.sh "$room/msprof")
}

check "everything is committed" git diff --quiet HEAD --
check "the program builds" make -j "$(nproc)" all generators
check "the source archive is reproducible" archive_is_reproducible
check "the source archive builds without git" archive_builds_without_git
check "it builds without collect and the recording libraries" small_build
check "lint finds nothing, with the analyzer over every file" make -j "$(nproc)" lint
check "the thread sanitizer finds no race in captures side by side" make -j "$(nproc)" check-threads
check "packages for Debian are made, lintian has nothing to say" tools/package.sh deb "$build"
check "packages for Debian install, run and leave nothing" tools/test-package.sh deb "$build"
check "packages for rpm are made" tools/package.sh rpm "$build"
check "packages for rpm install, run and leave nothing" tools/test-package.sh rpm "$build"
check "the portable program and the wheel of x86-64 need glibc 2.17 at most, and the wheel reads and records" tools/wheel.sh x86_64 "$build"
check "the portable program and the wheel of aarch64 need glibc 2.17 at most" tools/wheel.sh aarch64 "$build"
check "the portable program gives the same bytes" portable_gives_the_same
check "the program of aarch64 gives the same bytes under qemu" tools/check-aarch64.sh "$build/release"
check "the manual as a site has no broken link" make html
exit $((failures > 0))
