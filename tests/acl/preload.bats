#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# libmsprof_preload: the calls of programs that know nothing of it.
# bats file_tags=once

# shellcheck disable=SC2154 # preload.bash sets status, output, stderr and the programs
bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
}

@test "every way of handing arguments and results over works as without it" {
    "$PROGRAM" arguments
    preloaded "$PROGRAM" arguments
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls | awk '{ n += $2 } END { print NR, n }')" "14 15"
}

@test "calls of many threads are all there, each within what its thread saw" {
    export ACL_PROGRAM_LOG=log
    preloaded "$PROGRAM" threads 8 2000
    expect_equal "$status $(wc -l <log)" "0 16000"
    database=$(imported)
    sqlite3 -separator ' ' "$database" "SELECT thread_id, text, h.start_ns - unix_offset_ns,
        h.start_ns + duration_ns - unix_offset_ns FROM host_call h JOIN name n ON n.id = name_id, capture_part
        WHERE is_host ORDER BY thread_id, 3" >found
    sort -k 1,1n -k 3,3n log >expected
    # the recorded span of a call lies in the program's own, and no two calls of a thread overlap
    paste -d ' ' expected found | awk '
        $1 != $5 || $2 != $6 || $3 + 0 > $7 + 0 || $8 + 0 > $4 + 0 || $7 + 0 > $8 + 0 { print; bad = 1 }
        END { exit bad || NR != 16000 }'
}

@test "calls inside of calls are inside of them, as deep as they go" {
    preloaded "$PROGRAM" nest
    database=$(imported)
    expect_equal "$(sqlite3 "$database" "SELECT h.name, p.name FROM host_call_report h
        LEFT JOIN host_call_report p ON p.id = h.parent_id ORDER BY h.id")" \
        'aclrtLaunchCallback|
aclrtLaunchCallback|aclrtLaunchCallback
aclrtLaunchCallback|aclrtLaunchCallback
aclrtSetDevice|aclrtLaunchCallback
aclmdlExecute|
aclrtMemcpy|aclmdlExecute
aclrtSynchronizeStream|aclmdlExecute'
}

@test "nothing is lost when the program ends by itself, in whatever way" {
    for ending in return:0 exit:5 _exit:6 quick_exit:7 exec:8 pthread_exit:0 raw_exit:9; do
        rm -rf captures
        preloaded timeout 20 "$PROGRAM" end "${ending%:*}" 3000
        expect_equal "$ending $status $stderr" "$ending ${ending#*:} "
        expect_equal "$(calls)" "aclrtSetDevice 3000"
    done
}

@test "nothing is lost when the program crashes or is ended by a signal, and it ends by that signal" {
    for ending in abort:ABRT segv:SEGV overflow:SEGV TERM INT HUP BUS FPE ILL USR1 ALRM 34:RTMIN 64:RTMAX; do
        rm -rf captures
        preloaded "$PROGRAM" end "${ending%:*}" 3000
        expect_equal "$ending $status" "$ending $((128 + $(kill -l "${ending#*:}")))"
        expect_equal "$(calls)" "aclrtSetDevice 3000"
    done
}

@test "a crash leaves the core file that it would have left" {
    [ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "core files do not go into the working directory here"
    needs gdb
    ulimit -c unlimited || skip "core files are not allowed here"
    preloaded "$PROGRAM" end segv 1
    expect_equal "$status" 139
    core=$(ls core*)
    expect_contains "$(gdb -q -batch -ex bt "$PROGRAM" "$core" 2>&1)" "#0"
    expect_contains "$(gdb -q -batch -ex bt "$PROGRAM" "$core" 2>&1)" "in end ("
}

@test "after SIGKILL everything older than one second is there" {
    LD_PRELOAD=$PRELOAD "$PROGRAM" end pause 3000 &
    wait_for_calls
    sleep 1
    kill -KILL $!
    wait $! || true
    run_msprof import -dir "$(captures)"
    expect_status 3 # it has no end
    expect_equal "$(sqlite3 "$(captures)/sqlite/runtime.db" "SELECT count(*) FROM host_call")" 3000
}

@test "the program's own handlers work, and it is told what it has set" {
    preloaded "$PROGRAM" signals
    expect_equal "$status $stderr" "$((128 + $(kill -l USR2))) "
    expect_equal "$(calls)" "aclrtSetDevice 5"
}

@test "leaving a function by longjmp and by cancellation works, and the capture counts the calls by name" {
    preloaded "$PROGRAM" leave
    expect_equal "$status $stderr" "0 "
    run_msprof import -dir "$(captures)"
    expect_status 3
    expect_contains "$stderr" "'aclrtLaunchCallback': 2 that did not return"
    expect_equal "$(sqlite3 "$(captures)/sqlite/runtime.db" \
        "SELECT name, count(*) FROM host_call_report GROUP BY name")" "aclrtSetDevice|2"
    run_msprof export summary -dir "$(captures)"
    expect_status 3
    run_msprof show -dir "$(captures)"
    expect_status 3
}

# Runs the program of exceptions, imports what it recorded, and expects "name count" of the calls that returned.
leave_by_exception() { # how, status of the program, what the import tells, calls
    local capture
    rm -rf captures
    preloaded ./exceptions "$1"
    expect_equal "$1 $status" "$1 $2"
    capture=$(captures)
    run_msprof import -dir "$capture"
    expect_status 3
    expect_contains "$stderr" "$3"
    expect_equal "$(sqlite3 -separator ' ' "$capture/sqlite/runtime.db" \
        "SELECT name, count(*) FROM host_call_report GROUP BY name")" "$4"
}

@test "calls that C++ exceptions leave are counted by name, however deep and in whatever thread" {
    command -v g++ >/dev/null || skip "g++ is not installed"
    g++ -O1 -pthread -o exceptions "$BATS_TEST_DIRNAME/exceptions.cc" -L"$build/tests/acl" -lascendcl \
        -Wl,-rpath,"$build/tests/acl"
    local callback="'aclrtLaunchCallback':"
    leave_by_exception caught 0 "$callback 3 that did not return" "aclrtSetDevice 9"
    leave_by_exception thread 0 "$callback 1 that did not return" "aclrtSetDevice 1"
    leave_by_exception terminate "$((128 + $(kill -l ABRT)))" "$callback 1 that did not return" ""
    for how in "deep throw" "deep jump"; do
        leave_by_exception "$how" 0 "$callback 32 that did not return" "aclrtLaunchCallback 50"
        expect_contains "$stderr" "calls of unknown functions: 18 that did not return"
    done
}

@test "calls that other threads are in when the process ends are counted by name, whatever ends it" {
    for how in exit _exit exec signal "failed exec" fork; do
        rm -rf captures
        preloaded "$PROGRAM" inside "$how"
        [ "$how" = signal ] || expect_equal "$status $stderr" "0 "
        local of_parent=0
        for capture in $(captures); do
            run_msprof import -dir "$capture"
            if [ "$status" -eq 3 ]; then
                expect_contains "$stderr" "'aclrtLaunchCallback': 3 that did not return"
                of_parent=$((of_parent + 1))
            else
                expect_equal "$how $status" "fork 0" # the child has none of the threads
            fi
        done
        expect_equal "$how $of_parent" "$how 1"
    done
}

@test "a coroutine whose stack ends at a page that cannot be read is no crash" {
    preloaded "$PROGRAM" guard
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 3"
}

@test "calls of interleaved coroutines are all there, and none counts as left, however many are open at once" {
    needs gcc
    [[ $build == */release ]] || skip "the preload library is the same in every variant"
    echo 'int aclrtLaunchCallback(int (*function)(void *), void *arg) { return function(arg); }' >library.c
    gcc -w -shared -fPIC -o libascendcl.so library.c
    cat >program.c <<'END'
#include <stdlib.h>
#include <ucontext.h>
#define MANY 100
int aclrtLaunchCallback(int (*function)(void *), void *arg);
static ucontext_t scheduler, coroutines[MANY];
static int current, ended;
static int yield(void *arg) {
    int own = current;
    swapcontext(&coroutines[own], &scheduler);
    return 0;
}
static void run(void) {
    for (int i = 0; i < 10; i++)
        aclrtLaunchCallback(yield, 0);
    ended++;
}
int main(int argc, char **argv) {
    srand(atoi(argv[1]));
    char *stacks = malloc(MANY * 65536);
    for (int i = 0; i < MANY; i++) {
        int at = argv[2][0] == 'u' ? i : MANY - 1 - i;
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = stacks + at * 65536;
        coroutines[i].uc_stack.ss_size = 65536;
        coroutines[i].uc_link = &scheduler;
        makecontext(&coroutines[i], run, 0);
    }
    int turns[MANY] = {0};
    for (int left = MANY * 11, next = 0; left > 0;) {
        current = left > MANY * 10 ? next++ : rand() % MANY; /* all begin a call before any ends one */
        if (turns[current] == 11)
            continue;
        turns[current]++, left--;
        swapcontext(&scheduler, &coroutines[current]);
    }
    return ended != MANY;
}
END
    gcc -w -o program program.c -L. -lascendcl -Wl,-rpath,"$PWD"
    for order in "1 up" "2 down"; do
        rm -rf captures
        # shellcheck disable=SC2086 # two words
        preloaded ./program $order
        expect_equal "$status $stderr" "0 "
        expect_equal "$(calls)" "aclrtLaunchCallback 1000"
        expect_equal "$(jq -c '[.left, .left_other]' "$(captures)"/host/losses.json)" "[{},0]"
    done
}

@test "a signal handler that calls ACL while the first call starts the recorder does not wait for itself" {
    preloaded "$PROGRAM" handler
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 2"
}

@test "what a child of vfork() sets for a signal is not its parent's" {
    preloaded "$PROGRAM" vfork
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 1"
}

@test "a handler for one time that a child of vfork() has used up is there for its parent" {
    "$SIGNALS" vfork
    preloaded "$SIGNALS" vfork
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 1"
}

@test "a child of fork() can set signals whatever its parent's other threads are doing" {
    preloaded "$SIGNALS" fork
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 1"
}

@test "the functions of System V tell what the program has set, and their default action loses nothing" {
    for launch in "" preloaded; do
        status=0
        $launch "$SIGNALS" system-v || status=$?
        expect_equal "$status" "$((128 + $(kill -l TERM)))"
    done
    expect_equal "$stderr" ""
    expect_equal "$(calls)" "aclrtSetDevice 1"
}

@test "parent and child record into captures of their own" {
    preloaded "$PROGRAM" fork
    expect_equal "$status" 0
    expect_equal "$(captures | wc -l)" 2
    for capture in $(captures); do
        "$MSPROF" import -q --strict -dir "$capture"
        sqlite3 "$capture/sqlite/runtime.db" "SELECT count(*) FROM host_call"
    done | sort -n >counts
    expect_equal "$(<counts)" $'15\n20'
}

@test "forking while other threads record neither hangs nor mixes captures" {
    preloaded timeout 120 "$PROGRAM" fork-load
    expect_equal "$status $stderr" "0 "
    expect_equal "$(captures | wc -l)" 26
    for capture in $(captures); do
        "$MSPROF" import -q --strict -dir "$capture"
        sqlite3 "$capture/sqlite/runtime.db" "SELECT count(*) FROM host_call"
    done | sort -n | uniq -c | awk '{ print $1, $2 }' >counts
    expect_equal "$(<counts)" $'25 3\n1 600000'
}

@test "functions that a program looks up itself are recorded, and what is not there is not found" {
    "$LOADER" dlsym "$build/tests/acl/libascendcl.so"
    preloaded "$LOADER" dlsym "$build/tests/acl/libascendcl.so"
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 3"
}

@test "a library that is loaded for itself only finds its functions" {
    preloaded "$LOADER" plugin "$build/tests/acl/acl_plugin.so"
    expect_equal "$status $stderr" "0 "
    expect_equal "$(calls)" "aclrtSetDevice 1"
}

@test "a function that no library has ends the program as the dynamic linker would" {
    preloaded "$LOADER" missing
    expect_equal "$status $output" "127 present"
    expect_contains "$stderr" "symbol lookup error: undefined symbol: aclFinalize"
}

@test "a program that uses no ACL leaves nothing" {
    preloaded true
    expect_equal "$status $stderr" "0 "
    [ ! -e captures ]
}

@test "a program that uses SVP's functions leaves a JOB capture" {
    preloaded "$PROGRAM" svp
    capture=$(captures)
    [[ $capture == captures/JOB* ]]
    run_msprof import -dir "$capture"
    expect_status 0
    expect_equal "$(sqlite3 "$capture/sqlite/runtime.db" "SELECT name, type FROM acl_call_report WHERE name LIKE 'svp%' ORDER BY start_us")" \
        $'svp_acl_init|others\nsvp_acl_mdl_execute|model\nsvp_acl_finalize|others'
}

@test "an output that cannot be written does not harm the program and is told once" {
    touch file
    MSPROF_OUTPUT=file/below preloaded "$PROGRAM" end exit 5000
    expect_equal "$status" 5
    expect_equal "$(wc -l <<<"$stderr")" 1
    expect_contains "$stderr" "msprof: nothing is recorded: cannot"
}

@test "a program that changes its root or user, forbids itself to open files or uses up its descriptors loses no call" {
    [ "$(id -u)" -eq 0 ] || skip "only root may change its root and its user"
    for way in chroot seccomp setuid exhausted; do
        for calls in 1000 150000; do # in one slice and in several
            rm -rf captures
            preloaded "$PROGRAM" restricted "$way" "$calls"
            expect_equal "$way $status $stderr" "$way 0 "
            expect_equal "$way $(calls)" "$way aclrtSetDevice $calls"
        done
    done
}

@test "a program that may have one descriptor beside its three loses no call, and msprof run finds its capture" {
    preloaded bash -c "exec 3>&- 4>&-; ulimit -n 4; exec $PROGRAM end exit 1000"
    expect_equal "$status$stderr" 5
    expect_equal "$(calls)" "aclrtSetDevice 1000"
    rm -rf captures
    run_msprof run --output captures --reports none -- bash -c "exec 3>&- 4>&-; ulimit -n 4; exec $PROGRAM end exit 1000"
    expect_contains "$stderr" "recorded into"
    expect_equal "$(calls)" "aclrtSetDevice 1000"
}

@test "a program that is killed leaves a capture that says that it has no end" {
    preloaded "$PROGRAM" end KILL 90000
    expect_equal "$status" 137
    run_msprof import -dir "$(captures)"
    expect_status 3
    expect_contains "$stderr" "up to 200 ms of the end may be missing"
    expect_equal "$(sqlite3 "$(captures)/sqlite/runtime.db" "SELECT code FROM diagnostics")" recording-open
}

@test "a full disk does not harm the program, and what was lost is told in numbers" {
    (ulimit -f 100 && preloaded "$PROGRAM" end exit 20000 && printf '%s\n' "$status" "$stderr" >result)
    [ "$(head -n 1 result)" -eq 5 ]
    lost=$(sed -n "2s/^msprof: the capture '.*' is incomplete: \([0-9]*\) calls lost: File too large$/\1/p" result)
    [ "$lost" -gt 0 ]
    expect_equal "$(wc -l <result)" 2
    run_msprof import -dir "$(captures)"
    expect_status 3
    expect_contains "$stderr" "$lost calls and 0 msproftx records were lost while recording: File too large"
    for command in "export summary" "export timeline" show; do # each says it, also of a database that was there
        # shellcheck disable=SC2086 # a command of several words
        run_msprof $command -dir "$(captures)"
        expect_status 3
        expect_contains "$stderr" "1 data problem"
    done
    expect_equal "$(sqlite3 "$(captures)/sqlite/runtime.db" "SELECT count(*) FROM host_call")" "$((20000 - lost))"
}

@test "a disk that is full from the start does not harm the program" {
    mkdir small
    mount -t tmpfs -o size=8k none small 2>/dev/null || skip "a small file system cannot be mounted here"
    MSPROF_OUTPUT=small preloaded "$PROGRAM" end exit 20000
    umount small
    expect_equal "$status" 5
    expect_equal "$(wc -l <<<"$stderr")" 1
    expect_contains "$stderr" "No space left on device"
}

@test "memory does not grow with calls and threads" {
    preloaded "$PROGRAM" growth 3000000 1000
    expect_equal "$status $stderr" "0 "
    [ "$output" -lt 8192 ] # kB: rings and buffers, however many calls there were
}

# Counts the calls of acl_mix, of all processes together: $recorded, $lost, $left.
mix() { # way, or seed and steps
    rm -rf captures log
    preloaded timeout -k 1 120 "$build/tests/acl/acl_mix" "$@" log
    local capture
    recorded=0 lost=0 left=0
    for capture in $(captures); do
        run_msprof import -dir "$capture"
        recorded=$((recorded + $(sqlite3 "$capture/sqlite/runtime.db" "SELECT count(*) FROM host_call")))
        lost=$((lost + $(sed -n 's/.*losses.json: \([0-9]*\) calls.*/\1/p' <<<"$stderr" | paste -sd + | sed 's/^$/0/')))
        left=$((left + $(sed -n 's/.* \([0-9]*\) that did not return.*/\1/p' <<<"$stderr" | paste -sd + | sed 's/^$/0/')))
    done
}

# As many calls as acl_mix says.
expect_all_calls() { # way
    expect_equal "$1: $((recorded + lost)) $left" "$1: $(awk '{ made += $1; left += $2 } END { print made, left }' log)"
}

@test "the first call may come on the smallest stack, in a handler, a child or a thread that is to end" {
    for way in coroutine yield thread altstack handler siglongjmp cancel pending timer fork forkinside spawn rawclone plugin; do
        mix "$way"
        expect_equal "$way $(<stderr)" "$way "
        expect_all_calls "$way"
        expect_equal "$way $lost" "$way 0"
    done
}

@test "calls of a child that shares its parent's memory are recorded, and counted as lost before the parent's first" {
    for way in vfork clone; do
        mix "$way"
        expect_contains "$(<stderr)" "2 calls lost: Operation not supported"
        expect_all_calls "$way"
        expect_equal "$way $lost" "$way 2"
    done
    ACL_MIX_CALLS=constructor mix vfork
    expect_equal "$(<stderr)" ""
    expect_all_calls constructor
    expect_equal "$lost" 0
}

@test "calls in constructors and exit handlers are recorded" {
    ACL_MIX_CALLS="constructor atexit" mix spawn
    expect_equal "$recorded $lost $left" "3 0 0"
}

@test "programs that mix all of this at random run as without the library, and every call is accounted for" {
    for seed in 3 5 8 20 27 28; do
        mix "$seed" 12
        expect_equal "$seed $(grep -v 'calls lost: Operation not supported' <stderr)" "$seed "
        expect_all_calls "$seed"
    done
}

@test "a handler that jumps out of calls again and again costs those calls, not all later ones" {
    mix jumps
    read -r made _ <log
    [ "$lost" -le 200 ]
    [ "$recorded" -ge "$made" ]
}
