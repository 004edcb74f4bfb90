#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing; does nothing when all are there.
# usage: tools/packages.sh build|test|all|develop|package
#   build    to build and run msprof
#   test     for the tests of tools/test.sh too
#   all      for the tests and checks of 'tools/test.sh --all' too, among them a module of npm
#   develop  for 'make coverage' and 'make fuzz' too
#   package  to build, and for 'make deb', 'make rpm', 'make portable', 'make html' and the tests of what they make
set -eu

build=(gcc libc6-dev make libsqlite3-dev libcjson-dev libcsv-dev libssh2-1-dev libssl-dev zlib1g-dev libdeflate-dev libxxhash-dev libarchive-dev libncurses-dev)

test=(
    libcmocka-dev bats perl                    # unit tests, command-line tests, prove
    python3 python3-jsonschema sqlite3 jq      # read what msprof wrote, independently of it; acl.prof
    g++ pkg-config time                        # programs that use libmsprof_acl
    openssh-server openssh-client dropbear-bin # the boards of tests/ssh
    libssh-dev                                 # the SSH library that is not the default
    busybox csh                                # what boards have instead of the GNU tools and of sh
    mandoc bsdextrautils                       # manual pages
)

all=(
    zsh fish                                          # completion scripts run in their shells
    protobuf-compiler chromium                        # timelines in Perfetto's format, and pages, as others read them
    gettext                                           # the Chinese catalogue, as msgfmt reads it
    valgrind                                          # counts instructions, which a busy machine does not move
    clang clang-format clang-tidy cppcheck shellcheck # the second compiler, make lint
    debhelper dh-python lintian fakeroot dpkg-dev git # 'make deb' in every run
)

develop=(gcovr libclang-rt-14-dev) # coverage reports, the runtime of libFuzzer

package=(debhelper dh-python lintian rpm fakeroot dpkg-dev debootstrap git
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user mandoc cmark-gfm)

npm=
case ${1:-} in
build) wanted=("${build[@]}") ;;
test) wanted=("${build[@]}" "${test[@]}") ;;
all) wanted=("${build[@]}" "${test[@]}" "${all[@]}") npm=1 ;;
develop) wanted=("${build[@]}" "${test[@]}" "${all[@]}" "${develop[@]}") npm=1 ;;
package) wanted=("${build[@]}" "${package[@]}") ;;
*)
    echo "usage: $0 build|test|all|develop|package" >&2
    exit 2
    ;;
esac

# Whoever has npm from elsewhere has no need of Debian's.
[ -z "$npm" ] || command -v npm >/dev/null || wanted+=(npm)

# axe-core looks for what keeps people from reading a page, and @modelcontextprotocol/sdk is the client of the authors of
# the protocol that 'msprof mcp' serves; DuckDB (x86-64 alone) reads tables of import msprof. Debian has none of them: they come
# from npm, as the lock file says, and without them three tests are skipped.
install_npm() {
    local here lock=tests/lib/package-lock.json
    here=$(dirname "$0")/..
    [ -f "$here/$lock" ] || return 0
    cd "$here"
    ! cmp -s "$lock" build/npm/package-lock.json || [ ! -f build/npm/node_modules/axe-core/axe.min.js ] || return 0
    echo "Installing: axe-core, @modelcontextprotocol/sdk, DuckDB"
    rm -rf build/npm
    mkdir -p build/npm
    cp tests/lib/package.json "$lock" build/npm/
    timeout 300 npm ci --prefix build/npm --ignore-scripts --no-audit --no-fund >build/npm/log 2>&1 </dev/null && return 0
    rm -rf build/npm/node_modules
    echo "$0: axe-core, @modelcontextprotocol/sdk and DuckDB are not tried: 'npm ci' failed: $(head -n 1 build/npm/log)" >&2
}

missing=()
for package in "${wanted[@]}"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    [ -z "$npm" ] || install_npm
    exit 0
fi

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

"${as_root[@]}" apt-get update -qq
echo "Installing $(apt-get install -s --no-install-recommends "${missing[@]}" | grep -c '^Inst') packages: ${missing[*]} and what they need"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
[ -z "$npm" ] || install_npm
