#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of CANN that something happened to: what is sound comes out, what is not is counted and named.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Writes the sound capture, damages it as the Python on standard input says, and exports it. Tells the status.
damage() {
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom damage import *\n' "$BATS_TEST_DIRNAME/lib"
        cat
    } >make.py
    rm -rf PROF_1
    python3 make.py
    run_msprof import -dir PROF_1
    expect_status "$1"
    local import_stderr=$stderr report
    for report in summary timeline; do
        run_msprof export "$report" -dir PROF_1
        expect_status "$1"
    done
    python3 -m json.tool "$(echo PROF_1/mindstudio_profiler_output/msprof_*.json)" /dev/null
    stderr=$import_stderr
}

# How many tasks ran, how many of them have an operator that a record describes, how many have counters.
expect_tasks() {
    expect_sql "SELECT count(*), count(op_state), count(aic_total_cycle) FROM device_task" "$1"
}

# How often each problem was found: lines "code|file|occurrences".
expect_problems() {
    expect_sql "SELECT code, file, max(occurrences) FROM diagnostics GROUP BY code, file ORDER BY code, file" "$1"
}

@test "a sound capture has no problems" {
    damage 0 <<<'sound()'
    expect_tasks "100|100|100"
    expect_problems ""
    damage 0 <<<'sound(slice_records=7)'
    expect_tasks "100|100|100"
    damage 0 <<<'sound(chip=1)'
    expect_tasks "100|100|100"
}

@test "a truncated slice costs the record that it cuts" {
    damage 3 <<'END'
sound()
truncate(LOG, 30)
truncate(PMU, 1)
END
    expect_tasks "99|99|99"
    expect_problems "record-truncated|device_0/data/ffts_profile.data.0.slice_0|1
record-truncated|device_0/data/stars_soc.data.0.slice_0|1
task-not-run|host/data/unaging.compact.node_basic_info.slice_0|1
task-unmatched-start|device_0/data/stars_soc.data.0.slice_0|1"
}

@test "a slice that is cut in the middle of the stream costs what it cuts, no more" {
    damage 3 <<'END'
sound(slice_records=50)
truncate(LOG, 10, number=1)
END
    expect_tasks "99|99|99"
    expect_contains "$stderr" "stars_soc.data.0.slice_1"
}

@test "a missing slice costs its records and is named" {
    damage 3 <<'END'
sound(slice_records=20)
os.unlink(path_of(LOG, 2))
os.unlink(path_of(CALLS, 0))
END
    expect_tasks "90|80|90"
    expect_contains "$stderr" "stars_soc.data.0.slice_3: slice 3 follows slice 1; the slices in between are missing"
}

# How many rows of a table of PROF_1 the sound capture has not, whatever their numbers are; and how many rows it has.
expect_rows_of_sound() { # table, "strange|rows"
    local columns
    columns=$(sqlite3 PROF_1/sqlite/runtime.db "SELECT group_concat(name) FROM pragma_table_info('$1')
        WHERE name NOT IN ('id', 'file_id')")
    expect_sql "ATTACH '$PWD/SOUND/sqlite/runtime.db' AS sound; SELECT (SELECT count(*) FROM (SELECT $columns
        FROM main.$1 EXCEPT SELECT $columns FROM sound.$1)), (SELECT count(*) FROM main.$1)" "$2"
}

copy_system_capture() {
    cp -r "$repository/testdata/cann/system-910b/"PROF* "$1"
    chmod -R u+w "$1"
}

@test "a stream without magic numbers that misses its end, or a slice, keeps its other records where they are" {
    local stream table rows sizes
    copy_system_capture SOUND
    run_msprof import -dir SOUND
    while read -r stream table rows; do
        for sizes in kept gone; do
            rm -rf PROF_1
            copy_system_capture PROF_1
            truncate -s -5 "PROF_1/device_0/data/$stream.data.0.slice_0"
            [ "$sizes" = kept ] || rm "PROF_1/device_0/data/$stream.data.0.slice_0.done"
            run_msprof import -dir PROF_1
            expect_status 3
            [[ $stderr == *"device_0/data/$stream.data.0.slice_0: record"*"bytes at the end; expected a record of"* ]]
            expect_rows_of_sound "$table" "0|$rows"
        done
    done <<'END'
l2_cache l2_cache 20
pcie pcie 11
npu_module_mem npu_module_mem 11
qos qos 11
END
    # Three slices that cut records, of which the second is missing: a record is cut at each side of it.
    rm -rf PROF_1
    copy_system_capture PROF_1
    split --bytes=500 --numeric-suffixes --suffix-length=1 PROF_1/device_0/data/l2_cache.data.0.slice_0 part.
    rm PROF_1/device_0/data/l2_cache.data.0.slice_0*
    for part in 0 2 3; do mv "part.$part" "PROF_1/device_0/data/l2_cache.data.0.slice_$part"; done
    run_msprof import -dir PROF_1
    expect_status 3
    expect_rows_of_sound l2_cache "0|13"
}

@test "slices are read in the order of their numbers" {
    damage 0 <<'END'
sound(slice_records=7)
assert os.path.exists(path_of(LOG, 11))
END
    expect_tasks "100|100|100"
    expect_problems ""
}

@test "records and lines of dictionaries straddle slices of any size" {
    for bytes in 1000 1001 333 61; do
        damage 0 <<END
sound()
for stream in (LOG, PMU, CALLS, TRACKS, NODES, HASHES):
    cut(stream, $bytes)
END
        expect_tasks "100|100|100"
        expect_sql "SELECT count(*) FROM device_task_report WHERE op_name LIKE 'op%'" 100
    done
}

@test "the rest of a record in front of an aged stream is dropped, and so are tasks whose start is gone" {
    damage 3 <<'END'
sound(slice_records=20)
data = read(LOG, 0)
write(LOG, data[64 * 2 + 17:], 0)
END
    expect_tasks "98|98|98"
    expect_problems "pmu-unmatched|device_0/data/ffts_profile.data.0.slice_0|2
record-aged|device_0/data/stars_soc.data.0.slice_0|1
task-not-run|host/data/unaging.compact.node_basic_info.slice_4|1
task-unmatched-end|device_0/data/stars_soc.data.0.slice_0|1"
}

@test "lost records are told by the gaps in the counters" {
    for chip in 5 1; do
        damage 3 <<END
sound($chip)
log = LOG if $chip == 5 else 'device_0/data/hwts.data.0'
SIZES[log] = 64
drop(log, 40, 3)
drop(log, 101)
END
        expect_contains "$stderr" "counter 11 after 7; expected 8: 3 records are lost, or 16, 32, ... more"
        expect_sql "SELECT max(occurrences) FROM diagnostics WHERE code = 'record-lost'" 2
        expect_sql "SELECT count(*) FROM device_task" 97
    done
}

@test "starts and ends without their other half are counted and named" {
    damage 3 <<'END'
sound()
put(LOG, 11, 0, '<H', 0 | 11 << 6)
put(LOG, 20, 0, '<H', 1 | (20 % 16) << 6)
END
    expect_tasks "98|98|98"
    expect_problems "pmu-unmatched|device_0/data/ffts_profile.data.0.slice_0|2
task-end-lost|device_0/data/stars_soc.data.0.slice_0|2
task-not-run|host/data/unaging.compact.node_basic_info.slice_0|1
task-unmatched-end|device_0/data/stars_soc.data.0.slice_0|2"
}

@test "garbage between records costs no more than the record in front of it" {
    damage 3 <<'END'
sound()
insert(LOG, 50, b'\xff' * 37)
insert(CALLS, 30, bytes(range(1, 24)))
insert(PMU, 7, b'garbage')
END
    expect_tasks "99|98|98"
    expect_sql "SELECT count(*) FROM host_call" 199
    expect_contains "$stderr" "the next record begins 101 bytes later, expected 64"
    expect_contains "$stderr" "the next record begins 63 bytes later, expected 40"
    expect_contains "$stderr" "the next record begins 135 bytes later, expected 128"
}

@test "a record without its magic is skipped and counted" {
    damage 3 <<'END'
sound()
put(LOG, 10, 2, '<H', 0)
put(TRACKS, 3, 0, '<H', 1)
put(NODES, 4, 0, '<H', 1)
END
    expect_tasks "99|97|99"
    expect_sql "SELECT sum(occurrences) FROM (SELECT max(occurrences) AS occurrences FROM diagnostics
        WHERE code = 'record-magic' GROUP BY file)" 3
}

@test "types, hashes and chips' kinds of tasks that nobody knows are shown as numbers" {
    damage 3 <<'END'
sound()
text(HASHES + '.slice_0', '1:nothing\n')
put(CALLS, 0, 4, '<I', 4711)
put(LOG, 0, 0, '<H', 63 << 10)
put(LOG, 1, 0, '<H', 1 | 1 << 6 | 63 << 10)
END
    expect_contains "$stderr" "no dictionary (type_info_dic, hash_dic) says what the 100 tasks launched on device 0 are"
    expect_sql "SELECT count(*) FROM device_task_report WHERE CAST(kernel_name AS INTEGER) = kernel_name" 100
    expect_sql "SELECT name FROM host_call_report WHERE id = 2" 4711
    expect_sql "SELECT type FROM device_task WHERE id = 1" 63
}

@test "dictionaries that are broken cost the names of their broken lines" {
    damage 3 <<'END'
sound()
data = read(HASHES)
write(HASHES, b'\xff\xfe:x\n:empty\nno colon\n18446744073709551616:too large\n' + data + b'4242:without an end')
END
    expect_tasks "100|100|100"
    expect_sql "SELECT count(*) FROM device_task_report WHERE op_name LIKE 'op%'" 100
    expect_contains "$stderr" "without a line end"
}

@test "an end before its start, and times beyond all bounds, are refused" {
    damage 3 <<'END'
sound()
put(LOG, 11, 8, '<Q', 1)
put(LOG, 21, 8, '<Q', 2 ** 64 - 1)
put(CALLS, 5, 24, '<Q', 1)
put(CALLS, 7, 24, '<Q', 2 ** 63)
END
    expect_sql "SELECT max(occurrences) FROM diagnostics WHERE code = 'record-value' AND file LIKE '%stars_soc%'" 2
    expect_sql "SELECT max(occurrences) FROM diagnostics WHERE code = 'record-value' AND file LIKE '%api_event%'" 2
    expect_sql "SELECT count(*) FROM host_call" 198
}

@test "calls that overlap are side by side, counted, and the first is named" {
    damage 3 <<'END'
sound()
for i in (10, 20, 30):
    put(CALLS, 2 * i, 24, '<Q', MONOTONIC + i * 1000 + 150)
END
    expect_tasks "100|97|100" # what a call outside of the launch launches is not described by its records
    expect_contains "$stderr" "host: 3 of 200 calls of thread 1, the first is 'LaunchKernel' of level 5000 at"
}

@test "calls that hold each other in a circle of equal spans become a chain" {
    damage 0 <<'END'
p = Prof(CAPTURE)
for i in range(50):
    p.call(RUNTIME, 1, 0, 100)
p.track(50, 1, 1)
p.ran(1000, 2000, 1, 1)
p.write()
END
    expect_sql "SELECT count(*), count(parent_id), max(launches), count(connection_id) FROM host_call" "50|49|1|50"
}

@test "calls deeper than any program goes are nested all the same" {
    damage 0 <<'END'
p = Prof(CAPTURE)
for i in range(20000):
    p.call(RUNTIME, 1, i, 100000 - i)
p.track(50000, 1, 1)
p.ran(110000, 120000, 1, 1)
p.write()
END
    expect_sql "SELECT count(*), max(parent_id) FROM host_call" "20000|19999"
}

@test "clocks that contradict each other are named; durations are right" {
    damage 3 <<'END'
sound()
text('device_0/dev_start.log.0', 'clock_monotonic_raw: 1\ncntvct: %d\n' % (DEVICE_TICK + 500000))
END
    expect_tasks "100|100|100"
    expect_sql "SELECT DISTINCT duration_ns FROM device_task" 5000
    expect_contains "$stderr" "device_0: 100 of 100 tasks, the first is task 0 of stream 1, 9800040 ns too early"
}

@test "start logs that contradict each other are named, and the one that names its device counts" {
    damage 3 <<'END'
sound()
text('device_0/host_start.log', '[Host]\nclock_monotonic_raw: 5\ncntvct: 0\n')
END
    expect_sql "SELECT min(start_ns) - 1700000000000000000 FROM device_task" 200000
    expect_contains "$stderr" "device_0/host_start.log.0: field clock_monotonic_raw: 1000000000000, but another start log says 5"
}

@test "a start log of several devices is read in the section of the device" {
    damage 0 <<'END'
sound()
text('device_0/host_start.log.0', '[Device1]\nclock_monotonic_raw: 1\n\n[Device0]\nclock_realtime: %d\n'
     'clock_monotonic_raw: %d\ncntvct: 0\n[Device2]\nclock_monotonic_raw: 2\n' % (UNIX, MONOTONIC))
END
    expect_sql "SELECT min(start_ns) - 1700000000000000000 FROM device_task" 200000
}

@test "what the host's clock was read late is added to the times of the device" {
    damage 0 <<'END'
sound()
edit_json('device_0/info.json.0', CPU=[{'Frequency': '100.0'}])
edit_json('host/info.json', CPU=[{'Frequency': '1000.0'}])
text('host/host_start.log', '[Host]\nclock_monotonic_raw: %d\ncntvct: %d\n' % (MONOTONIC, MONOTONIC))
text('device_0/host_start.log.0', '[Device0]\nclock_monotonic_raw: %d\ncntvct: 0\ncntvct_diff: 25\n' % MONOTONIC)
END
    expect_sql "SELECT min(start_ns) - 1700000000000000000 FROM device_task" 200250
}

@test "a device without a start log of its own has the host's, with what its clock was read late" {
    local lost
    for lost in '' "remove('device_0/host_start.log.0')"; do
        damage 0 <<END
sound()
edit_json('host/info.json', CPU=[{'Frequency': '1000.0'}])
edit_json('device_0/info.json.0', CPU=[{'Frequency': '1000.0'}])
log = '[%s]\nclock_monotonic_raw: %d\ncntvct: %d\ncntvct_diff: 250\n'
text('host/host_start.log', log % ('Host', MONOTONIC, MONOTONIC))
text('device_0/host_start.log.0', log % ('Device0', MONOTONIC, MONOTONIC))
$lost
END
        expect_sql "SELECT min(start_ns) - 1700000000000000000 FROM device_task" 200250
    done
}

@test "a frequency of 0, or none, is replaced by the chip's usual one and named" {
    for frequency in '"0"' '"0.000"' '""' '"fast"' null; do
        damage 3 <<END
sound()
edit_json('device_0/info.json.0', hwts_frequency=json.loads('$frequency'))
END
        expect_sql "SELECT DISTINCT duration_ns FROM device_task" 5000
        expect_contains "$stderr" "device_0: no hwts_frequency in info.json: the usual one of the chip is used"
    done
}

@test "without dev_start.log or host_start.log the times are shifted and the matching holds" {
    damage 3 <<'END'
sound()
remove('device_0/dev_start.log.0')
END
    expect_tasks "100|100|100"
    expect_contains "$stderr" "device_0: no dev_start.log: times are shifted"
    damage 3 <<'END'
sound()
remove('host/host_start.log', 'device_0/host_start.log.0')
END
    expect_tasks "100|100|100"
    expect_contains "$stderr" "device_0: no host_start.log: times are shifted"
}

@test "without start_info times count from the start of the host" {
    damage 3 <<'END'
sound()
remove('host/start_info', 'device_0/start_info.0')
END
    expect_tasks "100|100|100"
    expect_sql "SELECT min(start_ns) FROM device_task" 1000000200000
}

@test "start logs with words for numbers are named" {
    damage 3 <<'END'
sound()
text('device_0/dev_start.log.0', 'clock_monotonic_raw: 1\ncntvct: soon\n')
END
    expect_contains "$stderr" "device_0/dev_start.log.0: record 2, offset 23: 'cntvct: soon'; expected a clock and a whole number"
    expect_contains "$stderr" "device_0: no dev_start.log"
}

@test "without the half of the host tasks keep their times and counters" {
    damage 3 <<'END'
import shutil
sound()
shutil.rmtree(os.path.join(CAPTURE, 'host'))
END
    expect_tasks "100|0|100"
    expect_contains "$stderr" "host data is missing: devices ran 100 tasks"
}

@test "without the half of the device calls and launches stay" {
    damage 3 <<'END'
import shutil
sound()
shutil.rmtree(os.path.join(CAPTURE, 'device_0'))
END
    expect_sql "SELECT count(*), sum(launches) FROM host_call" "200|100"
}

@test "of captures of 2022, too, a missing half is a data problem that is told first, and nothing says that no action is needed" {
    local family half
    for family in 2022-910a 2022-310; do
        for half in 'hwts.*|ts_track.*:data of device 0' 'Framework.*|runtime.*|AclModule.*:host data'; do
            rm -rf PROF_1
            copy_family "$family" PROF_1
            find PROF_1/device_0/data -type f | grep -E "/(${half%:*})" | xargs rm
            run_msprof import PROF_1
            expect_status 3
            expect_contains "$(head -1 <<<"$stderr")" "warning: ${half#*:} is missing"
            expect_not_contains "$stderr" "no action is needed"
            run_msprof show PROF_1
            expect_status 3
        done
    done
    # the log of tasks was off: nothing is missing
    copy_family 2022-910a PROF_2
    rm PROF_2/device_0/data/hwts.data.*
    sed -i 's/"hwts_log":"on"/"hwts_log":"off"/' PROF_2/device_0/sample.json
    run_msprof import PROF_2
    expect_not_contains "$stderr" "is missing"
}

# without_half FAMILY device|host: FULL/PROF_1 and PART/PROF_1, of which that half is missing
without_half() {
    local pattern
    mkdir -p FULL PART
    rm -rf FULL/* PART/*
    copy_family "$1" FULL/PROF_1
    cp -r FULL/PROF_1 PART/PROF_1
    case "$1 $2" in
    2022*device) pattern='hwts.*|ts_track.*' ;;
    2022*host) pattern='Framework.*|runtime.*|AclModule.*' ;;
    *device) rm -r PART/PROF_1/device_0 && return ;;
    *host) rm -r PART/PROF_1/host && return ;;
    esac
    find PART/PROF_1/device_0/data -type f | grep -E "/($pattern)" | xargs rm
}

@test "every command names the missing half of a capture first, ends with 3, and calms nobody" {
    local family half command
    for family in 2022-910a 2022-310 prof-910a prof-910b; do
        for half in device host; do
            without_half "$family" "$half"
            run_msprof import -q FULL/PROF_1
            for command in import show 'show --table ops' 'show --table gaps' advise 'advise --format json' \
                'report -o page.html' 'diff FULL/PROF_1' cluster 'export summary' 'export timeline' query; do
                # shellcheck disable=SC2086 # words of a command line
                run_msprof $command PART/PROF_1
                [ "$status" -eq 3 ] || { echo "$family without $half, $command: status $status"; return 1; }
                [[ "$(grep -v 'no database yet' <<<"$stderr" | head -1)" == *"warning: "*"data "*"is missing: "* ]] || {
                    echo "$family without $half, $command: $stderr"
                    return 1
                }
                expect_not_contains "$output$stderr" "no action is needed"
            done
            grep -q "Missing: .*data .*is missing" page.html
            run_msprof advise PART/PROF_1
            expect_contains "$(head -3 <<<"$output")" "Missing: "
            case $half in
            device) expect_contains "$(head -3 <<<"$output")" "data of device 0 is missing: " ;;
            host) expect_contains "$(head -3 <<<"$output")" "host data is missing: " ;;
            esac
        done
    done
}

# Four operators on a device; HOST names the devices on which the host launched them.
four_operators() { # path, statements
    python3 - "$BATS_TEST_DIRNAME/lib" "$@" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
prof = Prof(sys.argv[2])
prof.devices = {0: {}, 1: {}}
for device in 0, 1:
    for i in range(4):
        if device == 0:
            prof.launch(1000 * i, 1, i, 'op%d' % i)
        prof.ran(20000 + 2000 * i, 21000 + 2000 * i, 1, i, device=device)
prof.write()
END
}

@test "of a device whose launches are missing beside another's nobody says that no action is needed, and nothing of it is free" {
    four_operators PROF_1
    run_msprof import PROF_1
    expect_status 3
    expect_contains "$(head -1 <<<"$stderr")" "launches (task_track) are missing: device 1 ran 4 tasks"
    expect_not_contains "$stderr" "no action is needed"
    run_msprof show PROF_1 --table overlap_analysis --format csv --columns device_id,elapsed,computing,free
    expect_equal "$(tail -n +2 "$BATS_TEST_TMPDIR/stdout")" "0,7,4,3"
    run_msprof export timeline -dir PROF_1 --stable-names --trace-compat
    expect_equal "$(python3 -c 'import json
print(sorted({event["name"] for event in json.load(open("PROF_1/mindstudio_profiler_output/msprof.json"))
              if event["ph"] == "X" and event["name"] in ("Free", "Computing")}),
      sum(event["name"] == "Free" for event in json.load(open("PROF_1/mindstudio_profiler_output/msprof.json"))))')" "['Computing', 'Free'] 3"
    rm -rf PROF_1/{host,device_1,sqlite}
    run_msprof show PROF_1 --table overlap_analysis --format csv
    expect_status 3
    expect_equal "$(<"$BATS_TEST_TMPDIR/stdout")" ""
}

@test "on every chip a missing half is told first, also where the files that are left are those of 2022, too" {
    local chip half
    for chip in 0 1 2 3 4 5 7 8 11; do
        for half in device_0:'data of device 0' host:'host data'; do
            rm -rf PROF_1
            python3 - "$BATS_TEST_DIRNAME/lib" "$chip" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
prof = Prof('PROF_1', chip=int(sys.argv[2]))
prof.samples[0] = {'profLevel': 'l1', 'taskTime': 'on', 'ai_core_profiling': 'on', 'ai_core_metrics': 'PipeUtilization'}
for i in range(4):
    prof.launch(1000 * i, 1, i, 'op%d' % i)
    prof.ran(20000 + 2000 * i, 21000 + 2000 * i, 1, i)
prof.write()
END
            rm -r "PROF_1/${half%%:*}"
            run_msprof import PROF_1
            [ "$status" -eq 3 ] || { echo "$chip $half: $stderr" && return 1; }
            expect_contains "$(head -1 <<<"$stderr")" "warning: ${half#*:} is missing"
            expect_not_contains "$stderr" "no action is needed"
        done
    done
}

# A half is there, what joins it with the other is not: the launches, what they are, and the names of streams.
@test "what joins host and device is missing, which is told first, with what it costs, and ends with 3" {
    local family gone what command
    for family in prof-910a prof-910b; do
        for gone in '*task_track*:task_track) are missing' '*type_info_dic*:no dictionary (type_info_dic, hash_dic) says what the 100 tasks launched on device 0 are'; do
            what=${gone#*:}
            copy_family "$family" PROF_1
            find PROF_1/host/data -name "${gone%:*}" -delete
            for command in import show advise 'export summary'; do
                # shellcheck disable=SC2086 # words of a command line
                run_msprof $command PROF_1
                [ "$status" -eq 3 ] || { echo "$family without ${gone%:*}, $command: status $status"; return 1; }
                expect_contains "$(grep -m1 warning <<<"$stderr")" "$what"
                expect_contains "$(grep -m1 warning <<<"$stderr")" "unknown: their operators (op_summary, op_statistic)"
            done
        done
    done
}

@test "launches and runs that do not belong together are told, and those of a part of a capture are not" {
    copy_family prof-910b PROF_1
    python3 - PROF_1/host/data/*task_track*slice_0 <<'END'
import struct, sys
with open(sys.argv[1], 'r+b') as file:
    data = bytearray(file.read())
    for at in range(0, len(data), 64):
        struct.pack_into('<H', data, at + 26, struct.unpack_from('<H', data, at + 26)[0] + 1000)
    file.seek(0)
    file.write(data)
END
    run_msprof import PROF_1
    expect_status 3
    expect_contains "$(grep -m1 warning <<<"$stderr")" "the launches and the runs of device 0 do not belong together: "
    copy_family prof-910b PROF_2
    for log in PROF_2/device_0/data/stars_soc.data.*slice_0; do truncate -s $((64 * ($(stat -c %s "$log") / 256))) "$log"; done
    run_msprof import PROF_2
    expect_not_contains "$stderr" "do not belong together"
}

@test "captures of 2020 without the log of tasks, or without what the host says of them, say so first and end with 3" {
    local half command pattern what
    python3 "$repository/testdata/generate/cann/make_job.py" made >made.path
    for half in 'hwts.*:data of device 1 is missing: the host launched 30 tasks on it' \
        'Framework.host*:host data is missing: devices ran '; do
        pattern=${half%%:*} what=${half#*:}
        rm -rf JOB && cp -r "$(<made.path)" JOB
        find JOB -name "$pattern" -delete
        for command in import show advise; do
            run_msprof $command JOB
            expect_status 3
            expect_contains "$(grep -m1 warning <<<"$stderr")" "$what"
            expect_not_contains "$(grep -v 'has no end\|no point 255' <<<"$stderr")" "no action is needed"
        done
    done
}

@test "empty slices are named and have their place between the others" {
    damage 3 <<'END'
sound(slice_records=50)
for number in (3, 2, 1):
    os.rename(path_of(LOG, number), path_of(LOG, number + 1))
write(LOG, b'', 1)
END
    expect_tasks "100|100|100"
    expect_contains "$stderr" "stars_soc.data.0.slice_1: 0 bytes"
}

@test "a stream of another kind under a known name is refused as a whole" {
    damage 3 <<'END'
sound()
write(PMU, bytes(range(256)) * 20)
END
    expect_tasks "100|100|0"
    expect_contains "$stderr" "fit no layout of kind ffts_profile"
}

@test "strict refuses the first problem" {
    damage 3 <<'END'
sound()
truncate(LOG, 30)
END
    run_msprof import -dir PROF_1 --strict
    expect_status 1
    expect_contains "$stderr" "stars_soc.data.0.slice_0"
}

# Prints the reports that the exports of a capture wrote, as one text.
reports_of() {
    (cd "$1" && find . -name '*.csv' -print0 -o -name '*.json' -print0 | sort -z | xargs -0 md5sum)
}

# Overwrites the first page of a table in a copy of a database.
break_table() { # database, copy, table
    python3 - "$@" <<'END'
import shutil, sqlite3, sys
sound, broken, table = sys.argv[1:]
shutil.copyfile(sound, broken)
db = sqlite3.connect(sound)
(page,), (size,) = (db.execute(sql).fetchone() for sql in (
    "SELECT rootpage FROM sqlite_schema WHERE name = '%s'" % table, 'PRAGMA page_size'))
with open(broken, 'r+b') as file:
    file.seek((page - 1) * size)
    file.write(b'\xff' * size)
END
}

# The dictionary's ids that other files of the capture hold; without its dictionaries, which are removed.
forget_names() {
    python3 - "$1" <<'END'
import pathlib
import struct
import sys
files = [path for path in pathlib.Path(sys.argv[1]).rglob("*") if path.is_file()]
dictionaries = [path for path in files if "hash_dic" in path.name]
lines = [line for path in dictionaries if path.suffix != ".done" for line in path.read_bytes().splitlines()]
rest = b"\0".join(path.read_bytes() for path in files if path not in dictionaries)
ids = [int(line.split(b":")[0]) for line in lines]
print(sum(struct.pack("<Q", number) in rest for number in ids if number > 2 ** 32))
for path in dictionaries:
    path.unlink()
END
}

@test "names that no dictionary has are shown as their numbers, and each is told once" {
    for family in prof-910b prof-910a system-910b system-910a 2022-910a 2022-310; do
        copy_family "$family" PROF_1
        run_msprof import PROF_1
        expect_status 0
        expect_sql "SELECT count(*) FROM diagnostics WHERE code = 'name-unknown'" 0
        ids=$(forget_names PROF_1)
        [ "$ids" -gt 10 ]
        run_msprof import PROF_1
        expect_status 0 # it is a note: no value is lost
        expect_contains "$stderr" "in no hash dictionary; copy the *.hash_dic and *.type_info_dic files with the capture"
        expect_sql "SELECT sum(n) FROM (SELECT max(occurrences) AS n FROM diagnostics WHERE code = 'name-unknown'
            GROUP BY file)" "$ids"
        expect_sql "SELECT count(*) > 0 FROM device_task t JOIN name n ON n.id = t.op_name_id WHERE n.text GLOB '[0-9]*'" 1
    done
}

@test "a database with a broken table fails what reads it, and never gives another answer" {
    python3 "$BATS_TEST_DIRNAME/lib/prof_2022.py" --overlapping PROF_old 1 4
    cp -r "$repository"/testdata/small/JOB* JOB_svp
    write_capture <<'END'
p.launch(1000, 1, 1, 'net/MatMul')
p.ran(2000, 3000, 1, 1)
END
    mv PROF_1 PROF_new
    for capture in PROF_old PROF_new JOB_svp; do
        failed=0
        for report in summary timeline; do
            run_msprof export "$report" -dir "$capture" --stable-names
            expect_status 0
            mv "$capture/sqlite/runtime.db" sound.db
            expected=$(reports_of "$capture")
            for table in host_call device_task name capture_part source_file; do
                break_table sound.db "$capture/sqlite/runtime.db" "$table"
                run_msprof export "$report" -dir "$capture" --stable-names
                if [ "$status" -ne 0 ]; then
                    expect_status 1
                    expect_contains "$stderr" "malformed"
                    failed=$((failed + 1))
                fi
                expect_equal "$(reports_of "$capture")" "$expected"
            done
            rm "$capture/sqlite/runtime.db"
        done
        [ "$failed" -gt 0 ]
    done
}

@test "a record of a fused operator that counts more parts than it names is rejected" {
    capture <<'END'
p.fusion(10, 'fused', ['one', 'two'], (1, 2, 3, 4, 10))
p.fusion(20, 'damaged', ['one', 'two'], (1, 2, 3, 4, 10))
data = bytearray(p.host['unaging.additional.fusion_op_info'])
data[256 + 32] |= 4
p.host['unaging.additional.fusion_op_info'] = bytes(data)
END
    expect_status 3
    expect_contains "$stderr" "record 1, offset 256, field op_count: 6 operators; expected at most 2, which have names"
    expect_sql "SELECT op_count FROM fusion_op_info" 2
}
