#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/bats.sh judges tests as bats does.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository

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
    # Here neither runner shall find tests.
    sed 's/^@TEST/@test/; s/^# BATS /# bats /' >some.bats <<'END'
# BATS file_tags=all
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

@TEST "passes" {
    [ "$shared$exported" = from_helperyes ]
    [ -e "$BATS_FILE_TMPDIR/made" ]
    [ "$PWD" = "$BATS_TEST_TMPDIR" ]
}

@TEST "fails in the middle" {
    false
    true
}

@TEST "fails in a function" {
    inner
}

@TEST "fails with a status" {
    (exit 7)
}

@TEST "fails in a pipe's end" {
    true | false
}

@TEST "a failure in a condition is none" {
    if false; then true; fi
    false || true
    ! false
}

@TEST "ends before its end" {
    exit 0
}

@TEST "is killed" {
    kill -KILL "$BASHPID"
}

@TEST "skips" {
    skip "because"
    false
}

@TEST "skips without a reason" {
    skip
}

@TEST "has \$5 and 'quotes' - (brackets)" {
    true
}

@TEST "fails and skips in teardown" {
    false
}

@TEST "passes and skips in teardown" {
    true
}

@TEST "passes and ends in teardown" {
    true
}

@TEST "passes and waits in teardown for its child" {
    sleep 0.1 &
    pid=$!
}

@TEST "passes and its teardown fails in the middle, which counts for nothing" {
    : >broken_teardown
}

@TEST "nothing of the test before is left" {
    [ ! -e broken_teardown ]
    [ "${pid:-}" = "" ]
}

# BATS test_tags=special
@TEST "has a tag" {
    run sh -c 'echo out; echo; echo err >&2; exit 3'
    [ "$status" -eq 3 ]
    [ "${lines[1]}" = err ]
    run -3 --separate-stderr sh -c 'echo out; echo err >&2; exit 3'
    [ "$output" = out ]
    [ "$stderr" = err ]
    [ "${stderr_lines[0]}" = err ]
    run ! false
}

@TEST "run judges the status" {
    run -2 sh -c 'exit 3'
}

@TEST "run judges a failure that is asked for" {
    run ! true
}

@TEST "writes to descriptor 3" {
    echo "# a comment" >&3
}

@TEST "an undefined function fails" {
    no_such_function
}
END
}

# Lines of results, without what tells why, which is bats's own text.
results() {
    grep -E '^(1\.\.|ok|not ok)'
}

# bats says nothing of a test whose shell is killed: that one is not compared.
forget_the_killed() {
    sed -i '/^@test "is killed"/,/^}/d' some.bats
}

compare() {
    expect_equal "$("$repository/tests/bats.sh" "$@" 2>/dev/null | results)" "$(bats --tap "$@" 2>/dev/null | results)"
}

@test "tests pass, fail and are skipped as with bats" {
    forget_the_killed
    compare some.bats
    [ "$("$repository/tests/bats.sh" some.bats 2>/dev/null | grep -c '^not ok')" -gt 8 ]
}

@test "filters choose what bats chooses" {
    forget_the_killed
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
