#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the source archive build/dist/msprof-VERSION.tar.gz: the files of the commit, or, without git, those of this directory that a
# build did not make. Equal sources make equal bytes. usage: tools/dist.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
name=msprof-$(make -s version)
mkdir -p "$build/dist"
archive=$build/dist/$name.tar.gz

if git rev-parse --git-dir >/dev/null 2>&1 && [ "$(git rev-parse --show-toplevel)" = "$PWD" ]; then
    if ! git diff --quiet HEAD --; then
        echo "$0: the archive is that of the last commit: changes since then are not in it" >&2
    fi
    git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -n -9 >"$archive.new"
else
    # As git writes it: sorted, owned by root, without modes of this machine; the time is that of the archive it came from.
    tar --sort=name --owner=root:0 --group=root:0 --numeric-owner --mode=u+rw,go=u-w --mtime="@${SOURCE_DATE_EPOCH:-$(stat -c %Y Makefile)}" \
        --exclude="./$build" --exclude=./debian/tmp --transform="s,^\.,$name," -cf - . | gzip -n -9 >"$archive.new"
fi
mv "$archive.new" "$archive"
echo "$archive"
