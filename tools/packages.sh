#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing; does nothing when all are there.
# usage: tools/packages.sh build|test|develop|package
#   build    to build and run msprof
#   test     for all tests and checks too
#   develop  for 'make coverage' and 'make fuzz' too
#   package  to build, and for 'make deb', 'make rpm', 'make portable', 'make html' and the tests of what they make
set -eu

build=(gcc libc6-dev make libsqlite3-dev libcjson-dev libcsv-dev libssh2-1-dev libssl-dev zlib1g-dev)

test=(
    libcmocka-dev bats perl                           # unit tests, command-line tests, prove
    python3 python3-jsonschema sqlite3 jq             # read what msprof wrote, independently of it; acl.prof
    g++ pkg-config time                               # programs that use libmsprof_acl
    openssh-server openssh-client dropbear-bin        # the boards of tests/ssh
    busybox csh                                       # what boards have instead of the GNU tools and of sh
    zsh fish                                          # completion scripts run in their shells
    mandoc                                            # manual pages
    protobuf-compiler chromium                        # timelines in Perfetto's format, and pages, as others read them
    clang clang-format clang-tidy cppcheck shellcheck # the second compiler, make lint
)

develop=(gcovr libclang-rt-14-dev) # coverage reports, the runtime of libFuzzer

package=(debhelper dh-python lintian rpm fakeroot dpkg-dev debootstrap git
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user mandoc cmark-gfm)

case ${1:-} in
build) wanted=("${build[@]}") ;;
test) wanted=("${build[@]}" "${test[@]}") ;;
develop) wanted=("${build[@]}" "${test[@]}" "${develop[@]}") ;;
package) wanted=("${build[@]}" "${package[@]}") ;;
*)
    echo "usage: $0 build|test|develop|package" >&2
    exit 2
    ;;
esac

missing=()
for package in "${wanted[@]}"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing+=("$package")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "$0: no apt-get here; install what Debian calls: ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "$0: run this as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
