#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Samples of single cores (Biu Perf): slices of their pipes and counters of their bus.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

@test "pipes of single cores are slices of the timeline, and their bus counters" {
    write_capture <<'END'
p.chip = 5
p.hash('a name')
def cycles(*values):
    return sum(value << 12 * place for place, value in enumerate(values)).to_bytes(32, 'little')
def aic(values, flow):
    both = zip(*[[data[i:i + 8] for i in range(0, 32, 8)] for data in (cycles(*values), flow)])
    return bytes(32) + b''.join(c + f for c, f in both)
def flow(*numbers):
    return struct.pack('<HH', 1, 2) + b''.join(n.to_bytes(3, 'little') for n in numbers) + struct.pack('<QH', 9, 3)
p.samples = {0: {'instr_profiling_freq': '1000'}}
first, second = flow(10, 70000, 30, 40, 50, 60), flow(11, 70001, 31, 41, 51, 61)
p.devices[0]['instr.group_2_aic.0'] = aic((4000, 5, 0, 0, 0, 4000), first) + aic((104, 5, 500, 0, 0, 4095), second)
p.devices[0]['instr.group_2_aiv1.0'] = b''.join(b'head'.ljust(32) + cycles(*v) for v in ((0, 0), (0, 250), (0, 250)))
END
    run_msprof export timeline --stable-names PROF_1
    expect_status 0
    python3 - <<'END'
from timeline import read_timeline
events = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json").events
(pid,) = [e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "Biu Perf"]
threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == pid}
slices = sorted((threads[e["tid"]], e["name"], e["ts"], round(e["dur"], 3), e["args"]["cycle_num"], e["args"]["ratio"])
                for e in events if e["ph"] == "X" and e["pid"] == pid)
# a sample each microsecond: 1000 cycles at 1000 MHz; 4000 to 104 is 200 modulo 4096
assert slices == [("aic_core2_group2 Cube", "Cube", 1, 0.5, 500, 0.5), ("aic_core2_group2 Mte3", "Mte3", 1, 0.095, 95, 0.095),
                  ("aic_core2_group2 Vector", "Vector", 1, 0.2, 200, 0.2),
                  ("aiv_core30_group2 Scalar", "Scalar", 1, 0.25, 250, 0.25)], slices
counters = {}
for e in events:
    if e["ph"] == "C" and e["pid"] == pid:
        counters.setdefault(e["name"], []).append((e["ts"], e["args"]["flow"]))
assert counters == {"biu_group2/Latency Read": [(0, 10), (1, 11)], "biu_group2/Latency Write": [(0, 70000), (1, 70001)],
                    "biu_group2/Bandwidth Read": [(0, 30), (1, 31)],
                    "biu_group2/Bandwidth Write": [(0, 40), (1, 41)]}, counters
END
}

@test "each vector core has threads of its own, also where a group has more than two" {
    write_capture <<'END'
p.chip = 5
p.hash('a name')
def cycles(*values):
    return sum(value << 12 * place for place, value in enumerate(values)).to_bytes(32, 'little')
p.samples = {0: {'instr_profiling_freq': '1000'}}
for group, core in ((0, 'aiv0'), (0, 'aiv2'), (0, 'aiv3'), (0, 'aiv4'), (1, 'aiv0'), (1, 'aiv1'), (2, 'aiv0'), (2, 'aiv2')):
    p.devices[0]['instr.group_%d_%s.0' % (group, core)] = b''.join(
        b'head'.ljust(32) + cycles(v) for v in (0, 900, 1800))
p.devices[0]['instr.group_25_aic.0'] = b''.join(  # the number of the first vector core
    b'head'.ljust(32) + b''.join(part + bytes(8) for part in (cycles(v)[i:i + 8] for i in range(0, 32, 8))) for v in (0, 900, 1800))
END
    run_msprof export timeline --stable-names PROF_1
    expect_status 0
    python3 "$repository/tests/lib/timeline.py" check PROF_1/mindstudio_profiler_output/msprof.json
    own_threads "Biu Perf" 9
    rm -r PROF_1
    write_capture <<'END'
p.chip = 15
p.hash('a name')
def word(kind, events, cycles):
    return struct.pack('<I', cycles | events << 16 | kind << 28)
counter = b''.join(word(14, place << 8, DEVICE_TICK >> 16 * place & 0xffff) for place in range(4))
for group, core in ((0, 'aic'), (0, 'aiv1'), (0, 'aiv2'), (0, 'aiv3'), (0, 'aiv5'), (1, 'aic'), (1, 'aiv0'), (1, 'aiv2'), (2, 'aic')):
    p.devices[0]['instr.biu_perf_group%d_%s.0' % (group, core)] = (
        counter + word(15, 1, 1000 + 10 * group) + word(15, 0, 5000))
END
    run_msprof export timeline --stable-names PROF_1
    expect_status 0
    python3 "$repository/tests/lib/timeline.py" check PROF_1/mindstudio_profiler_output/msprof.json
    own_threads "Biu Perf" 9
}

# own_threads PROCESS N: its slices stand on N threads of as many names.
own_threads() {
    python3 - "$@" <<'END'
import sys
from timeline import read_timeline
events = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json").events
(pid,) = [e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == sys.argv[1]]
named = [(e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name" and e["pid"] == pid]
assert len({tid for tid, name in named}) == len({name for tid, name in named}) == len(named) == int(sys.argv[2]), named
assert not any("(2)" in name for tid, name in named), named
assert {e["tid"] for e in events if e["ph"] == "X" and e["pid"] == pid} == {tid for tid, name in named}
END
}
