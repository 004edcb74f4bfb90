#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The examples of the pyACL and MindStudio guides as they are printed; what they leave open ("the model is loaded ...",
# model_id, input, context) stands before them.
# bats file_tags=once
# shellcheck disable=SC2154 # enter_scratch and run_msprof set scratch, status and output

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
    needs sqlite3 python3
    unset MSPROF_REPLAY_SPEED
}

# Runs program.py with what the guides leave to the reader before it, and keeps what it says on standard error.
run_example() {
    {
        printf 'import os\nmodel_id, input, output, context, stream = 6, 1, 2, 3, 4\n'
        cat program.py
    } >example.py
    run --separate-stderr run_python example.py
}

rows() {
    "$MSPROF" import -q -dir "$(capture_in out)"
    sqlite3 "$(capture_in out)/sqlite/runtime.db" "$1"
}

# The guides' frame around their examples of marks: a mask without 0x80, and the loop in a function.
in_frame() { # count
    sed 's/^/    /' >body
    {
        cat <<'END'
import acl
FAILED = 1
ACL_PROF_ACL_API = 0x0001
ACL_PROF_TASK_TIME = 0x0002
ret = acl.prof.init("out")
prof_config = acl.prof.create_config([0], 1, 0, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME)
ret = acl.prof.start(prof_config)
assert ret == 0


def main():
END
        sed "s/200000/$1/" body
        cat <<'END'


main()
ret = acl.prof.stop(prof_config)
assert ret == 0
ret = acl.prof.finalize()
ret = acl.prof.destroy_config(prof_config)
END
    } >program.py
}

expect_one_note() {
    expect_equal "$status" 0
    expect_equal "$(wc -l <<<"$stderr")" 1
    expect_contains "$stderr" "real devices need it"
    expect_contains "$stderr" "ACL_PROF_MSPROFTX (0x80)"
}

@test "the example of marks" {
    in_frame 2000 <<'END'
for i in range(200000):
    stamp = acl.prof.create_stamp()
    if stamp == 0:
        print("stamp is nullptr")
        return FAILED

    msg = "test msprof tx"
    msg_len = len(msg)
    ret = acl.prof.set_stamp_trace_message(stamp, msg, msg_len)
    ret = acl.prof.mark(stamp)

    ret = acl.prof.destroy_stamp(stamp)
END
    run_example
    expect_one_note
    expect_equal "$output" ""
    expect_equal "$(rows 'SELECT event_type, message, count(*) FROM msproftx GROUP BY 1, 2')" "0|test msprof tx|2000"
}

@test "the example of push and pop, with a mask of 0x3, all 200000 of them" {
    in_frame 200000 <<'END'
for i in range(200000):
    stamp = acl.prof.create_stamp()
    assert stamp != 0
    msg = "test msprof tx"
    msg_len = len(msg)
    ret = acl.prof.set_stamp_trace_message(stamp, msg, msg_len)
    ret = acl.prof.push(stamp)
    ret = acl.prof.pop()
    ret = acl.prof.destroy_stamp(stamp)
END
    run_example
    expect_one_note
    expect_equal "$(rows 'SELECT event_type, message, count(*), sum(end_ns >= start_ns) FROM msproftx GROUP BY 1, 2')" \
        "1|test msprof tx|200000|200000"
}

@test "the example of ranges, with a mask of 0x3" {
    in_frame 2000 <<'END'
for i in range(200000):
    stamp = acl.prof.create_stamp()
    assert stamp != 0
    msg = "test msprof tx"
    msg_len = len(msg)
    ret = acl.prof.set_stamp_trace_message(stamp, msg, msg_len)
    range_id = 0
    range_id, ret = acl.prof.range_start(stamp)
    ret = acl.prof.range_stop(range_id)
    ret = acl.prof.destroy_stamp(stamp)
END
    run_example
    expect_one_note
    expect_equal "$(rows 'SELECT event_type, count(*) FROM msproftx GROUP BY 1')" "2|2000"
}

@test "the example of marks on a stream, and of a stamp that pop is given" {
    in_frame 1 <<'END'
msg = "model_execute_mark"
ret = acl.prof.mark_ex(msg, stream)
ret = acl.mdl.execute_async(model_id, input, output, stream)
ret = acl.rt.synchronize_stream(stream)
assert ret == 0
stamp = acl.prof.create_stamp()
ret = acl.prof.push(stamp)
ret = acl.prof.pop(stamp)
assert ret == 0
ret = acl.prof.destroy_stamp(stamp)
END
    run_example
    expect_one_note
    expect_equal "$(rows 'SELECT event_type, message FROM msproftx ORDER BY start_ns')" "3|model_execute_mark
1|"
}

@test "stamps of an acl.json that does not say msproftx work, too" {
    echo '{"profiler": {"switch": "on", "output": "out"}}' >acl.json
    cat >program.py <<'END'
import acl
ret = acl.init("acl.json")
stamp = acl.prof.create_stamp()
assert stamp != 0
ret = acl.prof.mark(stamp)
ret = acl.finalize()
END
    run_example
    expect_one_note
    expect_equal "$(rows 'SELECT count(*) FROM msproftx')" 1
}

@test "acl.init with the file of a board makes a JOB capture, beside the program when there is no output" {
    cat >program.py <<'END'
import acl
ret = acl.init("acl.json")
assert ret == 0, acl.message()
ret = acl.finalize()
assert ret == 0
END
    echo '{"profiler": {"output": "out", "aacpu": "on", "aac_metrics": "ArithmeticUtilization", "interval": "0", "acl_api": "on", "switch": "on"}}' >acl.json
    mkdir out
    run_example
    expect_equal "$status$stderr" 0
    compgen -G "out/JOB*"
    rm -r out
    run_example
    expect_equal "$status" 0
    compgen -G "JOB*"
    [ ! -e out ]
}

@test "a mask with 0x80 needs no note" {
    in_frame 1 <<'END'
stamp = acl.prof.create_stamp()
assert stamp != 0
END
    sed -i 's/= 0x0002/= 0x0080/' program.py
    run_example
    expect_equal "$status" 0
    expect_equal "$stderr" ""
}

@test "the example of captures in files" {
    cat >program.py <<'END'
import acl
PROF_INIT_PATH='out'
ret = acl.prof.init(PROF_INIT_PATH)
device_list = [0]
ACL_PROF_ACL_API = 0x0001
ACL_PROF_TASK_TIME = 0x0002
ACL_PROF_AICORE_METRICS = 0x0004
ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3
prof_config = acl.prof.create_config(device_list, 0, 0, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS)
mem_freq = "15"
ret = acl.prof.set_config(ACL_PROF_SYS_HARDWARE_MEM_FREQ, mem_freq)
assert ret == 0
ret = acl.prof.start(prof_config)
assert ret == 0
ret = acl.mdl.execute(model_id, input, output)
assert ret == 0
ret = acl.prof.stop(prof_config)
ret = acl.prof.destroy_config(prof_config)
ret = acl.prof.finalize()
assert ret == 0
END
    run_example
    expect_equal "$status" 0
    expect_equal "$stderr" ""
    [ -d "$(capture_in out)/host" ]
}

# numpy is no part of the example's subject: where it is not installed, the little of it that the example asks for.
write_numpy() {
    python3 -c 'import numpy' 2>/dev/null && return
    mkdir numpy
    cat >numpy/__init__.py <<'END'
import ctypes


class array:
    def __init__(self, data):
        self._bytes = ctypes.create_string_buffer(data, len(data))
        self.itemsize, self.size = len(data), 1
        self.__array_interface__ = {"data": (ctypes.addressof(self._bytes), False)}
END
}

# The example of subscription. get: how it asks for type and name; end: what it closes.
write_subscription() { # type call, name call, closing lines
    cat >program.py <<END
import acl
import sys
sys.path.insert(0, os.getcwd())
import numpy as np
lines = []
r, w = os.pipe()
ACL_AICORE_NONE = 0xFF
subscribe_config = acl.prof.create_subscribe_config(1, ACL_AICORE_NONE, w)
ret = acl.prof.model_subscribe(model_id, subscribe_config)
assert ret == 0, acl.message()
def get_model_info(data, data_len):
    op_number, ret = acl.prof.get_op_num(data, data_len)
    for i in range(op_number):
        model_id = acl.prof.get_model_id(data, data_len, i)
        p_type, ret = $1
        assert ret == 0
        op_name, ret = $2
        assert ret == 0
        assert (op_name, 0) == $2
        op_start = acl.prof.get_op_start(data, data_len, i)
        op_end = acl.prof.get_op_end(data, data_len, i)
        op_duration = acl.prof.get_op_duration(data, data_len, i)
        lines.append(f"{model_id}\t{op_start}\t{op_end}\t{op_duration}\t{p_type}\t{op_name}")
def prof_data_read(args):
    fd, ctx = args
    ret = acl.rt.set_context(ctx)
    buffer_size, ret = acl.prof.get_op_desc_size()
    N = 10
    data_len = buffer_size * N
    while True:
        data = os.read(fd, data_len)
        if len(data) == 0:
            break
        np_data = np.array(data)
        np_data_ptr = acl.util.numpy_to_ptr(np_data)
        size = np_data.itemsize * np_data.size
        get_model_info(np_data_ptr, size)
thr_id, ret = acl.util.start_thread(prof_data_read, [r, context])
ret = acl.mdl.execute(model_id, input, output)
assert ret == 0
ret = acl.prof.$4(model_id)
assert ret == 0
ret = acl.util.stop_thread(thr_id)
$3
ret = acl.prof.destroy_subscribe_config(subscribe_config)
assert ret == 0
print("\n".join(lines))
print(len(os.listdir("/proc/self/fd")), file=sys.stderr)
END
}

operators_of_capture() {
    "$MSPROF" import -q -dir JOBX
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed max --names names 3>records
    python3 "$repository/tests/lib/operator_records.py" operators records names |
        cut -f 1,3-
}

@test "the example of subscription runs on a replay and gets every operator, whichever ends it closes" {
    write_numpy
    copy_capture JOBX
    operators_of_capture >expected
    expect_equal "$(wc -l <expected)" 248
    local descriptors=
    for variant in 1 2; do
        if [ "$variant" = 1 ]; then
            write_subscription 'acl.prof.get_op_type_v2(data, data_len, i)' 'acl.prof.get_op_name_v2(data, data_len, i)' \
                $'os.close(r)\nos.close(w)' model_un_subscribe
        else
            write_subscription 'acl.prof.get_op_type(data, data_len, i, 65)' 'acl.prof.get_op_name(data, data_len, i, 275)' \
                'os.close(r)' model_unsubscribe
        fi
        MSPROF_PROGRAM=$MSPROF MSPROF_REPLAY=JOBX MSPROF_REPLAY_SPEED=max run_example
        expect_equal "$status" 0
        [ "$variant" = 1 ] && expect_equal "$output" "$(<expected)"
        [ "$variant" = 2 ] && expect_equal "$output" \
            "$(awk -F '\t' -v OFS='\t' '{ $5 = substr($5, 1, 64); $6 = substr($6, 1, 274); print }' expected)"
        # nothing of the pipe stays open
        expect_equal "${descriptors:=$stderr}" "$stderr"
    done
}

@test "subscribing without a device and a replay says once that nothing will come" {
    write_numpy
    write_subscription 'acl.prof.get_op_type_v2(data, data_len, i)' 'acl.prof.get_op_name_v2(data, data_len, i)' \
        $'os.close(r)\nos.close(w)' model_un_subscribe
    sed -i '$d' program.py
    sed '1,/^lines/d' program.py >again
    cat again >>program.py # a second subscription in the same process
    run_example
    expect_equal "$status" 0
    expect_equal "$(wc -l <<<"$stderr")" 1
    expect_contains "$stderr" "the pipe delivers operators only if MSPROF_REPLAY names a capture"
}

@test "get_op_type cuts a longer type to whole characters and gives the same again" {
    cat >program.py <<END
import sys
import acl
data = open("records", "rb").read()
pointer = acl.util.bytes_to_ptr(data)
for _ in range(2):
    print(acl.prof.get_op_type(pointer, len(data), 0, 65), acl.prof.get_op_type_len(pointer, len(data), 0))
print(acl.prof.get_op_name(pointer, len(data), 0, 4))
END
    copy_capture JOBX
    find JOBX/data -name '*.layer.info' -exec sed -i 's/"type": *"[^"]*"/"type":"'"$(printf 'x%.0s' {1..63})"'卷积"/g; s/"name": *"[^"]*"/"name":"a卷积"/' {} +
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed max --names names 3>records
    MSPROF_OP_NAMES=names run_example
    expect_equal "$status" 0
    type=$(printf 'x%.0s' {1..63})
    expect_contains "$(sed -n 1p <<<"$output")" "('$type', 0)"
    expect_equal "$(sed -n 2p <<<"$output")" "$(sed -n 1p <<<"$output")"
    expect_equal "$(sed -n 3p <<<"$output")" "('a', 0)"
}
