#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/bats.sh judges tests as bats does.
# bats file_tags=once

load ../cli/common

setup() {
    enter_scratch
    needs bats
    cat >helper.bash <<'END'
inner() {
    false
}
shared=from_helper
END
    cat >some.bats <<'END'
# bats file_tags=all
load helper

setup_file() {
    export exported=yes
    : >"$BATS_FILE_TMPDIR/made"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ "${broken_setup:-}" = "" ]
}

teardown() {
    [ ! -e broken_teardown ]
    case $BATS_TEST_DESCRIPTION in
    *"skips in teardown"*) skip ;;
    *"ends in teardown"*) exit 1 ;;
    *"waits in teardown"*) wait "$pid" ;;
    esac
}

@test "passes" {
    [ "$shared$exported" = from_helperyes ]
    [ -e "$BATS_FILE_TMPDIR/made" ]
    [ "$PWD" = "$BATS_TEST_TMPDIR" ]
}

@test "fails in the middle" {
    false
    true
}

@test "fails in a function" {
    inner
}

@test "fails with a status" {
    (exit 7)
}

@test "fails in a pipe's end" {
    true | false
}

@test "a failure in a condition is none" {
    if false; then true; fi
    false || true
    ! false
}

@test "ends before its end" {
    exit 0
}

@test "is killed" {
    kill -KILL "$BASHPID"
}

@test "skips" {
    skip "because"
    false
}

@test "skips without a reason" {
    skip
}

@test "has \$5 and 'quotes' - (brackets)" {
    true
}

@test "fails and skips in teardown" {
    false
}

@test "passes and skips in teardown" {
    true
}

@test "passes and ends in teardown" {
    true
}

@test "passes and waits in teardown for its child" {
    sleep 0.1 &
    pid=$!
}

@test "passes and its teardown fails in the middle, which counts for nothing" {
    : >broken_teardown
}

@test "nothing of the test before is left" {
    [ ! -e broken_teardown ]
    [ "${pid:-}" = "" ]
}

# bats test_tags=special
@test "has a tag" {
    run sh -c 'echo out; echo; echo err >&2; exit 3'
    [ "$status" -eq 3 ]
    [ "${lines[1]}" = err ]
    run -3 --separate-stderr sh -c 'echo out; echo err >&2; exit 3'
    [ "$output" = out ]
    [ "$stderr" = err ]
    [ "${stderr_lines[0]}" = err ]
    run ! false
}

@test "run judges the status" {
    run -2 sh -c 'exit 3'
}

@test "run judges a failure that is asked for" {
    run ! true
}

@test "writes to descriptor 3" {
    echo "# a comment" >&3
}

@test "an undefined function fails" {
    no_such_function
}
END
}

# Lines of results, without what tells why, which is bats's own text.
results() {
    grep -E '^(1\.\.|ok|not ok)'
}

compare() {
    expect_equal "$("$repository/tests/bats.sh" "$@" 2>/dev/null | results)" "$(bats --tap "$@" 2>/dev/null | results)"
}

@test "tests pass, fail and are skipped as with bats" {
    # bats itself ends when the shell of a test is killed: that one is not compared.
    sed -i '/^@test "is killed"/,/^}/d' some.bats
    compare some.bats
    [ "$("$repository/tests/bats.sh" some.bats 2>/dev/null | grep -c '^not ok')" -gt 8 ]
}

@test "filters choose what bats chooses" {
    compare --filter '^fails' some.bats
    compare --filter-tags special some.bats
    compare --filter-tags 'all,!special' some.bats
    compare --filter-tags other some.bats
}

@test "a test whose shell is killed has failed, and the others run" {
    "$repository/tests/bats.sh" some.bats >results && return 1
    grep -qx 'not ok 8 is killed' results
    grep -q '^not ok 22' results
}

@test "setup_file and teardown_file that fail are failures" {
    printf 'setup_file() {\n    false\n}\n@test "a" {\n    true\n}\n' >first.bats
    compare first.bats
    printf 'teardown_file() {\n    false\n    true\n}\n@test "a" {\n    true\n}\n' >last.bats
    "$repository/tests/bats.sh" last.bats >results && return 1
    grep -qx 'not ok 2 teardown_file failed' results
}

@test "a failure is explained by its line, its command and what the test printed" {
    printf '@test "a" {\n    echo printed\n    [ 1 = 2 ]\n}\n' >one.bats
    "$repository/tests/bats.sh" one.bats >results && return 1
    expect_equal "$(tail -n +3 results)" "# (in test file one.bats, line 3)
#   \`[ 1 = 2 ]' failed with status 1
# printed"
}
