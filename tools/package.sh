#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages for Debian or for rpm of the last commit; they come into build/deb or build/rpm.
# usage: tools/package.sh deb|rpm [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-}
build=${2:-build}

need() { # command, package
    if ! command -v "$1" >/dev/null; then
        echo "$0: $1 is missing: install $2" >&2
        exit 1
    fi
}

# The tools of packages hand directories on without quotes: they work in one without a blank in its name, wherever the sources are.
make_room() {
    case ${TMPDIR:-/tmp} in
    *[[:space:]]*) room=$(mktemp -d /tmp/msprof-package.XXXXXX) ;;
    *) room=$(mktemp -d) ;;
    esac
    trap 'rm -rf "$room"' EXIT
}

make_deb() {
    need dpkg-buildpackage dpkg-dev
    need dh debhelper
    rm -rf "$build/deb"
    mkdir -p "$build/deb"
    make_room
    tar -xzf "$archive" -C "$room"
    (cd "$room/$name" && dpkg-buildpackage --build=binary --no-sign)
    rm -rf "${room:?}/$name"
    mv "$room"/* "$build/deb"
    if command -v lintian >/dev/null; then
        lintian --fail-on error,warning --info "$build"/deb/*.changes
    else
        echo "$0: lintian is not installed: the packages are not checked" >&2
    fi
}

make_rpm() {
    need rpmbuild rpm
    rm -rf "$build/rpm"
    mkdir -p "$build/rpm"
    make_room
    cp "$archive" "$room/$name.tar.gz"
    # On Debian rpm's database knows nothing of what is installed.
    rpmbuild -tb --nodeps --define "_topdir $room/tree" --define "_rpmdir $room/rpm" --define "_tmppath $room" \
        --define "msprof_version $version" "$room/$name.tar.gz"
    mv "$room/rpm"/* "$build/rpm"
}

version=$(make -s version)
name=msprof-$version
archive=$(tools/dist.sh "$build" | tail -n 1)
case $kind in
deb) make_deb && ls "$build"/deb/*.deb ;;
rpm) make_rpm && find "$build/rpm" -name '*.rpm' ;;
*)
    echo "usage: $0 deb|rpm [BUILD_DIR]" >&2
    exit 2
    ;;
esac
