# SPDX-License-Identifier: Apache-2.0
"""Samples of processors, processes, memory and disks, as text: what make_system.py adds of them."""
import struct

from capture_files import DEVICE_MONOTONIC, MONOTONIC
from make_prof import PROCESS

HELPER = 4300
NAMES = {PROCESS: 'python3', HELPER: 'helper'}
CONTROL_EVENTS = ('0x11', '0x8', '0x1b', '0x17')
SCHEDULER_EVENTS = (0x11, 0x8, 0x1b, 0x10, 0x6, 0x7, 0x14)
CORES = (0, 2, 3, 4, 5, 6, 7)  # one of control, six AI CPUs
FUNCTIONS = ('memcpy+0x1c', 'spin_lock+0x8', 'schedule+0x30', 'unknown')
SYSTEM_CALLS = ('write', 'read', 'futex', 'nanosleep', 'ioctl')
THREAD_CALLS = ('pthread_mutex_lock', 'pthread_cond_wait', 'pthread_once', 'pthread_create')
# How much more of the ten counters of /proc/stat is used than of the least.
SHARES = (6, 0, 3, 30, 1, 1, 1, 0, 0, 0)


class ProcessorSamples:
    def __init__(self, files, random, times):
        self.files, self.random, self.times = files, random, times

    def host(self, name, text):
        self.files.text('host/data/%s.slice_0' % name, text)

    def device(self, name, text):
        self.files.text('device_0/data/%s.slice_0' % name, text)

    def write(self):
        """Writes all files; what sample.json must say of them."""
        self.write_threads()
        self.write_process_memory()
        self.write_disk()
        self.write_network()
        self.write_calls()
        for write, suffix, cores, names in ((self.host, '', 3, ('host_sys_cpu.data', 'host_sys_mem.data')),
                                            (self.device, '.0', 5, ('SystemCpuUsage.data.0', 'Memory.data.0'))):
            write(names[0], self.system_cpu(cores))
            write(names[1], self.system_memory())
            for process in NAMES:
                write('%d-CpuUsage.data%s' % (process, suffix), self.process_cpu(process))
                write('%d-Memory.data%s' % (process, suffix), self.process_memory(process))
        self.write_control_cpu()
        self.write_scheduler_cpu()
        events = ','.join(CONTROL_EVENTS)
        return {'cpu_profiling': 'on', 'sys_profiling': 'on', 'pid_profiling': 'on', 'hostSysUsage': 'cpu,mem',
                'host_sys': 'cpu,mem,disk,network,osrt', 'ai_ctrl_cpu_profiling_events': events, 'ctrl_cpu_profiling_events': events,
                'ai_cpu_profiling_events': events, 'host_disk_freq': 50,
                'ts_cpu_profiling_events': ','.join('0x%x' % event for event in SCHEDULER_EVENTS)}

    # ---- the profiled process on the host ----

    def write_threads(self):
        used, text, cores = [[0, 0] for _ in range(6)], '', (0, 1, 3, 5, 8)
        for number, time in enumerate(self.times):
            text += 'time %d\n%.2f 20000.00\n' % (time, 1000 + 0.05 * (number + 1))
            for thread, (place, counts) in enumerate(zip(cores + (0,), used)):
                counts[0] += self.random.below(4)
                counts[1] += self.random.below(2)
                text += ('%d (python3) S %d 1 1 0 -1 4194304 100 0 0 0 %d %d 0 0 20 0 6 0 5000 1000000 5000 '
                         '18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 %d 0 0 0 0 0 0 0 0 0 0 0 0 0\n' % (
                             PROCESS + thread, PROCESS, *counts, place))
        self.host('host_cpu.data', text)

    def write_process_memory(self):
        self.host('host_mem.data', ''.join(
            '%d %d %d 4000 100 0 5000 0\n' % (time, resident + 70_000, resident)
            for time, resident in ((time, 2_000_000 + self.random.below(90_000)) for time in self.times)))

    def write_disk(self):
        text = 'start_time %d\n' % self.times[0]
        for number in range(len(self.times)):
            text += '12:00:%02d %d be/4 root %.2f %s %.2f %s 0.00 %% %.2f %% python3 app.py\n' % (
                number % 60, PROCESS, self.random.share() * 900, ('B/s', 'K/s', 'M/s')[number % 3],
                self.random.share() * 900, ('K/s', 'B/s')[number % 2], self.random.share() * 60)
        self.host('host_disk.data', text)

    def write_network(self):
        text, totals = '', {name: [0, 0] for name in ('eth0', 'eth1', 'docker0')}
        for time in self.times:
            text += 'time %d\n' % time
            for name, total in totals.items():
                total[0] += self.random.below(90_000)
                total[1] += self.random.below(90_000)
                text += '%s: %d %d 0 0 0 0 0 0 %d %d 0 0 0 0 0 0\n' % (name, total[0], total[0] // 700, total[1],
                                                                      total[1] // 700)
        self.host('host_network.data', text)

    def write_calls(self):
        text, time = '', 100.0
        for number in range(2 * len(self.times)):
            time += self.random.between(1, 90) / 1000
            text += '%10.3f ( %5.3f ms): python3/%d %s(fd: 3, buf: 0x7f, count: 4096) = %d\n' % (
                time, self.random.between(1, 900) / 1000, PROCESS + number % 3, self.random.of(SYSTEM_CALLS), number)
        self.host('host_syscall.data', text)
        text, time = '', 2000.5
        for number in range(len(self.times)):
            time += self.random.between(1, 90) / 100_000
            text += '[pid %d] %.6f libm.so.6->%s(0x7f00, 1, 0) = 0 <%.6f>\n' % (
                PROCESS + number % 3, time, self.random.of(THREAD_CALLS), self.random.between(1, 900) / 1e6)
        self.host('host_pthreadcall.data', text)

    # ---- systems and processes ----

    def system_cpu(self, cores):
        text, totals = '', {name: [0] * 10 for name in ['cpu '] + ['cpu%d' % core for core in range(cores)]}
        for time in self.times:
            text += 'TimeStamp:%d\n' % time
            for name, total in totals.items():
                for place, share in enumerate(SHARES):
                    total[place] += self.random.below(50) * share
                text += '%s %s\n' % (name, ' '.join(map(str, total)))
            text += '\n'
        return text

    def system_memory(self):
        text, free = '', 500_000_000
        for number, time in enumerate(self.times):
            free += self.random.between(-90_000, 90_000)
            sizes = (('MemTotal', 791_800_000), ('MemFree', free), ('MemAvailable', free + 9),
                     ('Buffers', 90_000 + number), ('Cached', 9_000_000 + 11 * number), ('SwapCached', 0),
                     ('Shmem', 7000 + number), ('CommitLimit', 400_000_000), ('Committed_AS', 30_000_000 + 3 * number))
            text += 'TimeStamp:%d\n' % time
            text += ''.join('%-15s %9d kB\n' % (name + ':', size) for name, size in sizes)
            text += 'HugePages_Total:      12\nHugePages_Free:       %d\n\n' % (number % 12)
        return text

    def process_memory(self, process):
        return ''.join('TimeStamp:%d\nProcessName:%s\n%d %d %d 900 0 %d 0\n\n' % (
            time, NAMES[process], process * 10 + number, process * 3 + 2 * number, process + number, 4000 + number)
            for number, time in enumerate(self.times))

    def process_cpu(self, process):
        text, used, total = '', [0, 0], [1000] * 10
        for time in self.times:
            used = [used[0] + self.random.below(9), used[1] + self.random.below(4)]
            total = [value + self.random.between(1, 90) for value in total]
            text += ('TimeStamp:%d\n%d (app) S 1 1 1 0 -1 4194304 100 0 0 0 %d %d 1 1 20 0 6 0 5000 1000000 5000 0\n'
                     'ProcessName:%s\ncpu  %s\n\n' % (time, process, *used, NAMES[process],
                                                      ' '.join(map(str, total))))
        return text

    # ---- processors of the device ----

    def write_control_cpu(self):
        text = ''
        for number in range(4 * len(self.times)):
            event = CONTROL_EVENTS[number % len(CONTROL_EVENTS)]
            text += 'slogd  %d/%d  [%03d]  5.%06d:  %d  raw %s: \n' % (
                2000 + number % 3, 2000 + number % 5, CORES[number % len(CORES)], number * 1000,
                self.random.between(100, 900_000), event)
            text += '\t    ffff%04x %s (%s)\n\t    ffff2000 main+0x10 (/usr/bin/app)\n\n' % (
                0x1000 + number % 16, self.random.of(FUNCTIONS), ('[kernel.kallsyms]', '/usr/lib/libc.so')[number % 2])
        self.device('ai_ctrl_cpu.data.0', text)

    def write_scheduler_cpu(self):
        records = []
        for time in self.times:
            pairs = [value for event in SCHEDULER_EVENTS for value in (event, self.random.between(1, 1 << 20))]
            records.append(struct.pack('<II20Q8xQQ14Q', 0xabababab, 2, *[0] * 20, 0x1000 + self.random.below(8) * 16,
                                       time - MONOTONIC + DEVICE_MONOTONIC, *pairs))
        self.files.records('device_0/data/tscpu.data.0', records)
