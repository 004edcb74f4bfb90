#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The metamorphic suite in small; 'make metamorphic' runs all of it (tests/metamorphic/metamorphic.py says what it compares).
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets MSPROF and repository

load ../cli/common

setup() {
    enter_scratch
    needs python3
}

@test "what must not change the outputs does not, and what is done to one file of a capture is told or has its effect alone" {
    for capture in prof-910b 2022-310 job-910a resnet50; do
        run python3 -B "$repository/tests/metamorphic/metamorphic.py" "$MSPROF" work --small --capture "$capture"
        [ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
        [[ $output == *"all: "*" pairs, 0 silent"* ]]
        echo "# $capture ${output##*$'\n'}" >&3
    done
}

@test "a key, a value or a line of a small file that is damaged by one edit is named, with its file" {
    while read -r file from to what; do
        rm -rf one
        cp -R "$repository"/testdata/cann/prof-910b one
        chmod -R u+w one
        sed -i "s/${from//@/ }/${to//@/ }/" one/PROF*/"$file"
        rm -rf out
        run_msprof import -dir one/PROF* --output out
        expect_status 3
        [[ $what == *"$(dirname "$file"): "* ]] || what="$file: $what"
        expect_contains "$stderr" "$what"
    done <<'END'
host/start_info collectionTimeBegin collectionTimeBegio field collectionTimeBegio: unknown key; expected 'collectionTimeBegin', which is missing
host/start_info "1735689600000000" "17356896000000p0" field collectionTimeBegin: '17356896000000p0'; expected microseconds since 1970
device_0/start_info.0 clockMonotonicRaw clockTheRaw field clockMonotonicRaw: missing; expected nanoseconds
device_0/sample.json aiv_metrics aiv_metrikcs field aiv_metrikcs: unknown key; expected 'aiv_metrics'
device_0/sample.json 0x8,0xa 0x8;0xa field aiv_profiling_events: '0x8;0xa
device_0/info.json.0 platform_version platform_versioo field platform_versioo: unknown key
device_0/info.json.0 aic_frequency":"1850 aic_frequency":"18z0 field aic_frequency: '18z0'; expected MHz
device_0/info.json.0 "version":"1.0" "version":1.0 field version: 'another type'; expected a text
device_0/end_info.0 collectionTimeEnd collectionTimeEn field collectionTimeEn: unknown key
host/host_start.log cntvct: cntvcu: record 4, offset
host/host_start.log realtime:.17 realtime:@19 host: field clock_realtime: 200000000000000000 ns between the offsets of host_start.log and start_info
device_0/end_info.0 "collectionTimeEnd":"17 "collectionTimeEnd":"16 device_0: field collectionTimeEnd: -99999999997800000 ns after the start
device_0/end_info.0 "clockMonotonicRaw":"1 "clockMonotonicRaw":"2 device_0: field clockMonotonicRaw: 1000002200000 ns from start to end
device_0/dev_start.log.0 clock_monotonic_raw: clock_monotonic_raw; record 2, offset
device_0/data/stars_soc.data.0.slice_0.done filesize filesize_ record 1, offset
END
}

@test "a file that settings or other files of the capture speak of is missed by name, and nothing is said of a sound capture" {
    while read -r capture gone what; do
        rm -rf one out
        cp -R "$repository/testdata/$capture" one
        chmod -R u+w one
        run_msprof import -dir one/[JP]* --output out
        expect_status 0
        [[ $stderr != *"is missing that"* && $stderr != *file-absent* ]]
        rm -f one/[JP]*/"$gone" one/[JP]*/"$gone".done
        rm -rf out
        run_msprof import -dir one/[JP]* --output out
        expect_contains "$stderr" "$what"
    done <<'END'
cann/system-910b device_0/data/hbm.data.0.slice_0 device_0: no file of hbm, although sample.json has hbmProfiling = 'on'
cann/system-910a host/data/host_disk.data.slice_0 host: no file of host_disk, although sample.json has host_sys = 'cpu,mem,disk,network,osrt'
cann/system-910a host/data/4300-Memory.data.slice_0 host: no file of process_memory of process 4300, although '4300-CpuUsage.data.slice_0' exists
cann/prof-910b device_0/end_info.0 device_0: no end_info, which every part of a capture has
cann/job-910a data/training_trace.46.dev.profiler_default_tag.1.slice_0 no file of training_trace, although 'Framework.host.vm.point.1.slice_0' exists
small data/aicore.1.4.2 no file of svp_pmu of this inference
small data/detector.3.net.info data/detector.3.layer.info: no 'detector.3.net.info' beside it
END
}

@test "no file of any kind is counted twice under two names" {
    for capture in resnet50 system-910b 2022-310 job-910a; do
        run python3 -B "$repository/tests/metamorphic/metamorphic.py" "$MSPROF" work --small --only twice --capture "$capture"
        [ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
        [[ $output == *" told"* ]]
    done
}
