# SPDX-License-Identifier: Apache-2.0
"""The pyACL guide's samples of marks, pushes and pops, and ranges: sample_events.py DIRECTORY COUNT"""

import sys

import acl

ACL_PROF_ACL_API = 0x0001
ACL_PROF_MSPROFTX = 0x0080

ret = acl.prof.init(sys.argv[1])
assert ret == 0, acl.message()
prof_config = acl.prof.create_config([0], 1, 0, ACL_PROF_ACL_API | ACL_PROF_MSPROFTX)
ret = acl.prof.start(prof_config)
assert ret == 0, acl.message()

for i in range(int(sys.argv[2])):
    # a mark
    stamp = acl.prof.create_stamp()
    assert stamp != 0, acl.message()
    msg = "test msprof tx mark"
    msg_len = len(msg)
    ret = acl.prof.set_stamp_trace_message(stamp, msg, msg_len)
    assert ret == 0, acl.message()
    ret = acl.prof.mark(stamp)
    assert ret == 0, acl.message()
    acl.prof.destroy_stamp(stamp)

    # push and pop, in one thread
    stamp = acl.prof.create_stamp()
    assert stamp != 0, acl.message()
    msg = "test msprof tx push"
    ret = acl.prof.set_stamp_trace_message(stamp, msg, len(msg))
    ret = acl.prof.push(stamp)
    assert ret == 0, acl.message()
    ret = acl.prof.pop()
    assert ret == 0, acl.message()
    ret = acl.prof.destroy_stamp(stamp)

    # a range, which another thread may end
    stamp = acl.prof.create_stamp()
    msg = "测试 range"
    ret = acl.prof.set_stamp_trace_message(stamp, msg, len(msg))
    range_id = 0
    range_id, ret = acl.prof.range_start(stamp)
    assert ret == 0, acl.message()
    ret = acl.prof.range_stop(range_id)
    assert ret == 0, acl.message()
    ret = acl.prof.destroy_stamp(stamp)

    # a mark that a stream sees; any number is one here
    stream = 1
    msg = "test msprof tx mark_ex"
    ret = acl.prof.mark_ex(msg, stream)
    assert ret == 0, acl.message()
    ret = acl.prof.mark_ex(msg, len(msg), stream)
    assert ret == 0, acl.message()

ret = acl.prof.stop(prof_config)
assert ret == 0, acl.message()
ret = acl.prof.finalize()
assert ret == 0, acl.message()
ret = acl.prof.destroy_config(prof_config)
assert ret == 0, acl.message()
