#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What packages, archives and others' continuous integration are made of says the same as the project; 'make release-check' builds them.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status and stderr

load ../cli/common

setup() {
    enter_scratch
}

# The lines of a block of YAML whose key is given, without its indentation.
yaml_block() { # key, file
    awk -v key="$1" '
        !inside && $0 ~ "^ *-? *" key ": *[|]$" { inside = 1; next }
        !inside && $0 ~ "^ *" key ":$" { inside = 2; next }
        inside == 2 && /^ *- [|]$/ { inside = 1; indent = 0; next }
        inside == 1 { if (!indent) { match($0, /^ */); indent = RLENGTH }
                      if ($0 !~ /^ *$/ && match($0, /^ */) && RLENGTH < indent) exit
                      print substr($0, indent + 1) }' "$2"
}

# Two captures of which the second is slower.
make_pair() {
    "$repository/build/release/make-capture" --output base --seed 1 2>/dev/null
    "$repository/build/release/make-capture" --output new --seed 1 --frequency 300 2>/dev/null
}

@test "packages and changelogs have the version of the program" {
    version=$(make -s -C "$repository" version)
    run_msprof --version
    [[ $output == "msprof $version"* ]]
    grep -qE "^## $version( |\$)" "$repository/CHANGELOG.md"
    expect_equal "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$repository/debian/changelog")" "$version"
    grep -q "msprof_version}%{!?msprof_version:$version}" "$repository/tools/rpm/msprof.spec"
}

@test "others' continuous integration runs the README's two commands, the second with all tests" {
    for file in .github/workflows/ci.yml .gitlab-ci.yml; do
        for command in tools/tour.sh "tools/test.sh --all"; do
            grep -qE "^ +- (run: )?$command\$" "$repository/$file"
        done
    done
}

@test "the action for gates reports a gate that failed in its summary and fails with its status" {
    make_pair
    yaml_block run "$repository/.github/actions/gate/action.yml" >action.sh
    export BASE=base NEW=new MSPROF="$MSPROF" GITHUB_STEP_SUMMARY=$scratch/summary.md
    GATES=$'step_time:+3%\nop:*:+10%\n' run bash -e action.sh
    expect_equal "$status" 6
    grep -q '^|' summary.md
    GATES='step_time:+3%' NEW=base run bash -e action.sh
    expect_equal "$status" 0
}

@test "the template for gates writes the comparison and fails with its status" {
    make_pair
    yaml_block script "$repository/.gitlab/gate.yml" >job.sh
    export MSPROF MSPROF_BASE=base MSPROF_NEW=new
    MSPROF_GATES='step_time:+3%' run bash -e job.sh
    expect_equal "$status" 6
    python3 -c 'import json; json.load(open("diff.json"))'
    MSPROF_GATES='step_time:+3%' MSPROF_NEW=base run bash -e job.sh
    expect_equal "$status" 0
}

@test "the manual is a site in which every reference leads somewhere" {
    (cd "$repository" && tools/html.sh build/release/man "$scratch/html")
    for page in "$repository"/build/release/man/*.[1-8]; do
        grep -q "href=\"$(basename "$page").html\"" html/index.html
    done
    grep -q 'href="msprof-import.1.html"' html/msprof.1.html
}

@test "a library that is missing is named with its package" {
    run "$repository/tools/check-libraries.sh" "stddef.h no_such_library.h libssh2.h libssh/libssh.h" cc -nostdinc
    expect_equal "$status" 1
    [[ $output == *"install libssh2-1-dev (libssh2-devel), or build with libssh: make SSH=libssh, or without collect: make COLLECT=no"* ]]
    [[ $output == *"install libssh-dev (libssh-devel), or build with libssh2: make, or without collect: make COLLECT=no"* ]]
    run "$repository/tools/check-libraries.sh" "sqlite3.h" cc
    expect_equal "$status" 0
    expect_equal "$output" ""
}

@test "a build directory with a blank in its name is refused before anything is made" {
    run make -C "$repository" BUILD="$scratch/a b"
    [ "$status" -eq 2 ]
    [[ $output == *"must be one directory without a blank in its name"* ]]
}

@test "every run of the continuous integration makes the packages, and those for rpm, the portable archive and the wheel where their parts changed" {
    needs git
    unset MSPROF_CI_BASE
    git -c init.defaultBranch=main init -q tree && cd tree
    git config user.name n && git config user.email e
    mkdir -p tools debian
    cp "$repository/tools/check-packages.sh" tools/
    for tool in package.sh packages.sh wheel.sh test-package.sh; do
        # shellcheck disable=SC2016 # the script expands it
        printf '#!/bin/bash\necho "${0##*/} $1" >>ran\n' >"tools/$tool"
        chmod +x "tools/$tool"
    done
    echo a >debian/control && echo a >source.c
    git add . && git commit -qm first
    echo b >source.c && git commit -qam second
    run tools/check-packages.sh
    expect_equal "$status" 0
    expect_equal "$(cat ran)" "package.sh deb"
    echo b >debian/control && git commit -qam third && rm ran
    run tools/check-packages.sh
    expect_equal "$status" 0
    expect_equal "$(head -n 4 ran)" "package.sh deb
packages.sh package
package.sh rpm
wheel.sh $(uname -m)"
    printf '#!/bin/bash\nexit 1\n' >tools/package.sh
    run tools/check-packages.sh
    expect_equal "$status" 1
    expect_contains "$output" "not ok: packages for Debian"
    grep -qF tools/check-packages.sh "$repository/tools/test.sh"
}

@test "a name that the map of a library lacks, or names in vain, is found" {
    needs gcc
    mkdir -p tree/tools tree/acl/preload tree/api variant
    cp "$repository/tools/lint-exports.sh" tree/tools/
    printf 'MSPROF_1.0 {\nglobal:\n    msprof_version;\nlocal:\n    *;\n};\n' >tree/api/libmsprof.map
    printf 'int msprof_version(void) { return 0; }\n' >reader.c
    gcc -w -shared -fPIC -o variant/libmsprof.so.1 reader.c -Wl,--version-script=tree/api/libmsprof.map
    printf '/* Names. */\nMSPROF_ACL_1.0 {\nglobal:\n    aclprofInit;\nlocal:\n    __*;\n};\n' >tree/acl/libmsprof_acl.map
    printf 'int aclprofInit(void) { return 0; }\nvoid _exit(int status) { for (;;) (void)status; }\n' >library.c
    gcc -w -shared -fPIC -o variant/libmsprof_acl.so.1 library.c -Wl,--version-script=tree/acl/libmsprof_acl.map
    run tree/tools/lint-exports.sh "$PWD/variant"
    expect_equal "$status" 1
    expect_equal "$output" "libmsprof_acl.so.1 exports what acl/libmsprof_acl.map does not name: _exit"
    printf 'int aclprofInit(void) { return 0; }\n' >library.c
    gcc -w -shared -fPIC -o variant/libmsprof_acl.so.1 library.c -Wl,--version-script=tree/acl/libmsprof_acl.map
    run tree/tools/lint-exports.sh "$PWD/variant"
    expect_equal "$status" 0
    sed -i 's/^local/    aclprofStart;\n&/' tree/acl/libmsprof_acl.map
    run tree/tools/lint-exports.sh "$PWD/variant"
    expect_equal "$status" 1
    expect_equal "$output" "acl/libmsprof_acl.map names what libmsprof_acl.so.1 does not export: aclprofStart@@MSPROF_ACL_1.0"
}

@test "the name of a folder as a target makes what is made of it" {
    for target in acl man tests cli base; do
        run make -C "$repository" --dry-run --always-make -s "$target"
        expect_equal "$status" 0
        [ "${#lines[@]}" -gt 5 ] || { echo "make $target does nothing" && false; }
    done
}

@test "a source that does not say its license is found, and a line is added once" {
    mkdir -p tree/base tree/tests tree/testdata/small
    printf '/* About numbers. */\nint one;\n' >tree/base/number.c
    printf '#!/bin/bash\necho one\n' >tree/tests/run
    printf '# SPDX-License-Identifier: Apache-2.0\nall:\n' >tree/Makefile
    printf 'int others;\n' >tree/testdata/small/others.c
    chmod +x tree/tests/run
    run "$repository/tools/spdx.sh" tree
    expect_equal "$status" 1
    expect_equal "${#lines[@]}" 2
    "$repository/tools/spdx.sh" --add tree
    "$repository/tools/spdx.sh" tree
    "$repository/tools/spdx.sh" --add tree
    expect_equal "$(head -n 2 tree/base/number.c)" "/* SPDX-License-Identifier: Apache-2.0 */
/* About numbers. */"
    expect_equal "$(head -n 2 tree/tests/run)" '#!/bin/bash
# SPDX-License-Identifier: Apache-2.0'
    expect_equal "$(tree/tests/run)" one
    expect_equal "$(cat tree/testdata/small/others.c)" "int others;"
    run "$repository/tools/spdx.sh" "$repository"
    expect_equal "$status" 0
}

@test "images are of Debian 12 and install by the project's own list; reports of faults ask for the doctor" {
    for file in Dockerfile .devcontainer/Dockerfile; do
        grep -q '^FROM debian:12' "$repository/$file"
        grep -qE '/tmp/packages.sh (package|develop)( |$)' "$repository/$file"
    done
    for file in "$repository"/.github/ISSUE_TEMPLATE/*.md; do
        grep -qF 'msprof doctor CAPTURE' "$file"
    done
}
