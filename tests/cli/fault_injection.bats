#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every read, every write and a good part of all allocations fail once, in turn: the program ends with an error, or goes on
# without the file and says so, but never crashes, hangs, leaves a half file or calls a wrong result done. Under the sanitizers,
# which run for ten times as long, it is the first, second and last of the calls that the same callers make, in the default of
# tools/test.sh the first, and no allocation.
# shellcheck disable=SC2154 # common sets repository

load common

setup_file() {
    export FAULTS=$BATS_FILE_TMPDIR/faults.so
    export EACH=1
    [ -z "${MSPROF_TEST_BRIEFLY:-}" ] || EACH=first
    local flags=()
    if has_sanitizer; then
        flags=(-DWITHOUT_MEMORY)
        EACH=sites
    fi
    ${CC:-cc} "${flags[@]}" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC \
        -o "$FAULTS" "$BATS_TEST_DIRNAME/../faults/faults.c" -ldl
}

setup() {
    enter_scratch
}

# Fails one call after the other in a run of msprof: inject CALL STRIDE COMMAND...
inject() {
    PYTHONPATH=$repository/tests/lib python3 "$repository/tests/faults/inject.py" "$MSPROF" "$FAULTS" "$@"
}

@test "a read that fails is told by import, export and show" {
    inject read "$EACH" import
    inject read "$EACH" export timeline
    inject read "$EACH" export summary
    inject read "$EACH" show
}

@test "a write that fails leaves no half database and no half report" {
    inject write "$EACH" import
    inject write "$EACH" export timeline
    inject write "$EACH" export summary
}

@test "a call that fails in a replay never makes wrong records of which nothing is said" {
    inject read "$EACH" replay --fd 1 --speed max --names names
    inject write "$EACH" replay --fd 1 --speed max --names names
}

# bats test_tags=once
@test "an allocation that fails ends an import, and a replay, cleanly" {
    only_in_all "every allocation fails in turn"
    ! has_sanitizer || skip "a sanitizer has its own allocator"
    inject memory 211 import
    inject memory 101 replay --fd 1 --speed max --names names
}

# bats test_tags=once
@test "an allocation that fails ends an export cleanly" {
    only_in_all "every allocation fails in turn"
    ! has_sanitizer || skip "a sanitizer has its own allocator"
    inject memory 307 export timeline
    inject memory 311 export summary
}

# bats test_tags=once
@test "an allocation that fails while collect agrees with the server on keys is an error" {
    only_in_all "every allocation fails in turn"
    ! has_sanitizer || skip "a sanitizer has its own allocator"
    [ -x /usr/sbin/sshd ] || skip "no sshd"
    inject memory 91-131:2 collect
}

@test "a call that fails in msprof run, or in the recorder, never makes less of a capture of which nothing is said" {
    local build
    build=$(dirname "$(readlink -f "$MSPROF")")
    [ -x "$build/tests/acl/acl_program" ] || skip "acl_program is not built: make test-programs"
    FAULT_PROGRAM=acl_program inject write "$EACH" run "$build/tests/acl/acl_program" nest
    FAULT_PROGRAM=acl_program inject rename "$EACH" run "$build/tests/acl/acl_program" nest
    FAULT_PROGRAM=msprof inject write 7 run "$build/tests/acl/acl_program" nest
}

# bats test_tags=once
@test "an allocation that fails in the recorder never makes less of a capture of which nothing is said" {
    only_in_all "every allocation fails in turn"
    ! has_sanitizer || skip "a sanitizer has its own allocator"
    local build
    build=$(dirname "$(readlink -f "$MSPROF")")
    [ -x "$build/tests/acl/acl_program" ] || skip "acl_program is not built: make test-programs"
    FAULT_PROGRAM=acl_program inject memory 1 run "$build/tests/acl/acl_program" nest
}

# How many files a run of msprof renames: renames COMMAND...
renames() {
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$FAULTS FAULT_CALL=rename FAULT_COUNT=count \
        "$MSPROF" "$@" >/dev/null
    cat count
}

# bats test_tags=once
@test "a report has no other name before its own: another msprof that writes there at the same time cannot take it away" {
    copy_family prof-910b PROF_1
    "$MSPROF" import PROF_1
    for what in summary timeline; do
        dated=$(renames export "$what" PROF_1 --output dated)
        [ "$dated" -gt 1 ]
        expect_equal "$(renames export "$what" PROF_1 --output stable --stable-names)" "$dated"
    done
}

# Fails the system's calls of a run, one after the other: every_call SOURCE COMMAND...
every_call() {
    mkdir -p work
    PYTHONPATH=$repository/tests/lib:$repository/tests/faults python3 -B "$repository/tests/faults/every_call.py" "$MSPROF" \
        "$PWD/every_call" "$PWD/work" "$@"
}

make_injector() {
    ! has_sanitizer || skip "a sanitizer makes calls of its own"
    [ "$(uname -m)" = x86_64 ] || skip "the registers of calls are those of x86-64"
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -o every_call "$BATS_TEST_DIRNAME/../faults/every_call.c"
    ./every_call 0 0 log /bin/true || skip "programs cannot be traced here"
}

# bats test_tags=once
@test "a directory or a file of the project that cannot be read ends collect with its name and the reason, not as one without the program" {
    make_injector
    mkdir -p project/out
    cp /bin/true project/out/main
    printf '[ssh_config]\nip = 127.0.0.1\nusername = root\n' >board.ini
    collect=("$MSPROF" collect --dry-run -m project/out/main --config board.ini)
    ./every_call 0 0 log "${collect[@]}"
    for directory in project project/out; do
        call=$(awk -F'\t' -v path="$PWD/$directory" '$3 == 217 && $4 == path { print $1; exit }' log)
        [ -n "$call" ]
        run ./every_call "$call" 5 failed "${collect[@]}"
        [ "$status" -eq 1 ]
        expect_contains "$output" "cannot read the directory '$PWD/$directory': Input/output error"
    done
    local calls
    calls=$(awk -F'\t' -v path="$PWD/project/out/main" '$3 == 262 && $4 == path { print $1 }' log)
    [ -n "$calls" ]
    for call in $calls; do # none of them is a file that is left out
        run ./every_call "$call" 13 failed "${collect[@]}"
        [ "$status" -eq 1 ]
        [[ $output == *"cannot read the program '$PWD/project/out/main': Permission denied"* ||
            $output == *"cannot read 'out/main' of the project: Permission denied"* ]]
    done
}

@test "a program that collect cannot look at is named with the reason" {
    mkdir -p project/out
    printf '[ssh_config]\nip = 127.0.0.1\nusername = root\n' >board.ini
    ln -s main project/out/main
    for reason in "Too many levels of symbolic links" "No such file or directory"; do
        run_msprof collect --dry-run -m project/out/main --config board.ini
        expect_status 1
        expect_contains "$stderr" "no program to run: cannot find 'project/out/main': $reason"
        rm -f project/out/main
    done
    mkdir project/out/main
    run_msprof collect --dry-run -m project/out/main --config board.ini
    expect_status 1
    expect_contains "$stderr" "'$PWD/project/out/main' is not an executable file"
}

# bats test_tags=once
@test "a directory that an analysis cannot read, and results that it cannot put in place, leave no others" {
    only_in_all "every call of the system fails in turn"
    make_injector
    EVERY_CALL=1 EVERY_CALL_ONLY='^(217|82|316) |^257 .*host/data$' \
        every_call "$repository"/testdata/frameworks/run_ascend_pt analyse X
    EVERY_CALL=1 EVERY_CALL_ONLY='^217 ' every_call "$repository"/testdata/frameworks/run_ascend_pt cluster X
}

# bats test_tags=once
@test "a directory that cannot be looked at leaves no capture, no rank and no rank's host out without a word" {
    only_in_all "every call of the system fails in turn"
    make_injector
    EVERY_CALL=1 EVERY_CALL_ONLY='^262 .*/PROF_[^/]*$' every_call "$repository"/testdata/frameworks/run_ascend_pt analyse X
    EVERY_CALL=1 EVERY_CALL_ONLY='^(262|257|217) .*(/PROF_[^/]*|info\.json.*|slice_0)$' \
        every_call "$repository"/testdata/frameworks/run_ascend_pt cluster X
}

# bats test_tags=once
@test "a database of which one read fails makes no other results, and no success" {
    only_in_all "every call of the system fails in turn"
    make_injector
    EVERY_CALL=all EVERY_CALL_ONLY='^17 .*/runtime\.db$' every_call "$repository"/testdata/frameworks/run_ascend_pt analyse X
}

# bats test_tags=once
@test "a temporary file whose lock is refused is not left behind" {
    only_in_all "every call of the system fails in turn"
    make_injector
    for command in "import JOBX" "export summary JOBX"; do
        rm -rf JOBX
        copy_capture JOBX
        # shellcheck disable=SC2086 # words of a command
        ./every_call 0 0 log "$MSPROF" -q $command
        calls=$(awk -F'\t' '$3 == 72 && $4 ~ /\.msprof\.[0-9a-f]*\.tmp$/ { print $1 }' log)
        [ -n "$calls" ]
        for call in $calls; do
            rm -rf JOBX
            copy_capture JOBX
            # shellcheck disable=SC2086
            ./every_call "$call" 13 failed "$MSPROF" -q $command || : # threads make calls in another order: it may be another's
            expect_equal "$(find . -name '.msprof.*.tmp')" ""
        done
    done
}

# bats test_tags=once
@test "whichever call of the system fails, inputs keep their bytes, results are whole or absent, and success means all of them" {
    only_in_all "it takes minutes"
    make_injector
    every_call "$repository"/testdata/resnet50/JOB* import X
    export EVERY_CALL_SEEN=$PWD/seen # the calls of import are tried once
    every_call "$repository"/testdata/cann/prof-910b/PROF* export summary X --stable-names
    every_call "$repository"/testdata/cann/prof-910b/PROF* export timeline X --stable-names
    rm seen
    every_call "$repository"/testdata/frameworks/run_ascend_pt analyse X
    every_call "$repository"/testdata/frameworks/run_ascend_pt cluster X
}
