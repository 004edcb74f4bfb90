#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gathers the libraries of another machine, as Debian packages them, in a directory: for 'make CROSS=... SYSROOT=DIR' and for
# running what that makes under qemu. Nothing is installed. usage: tools/sysroot.sh arm64|amd64 DIR [PACKAGE ...]
#   PACKAGE ...  these packages, with what they depend on, instead of the libraries
set -euo pipefail

architecture=${1:?usage: tools/sysroot.sh arm64|amd64 DIR [PACKAGE ...]}
directory=${2:?usage: tools/sysroot.sh arm64|amd64 DIR [PACKAGE ...]}
shift 2
packages=(libc6-dev libsqlite3-dev libcjson-dev libcsv-dev libssh2-1-dev libssh-dev libssl-dev zlib1g-dev libdeflate-dev libxxhash-dev libarchive-dev libncurses-dev)
[ $# -eq 0 ] || packages=("$@")

[ "$(cat "$directory/.complete" 2>/dev/null)" != "${packages[*]}" ] || exit 0
rm -rf "$directory"
mkdir -p "$directory/.apt/lists/partial" "$directory/.apt/archives/partial"
directory=$(cd "$directory" && pwd)
: >"$directory/.apt/status"
options=(-qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
    -o "Dir::State::lists=$directory/.apt/lists" -o "Dir::State::status=$directory/.apt/status"
    -o "Dir::Cache=$directory/.apt" -o Debug::NoLocking=true -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
# Diversions and maintainer scripts play no part: files are unpacked, not installed.
apt-get "${options[@]}" -y --download-only --no-install-recommends install "${packages[@]}" >/dev/null
for package in "$directory"/.apt/archives/*.deb; do
    dpkg-deb -x "$package" "$directory"
done
# The linker's scripts name libraries below /lib, which is /usr/lib where the system is merged.
if [ ! -L "$directory/lib" ]; then
    cp -a "$directory/lib/." "$directory/usr/lib"
    rm -rf "${directory:?}/lib"
    ln -s usr/lib "$directory/lib"
fi
rm -rf "$directory/.apt"
echo "${packages[*]}" >"$directory/.complete"
