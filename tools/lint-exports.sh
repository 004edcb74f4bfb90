#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compares what the libraries export with what they are to: libmsprof and libmsprof_acl the names of their maps, each with a version;
# libmsprof_preload those of its list, of the C library, of its map, and mstx. usage: tools/lint-exports.sh BUILD_VARIANT_DIR
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: tools/lint-exports.sh BUILD_VARIANT_DIR}
findings=0

# The lines that only the first file has are findings.
only_in_first() { # sentence, file, file
    local name
    while read -r name; do
        echo "$1: $name"
        findings=1
    done < <(LC_ALL=C comm -23 "$2" "$3")
}

exported() { # library
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort -u
}

# NAME@@VERSION for each name of a map.
of_map() { # map
    awk '/^[A-Z_0-9.]+ [{]$/ { version = $1; global = 0 } /^global:/ { global = 1; next } /^local:/ { global = 0 }
        global && /^ +[a-zA-Z_0-9]+;$/ { gsub(/[ ;]/, ""); print $0 "@@" version }' "$1" | LC_ALL=C sort -u
}

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

compare_with_map() { # library, map
    of_map "$2" >"$room/wanted"
    exported "$build/$1" >"$room/found"
    only_in_first "$1 exports what $2 does not name" "$room/found" "$room/wanted"
    only_in_first "$2 names what $1 does not export" "$room/wanted" "$room/found"
}
compare_with_map libmsprof_acl.so.1 acl/libmsprof_acl.map
compare_with_map libmsprof.so.1 api/libmsprof.map

libc=$(ldd "$build/libmsprof_preload.so" 2>/dev/null | awk '$1 == "libc.so.6" { print $3 }' || true)
if [ -e "$libc" ]; then
    {
        of_map acl/preload/libmsprof_preload.map
        echo InitInjectionMstx # programs look for it by its name, without a version
        awk 'NF == 2 && $1 !~ /^#/ { print $2 }' acl/preload/functions.list
        exported "$libc" | sed 's/@.*//'
    } | LC_ALL=C sort -u >"$room/wanted"
    exported "$build/libmsprof_preload.so" >"$room/found"
    only_in_first "libmsprof_preload.so exports what is neither of its list nor of the C library" "$room/found" "$room/wanted"
fi
exit "$findings"
