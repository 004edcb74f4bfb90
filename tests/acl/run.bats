#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof run.

# shellcheck disable=SC2154 # common.bash and preload.bash set status, output, stderr and the programs
bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
    unset MSPROF_OUTPUT
}

# The kinds of reports in the only capture.
reports() {
    find "$(captures)/mindstudio_profiler_output" -type f -printf '%f\n' | sed 's/_[0-9].*//'
}

@test "a run leaves a capture, its database, its timeline and its summary" {
    run_msprof run --output captures -- "$PROGRAM" nest
    expect_status 0
    capture=$(captures)
    expect_contains "$stderr" "recorded into '$PWD/$capture'"
    expect_equal "$(tail -n +2 "$capture"/mindstudio_profiler_output/api_statistic_*.csv | cut -d , -f 2,3,5)" \
        'acl,aclmdlExecute,1
acl,aclrtLaunchCallback,3
acl,aclrtMemcpy,1
acl,aclrtSetDevice,1
acl,aclrtSynchronizeStream,1'
    expect_contains "$(cat "$capture"/mindstudio_profiler_output/msprof_*.json)" '"AscendCL@aclmdlExecute"'
}

@test "the timeline shows calls by thread, inner ones inside of outer ones" {
    needs python3
    run_msprof run --output captures --reports timeline -- "$PROGRAM" nest
    expect_status 0
    python3 - "$(captures)"/mindstudio_profiler_output/msprof_*.json <<'END'
import sys
from timeline import read_timeline
events = [e for e in read_timeline(sys.argv[1]).events if e["ph"] == "X" and "acl" in e["name"]]
assert len({(e["pid"], e["tid"]) for e in events}) == 1, events
span = lambda e: (float(e["ts"]), float(e["ts"]) + float(e["dur"]))
outer = span(next(e for e in events if "aclmdlExecute" in e["name"]))
inner = span(next(e for e in events if "aclrtMemcpy" in e["name"]))
assert outer[0] <= inner[0] <= inner[1] <= outer[1], (outer, inner)
END
}

@test "--reports chooses what is written" {
    run_msprof run --output captures --reports none "$PROGRAM" nest
    expect_status 0
    [ ! -e "$(captures)/sqlite" ]
    rm -rf captures
    run_msprof run --output captures --reports summary "$PROGRAM" nest
    expect_status 0
    expect_equal "$(reports)" api_statistic
    rm -rf captures
    run_msprof run --output captures --reports timeline "$PROGRAM" nest
    expect_status 0
    expect_equal "$(reports)" msprof
}

@test "captures go into the working directory unless told otherwise, and every process has one" {
    # shellcheck disable=SC2016 # for the inner shell
    run_msprof run --reports none -- sh -c '"$1" nest && "$1" svp' sh "$PROGRAM"
    expect_status 0
    expect_equal "$(find . -maxdepth 1 -name 'PROF_*' | wc -l) $(find . -maxdepth 1 -name 'JOB*' | wc -l)" "1 1"
}

@test "the words behind the program are the program's" {
    run_msprof run --reports none -q echo -dir x --help -- --output y
    expect_status 4
    expect_equal "$output" "-dir x --help -- --output y"
}

@test "the program's streams are its own" {
    run_msprof run -q -- sh -c 'cat; echo to stderr >&2' <<<"to stdin"
    expect_status 4
    expect_equal "$output" "to stdin"
    expect_contains "$stderr" "to stderr"
}

@test "the program's exit status and signal are passed on, and its captures are reported all the same" {
    run_msprof run --output captures -- "$PROGRAM" end exit 3
    expect_status 5
    expect_contains "$stderr" "the program ended with status 5"
    [ -e "$(captures)/sqlite/runtime.db" ]
    rm -rf captures
    run_msprof run --output captures -- "$PROGRAM" end segv 3
    expect_status 139
    expect_contains "$stderr" "the program was ended by SIGSEGV"
    [ -e "$(captures)/sqlite/runtime.db" ]
    rm -rf captures
    run_msprof run --output captures -- "$PROGRAM" end 40 3
    expect_status 168
    expect_contains "$stderr" "the program was ended by signal 40"
    [ -e "$(captures)/sqlite/runtime.db" ]
}

@test "exit status and signal are the program's where whoever started msprof ignores the ends of children" {
    local launcher=(env --ignore-signal=CHLD)
    run_msprof run --output captures --reports none -- sh -c 'exit 7'
    expect_status 7
    # shellcheck disable=SC2016 # for the inner shell
    run_msprof run --output captures --reports none -- sh -c 'kill -SEGV $$'
    expect_status 139
}

@test "a program ignores the signals that it would ignore without msprof, and no others" {
    for signals in PIPE XFSZ CHLD PIPE,XFSZ,CHLD; do
        local launcher=(env "--default-signal=PIPE,XFSZ,CHLD" --ignore-signal="$signals")
        run_msprof run --output captures -- grep SigIgn /proc/self/status
        expect_equal "$output" "$("${launcher[@]}" grep SigIgn /proc/self/status)"
    done
}

@test "a program whose end cannot be learned is a failure of the run" {
    command -v gcc >/dev/null || skip "there is no gcc"
    printf '#include <errno.h>\nint waitpid(int p, int *s, int f) { (void)p; (void)s; (void)f; errno = ECHILD; return -1; }\n' >lost.c
    gcc -shared -fPIC lost.c -o lost.so
    LD_PRELOAD=$PWD/lost.so run_msprof run --output captures --reports none -- true
    expect_status 125
    expect_contains "$stderr" "cannot wait for 'true': its exit status is unknown: No child processes"
}

@test "a signal that is sent to it reaches the program" {
    "$MSPROF" run --output captures --reports none -- "$PROGRAM" end pause 10 2>stderr &
    wait_for_calls
    kill -TERM $!
    status=0
    wait $! || status=$?
    expect_equal "$status" 143
    expect_equal "$(calls)" "aclrtSetDevice 10"
}

@test "what cannot be run has the statuses of env(1)" {
    run_msprof run -- ./missing
    expect_status 127
    expect_contains "$stderr" "cannot run './missing': No such file or directory"
    touch plain
    run_msprof run -- ./plain
    expect_status 126
    run_msprof run
    expect_status 2
    run_msprof run --output plain/below -- true
    expect_status 125
}

@test "the help explains which exit status run returns" {
    run_msprof run --help
    expect_status 0
    output=${output//$'\n  '/ } # lines that go on
    expect_contains "$output" "that of PROGRAM if it is not 0; 128 + N if signal N ended it"
    expect_contains "$output" "126 if PROGRAM is not executable; 127 if it was not found"
}

@test "a program that calls no ACL function is told of" {
    run_msprof run -- true
    expect_status 4
    expect_contains "$stderr" "nothing was recorded"
    run_msprof run -- false
    expect_status 1
}

@test "a program whose calls could not be recorded is not said to have called nothing" {
    [ "$(id -u)" -eq 0 ] || skip "only root may change its root and its user"
    for way in chroot setuid seccomp three size; do
        rm -rf captures
        mkdir -m 0700 captures
        run_msprof run --output captures --reports none -- "$PROGRAM" restricted "first-$way" 1000
        expect_equal "$way $status" "$way 4"
        [ "$way" = size ] || expect_contains "$stderr" "msprof: nothing is recorded: cannot " # that message is too long, too
        expect_contains "$stderr" "own messages"
    done
}

@test "a program that is linked statically is not recorded, and runs" {
    printf 'int aclInit(void) { return 7; }\nint main(void) { return aclInit() - 7; }\n' >static.c
    gcc -static static.c -o static 2>/dev/null || skip "there is no static C library"
    run_msprof run --output captures -- ./static
    expect_status 4
    expect_contains "$stderr" "nothing was recorded"
    expect_equal "$(find captures -mindepth 1)" ""
}

@test "a preload library that is there already stays" {
    # shellcheck disable=SC2016 # for the inner shell
    LD_PRELOAD=$PRELOAD run_msprof run --reports none -- sh -c 'echo "$LD_PRELOAD"'
    expect_equal "$output" "$PRELOAD:$PRELOAD"
}

@test "no file is left behind but the captures" {
    mkdir tmp
    TMPDIR=$PWD/tmp run_msprof run --output captures -- "$PROGRAM" nest
    expect_status 0
    expect_equal "$(find tmp -type f) $(find captures -mindepth 1 -maxdepth 1 | wc -l)" " 1"
}

@test "what a killed run left among the temporary files is removed by the next one, and not while it runs" {
    export TMPDIR=$PWD/tmp
    mkdir tmp
    "$MSPROF" run --output captures --reports none -- sleep 30 3>&- &
    run_process=$!
    for _ in {1..1200}; do
        [ "$(find tmp -name 'msprof-run-*' | wc -l)" -eq 1 ] && break
        sleep 0.05
    done
    run_msprof run --output captures --reports none -- true
    expect_equal "$(find tmp -name 'msprof-run-*' | wc -l)" 1
    sleeper=$(pgrep -P "$run_process")
    kill -9 "$run_process"
    kill "$sleeper"
    wait "$run_process" || true
    expect_equal "$(find tmp -name 'msprof-run-*' | wc -l)" 1
    run_msprof run --output captures --reports none -- true
    expect_equal "$(find tmp -name 'msprof-run-*')" ""
}

@test "an output directory that is removed while recording is a loss: told in numbers, status 3" {
    run_msprof run --output captures -- bash -c "$PROGRAM end return 2000 1500 & sleep 1; rm -r captures/*; wait"
    expect_contains "$stderr" "2000 calls lost: No such file or directory"
    expect_contains "$stderr" "1 capture of this run is gone"
    expect_status 3
}

@test "a program that profiles itself gets its calls into its own capture, and there is no other" {
    mkdir own
    MSPROF_OUTPUT=captures preloaded "$build/tests/acl/acl_profiled" own
    expect_equal "$status $stderr" "0 "
    [ ! -e captures ]
    mv own captures
    expect_equal "$(calls)" "aclrtSetDevice 3"
}

@test "programs built with sanitizers run, find what they find without msprof, and are recorded" {
    needs gcc
    [[ $build == */release ]] || skip "the program is built with a sanitizer, not msprof"
    cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
int aclrtSetDevice(int);
static void *work(void *arg) {
    for (int i = 0; i < 100; i++)
        aclrtSetDevice(i);
    return arg;
}
int main(int argc, char **argv) {
    pthread_t thread;
    char *volatile memory = malloc(10);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    if (argc > 1)
        memory[10] = 1;
    free(memory);
    return 0;
}
END
    ran=0
    for compiler in gcc clang; do
        for sanitizer in address thread; do
            "$compiler" -w -g -fsanitize=$sanitizer -o program program.c -L"$build/tests/acl" -lascendcl -Wl,-rpath,"$build/tests/acl" 2>/dev/null || continue
            ./program || continue # its runtime does not work here
            ran=$((ran + 1))
            rm -rf captures
            run_msprof run --reports none --output captures ./program
            expect_equal "$compiler $sanitizer $status" "$compiler $sanitizer 0"
            expect_equal "$(calls)" "aclrtSetDevice 200"
            [ $sanitizer = address ] || continue
            run_msprof run --reports none --output captures ./program overflow
            [ "$status" -ne 0 ]
            expect_contains "$stderr" "heap-buffer-overflow"
        done
    done
    [ "$ran" -gt 0 ] || skip "no sanitizer's runtime works here"
    # shellcheck disable=SC2016 # for the inner shell
    ASAN_OPTIONS=exitcode=55 run_msprof run --reports none --output captures -- sh -c 'echo "$ASAN_OPTIONS"'
    expect_equal "$output" "verify_asan_link_order=0:exitcode=55"
}
