# For the tests of the source tree itself: load it after common.
# shellcheck disable=SC2154 # load common sets repository

# Copies the source tree, with the release build when there is one so that little is built again, and enters the copy.
# Nothing here touches the tree that other tests are using.
enter_tree_copy() {
    mkdir -p "$BATS_TEST_TMPDIR/tree"
    tar -C "$repository" -c --exclude=./.git --exclude=./build . | tar -C "$BATS_TEST_TMPDIR/tree" -x
    if [ -d "$repository/build/release" ]; then
        mkdir "$BATS_TEST_TMPDIR/tree/build"
        cp -a "$repository/build/release" "$BATS_TEST_TMPDIR/tree/build/"
    fi
    cd "$BATS_TEST_TMPDIR/tree" || return
    # what an outer make hands down
    unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL MFLAGS VARIANT DESTDIR prefix
}

# The files below a directory, without it.
files_below() {
    (cd "$1" && find . ! -type d | sed 's|^\.||' | LC_ALL=C sort)
}
