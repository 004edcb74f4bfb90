#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The sample flows of the pyACL guide, in C and in Python, and what msprof makes of their captures.
# shellcheck disable=SC2154 # enter_scratch and run_msprof set scratch, status and output

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
    needs sqlite3
}

# The rows of a statement on the database of the only capture in out/, which is imported first.
rows() {
    "$MSPROF" import -q -dir "$(capture_in out)"
    sqlite3 "$(capture_in out)/sqlite/runtime.db" "$1"
}

@test "file mode runs twice in one process, with either order of destroying and finalizing" {
    "$programs/sample_files" out >captures
    expect_equal "$(wc -l <captures)" 2
    while read -r capture; do
        [ -d "$capture/host/data" ]
        for file in info.json sample.json start_info end_info host_start.log; do
            [ -s "$capture/host/$file" ] && [ -s "$capture/host/$file.done" ]
        done
    done <captures
}

@test "marks and marks of a stream come through" {
    "$programs/sample_mark" out
    expect_equal "$(rows 'SELECT event_type, message, end_ns - start_ns, mark_id FROM msproftx ORDER BY start_ns')" \
        "0|model_load_mark|0|
3|model_execute_mark|0|1"
}

@test "200000 pushes and pops come through" {
    "$programs/sample_push_pop" out
    expect_equal "$(rows 'SELECT count(*), sum(event_type = 1), sum(end_ns >= start_ns), min(message), max(message)
        FROM msproftx')" "200000|200000|200000|test msprof tx|test msprof tx"
}

@test "200000 ranges come through, in slices of at most 2 MiB" {
    "$programs/sample_range" out
    expect_equal "$(rows 'SELECT count(*), sum(event_type = 2), count(DISTINCT thread_id) FROM msproftx')" \
        "200000|200000|1"
    slices_of "$(capture_in out)" msproftx >slices
    [ "$(wc -l <slices)" -ge 25 ]
    while read -r slice; do
        [ "$(stat -c %s "$slice")" -le 2097152 ]
        expect_equal "$(sed -n 's/^filesize *: *//p' "$slice.done")" "$(stat -c %s "$slice")"
    done <slices
}

@test "the guide's masks without 0x80 record marks, too, and one note says that devices need the bit" {
    run -0 --separate-stderr "$programs/sample_push_pop" out 10 0x3
    expect_equal "$(wc -l <<<"$stderr")" 1
    expect_contains "$stderr" "ACL_PROF_MSPROFTX (0x80) is not in the mask"
    expect_equal "$(rows 'SELECT count(*) FROM msproftx')" 10
}

@test "10 million ranges need no more memory than a thousand, and no more disk than the storage limit and a slice" {
    needs /usr/bin/time
    [[ $build == */release ]] || skip "the sanitizers keep memory"
    /usr/bin/time -f %M -o small "$programs/sample_range" small-out 1000
    /usr/bin/time -f %M -o large "$programs/sample_range" out 10000000 200MB
    [ "$(<large)" -lt $(($(<small) + 2048)) ]
    slices_of "$(capture_in out)" msproftx | xargs -d '\n' stat -c %s |
        awk '{ sum += $1 } END { exit !(sum > 190 * 1048576 && sum <= 202 * 1048576) }'
    # the newest ones are there: the last one holds the rest of 10 million records of 256 bytes
    expect_equal "$(slices_of "$(capture_in out)" msproftx | sed 's/.*_//' | sort -n | tail -1)" \
        $((10000000 * 256 / 2097152))
}

@test "an acl.json that acl.init reads begins a capture and excludes acl.prof.init" {
    needs python3
    cat >acl.json <<'END'
{"profiler": {"switch": "on", "output": "out", "msproftx": "on", "acl_api": "off"}}
END
    cat >program.py <<'END'
import acl
assert acl.init("acl.json") == 0, acl.message()
assert acl.prof.init("elsewhere") == 100042
stamp = acl.prof.create_stamp()
assert acl.prof.mark(stamp) == 0
acl.prof.destroy_stamp(stamp)
assert acl.finalize() == 0, acl.message()
print(acl.capture_path())
END
    run_python program.py >path
    expect_equal "$(<path)" "$(realpath "$(capture_in out)")"
    expect_equal "$(rows 'SELECT count(*) FROM msproftx')" 1
}

@test "the file sample of the guide runs in Python" {
    needs python3
    run_python "$repository/tests/acl/lib/sample_files.py" out
    [ -d "$(capture_in out)/host/data" ]
}

@test "the samples of events run in Python, with texts that are not ASCII" {
    needs python3
    run_python "$repository/tests/acl/lib/sample_events.py" out 200
    expect_equal "$(rows 'SELECT event_type, message, count(*) FROM msproftx GROUP BY 1, 2 ORDER BY 1, 2')" \
        "0|test msprof tx mark|200
1|test msprof tx push|200
2|测试 range|200
3|test msprof tx mark_ex|400"
}

@test "the sample of subscription runs in Python, fed from a capture" {
    needs python3
    copy_capture JOBX
    model=$(find JOBX/data -name '*.layer.info' | sed 's/.*\.\([0-9]*\)\.layer\.info/\1/' | head -1)
    count=$("$MSPROF" import -q -dir JOBX && sqlite3 JOBX/sqlite/runtime.db 'SELECT count(*) FROM svp_pmu' 2>/dev/null || echo 1)
    MSPROF_PROGRAM=$MSPROF MSPROF_REPLAY=JOBX MSPROF_REPLAY_SPEED=max \
        run_python "$repository/tests/acl/lib/sample_subscribe.py" "$model" "$count" >lines
    [ "$(wc -l <lines)" -ge "$count" ]
    awk -F '\t' -v model="$model" '$1 != model || $3 < $2 || $4 == "" || $5 == "" { exit 1 }' lines
}

@test "acl.prof without a library says what to set" {
    needs python3
    run -1 --separate-stderr env MSPROF_ACL_LIBRARY=/nowhere \
        PYTHONPATH="$repository/python" python3 -c 'import acl'
    expect_contains "$stderr" "set MSPROF_ACL_LIBRARY"
}

# Expects that the only capture in out/ is told to be empty by whatever is done with it, each time.
expect_empty() { # reason...
    local reason command
    for command in import "export summary" "export timeline" show; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof -q $command out
        [[ $status == 4 || $status == 3 ]] # 3: that it ended early is a problem of the data, too
        expect_contains "$stderr" "$(realpath "$(capture_in out)")': nothing was recorded, because "
        expect_not_contains "$stderr" "decodes"
        for reason in "$@"; do
            expect_contains "$stderr" "$reason"
        done
    done
}

@test "an empty capture says why nothing was recorded: no device, no call, no mark, an early end, a mask" {
    needs python3
    cat >program.py <<'END'
import os
import sys
import acl
acl.prof.init("out")
config = acl.prof.create_config([0], 0, 0, int(sys.argv[1], 0))
assert acl.prof.start(config) == 0
if len(sys.argv) > 2:
    os.kill(os.getpid(), 9)
acl.prof.stop(config)
END
    run_python program.py 0x3
    expect_empty "no device was recorded, the only source of task_time" "no call of what ascendcl asks for was seen"
    rm -r out
    run_python program.py 0x80
    expect_empty "the program set no mark, which msproftx asks for"
    rm -r out
    run_python program.py 0x10
    expect_empty "the mask asks for nothing that is recorded"
    rm -r out
    run_python program.py 0x83 killed || :
    expect_empty "the program ended before profiling was stopped"
    expect_not_contains "$stderr" "no call"
    expect_not_contains "$stderr" "no mark"
}

@test "an empty capture of a board lists what may be the reason" {
    copy_capture JOBX
    rm -r JOBX/data/*
    for command in import "export summary" show; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof $command JOBX
        expect_status 4
        expect_contains "$stderr" "nothing was recorded, because no model was executed, the program ended early, or profiling was off"
    done
}
