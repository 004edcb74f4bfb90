# SPDX-License-Identifier: Apache-2.0
# For the tests of the source tree itself: load it after common.
# shellcheck disable=SC2154 # load common sets repository

# Copies the source tree, with the release build when there is one so that little is built again, and enters the copy.
# Only objects of the tests are copied: the programs are several hundred megabytes, and nothing here runs them.
# Nothing here touches the tree that other tests are using.
enter_tree_copy() {
    mkdir -p "$BATS_TEST_TMPDIR/tree"
    tar -C "$repository" -c --exclude=./.git --exclude=./build . | tar -C "$BATS_TEST_TMPDIR/tree" -x
    if [ -d "$repository/build/release" ]; then
        (cd "$repository" && find build/release ! -type d \( ! -path 'build/release/tests/*' -o -name '*.[od]' \) -print0) |
            tar -C "$repository" -c --null -T - | tar -C "$BATS_TEST_TMPDIR/tree" -x
    fi
    cd "$BATS_TEST_TMPDIR/tree" || return
    # Without git its commit is the one that a source archive would have.
    [ ! -e build/release/commit ] || cp build/release/commit tools/commit
    forget_outer_make
}

# Forgets the variables that an outer make hands down.
forget_outer_make() {
    unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL MFLAGS VARIANT DESTDIR prefix
}

# The files below a directory, without it.
files_below() {
    (cd "$1" && find . ! -type d | sed 's|^\.||' | LC_ALL=C sort)
}
