#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs and children of theirs that end without exit handlers: what was recorded is written first.
# shellcheck disable=SC2154 # common.bash and acl.bash set status, output, stderr and the programs

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
    needs sqlite3
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
