# SPDX-License-Identifier: Apache-2.0
"""The pyACL guide's sample of captures in files, without the calls that need a device: sample_files.py DIRECTORY"""

import sys

import acl

ACL_PROF_ACL_API = 0x0001
ACL_PROF_TASK_TIME = 0x0002
ACL_PROF_AICORE_METRICS = 0x0004
ACL_AICORE_ARITHMETIC_UTILIZATION = 0
ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3

ret = acl.init()
assert ret == 0

PROF_INIT_PATH = sys.argv[1]
ret = acl.prof.init(PROF_INIT_PATH)
assert ret == 0, acl.message()

device_list = [0]
ACL_PROF_MASK = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS
prof_config = acl.prof.create_config(device_list, ACL_AICORE_ARITHMETIC_UTILIZATION, 0, ACL_PROF_MASK)
assert prof_config != 0, acl.message()
mem_freq = "15"
ret = acl.prof.set_config(ACL_PROF_SYS_HARDWARE_MEM_FREQ, mem_freq)
assert ret == 0, acl.message()
ret = acl.prof.start(prof_config)
assert ret == 0, acl.message()

# here the model would be loaded and executed

ret = acl.prof.stop(prof_config)
assert ret == 0, acl.message()
ret = acl.prof.destroy_config(prof_config)
assert ret == 0, acl.message()
ret = acl.prof.finalize()
assert ret == 0, acl.message()
ret = acl.finalize()
assert ret == 0
