#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes msprof for any Linux with glibc 2.17 or newer (CentOS 7, Ubuntu 22.04, openEuler): an archive with the program, which needs
# nothing but glibc, and the libraries that read and record. It proves that no symbol is newer.
# usage: tools/portable.sh x86_64|aarch64 [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

machine=${1:-}
build=${2:-build}
newest_glibc=2.17
case $machine in
x86_64) architecture=amd64 triplet=x86_64-linux-gnu ;;
aarch64) architecture=arm64 triplet=aarch64-linux-gnu ;;
*)
    echo "usage: $0 x86_64|aarch64 [BUILD_DIR]" >&2
    exit 2
    ;;
esac
if ! command -v "$triplet-gcc" >/dev/null; then
    echo "$0: $triplet-gcc is missing: install gcc-${triplet//_/-} libc6-dev-$architecture-cross" >&2
    exit 1
fi
sysroot=$build/sysroot-$architecture
objects=$build/$triplet-portable

tools/sysroot.sh "$architecture" "$sysroot"

# Debian has cJSON as a shared library alone: its source makes the static one.
make_cjson() {
    local directory=$build/cjson parts file
    parts=$(mktemp -d)
    mkdir -p "$directory" "$parts/lists/partial"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$parts/$(basename "$file")"
    done
    [ ! -e /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$parts/main.list"
    local options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$parts" -o "Dir::State::lists=$parts/lists"
        -o Debug::NoLocking=true -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    (cd "$directory" && apt-get "${options[@]}" source --download-only cjson)
    rm -rf "$parts"
    tar -xzf "$directory"/cjson_*.orig.tar.gz -C "$directory" --strip-components=1
    "$triplet-gcc" --sysroot="$(realpath "$sysroot")" -O2 -fPIC -fstack-protector-strong -c "$directory/cJSON.c" -o "$objects/cJSON.o"
    "$triplet-ar" rcsD "$objects/libcjson.a" "$objects/cJSON.o"
}

mkdir -p "$objects"
[ -e "$objects/libcjson.a" ] || make_cjson
make --no-print-directory -j "$(nproc)" CROSS="$triplet" SYSROOT="$sysroot" VARIANT=portable BUILD="$build"

products=("$objects/msprof" "$objects/libmsprof.so.1" "$objects/libmsprof_acl.so.1" "$objects/libmsprof_preload.so" "$objects/libms_tools_ext.so")
findings=0
for file in "${products[@]}"; do
    newest=$("$triplet-objdump" -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    if [ "$(printf '%s\n' "$newest" "GLIBC_$newest_glibc" | sort -V | tail -n 1)" != "GLIBC_$newest_glibc" ]; then
        echo "$file needs $newest:" >&2
        "$triplet-objdump" -T "$file" | grep "$newest" >&2
        findings=1
    fi
    needed=$("$triplet-objdump" -p "$file" | awk '$1 == "NEEDED" { print $2 }' | tr '\n' ' ')
    echo "$(basename "$file"): newest symbol $newest; needs $needed"
    for name in $needed; do
        case $name in
        libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | libanl.so.1 | ld-linux-*) ;;
        *)
            echo "$file needs $name, which is not of glibc" >&2
            findings=1
            ;;
        esac
    done
done
[ "$findings" -eq 0 ] || exit 1

name=msprof-$(make -s version)-linux-$machine
room=$build/portable/$name
rm -rf "$room"
mkdir -p "$room/layouts" "$room/licenses"
cp "${products[@]}" LICENSE "$room"
# The terms of the libraries that are linked into the program; SSH is what make was given.
ssh=libssh2-1
[ "${SSH:-}" != libssh ] || ssh=libssh
for library in libsqlite3 libcjson libcsv "$ssh" libssl libdeflate zlib1g libxxhash; do
    cp -L "$sysroot/usr/share/doc/$library-dev/copyright" "$room/licenses/$library"
done
cp -r include python docs/schemas "$room"
find features/layouts -name '*.layout' -exec cp {} "$room/layouts" \;
"$triplet-strip" --strip-unneeded "$room/msprof" "$room"/*.so*
ln -s libmsprof.so.1 "$room/libmsprof.so"
ln -s libmsprof_acl.so.1 "$room/libmsprof_acl.so"
ln -s libmsprof_acl.so.1 "$room/libmsprofiler.so"
tar -C "$build/portable" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}" \
    -cf - "$name" | gzip -n >"$room.tar.gz"
echo "$room.tar.gz"
