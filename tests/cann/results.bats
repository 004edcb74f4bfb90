# SPDX-License-Identifier: Apache-2.0
# Names of reports of CANN captures, which hold the time of the export.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# A call, a launch and a task of a small capture.
small_capture() {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
}

@test "an export of a CANN capture replaces the reports of the one before, and no file of Ascend's tool" {
    small_capture
    run_msprof export summary -dir PROF_1
    results=PROF_1/mindstudio_profiler_output
    first=$(find $results -name 'op_summary*')
    touch $results/op_summary_20200101000000.csv $results/api_statistic_20200101000000.csv
    sleep 1.1
    run_msprof export summary -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    [ ! -e "$first" ]
    [ "$(find $results -name 'op_summary*' | wc -l)" -eq 2 ]
    [ -e $results/api_statistic_20200101000000.csv ]
}

@test "--stable-names leaves the time out of names" {
    small_capture
    run_msprof export summary --stable-names -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    results=PROF_1/mindstudio_profiler_output
    [ -e $results/op_summary.csv ]
    [ -z "$(find $results -name '*_20[0-9]*')" ]
    run_msprof export timeline --stable-names -dir PROF_1
    [ -e $results/msprof.json ]
    run_msprof export summary --stable-names -dir PROF_1
    [ -e $results/op_summary.csv ]
}

@test "containers with equal process numbers export into one directory, and none takes away what another writes" {
    unshare -p -f --mount-proc true 2>/dev/null || skip "namespaces of processes cannot be made here"
    small_capture
    "$MSPROF" import -q -dir PROF_1
    for container in 1 2 3 4 5 6; do
        { unshare -p -f --mount-proc "$MSPROF" export timeline -q -dir PROF_1 --output out || echo "$container: $?" >>failed; } 3>&- &
    done
    wait
    [ ! -e failed ]
    python3 -c 'import glob, json; [json.load(open(name)) for name in glob.glob("out/*/msprof_*.json")]'
    expect_equal "$(find out PROF_1 -name '.msprof.*')" ""
}

@test "of temporaries only those go that are files, ours and unlocked" {
    small_capture
    "$MSPROF" export timeline -q -dir PROF_1
    results=PROF_1/mindstudio_profiler_output
    temporary() {
        echo "$results/.msprof.000000000000000$1.tmp"
    }
    echo mine >target
    touch "$(temporary 1)" "$(temporary 2)" "$(temporary 3)" "$results/.msprof.12.3.tmp" "$results/.msprof.not-ours.tmp"
    chmod 400 "$(temporary 3)"
    ln -s "$PWD/target" "$(temporary 4)"
    mkfifo "$(temporary 5)"
    mkdir "$(temporary 6)"
    ln target "$(temporary 7)" # another name of a file: the name goes, the file stays
    python3 -c '
import fcntl, struct, sys, time
file = open(sys.argv[1], "r+b")
fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0x7ffffffffffffff0, 1, 0))  # F_OFD_SETLK
print("locked", flush=True)
time.sleep(60)' "$(temporary 2)" >locked 3>&- &
    holder=$!
    until grep -qs locked locked; do sleep 0.05; done
    timeout 120 "$MSPROF" export timeline -q -dir PROF_1
    kill "$holder"
    # what its user may not write cannot be asked for its lock: it stays, but for root
    local unasked=""
    [ "$(id -u)" -eq 0 ] || unasked=$'.msprof.0000000000000003.tmp\n'
    expect_equal "$(find "$results" -name '.msprof.*' -printf '%f\n' | sort)" ".msprof.0000000000000002.tmp
$unasked.msprof.0000000000000004.tmp
.msprof.0000000000000005.tmp
.msprof.0000000000000006.tmp
.msprof.not-ours.tmp"
    expect_equal "$(<target)" mine
}
