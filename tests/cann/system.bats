#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Samples of systems, memory and links: what their files become.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets MSPROF, shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# text_capture FIXTURE [OLD NEW]: a capture with the text of testdata/kinds/FIXTURE, OLD in it replaced.
text_capture() {
    python3 - "$BATS_TEST_DIRNAME/system" "$repository/testdata/kinds/$1" "${@:2}" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from text_kinds import make_capture, read_fixture
name, chip, text = read_fixture(sys.argv[2])[:3]
for old, new in zip(sys.argv[3::2], sys.argv[4::2]):
    assert old in name + text, old
    name, text = name.replace(old, new), text.replace(old, new)
make_capture("PROF_1", name, text, chip)
END
}

@test "a counter that falls is named, and its samples stay" {
    text_capture netdev_stats/counters.text
    run_msprof import PROF_1
    rows=$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*), min(time_ns) FROM netdev_stats')
    rm -r PROF_1
    read -r first last < <(python3 - "$repository/testdata/kinds/netdev_stats/counters.text" <<'END'
import sys
lines = [line.split() for line in open(sys.argv[1]) if len(line.split()) == 16 and line[0].isdigit()]
print(lines[0][3], lines[-1][3])
END
    )
    text_capture netdev_stats/counters.text " $first " " 18446744073709551 "
    run_msprof import PROF_1
    expect_status 3
    expect_contains "$stderr" "field mac_tx_bytes: $last after 18446744073709551; expected at least that"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*), min(time_ns) FROM netdev_stats')" "$rows"
}

# hccs_capture OLD NEW: the sound lines of the fixture, OLD in them replaced.
hccs_capture() {
    rm -rf PROF_1
    text_capture hccs/link.text $'nonsense\n5040192000: 12x 5\n' "" "$@"
    run_msprof import PROF_1
}

@test "bytes of links between devices that fall are named" {
    hccs_capture 108936500 108936555
    expect_status 0
    hccs_capture
    expect_status 0
    expect_contains "$stderr" "field tx_bytes: 108936500 after 108936555; expected at least that"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*) FROM hccs')" 3
    for fallen in 108936492:0 108936491:3 0:3 4763790:3; do
        hccs_capture 108936500 "${fallen%:*}"
        expect_status "${fallen#*:}"
        expect_contains "$stderr" "field tx_bytes: ${fallen%:*} after 108936555; expected at least that"
        expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*) FROM hccs')" 3
        run_msprof export summary PROF_1 --stable-names
        expect_status "${fallen#*:}"
    done
}

@test "a damaged first line is named when it is no heading" {
    hccs_capture $'time txAmount rxAmount\n' "" 108936500 108936555
    expect_status 0
    hccs_capture $'time txAmount rxAmount\n5000192000: 40451769' $'5000192000: x' 108936500 108936555
    expect_status 3
    expect_contains "$stderr" "record 1, offset 0: '5000192000: x 4763790'; expected '{device_ns}: {tx_bytes} {rx_bytes}'"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*) FROM hccs')" 2
}

@test "a file of a device that info.json does not know is named, and its samples stay" {
    text_capture nic/port.text nic.data.0. nic.data.7.
    run_msprof export summary PROF_1
    expect_status 3
    expect_contains "$stderr" "device_0/data/nic.data.7.slice_0: device 7; expected 0"
    expect_equal "$(cut -d , -f 1 PROF_1/mindstudio_profiler_output/nic_*.csv | sort -u | tr '\n' ' ')" "7 Device_id "
}

agree_with_expected() { # expected tables, capture
    run_msprof export summary -dir "$2"
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/agree_tables.py" "$1" "$2/mindstudio_profiler_output"
}

@test "every table of the shipped captures with samples is the one beside them" {
    for name in system-910b system-910a; do
        copy_family "$name" PROF_1
        agree_with_expected "$repository/testdata/cann/$name/expected" PROF_1
        # no table is without an expected one
        expect_equal "$(find PROF_1/mindstudio_profiler_output -name '*.csv' | wc -l)" \
            "$(find "$repository/testdata/cann/$name/expected" -name '*.csv' | wc -l)"
    done
}

@test "sampled cores are added up, and the means of cores are right" {
    for chip in 5 1; do
        rm -rf made expected
        capture=$(python3 "$repository/testdata/generate/cann/make_system.py" made --chip "$chip" --seed 3 --sampled-cores)
        python3 "$BATS_TEST_DIRNAME/lib/recompute_system.py" --tables expected "$capture"
        [ -e expected/ai_core_utilization.csv ]
        agree_with_expected expected "$capture"
    done
}

# The tables that the recalculation has, of shared data, against those of Ascend's tool: what it says of other captures is
# worth as much.
@test "the recalculation of tables of samples gives what Ascend's tool gives" {
    needs_shared data/expected/system-chip5
    while read -r name tables; do
        rm -rf tables
        # shellcheck disable=SC2086 # names of tables, or none for all
        python3 "$BATS_TEST_DIRNAME/lib/recompute_system.py" --tables tables "$shared/data/generated/$name"/PROF_* $tables
        names=()
        for table in tables/*.csv; do
            names+=("$(basename "$table" .csv)")
            mv "$table" "${table%.csv}_1.csv"
        done
        python3 "$BATS_TEST_DIRNAME/system/agree_system.py" "$shared/data/expected/$name" tables "${names[@]}"
    done <<'END'
system-chip5
system-chip1
sample-chip5 ai_core_utilization ai_vector_core_utilization
sample-chip1 ai_core_utilization
END
}

# A generated capture of shared data and what Ascend's tool made of it: every table equal, but for what the manual says.
agree_with_tool() {
    needs_shared "data/expected/$1"
    cp -r "$shared/data/generated/$1"/PROF_* PROF_1
    chmod -R u+w PROF_1
    run_msprof export summary -dir PROF_1
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/system/agree_system.py" "$shared/data/expected/$1" PROF_1/mindstudio_profiler_output
}

@test "every table of an Ascend 910B with samples is that of Ascend's tool" {
    agree_with_tool system-chip5
}

@test "every table of an Ascend 910A with samples is that of Ascend's tool" {
    agree_with_tool system-chip1
}

@test "sampled cores of an Ascend 910B are those of Ascend's tool" {
    agree_with_tool sample-chip5
}

@test "sampled cores of an Ascend 910A are those of Ascend's tool" {
    agree_with_tool sample-chip1
}

@test "voltages of the cores and the bus are counters of the timeline" {
    [ -d "$shared/data/generated/system-chip5" ] || skip "the shared data are not there"
    run_msprof export timeline -q --stable-names --output out "$shared/data/generated/system-chip5"/PROF_*
    expect_status 0
    python3 - <<'END'
from timeline import read_timeline
events = read_timeline("out/mindstudio_profiler_output/msprof.json").events
def values(name):
    return [(e["ts"], e["args"]["mV"]) for e in events if e["name"] == name and e["ph"] == "C"]
# two records of five pairs each tell of the same five times
assert values("Aicore Voltage(mV)")[:4] == [(292, 889), (292, 887), (876, 854), (876, 821)], values("Aicore Voltage(mV)")
assert len(values("Bus Voltage(mV)")) == 10 and values("Bus Voltage(mV)")[0] == (292, 744)
assert any(e["name"] == "process_name" and e["args"]["name"] == "Voltage Info" for e in events)
END
}

@test "of several accelerators at one time the timeline has the most, in the order of time whatever that of records" {
    cat >make.py <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1", chip=5)
p.hash("a name")
def accelerator(number, time, unit, *values):
    return struct.pack('<HHIQHH12x4Q', 0x1a | number << 6, 0x6bd3, 0, DEVICE_TICK + time // 20, 0, unit, *values)
def die(number, time, which, *values):
    return struct.pack('<HHIQHH12x8I', 0x19 | number << 6, 0x6bd3, 0, DEVICE_TICK + time // 20, 0, which, *values)
p.devices[0]['stars_soc_profile.data.0'] = (
    accelerator(0, 2000, 0, 7, 1, 2, 9) + accelerator(1, 2000, 1, 5, 3, 8, 4) + accelerator(2, 1000, 0, 6, 6, 6, 6) +
    die(3, 1000, 0, *[1048576] * 8) + die(4, 1000, 1, *[1] * 8) + die(5, 2000, 0, *[1048576] * 8) +
    die(6, 2000, 1, *[2097152] * 8))
p.write()
END
    python3 make.py "$BATS_TEST_DIRNAME/lib"
    run_msprof export timeline --stable-names -q PROF_1
    python3 - <<'END'
from timeline import read_timeline
events = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json").events
def values(name):
    return [(e["ts"], e["args"]) for e in events if e["name"] == name and e["ph"] == "C"]
# of two records at 2 us: written 7 and 5, read 1 and 3, waiting 2 and 8, 9 and 4
assert values("write_bandwidth") == [(1, {"value": 6}), (2, {"value": 7})], values("write_bandwidth")
assert values("read_bandwidth") == [(1, {"value": 6}), (2, {"value": 3})]
assert values("write_ost") == [(1, {"value": 6}), (2, {"value": 8})]
assert values("read_ost") == [(1, {"value": 6}), (2, {"value": 9})]
assert values("dat_rx") == [(2, {"die 0": 1000000.0, "die 1": 2000000.0})], values("dat_rx")
END
}

@test "counters come in the order of time, also of samples that did not: viewers draw what falls back wrongly" {
    for name in system-910b system-910a; do
        rm -rf work sound shuffled
        mkdir work
        cp -r "$repository/testdata/cann/$name"/PROF_* work/PROF_1
        run_msprof export timeline -q --stable-names --output sound work/PROF_1
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/system/counter_order.py" check sound/mindstudio_profiler_output/msprof.json
        python3 "$BATS_TEST_DIRNAME/system/counter_order.py" shuffle work/PROF_1
        run_msprof export timeline --stable-names --output shuffled work/PROF_1
        expect_status 3
        expect_contains "$stderr" "expected later ones to follow"
        python3 "$BATS_TEST_DIRNAME/system/counter_order.py" check shuffled/mindstudio_profiler_output/msprof.json
        python3 "$BATS_TEST_DIRNAME/system/counter_order.py" same {sound,shuffled}/mindstudio_profiler_output/msprof.json
    done
}

@test "a capture of many samples has each of them in its timeline" {
    capture=$(python3 "$repository/testdata/generate/cann/make_samples.py" made --samples 40000)
    run_msprof export timeline --stable-names "$capture"
    expect_status 0
    # four values of every accelerator's record, two of every level's, and the frequency
    expect_equal "$(grep -c '"ph":"C"' "$capture/mindstudio_profiler_output/msprof.json")" 120001
}

@test "a counter is named once: a value does not repeat the end of its counter's name, except with --trace-compat" {
    for name in system-910b system-910a; do
        rm -rf PROF_1 out out--trace-compat
        copy_family "$name" PROF_1
        for compat in --trace-compat ''; do
            # shellcheck disable=SC2086 # an option, or none
            run_msprof export timeline -q $compat --stable-names --output "out$compat" PROF_1
            expect_status 0
        done
        python3 - <<'END'
import json, re
def repeated(path):
    events = json.load(open(path + '/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
    found, all = set(), 0
    for event in events:
        for title in event['args'] if event['ph'] == 'C' else ():
            name, word = re.sub(' [0-9]+$', '', event['name']), title.split('(')[0]
            words = (title, word, word.split(' ')[0])
            found |= {(event['name'], title) for word in words if re.search('(^|[ /])' + re.escape(word) + '$', name)}
            all += 1
    assert all > 50, all
    return found
assert not repeated('out'), sorted(repeated('out'))
assert len(repeated('out--trace-compat')) > 5
END
    done
}

# The counters of a timeline, of shared data, value by value.
agree_with_counters() {
    needs_shared "data/expected/$1"
    run_msprof export timeline -q --trace-compat --stable-names --output out "$shared/data/generated/$1"/PROF_*
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/system/agree_counters.py" "$shared/data/expected/$1/msprof.json" \
        out/mindstudio_profiler_output/msprof.json
}

@test "with --trace-compat links between chips have threads by their types, and CPUs names of threads by their chip" {
    for name in system-910b system-910a; do
        copy_family "$name" PROF_1
        for compat in --trace-compat ''; do
            # shellcheck disable=SC2086 # an option, or none
            run_msprof export timeline -q $compat --stable-names --output "out$compat" PROF_1
            expect_status 0
        done
        python3 - "$name" <<'END'
import json, re, sys
def threads(path, process):
    events = json.load(open(path + '/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
    pids = {e['pid'] for e in events if e['name'] == 'process_name' and e['args']['name'] == process}
    return ({(re.sub(' [0-9].*', '', e['name']), e['tid']) for e in events if e['pid'] in pids and e['ph'] == 'C'},
            {e['tid']: e['args']['name'] for e in events if e['pid'] in pids and e['name'] == 'thread_name'})
links = {('PA Link Rx', 111111), ('PA Link Tx', 111111), ('PCIE Read Bandwidth', 100010), ('PCIE Write Bandwidth', 100010)}
there = sys.argv[1] == 'system-910b'  # chips of 910A do not record it
assert threads('out--trace-compat', 'Stars Chip Trans') == ((links if there else set()), {})
assert threads('out', 'Stars Chip Trans') == ({(name, 0) for name, _ in links} if there else set(), {})
counters, named = threads('out--trace-compat', 'CPU Usage')
assert counters == {('CPU', 0), ('CPU Avg', 0)}, counters
cpus = [name for _, name in sorted(named.items())]
assert (not named) == there and threads('out', 'CPU Usage') == (counters, {})
assert there or (cpus[0] == 'CPU Avg' and sorted(named) == list(range(len(named))) and
                 cpus[1:] == sorted(cpus[1:], key=lambda name: int(name[4:])) and len(cpus) > 2), named
END
        rm -rf out out--trace-compat PROF_1
    done
}

@test "step_trace.json has the iterations of Ascend's tool, with their parts, reductions and waits for input" {
    for name in system-chip5 system-chip1; do
        needs_shared "data/expected/$name"
        rm -rf out
        run_msprof export timeline -q --trace-compat --stable-names --output out "$shared/data/generated/$name"/PROF_*
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/system/agree_steps.py" "$shared/data/expected/$name/step_trace.json" \
            out/mindstudio_profiler_output/step_trace.json
    done
}

@test "arrows from launches to tasks are those of Ascend's tool, and those that it leaves out" {
    for name in system-chip5 system-chip1; do
        needs_shared "data/expected/$name"
        rm -rf out
        run_msprof export timeline -q --trace-compat --stable-names --output out "$shared/data/generated/$name"/PROF_*
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/system/agree_arrows.py" "$shared/data/expected/$name/msprof.json" \
            out/mindstudio_profiler_output/msprof.json >>counts
    done
    # what msprof-cann(7) says of the first
    expect_equal "$(cat counts)" $'174 228 192 292\n222 226 192 306'
}

@test "every counter of the timeline of an Ascend 910B has the values of Ascend's tool" {
    agree_with_counters system-chip5
}

@test "every counter of the timeline of an Ascend 910A has the values of Ascend's tool" {
    agree_with_counters system-chip1
}

@test "counters of sampled cores have the values of Ascend's tool" {
    agree_with_counters sample-chip5
    rm -r out
    agree_with_counters sample-chip1
}

# generate_system PLACE CHIP SEED: a capture that the shared generators make.
generate_system() {
    generator_python=${PYTHON:-/usr/bin/python3}
    "$generator_python" -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
    "$generator_python" "$shared/tools/gen_prof.py" "$1" -n 300 --chip "$2" --seed "$3" >/dev/null
    "$generator_python" "$shared/tools/gen_system.py" "$1" -n 9 --seed "$3" >/dev/null
}

@test "tables of samples of two other seeds are what their raw records say" {
    while read -r chip seed; do
        rm -rf made expected
        capture=$(python3 "$repository/testdata/generate/cann/make_system.py" made --chip "$chip" --seed "$seed" --samples 9)
        python3 "$BATS_TEST_DIRNAME/lib/recompute_system.py" --tables expected "$capture"
        [ "$(find expected -name '*.csv' | wc -l)" -ge 20 ]
        agree_with_expected expected "$capture"
    done <<'END'
5 31
1 47
END
}

@test "each device of a capture has the rows that it has alone" {
    needs_shared tools/gen_system.py
    generator_python=${PYTHON:-/usr/bin/python3}
    "$generator_python" -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
    of_devices=l2_cache,npu_mem,npu_module_mem,llc,hbm,nic,roce,pcie,hccs,dvpp,soc_profile,qos,soc_pmu,cpu_pmu,tscpu,netdev
    system() {
        "$generator_python" "$shared/tools/gen_system.py" "$@" >/dev/null
    }
    for seed in 5 6; do
        "$generator_python" "$shared/tools/gen_prof.py" "made$seed" -n 200 --chip 5 --seed "$seed" >/dev/null
    done
    cp -r made5 two
    system two --merge made6 --device 1
    system two --device 0 -n 9 --seed 5
    system two --device 1 -n 9 --seed 6 --only "$of_devices"
    system made6 -n 9 --seed 6 --only "$of_devices"
    for name in two made6; do
        run_msprof export summary -q --stable-names --output "out_$name" "$name"/PROF_*
        expect_status 0
    done
    python3 - <<'END'
import csv, glob, os
def tables(directory):
    return {os.path.basename(path): list(csv.DictReader(open(path)))
            for path in glob.glob(directory + "/mindstudio_profiler_output/*.csv")}
def rows_of(rows, device):
    first = next(iter(rows[0]))
    return [{k: v.replace("NPU:" + device, "NPU") for k, v in row.items() if k != first} for row in rows
            if row[first] == device]
both, alone = tables("out_two"), tables("out_made6")
checked = 0
for name, rows in alone.items():
    if name == "api_statistic.csv":
        continue  # of the host
    assert rows_of(both[name], "1") == rows_of(rows, "0") != [], name
    devices = [row[next(iter(row))] for row in both[name]]
    assert devices == sorted(devices) and set(devices) == {"0", "1"}, (name, devices)
    checked += 1
assert checked >= 20, checked
END
}

@test "tables of samples of two other seeds are what the shared check calculates" {
    needs_shared tools/check_system.py
    while read -r chip seed; do
        rm -rf made
        generate_system made "$chip" "$seed"
        run_msprof export summary -q --stable-names --output out made/PROF_*
        expect_status 0
        "$generator_python" "$shared/tools/check_system.py" made out/mindstudio_profiler_output >checked || {
            # the throughput of the last-level cache is another one on purpose
            cat checked
            [ "$(grep -c 'BAD\|missing\|rows' checked)" -eq "$(grep -c '^llc_read_write BAD\|^nic BAD\|^roce BAD' checked)" ]
        }
        [ "$(grep -c ' ok$' checked)" -ge 10 ]
    done <<'END'
5 31
1 47
END
}

@test "records of the task scheduler's CPU of an Ascend 310P have five events" {
    write_capture <<'END'
p.chip = 3
p.hash('a name')
p.samples = {0: {'ts_cpu_profiling_events': '0x11,0x8'}}
p.devices[0]['tscpu.data.0'] = b''.join(
    struct.pack('<II80xIIQ10Q', 0xabababab, 0, 0, pc, 1000 + pc, 0x11, cycles, 8, 5, 0x1b, 1, 0, 0, 0, 0)
    for pc, cycles in ((0x30, 300), (0x40, 100)))
END
    run_msprof export summary PROF_1
    expect_status 0
    expect_equal "$(cat PROF_1/mindstudio_profiler_output/ts_cpu_top_function_2*.csv)" "Device_id,Function,Cycles,Cycles(%)
0,0x30,300,75
0,0x40,100,25"
    expect_equal "$(cat PROF_1/mindstudio_profiler_output/ts_cpu_pmu_events_2*.csv)" "Device_id,Event,Name,Count
0,0x11,Cpu_cycles,400
0,0x8,Inst_retired,10"
}
