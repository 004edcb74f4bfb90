# SPDX-License-Identifier: Apache-2.0
# Shared by the command-line tests: load it with 'load common'.
# $MSPROF is the program, $repository the source tree, $scratch an empty directory that is removed after each test.

repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
MSPROF=${MSPROF:-$repository/build/msprof}
case $MSPROF in
/*) ;;
*) MSPROF=$PWD/$MSPROF ;;
esac
shared=${MSPROF_SHARED:-$repository/../shared}
# shellcheck disable=SC2034 # for the tests
REAL_CAPTURE=$shared/data/real-910a-job3/raw

# Neither the user's layouts nor the terminal may change what is tested.
unset NO_COLOR COLUMNS LESS
export PAGER=cat
export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
export LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$repository/tests/lib # timeline, for one
umask 0027

# Skips a test that is about data which may not be passed on: needs_shared data/expected/prof-chip5-1k. Tests that are
# skipped so are listed in tests/needs_shared, with what checks the same of captures that are here.
needs_shared() {
    [ -e "$shared/$1" ] || skip "needs $1 of MSPROF_SHARED"
}

# Skips a test that reads Perfetto's format as others do.
needs_protoc() {
    command -v protoc >/dev/null || skip "protoc is not installed (Debian: protobuf-compiler)"
}

# Skips a test whose commands are not installed: needs python3 sqlite3
needs() {
    local command
    for command; do
        command -v "$command" >/dev/null || skip "$command is not installed"
    done
}

# Leaves a test out of the default of tools/test.sh: only_in_all REASON
only_in_all() {
    [ -z "${MSPROF_TEST_BRIEFLY:-}" ] || skip "$1: tools/test.sh --all"
}

# An empty directory, made the working directory.
enter_scratch() {
    scratch=$BATS_TEST_TMPDIR/scratch
    mkdir -p "$scratch"
    cd "$scratch" || return
}

# The path of the capture that testdata/ ships.
shipped_capture() {
    local path
    for path in "$repository"/testdata/resnet50/JOB* "$repository"/testdata/*/JOB*; do
        if [ -d "$path/data" ]; then
            printf '%s\n' "$path"
            return
        fi
    done
    echo "testdata/ holds no capture" >&2
    return 1
}

# Copies the shipped capture, without results of earlier runs, to the given path (JOBX).
copy_capture() {
    local target=${1:-JOBX} source entry entries=()
    source=$(shipped_capture) || return
    mkdir -p "$target"
    for entry in "$source"/*; do
        case ${entry##*/} in
        sqlite | log | timeline | summary) ;;
        *) entries+=("$entry") ;;
        esac
    done
    cp -R "${entries[@]}" "$target/"
    chmod -R u+w "$target"
}

# Copies a capture of testdata/cann: copy_family prof-910b PROF_1. Its expected tables are $repository/testdata/cann/NAME/expected.
copy_family() {
    rm -rf "$2"
    cp -R "$repository/testdata/cann/$1"/[JP]* "$2"
    chmod -R u+w "$2"
}

# A program with a sanitizer has its own allocator, and takes three to ten times as long.
has_sanitizer() {
    ldd "$MSPROF" | grep -Eq 'lib(a|t)san'
}

launcher=()

# Runs msprof and keeps status, stdout ($output) and stderr ($stderr) apart; does not fail by itself.
run_msprof() {
    local target=$BATS_TEST_TMPDIR/stdout
    run_msprof_into "$target" "$@"
    output=$(<"$target")
}

# Runs msprof likewise with stdout into a file of the caller's; $output stays empty.
run_msprof_into() {
    local target=$1 errors=$BATS_TEST_TMPDIR/stderr
    shift
    status=0 output=''
    "${launcher[@]}" "$MSPROF" "$@" >"$target" 2>"$errors" || status=$?
    stderr=$(<"$errors")
}

# Fails with everything that is known when the last run_msprof ended with another status.
expect_status() {
    [ "$status" -eq "$1" ] && return
    printf 'exit status %s, expected %s\nstdout:\n%s\nstderr:\n%s\n' "$status" "$1" "$output" "$stderr" >&2
    return 1
}

# Fails unless a text contains another: expect_contains "$stderr" "unknown option".
expect_contains() {
    [[ $1 == *"$2"* ]] && return
    printf 'expected to find:\n%s\nin:\n%s\n' "$2" "$1" >&2
    return 1
}

expect_not_contains() {
    [[ $1 != *"$2"* ]] && return
    printf 'expected not to find:\n%s\nin:\n%s\n' "$2" "$1" >&2
    return 1
}

expect_equal() {
    [ "$1" = "$2" ] && return
    printf 'found:\n%s\nexpected:\n%s\n' "$1" "$2" >&2
    diff <(printf '%s\n' "$1") <(printf '%s\n' "$2") >&2
    return 1
}

# Gives one byte of a file another value, whichever it had: change_byte FILE OFFSET
change_byte() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\x$(printf %02x $((byte ^ 0x58)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Runs a command, sends it a signal when it can take it and some seconds more have passed, and sets status.
run_interrupted() { # signal, seconds, command...
    status=0
    python3 "$repository/tests/lib/signal_after.py" "$@" || status=$?
}

# Runs msprof likewise as a process that file permissions hold for, also when the tests run as root.
run_msprof_unprivileged() {
    local launcher=(env)
    if [ "$(id -u)" -eq 0 ]; then
        launcher=(setpriv --bounding-set "-dac_override,-dac_read_search,-fowner")
        "${launcher[@]}" true || skip "setpriv(1) does not work here"
    fi
    run_msprof "$@"
}
