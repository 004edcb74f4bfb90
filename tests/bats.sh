#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of one file that is written for bats, and prints TAP as 'bats --tap' does.
# usage: tests/bats.sh [--filter REGEX] [--filter-tags TAG[,!TAG]...] FILE
#
# bats starts four shells and programs for each test and reads its own sources anew: 0.1 s of a processor, before the test does
# anything. Here a test is a fork. What a file may use: @test, setup, teardown, setup_file, teardown_file, load, skip, run, tags, the
# BATS_*TMPDIR, BATS_TEST_* and descriptor 3. tests/docs/runner.bats compares both on tests that pass, fail and skip.
# What a test sees is as with bats: 'set -e' with -E, its functions read anew, and of setup_file only what it exports.
# shellcheck disable=SC2317,SC2034 # the tests call the functions and read what they set
set -u

bats_filter='' bats_tags=''
while [[ $# -gt 1 ]]; do
    case $1 in
    --filter) bats_filter=$2 ;;
    --filter-tags) bats_tags=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [[ $# -ne 1 || ! -f $1 ]]; then
    echo "usage: tests/bats.sh [--filter REGEX] [--filter-tags TAGS] FILE" >&2
    exit 2
fi

BATS_TEST_FILENAME=$(cd "$(dirname "$1")" && pwd)/${1##*/}
BATS_TEST_DIRNAME=${BATS_TEST_FILENAME%/*}
BATS_TMPDIR=${BATS_TMPDIR:-${TMPDIR:-/tmp}}
BATS_RUN_TMPDIR=$(mktemp -d "$BATS_TMPDIR/bats-run-XXXXXX") || exit 1
BATS_SUITE_TMPDIR=$BATS_RUN_TMPDIR/suite
BATS_FILE_TMPDIR=$BATS_RUN_TMPDIR/file/0
export BATS_TEST_FILENAME BATS_TEST_DIRNAME BATS_TMPDIR BATS_RUN_TMPDIR BATS_SUITE_TMPDIR BATS_FILE_TMPDIR

# The file with each test as a function, line for line, and a list: number, tags with commas around them, name.
bats_source=$BATS_RUN_TMPDIR/source.bash
awk -v list="$BATS_RUN_TMPDIR/tests" '
    match($0, /^[ \t]*# bats (file|test)_tags=/) {
        value = substr($0, RLENGTH + 1)
        gsub(/[ \t]/, "", value)
        if ($0 ~ /file_tags=/)
            file_tags = value
        else
            test_tags = value
    }
    /^[ \t]*@test .*\{/ {
        name = $0
        sub(/^[ \t]*@test +["'\'']/, "", name)
        body = name
        sub(/["'\''] +\{.*$/, "", name)
        sub(/^.*["'\''] +\{/, "", body)
        printf "%d\t,%s,%s,\t%s\n", ++count, file_tags, test_tags, name >list
        printf "case_%d() { bats_begin_case \"%s\"; %s\n", count, name, body
        test_tags = ""
        next
    }
    { print }
    END { printf "" >>list }' "$BATS_TEST_FILENAME" >"$bats_source"

# Whether a test has all of the wanted tags, and none that '!' forbids.
bats_has_tags() { # tags with commas around them
    local tag wanted
    IFS=, read -ra wanted <<<"$bats_tags"
    for tag in "${wanted[@]}"; do
        if [[ $tag == !* ]]; then
            [[ $1 != *",${tag#!},"* ]] || return 1
        else
            [[ $1 == *",$tag,"* ]] || return 1
        fi
    done
}

bats_numbers=() bats_names=()
while IFS=$'\t' read -r number its_tags name; do
    [[ -z $bats_filter || $name =~ $bats_filter ]] || continue
    bats_has_tags "$its_tags" || continue
    bats_numbers+=("$number")
    bats_names+=("$name")
done <"$BATS_RUN_TMPDIR/tests"
bats_count=${#bats_numbers[@]}

# --- what a file may use ---

bats_require_minimum_version() { :; }

load() {
    local path=$1
    [[ $path == /* ]] || path=$BATS_TEST_DIRNAME/$path
    [[ -f $path ]] || path=$path.bash
    # shellcheck disable=SC1090
    source "$path" || exit 1
}

skip() {
    if [[ -n $bats_in_teardown ]]; then
        bats_torn_down=1
        bats_report_case
    fi
    bats_skipped=" # skip${1:+ $1}"
    bats_completed=1
    exit 0
}

# run [!|-N] [--separate-stderr] [--] COMMAND...: sets status, output, lines, and stderr, stderr_lines.
run() {
    local expected='' separate='' flags=$- errors
    while [[ $# -gt 0 ]]; do
        case $1 in
        '!') expected=! ;;
        -[0-9]*) expected=${1#-} ;;
        --separate-stderr) separate=1 ;;
        --) shift && break ;;
        -*) echo "run: unknown option '$1'" >&2 && return 1 ;;
        *) break ;;
        esac
        shift
    done
    set +eE
    if [[ -n $separate ]]; then
        errors=$(mktemp "$BATS_TEST_TMPDIR/separate-stderr-XXXXXX")
        output=$("$@" 2>"$errors")
        status=$?
        stderr=$(<"$errors")
        mapfile -t stderr_lines < <(grep . <<<"$stderr")
    else
        output=$("$@" 2>&1)
        status=$?
    fi
    IFS=$'\n' read -d '' -r -a lines <<<"$output"
    set "-$flags"
    case $expected in
    '') return 0 ;;
    !) [[ $status -ne 0 ]] ;;
    *) [[ $status -eq $expected ]] ;;
    esac || {
        printf 'run: status %s, expected %s: %s\n' "$status" "$expected" "$*" >&2
        return 1
    }
}

setup() { :; }
teardown() { :; }
setup_file() { :; }
teardown_file() { :; }

# --- one test ---

bats_begin_case() {
    BATS_TEST_DESCRIPTION=$1
    setup
}

# Where the first command failed: the innermost is called first, and those around it have nothing to add.
bats_note_failure() {
    bats_failure_status=$1
    [[ -z $bats_failure ]] || return 0
    local i place=''
    for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
        [[ ${FUNCNAME[i]} != bats_run_case && ${FUNCNAME[i]} != bats_run_for_file ]] || break
        if [[ ${BASH_SOURCE[i]} == "$bats_source" ]]; then
            place="in test file ${BATS_TEST_FILENAME#"$bats_start"/}, line ${BASH_LINENO[i - 1]}"
            bats_failure_line=${BASH_LINENO[i - 1]}
        else
            place="in file ${BASH_SOURCE[i]#"$bats_start"/}, line ${BASH_LINENO[i - 1]}"
        fi
        [[ ${FUNCNAME[i]} == case_* || ${FUNCNAME[i]} == source ]] || place="from function \`${FUNCNAME[i]}' $place"
        bats_failure+="${bats_failure:+,
#  }$place"
    done
}

bats_print_failure() { # what failed
    printf 'not ok %s\n' "$1"
    if [[ -n $bats_failure ]]; then
        printf '# (%s)\n' "$bats_failure"
    else
        printf '# (it ended before its last command)\n'
    fi
    [[ -z $bats_failure_line ]] || printf "#   \`%s' failed with status %s\n" "$(sed -n "${bats_failure_line}{s/^ *//;p;}" "$bats_source")" "$bats_failure_status"
    sed 's/^/# /' "$bats_out"
}

# The end of a test, however it comes: from the trap of its exit, in which no other trap comes, or before it.
bats_end_case() { # exit status
    trap bats_report_case EXIT
    trap - ERR
    [[ -n $bats_completed || $bats_failure_status -ne 0 ]] || bats_failure_status=$1
    bats_in_teardown=1
    if teardown >>"$bats_out" 2>&1; then
        bats_torn_down=1
    fi
    bats_report_case
}

# Ends the shell with 71 where the test passed, 72 where it failed: any other status is that of a shell which did not come to this.
bats_report_case() {
    trap - EXIT
    set +eE
    if [[ -n $bats_completed && -n $bats_torn_down ]]; then
        printf 'ok %d %s%s\n' "$BATS_TEST_NUMBER" "$BATS_TEST_DESCRIPTION" "$bats_skipped" >&3
        exit 71
    fi
    bats_print_failure "$BATS_TEST_NUMBER $BATS_TEST_DESCRIPTION" >&3
    exit 72
}

bats_run_case() { # its number in the file
    set -eE
    trap 'bats_note_failure $?' ERR
    trap 'bats_end_case $?' EXIT
    # shellcheck disable=SC1090
    source "$bats_source" >>"$bats_out" 2>&1
    "case_$1" >>"$bats_out" 2>&1 4>&1
    bats_completed=1
    bats_end_case 0
}

# --- the file ---

bats_start=$PWD
bats_out=$BATS_RUN_TMPDIR/out
bats_failure='' bats_failure_line='' bats_failure_status=0 bats_completed='' bats_skipped='' bats_in_teardown='' bats_torn_down='' bats_failed=0
exec 3>&1

bats_remove_all() {
    rm -rf "$BATS_RUN_TMPDIR"
}
trap bats_remove_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# setup_file and teardown_file run here, for what they export is meant for the tests.
bats_run_for_file() { # setup_file or teardown_file
    "$1" >>"$bats_out" 2>&1
}

set +u
echo "1..$bats_count"
[[ $bats_count -gt 0 ]] || exit 0
bats_directories=()
for ((i = 1; i <= bats_count; i++)); do bats_directories+=("$BATS_RUN_TMPDIR/test/$i"); done
mkdir -p "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" "${bats_directories[@]}"

bats_fail_of_file() {
    trap bats_remove_all EXIT
    bats_print_failure "$1 $2 failed"
    bats_remove_all
    exit 1
}

bats_has_file_functions=
if grep -qE '^(setup_file|teardown_file)\(\)' "$bats_source"; then
    bats_has_file_functions=1
    : >"$bats_out"
    set -eE
    trap 'bats_note_failure $?' ERR
    trap 'bats_fail_of_file 1 setup_file' EXIT
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    # shellcheck disable=SC1090
    source "$bats_source" >>"$bats_out" 2>&1
    bats_run_for_file setup_file
    trap - ERR
    trap bats_remove_all EXIT
    set +eE
fi

for ((bats_i = 0; bats_i < bats_count; bats_i++)); do
    export BATS_TEST_NUMBER=$((bats_i + 1)) BATS_SUITE_TEST_NUMBER=$((bats_i + 1)) BATS_TEST_TMPDIR=${bats_directories[bats_i]}
    export BATS_TEST_NAME=case_${bats_numbers[bats_i]} BATS_TEST_DESCRIPTION=${bats_names[bats_i]}
    : >"$bats_out"
    bats_failure='' bats_failure_line='' bats_failure_status=0 bats_completed='' bats_skipped=''
    (bats_run_case "${bats_numbers[bats_i]}") 2>>"$bats_out"
    bats_status=$?
    case $bats_status in
    71) ;;
    72) bats_failed=1 ;;
    *)
        printf "not ok %d %s\n#   its shell ended with status %d\n" "$BATS_TEST_NUMBER" "$BATS_TEST_DESCRIPTION" "$bats_status"
        sed 's/^/# /' "$bats_out"
        bats_failed=1
        ;;
    esac
done

if [[ -n $bats_has_file_functions ]]; then
    : >"$bats_out"
    set -eE
    trap 'bats_note_failure $?' ERR
    trap 'bats_fail_of_file $((bats_count + 1)) teardown_file' EXIT
    bats_run_for_file teardown_file
    trap - ERR
    trap bats_remove_all EXIT
fi
exit "$bats_failed"
