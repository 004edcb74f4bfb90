#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual's promises: promises.txt quotes each of these pages' sentences that promise, and names the test that backs it. A
# sentence that is changed takes its test along.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository

load ../cli/common

pages="msprof-collect.1 msprof-security.7 msprof-import.1 msprof-run.1 msprof-mcp.1 msprof-sql.1"

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
    needs mandoc
}

promises() {
    grep -v '^#' "$BATS_TEST_DIRNAME/promises.txt"
}

@test "every sentence that is quoted as a promise stands in its page" {
    promises | grep '^[^ ]' | while IFS= read -r promise; do
        [[ $(<"$BATS_FILE_TMPDIR/${promise%%: *}") == *"${promise#*: }"* ]] || echo "$promise"
    done >gone
    [ "$(promises | grep -c '^[^ ]')" -ge 100 ]
    expect_equal "$(<gone)" ""
}

@test "every promise is backed by a test that is there" {
    local file name
    promises | awk '/^    / { backed = 1 } /^[^ ]/ { if (promise != "" && !backed) print promise; promise = $0; backed = 0 }
        END { if (!backed) print promise }' >unbacked
    expect_equal "$(<unbacked)" ""
    promises | sed -n 's/^    //p' | while IFS= read -r backing; do
        file=${backing%%: *} name=${backing#*: }
        grep -qxF -e "@test \"$name\" {" -e "static void $name(void **state)" "$repository/$file" || echo "$backing"
    done >unbacked
    expect_equal "$(<unbacked)" ""
}

@test "no sentence that says never, nothing, refused, told or the like is without its test" {
    local page sentence quoted
    local words="never|always|nothing|refused|told|counted|lost|warning|ignored|overwritten|removed|kept"
    quoted=$(promises | sed -n 's/^msprof-[a-z]*\.[0-9]: //p')
    for page in $pages; do
        # DIAGNOSTICS is a table of what captures may have, made of the code's
        sed 's/ DIAGNOSTICS .* SEE ALSO / /' "$BATS_FILE_TMPDIR/$page" | grep -oE "[A-Z][^.]*\b($words)\b[^.]*\." |
            grep -v 'a program that never ends\|was loaded but never executed' | while IFS= read -r sentence; do
            while IFS= read -r promise; do
                [[ "$sentence" != *"$promise"* && "$promise" != *"$sentence"* ]] || continue 2
            done <<<"$quoted"
            echo "$page: $sentence"
        done
    done >unquoted
    expect_equal "$(<unquoted)" ""
}
