#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs and children of theirs that end in unusual ways: what was recorded is written first, and they do end.
# shellcheck disable=SC2154 # common.bash and acl.bash set status, output, stderr and the programs

bats_require_minimum_version 1.5.0
load ../cli/common
load acl
load preload

setup() {
    enter_preload_scratch
    ENDS=$build/tests/acl/acl_ends
}

# "count text" for the marks of each capture, which have no problem.
marks() {
    local capture
    for capture in out/PROF_*; do
        "$MSPROF" import -q --strict -dir "$capture" >&2 || return
        sqlite3 -separator ' ' "$capture/sqlite/runtime.db" 'SELECT count(*), message FROM msproftx GROUP BY message'
    done | sort
}

@test "children that end by _exit and _Exit, and a program that flushes before it does, leave whole captures" {
    run -7 "$programs/tx_children" out
    expect_equal "$(marks)" "10 child
10 child
10 parent"
}

@test "a worker of Python's multiprocessing and a child that ends by os._exit leave whole captures" {
    needs python3
    run_python - <<'END'
import multiprocessing, os
import acl


def mark(text):
    stamp = acl.prof.create_stamp()
    acl.prof.set_stamp_trace_message(stamp, text, len(text))
    acl.prof.mark(stamp)
    acl.prof.destroy_stamp(stamp)


assert acl.prof.init("out") == 0
config = acl.prof.create_config([0], 1, 0, 0x80)
assert acl.prof.start(config) == 0
worker = multiprocessing.get_context("fork").Process(target=mark, args=("worker",))
worker.start()
worker.join()
assert worker.exitcode == 0
child = os.fork()
if child == 0:
    mark("child")
    os._exit(7)
assert os.waitpid(child, 0)[1] == 7 << 8
mark("parent")
assert acl.prof.stop(config) == 0
END
    expect_equal "$(marks)" "1 child
1 parent
1 worker"
}

# Runs a program that ends so: status, output, numbers of calls and marks that it leaves.
left_behind() { # PRELOAD|"" HOW
    local capture
    rm -rf captures
    status=0
    LD_PRELOAD=$1 timeout 20 "$ENDS" captures "$2" >output || status=$?
    printf '%s %s' "$status" "$(cat output)"
    for capture in captures/PROF_*; do
        "$MSPROF" import -q --strict -dir "$capture" >&2 || return
        printf ' %s' "$(sqlite3 -separator ' ' "$capture/sqlite/runtime.db" \
            'SELECT (SELECT count(*) FROM host_call_report), (SELECT count(*) FROM msproftx)')"
    done
}

@test "a program whose first thread ends by pthread_exit ends with its last one, with its exit handlers and a whole capture" {
    expect_equal "$(left_behind "$PRELOAD" pthread_exit)" "0 goodbye 100 100"
    expect_equal "$(left_behind "" pthread_exit)" "0 goodbye 0 100"
}

@test "a program whose last thread ends by a raw exit ends, with a whole capture" {
    expect_equal "$(left_behind "$PRELOAD" raw)" "5  100 100"
    expect_equal "$(left_behind "" raw)" "5  0 100"
    expect_equal "$(left_behind "$PRELOAD" raw_worker)" "0  100 100"
}

@test "every function of exec keeps calls and marks under the preload library" {
    for how in execl execlp execle execv execvp execvpe execve fexecve execveat _exit; do
        expect_equal "$how $(left_behind "$PRELOAD" "$how")" "$how 0  100 100"
    done
}
