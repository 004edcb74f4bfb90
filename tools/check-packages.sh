#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages for Debian, with lintian; and where what packages and archives are made of changed, also those for rpm, the
# portable archive and the wheel of this machine, and installs the packages. The change is that since the first parent of the last commit, or since
# MSPROF_CI_BASE. Without git, or without that commit, everything counts as changed.
# Prints which of these cannot be installed here, and skips them. usage: tools/check-packages.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
base=${MSPROF_CI_BASE:-HEAD^1}
parts=(Makefile debian tools/rpm tools/portable tools/package.sh tools/test-package.sh tools/portable.sh tools/wheel.sh tools/sysroot.sh tools/dist.sh
    tools/check-packages.sh acl/libmsprof_acl.map acl/preload/libmsprof_preload.map acl/msprof_acl.pc.in api tools/packages.sh python)
log=$build/packages.log
failures=0
mkdir -p "$build"
: >"$log"

check() { # what must be true, command...
    local sentence=$1 begin=$SECONDS
    shift
    if "$@" >>"$log" 2>&1; then
        echo "ok: $sentence ($((SECONDS - begin)) s)"
    else
        tail -n 20 "$log"
        echo "not ok: $sentence (see $log)"
        failures=$((failures + 1))
    fi
}

changed() {
    ! git rev-parse --verify --quiet "$base^{commit}" >/dev/null 2>&1 || ! git diff --quiet "$base" HEAD -- "${parts[@]}"
}

may_mount() {
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null
}

check "packages for Debian are made, lintian has nothing to say" tools/package.sh deb "$build"
if changed && ! tools/packages.sh package >>"$log" 2>&1; then
    echo "skipped: packages for rpm and the portable program: what makes them could not be installed (see $log)"
elif changed; then
    check "packages for rpm are made" tools/package.sh rpm "$build"
    check "the portable program and the wheel of $(uname -m) need glibc 2.17 at most, and the wheel reads and records" \
        tools/wheel.sh "$(uname -m)" "$build"
    if may_mount; then
        check "packages for Debian install, run and leave nothing" tools/test-package.sh deb "$build"
        check "packages for rpm install, run and leave nothing" tools/test-package.sh rpm "$build"
    else
        echo "skipped: packages are not installed: that needs root and the right to mount"
    fi
fi
exit $((failures > 0))
