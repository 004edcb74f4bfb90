#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures that cannot be written: the program goes on, and is told.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # enter_scratch and run_msprof set scratch, status and output

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
}

teardown() {
    if mountpoint -q "$scratch/small"; then
        umount "$scratch/small"
    fi
}

@test "a full disk makes the stop fail with 500005 and what was written before is a capture" {
    mkdir small
    mount -t tmpfs -o size=6m tmpfs small 2>/dev/null || skip "tmpfs cannot be mounted here"
    run -1 --separate-stderr "$programs/sample_range" small/out 100000
    expect_contains "$stderr" "aclprofStop(config): 500005: EK9999:"
    expect_contains "$stderr" "No space left on device"
    run_msprof import -dir "$(capture_in small/out)" --output elsewhere
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    count=$(sqlite3 "$(find elsewhere -name runtime.db)" 'SELECT count(*) FROM msproftx')
    [ "$count" -gt 15000 ] && [ "$count" -lt 100000 ]
}

@test "a disk that is full from the beginning makes init or start fail, and the program may go on" {
    mkdir small
    mount -t tmpfs -o size=4k,nr_inodes=4 tmpfs small 2>/dev/null || skip "tmpfs cannot be mounted here"
    run -1 --separate-stderr "$programs/sample_range" small/out 10
    [[ $stderr == *500005* || $stderr == *100003* ]]
    expect_contains "$stderr" "No space left on device"
}

@test "a directory that may not be written makes init fail with 100003" {
    local launcher=(env)
    if [ "$(id -u)" -eq 0 ]; then
        launcher=(setpriv --bounding-set "-dac_override,-dac_read_search,-fowner")
        "${launcher[@]}" true || skip "setpriv(1) does not work here"
    fi
    mkdir closed
    chmod 0500 closed
    run -1 --separate-stderr "${launcher[@]}" "$programs/sample_range" closed/out 10
    expect_contains "$stderr" "100003: EK"
    expect_contains "$stderr" "Permission denied"
    run -1 --separate-stderr "${launcher[@]}" "$programs/sample_range" closed 10
    expect_contains "$stderr" "100003: EK0001: Value closed for parameter profilerResultPath is invalid."
}

@test "a limit on the size of files is an error, not the end of the program" {
    # shellcheck disable=SC2016 # the inner shell expands it
    run -1 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 100; exec "$0" out 100000' "$programs/sample_range"
    expect_contains "$stderr" "500005"
}

@test "events that there is no stamp left for are told as lost by stop and by import" {
    needs python3
    run_python - <<'END'
import acl

assert acl.prof.init("out") == 0
config = acl.prof.create_config([0], 1, 0, 0x80)
assert acl.prof.start(config) == 0
stamps = [acl.prof.create_stamp() for _ in range(150)]
assert stamps.count(0) == 50
assert acl.prof.stop(config) == 500005
assert "50 msproftx records lost: all 100 stamps were in use at once" in acl.message()
END
    run_msprof import -dir "$(capture_in out)"
    expect_status 3
    expect_contains "$stderr" "50 msproftx records were lost while recording: all 100 stamps were in use at once"
}

@test "names of thousands of operators are whole, and one that there is no room for is told as lost" {
    needs python3 sqlite3
    cat >names.py <<'END'
import acl, sys

assert acl.prof.init("out") == 0
config = acl.prof.create_config([0], 1, 0, 0x80)
assert acl.prof.start(config) == 0
for i in range(20000):
    acl.prof.str2id("MatMul_%d_" % i + 300 * "x")
if len(sys.argv) == 1:
    assert acl.prof.stop(config) == 0, acl.message()
    sys.exit()
acl.prof.str2id(4096 * "y")
assert acl.prof.stop(config) == 500005
assert "names of what it records are lost: a text has more than 4095 bytes" in acl.message()
assert acl.prof.start(config) == 0
for i in range(50000):
    acl.prof.str2id("Add_%d" % i)
assert acl.prof.stop(config) == 500005
END
    run_python names.py
    capture=$(capture_in out)
    run_msprof import --strict -dir "$capture"
    expect_status 0
    expect_equal "$(sqlite3 "$capture/sqlite/runtime.db" "SELECT count(*) FROM name WHERE text LIKE 'MatMul%' AND length(text) >= 309")" 20000
    rm -r out
    run_python names.py more
    for capture in out/PROF_*; do
        run_msprof import -dir "$capture"
        expect_status 3
        expect_contains "$stderr" "names of what was recorded were lost: a text has more than 4095 bytes, or the process more than 65536 texts"
    done
    expect_equal "$(sqlite3 "$capture/sqlite/runtime.db" "SELECT count(*) FROM name")" 65536
}
