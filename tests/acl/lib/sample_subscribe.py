# SPDX-License-Identifier: Apache-2.0
"""The pyACL guide's sample of subscription: sample_subscribe.py MODEL_ID COUNT. Prints a line for each operator.

Where the guide executes the model this waits for COUNT operators; MSPROF_REPLAY names the capture that they come from.
"""

import os
import sys
import threading

import acl

ACL_AICORE_NONE = 0xFF
model_id = int(sys.argv[1])
lines = []
enough = threading.Event()

r, w = os.pipe()
subscribe_config = acl.prof.create_subscribe_config(1, ACL_AICORE_NONE, w)
assert subscribe_config != 0, acl.message()
ret = acl.prof.model_subscribe(model_id, subscribe_config)
assert ret == 0, acl.message()
assert acl.prof.model_subscribe(model_id, subscribe_config) == 148046
assert acl.prof.init("anywhere") == 148047


def get_model_info(data, data_len):
    op_number, ret = acl.prof.get_op_num(data, data_len)
    assert ret == 0, acl.message()
    for i in range(op_number):
        model_id = acl.prof.get_model_id(data, data_len, i)
        length, ret = acl.prof.get_op_type_len(data, data_len, i)
        assert ret == 0, acl.message()
        if i % 2 == 0:
            op_type, ret = acl.prof.get_op_type(data, data_len, i, 65)
            op_name, ret = acl.prof.get_op_name(data, data_len, i, 275)
        else:
            op_type, ret = acl.prof.get_op_type_v2(data, data_len, i)
            op_name, ret = acl.prof.get_op_name_v2(data, data_len, i)
        assert ret == 0, acl.message()
        assert length == len(op_type.encode()) + 1
        assert acl.prof.get_op_name_v2(data, data_len, i) == (op_name, 0)
        op_start = acl.prof.get_op_start(data, data_len, i)
        op_end = acl.prof.get_op_end(data, data_len, i)
        op_duration = acl.prof.get_op_duration(data, data_len, i)
        assert op_end - op_start == op_duration
        assert acl.prof.get_op_flag(data, data_len, i) == 0
        assert acl.prof.get_op_attri_value(data, data_len, i, 0) is None
        lines.append(f"{model_id}\t{op_start}\t{op_end}\t{op_type}\t{op_name}")
    assert acl.prof.get_op_start(data, data_len, op_number) == 0
    assert acl.prof.get_op_num(data, data_len - 1)[1] == 100000


def prof_data_read(args):
    fd = args[0]
    buffer_size, ret = acl.prof.get_op_desc_size()
    N = 10
    data_len = buffer_size * N
    rest = b""
    while True:
        data = os.read(fd, data_len - len(rest))
        if len(data) == 0:
            break
        data = rest + data
        whole = len(data) // buffer_size * buffer_size
        data, rest = data[:whole], data[whole:]
        get_model_info(acl.util.bytes_to_ptr(data), len(data))
        if len(lines) >= int(sys.argv[2]):
            enough.set()


thr_id, ret = acl.util.start_thread(prof_data_read, [r])
enough.wait(60)
ret = acl.prof.model_un_subscribe(model_id)
assert ret == 0, acl.message()
assert acl.prof.model_unsubscribe(model_id) == 100011
ret = acl.util.stop_thread(thr_id)
assert ret == 0
os.close(r)
ret = acl.prof.destroy_subscribe_config(subscribe_config)
assert ret == 0, acl.message()
print("\n".join(lines))
