#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files that few chips write: what comes of them.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    export PYTHONDONTWRITEBYTECODE=1
}

# make_prof CHIP: standard input is what fills the Prof p
make_prof() {
    {
        printf 'import struct, sys\nsys.path.insert(0, sys.argv[1])\nfrom prof import *\np = Prof("PROF_1", chip=%s)\n' "$1"
        cat
        printf 'p.hash("a name")\np.write()\n'
    } >make.py
    python3 make.py "$BATS_TEST_DIRNAME/lib"
}

summary() { # report
    cat PROF_1/mindstudio_profiler_output/"$1"_2*.csv
}

make_llc() { # mode, lines of perf stat
    make_prof 0 <<END
p.samples = {0: {'llc_profiling': '$1'}}
p.configs = {'device_0': {'DeviceInfo': [{'id': 0, 'ctrl_cpu': '0,2', 'ai_cpu': '5,6,7', 'hwts_frequency': '50'}]}}
p.devices[0]['llc.data.0'] = b"""$2
"""
END
}

@test "the last-level cache of an Ascend 310 has bandwidth and hits over all units and samples" {
    make_llc bandwidth '# started on Tue Jan  7 10:00:00 2020
 0.500000000 1048576 hisi_l3c0/read_allocate/ (50.0%)
 0.500000000 1048576 hisi_l3c1/read_noallocate/
 0.500000000 524288 hisi_l3c0/read_hit/
 0.500000000 <not counted> hisi_l3c0/write_hit/
 2.500000000 1048576 hisi_l3c0/write_allocate/
 2.500000000 7 hisi_l3c0/dsid0/'
    run_msprof export summary PROF_1
    expect_status 0
    expect_equal "$(summary llc_bandwidth)" "Device_id,Metric,l3c_rd,l3c_wr
0,BandWidth(MB/s),64,32
0,Hit_Rate(%),25,0
0,Hit_BandWidth(MB/s),16,0"
    [ "$(find PROF_1/mindstudio_profiler_output -name 'llc_*' | wc -l)" -eq 1 ]
}

@test "the last-level cache of an Ascend 310 has what each CPU holds, by the CPUs of info.json" {
    make_llc capacity ' 0.500000000 160 hisi_l3c0/dsid0/
 0.500000000 32 hisi_l3c0/dsid2/
 0.500000000 1 hisi_l3c0/dsid3/
 1.000000000 16 hisi_l3c1/dsid0/
 1.000000000 8 hisi_l3c0/dsid7/'
    run_msprof export summary PROF_1
    expect_status 0
    expect_equal "$(summary llc_ctrlcpu)" "Device_id,Metric,CPU0(KB),CPU1(KB),Total(KB)
0,Used Capacity of LLC,11,2,13"
    expect_equal "$(summary llc_aicpu)" "Device_id,Metric,CPU0(KB),CPU1(KB),CPU2(KB),Total(KB)
0,Used Capacity of LLC,0,0,0.5,0.5"
}

# The counters of process LLC as "ns since the start|name|values", by time.
llc_counters() {
    run_msprof export timeline --stable-names PROF_1
    expect_status 0
    python3 - <<'END'
import json
document = json.load(open("PROF_1/mindstudio_profiler_output/msprof.json"))
events = document["traceEvents"]
pids = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "LLC"}
start = 1700000000000000000 - int(document["otherData"]["origin_unix_ns"])
for e in sorted((e for e in events if e["ph"] == "C" and e["pid"] in pids), key=lambda e: e["ts"]):
    print("%d|%s|%s" % (round(e["ts"] * 1000) - start, e["name"], " ".join(map(str, e["args"].values()))))
END
}

@test "the last-level cache of an Ascend 310 is on the timeline, from sample to sample" {
    make_llc bandwidth ' 0.500000000 1048576 hisi_l3c0/read_allocate/
 0.500000000 1048576 hisi_l3c1/read_noallocate/
 0.500000000 524288 hisi_l3c0/read_hit/
 2.500000000 1048576 hisi_l3c0/write_allocate/
 2.500000000 262144 hisi_l3c1/write_hit/'
    expect_equal "$(llc_counters)" "500000000|LLC/Read|256.0 25.0 64.0
500000000|LLC/Write|0.0 0.0 0.0
2500000000|LLC/Read|0.0 0.0 0.0
2500000000|LLC/Write|32.0 25.0 8.0"
    rm -r PROF_1
    make_llc capacity ' 0.500000000 163840 hisi_l3c0/dsid0/
 0.500000000 16384 hisi_l3c1/dsid0/
 1.000000000 32768 hisi_l3c0/dsid7/'
    expect_equal "$(llc_counters)" "500000000|Ctrl CPU/Core 0|11.0
500000000|Ctrl CPU/Core 1|0.0
500000000|AI CPU/Core 0|0.0
500000000|AI CPU/Core 1|0.0
500000000|AI CPU/Core 2|0.0
1000000000|Ctrl CPU/Core 0|0.0
1000000000|Ctrl CPU/Core 1|0.0
1000000000|AI CPU/Core 0|0.0
1000000000|AI CPU/Core 1|0.0
1000000000|AI CPU/Core 2|2.0"
}

@test "lists of CPUs that are none are as if there were no list" {
    make_llc capacity ' 0.500000000 160 hisi_l3c0/dsid1/'
    sed -i 's/"0,2"/"zero"/' PROF_1/device_0/info.json.0
    run_msprof export summary PROF_1
    expect_status 0
    expect_equal "$(summary llc_ctrlcpu)" "Device_id,Metric,CPU0(KB),CPU1(KB),CPU2(KB),CPU3(KB),Total(KB)
0,Used Capacity of LLC,0,10,0,0,10"
}

@test "records of the task scheduler's CPU of an Ascend 310P have five events" {
    make_prof 3 <<'END'
p.samples = {0: {'ts_cpu_profiling_events': '0x11,0x8'}}
p.devices[0]['tscpu.data.0'] = b''.join(
    struct.pack('<II80xIIQ10Q', 0xabababab, 0, 0, pc, 1000 + pc, 0x11, cycles, 8, 5, 0x1b, 1, 0, 0, 0, 0)
    for pc, cycles in ((0x30, 300), (0x40, 100)))
END
    run_msprof export summary PROF_1
    expect_status 0
    expect_equal "$(summary ts_cpu_top_function)" "Device_id,Function,Cycles,Cycles(%)
0,0x30,300,75
0,0x40,100,25"
    expect_equal "$(summary ts_cpu_pmu_events)" "Device_id,Event,Name,Count
0,0x11,Cpu_cycles,400
0,0x8,Inst_retired,10"
}

@test "pipes of single cores are slices of the timeline, and their bus counters" {
    make_prof 5 <<'END'
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
import json
events = json.load(open("PROF_1/mindstudio_profiler_output/msprof.json"))["traceEvents"]
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
    make_prof 5 <<'END'
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
    make_prof 15 <<'END'
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
import json, sys
events = json.load(open("PROF_1/mindstudio_profiler_output/msprof.json"))["traceEvents"]
(pid,) = [e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == sys.argv[1]]
named = [(e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name" and e["pid"] == pid]
assert len({tid for tid, name in named}) == len({name for tid, name in named}) == len(named) == int(sys.argv[2]), named
assert not any("(2)" in name for tid, name in named), named
assert {e["tid"] for e in events if e["ph"] == "X" and e["pid"] == pid} == {tid for tid, name in named}
END
}

@test "tasks and parts of split tasks have their times and accelerators" {
    make_prof 5 <<'END'
p.launch(0, 2, 1, "op")
p.ran(10000, 12000, 2, 1)
p.devices[0]['stars_soc.data.0'][64 + 18] = 0x4b
p.log(0, 20000, 3, 7, kind=11)
p.ran_part(20200, 20700, 3, 7, 4, kind=8)
p.log(1, 24000, 3, 7, kind=11)
END
    run_msprof show --table acsq_task_statistic --format csv PROF_1
    expect_status 0
    expect_equal "$(tr -d '\t' <<<"$output")" "Device_id,Stream Id,Task Id,AccId,Task Type,Start Time(us),End Time(us),Task Duration(us)
0,2,1,11,AI_CORE,1700000000000010.000,1700000000000012.000,2
0,3,7,0,SDMA_SQE,1700000000000020.000,1700000000000024.000,4"
    run_msprof show --table ffts_sub_task_time --format csv PROF_1
    expect_status 0
    expect_equal "$(tr -d '\t' <<<"$output")" "Device_id,Op Name,Stream Id,Task Id,Subtask Id,Subtask Type,Start Time(us),Duration(us)
0,N/A,3,7,4,SDMA,1700000000000020.200,0.5"
}
