# SPDX-License-Identifier: Apache-2.0
# The pages that promise, and what backs a promise: load it after ../cli/common.
# shellcheck disable=SC2154 # common.bash sets repository

pages="msprof-collect.1 msprof-security.7 msprof-import.1 msprof-run.1"

# The pages as their readers see them, each in one line.
setup_file() {
    local page
    command -v mandoc >/dev/null || return 0
    for page in $pages; do
        mandoc -T utf8 -O width=999 "$(dirname "$(readlink -f "$MSPROF")")/man/$page" | col -b |
            tr -s '[:space:]' ' ' >"$BATS_FILE_TMPDIR/$page"
    done
}

setup() {
    enter_scratch
    command -v mandoc >/dev/null || skip "mandoc is not installed"
}

# The sentence that the test's name quotes stands in its page, and a test of this name in this file.
backed_by() { # file, test
    local page sentence=${BATS_TEST_DESCRIPTION#*: }
    page=$(<"$BATS_FILE_TMPDIR/${BATS_TEST_DESCRIPTION%%: *}")
    if [[ $page != *"$sentence"* ]]; then
        echo "the manual does not say any more: $sentence" >&2
        return 1
    fi
    if ! grep -qxF -e "@test \"$2\" {" -e "static void $2(void **state)" "$repository/$1"; then
        echo "$1 has no test '$2'" >&2
        return 1
    fi
}
