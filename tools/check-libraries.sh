#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tells which library's headers the compiler does not find, by the names of their packages.
# usage: tools/check-libraries.sh HEADERS COMPILER [FLAG...]     HEADERS: "sqlite3.h csv.h"
set -u

headers=$1
shift

# Debian and Ubuntu; openEuler, Fedora and CentOS
package_of() {
    case $1 in
    sqlite3.h) echo 'libsqlite3-dev (sqlite-devel)' ;;
    cjson/cJSON.h) echo 'libcjson-dev (cjson-devel)' ;;
    csv.h) echo 'libcsv-dev (libcsv-devel)' ;;
    libssh2.h) echo 'libssh2-1-dev (libssh2-devel), or build with libssh: make SSH=libssh, or without collect: make COLLECT=no' ;;
    libssh/libssh.h) echo 'libssh-dev (libssh-devel), or build with libssh2: make, or without collect: make COLLECT=no' ;;
    libdeflate.h) echo 'libdeflate-dev (libdeflate-devel)' ;;
    archive.h) echo 'libarchive-dev (libarchive-devel)' ;;
    ncurses.h) echo 'libncurses-dev (ncurses-devel), or build without tui: make TUI=no' ;;
    xxhash.h) echo 'libxxhash-dev (xxhash-devel)' ;;
    zlib.h) echo 'zlib1g-dev (zlib-devel)' ;;
    openssl/evp.h) echo 'libssl-dev (openssl-devel)' ;;
    *) echo "the package of $1" ;;
    esac
}

missing=0
for header in $headers; do
    if ! printf '#include <stddef.h>\n#include <stdio.h>\n#include <%s>\n' "$header" | "$@" -w -fsyntax-only -x c - 2>/dev/null; then
        echo "msprof needs <$header>, which $1 does not find: install $(package_of "$header")" >&2
        missing=1
    fi
done
exit "$missing"
