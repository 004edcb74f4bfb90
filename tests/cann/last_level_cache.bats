#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The last-level cache: its tables and its counters on the timeline, by chip.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

summary() { # report
    cat PROF_1/mindstudio_profiler_output/"$1"_2*.csv
}

make_llc() { # mode, lines of perf stat
    write_capture <<END
p.chip = 0
p.hash('a name')
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
from timeline import read_timeline
document = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json")
events = document.events
pids = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "LLC"}
start = 1700000000000000000 - int(document.facts["origin_unix_ns"])
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

@test "chips 8 and 11 have one last-level cache" {
    for chip in 8 11 5; do
        rm -rf PROF_1 out
        write_capture <<END
p.chip = $chip
p.samples[0] = {'llc_profiling': 'read', 'llc_profiling_events': 'read'}
p.devices[0]['llc.data.0'] = b''.join(struct.pack('<QQII', 1000 * t, 5 + t + i, 0, i) for t in range(3) for i in range(4))
END
        run_msprof export summary -dir PROF_1 --stable-names --output out
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Task") at = i } NR > 1 { print $at }' out/mindstudio_profiler_output/llc_read_write.csv |
            sort -u | tr '\n' ' ' >"of_$chip"
    done
    expect_equal "$(cat of_8 of_11 of_5)" "0 Average 0 Average 0 1 2 3 Average "
}
