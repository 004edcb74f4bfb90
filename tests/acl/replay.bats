#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof replay: what it sends, how fast, and what happens when its reader does not read.
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common

setup() {
    enter_scratch
    PATH=$(dirname "$MSPROF"):$PATH
}

records() {
    python3 "$repository/tests/lib/operator_records.py" "$@"
}

# Replays a capture as fast as possible into the file `records`, with the names in `names`.
replay_all() {
    run_msprof replay -dir "$@" --fd 3 --speed max --names names 3>records
}

# Fails unless what was sent of a capture is what its reports say; prints how many operators.
expect_agreement() {
    local capture=$1 tolerance=${2:-0}
    "$MSPROF" export summary -q -dir "$capture" --output results
    replay_all "$capture" --output results
    expect_status 0
    python3 "$repository/tests/acl/lib/agree_operators.py" records names results "$tolerance"
}

# The path of a capture of testdata/cann.
family() {
    printf '%s\n' "$repository/testdata/cann/$1"/[JP]*
}

@test "of SVP captures every task of the AI core and the AI CPU is sent" {
    copy_capture JOBX
    expect_equal "$(expect_agreement JOBX)" 248
    cp -R "$repository"/testdata/small/JOB* JOBY
    rm -rf results
    expect_equal "$(expect_agreement JOBY)" 448
}

@test "of CANN captures what op_summary lists is sent" {
    for capture in prof-910a prof-910b; do
        rm -rf results
        expect_equal "$(expect_agreement "$(family "$capture")")" 100
    done
}

@test "of captures of the layout of 2022 what op_summary lists is sent" {
    for capture in 2022-310 2022-910a; do
        rm -rf results
        expect_equal "$(expect_agreement "$(family "$capture")" 1)" 100 # op_summary rounds in binary
    done
}

@test "of a JOB-era capture every named task is sent" {
    expect_equal "$(expect_agreement "$(family job-910a)")" 150
}

@test "of a real JOB-era capture every named task is sent" {
    needs_shared data/real-910a-job3/raw
    expect_equal "$(expect_agreement "$REAL_CAPTURE")" 2817
}

@test "records have the model, the launching thread and the device" {
    directory=$(family prof-910b)
    replay_all "$directory" --output results
    expect_equal "$(records records records | cut -d ' ' -f 1-3,8 | sort -u)" "4294967295 0 4242 0"
    replay_all "$directory" --output results --model-id 12
    expect_equal "$(records records records | cut -d ' ' -f 1-3,8 | sort -u)" "12 0 4242 0"
    cp -R "$repository"/testdata/small/JOB* JOBY
    replay_all JOBY
    expect_equal "$(records records records | cut -d ' ' -f 1-3,8 | sort | uniq -c | sed 's/^ *//')" \
        $'112 3 0 0 0\n112 3 0 0 1\n112 4 0 0 0\n112 4 0 0 1'
}

@test "operators of which the capture does not say when they ran are sent as well" {
    copy_capture JOBX
    rm JOBX/data/*.done # the starts of inferences: they are placed as in timelines
    replay_all JOBX
    expect_status 0
    expect_equal "$(records records records | wc -l)" 248
    expect_equal "$(records operators records names | head -1 | cut -f 3-5)" $'68101000000000\t68101000057833\t57833'

    copy_capture JOBY
    sed -i 's/"aic_frequency": *"[0-9.]*"/"aic_frequency": ""/' JOBY/info.json.0
    run_msprof replay -dir JOBY --fd 3 --speed 1000 --names names 3>records
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_equal "$(records records records | wc -l)" 248
    # 240 tasks of the AI core have no duration then, 8 of the AI CPU have
    expect_equal "$(records operators records names | awk -F '\t' '$5 == 0' | wc -l)" 240
}

@test "--model-id sends one model, and says which there are when it has no operators" {
    cp -R "$repository"/testdata/small/JOB* JOBY
    replay_all JOBY --model-id 4
    expect_status 0
    expect_equal "$(records records records | cut -d ' ' -f 1 | sort | uniq -c | sed 's/^ *//')" "224 4"
    expect_equal "$(records operators records names | wc -l)" 224
    run_msprof replay -dir JOBY --fd 3 --model-id 9 3>records
    expect_status 4
    expect_contains "$stderr" "no operators of model 9; its models are 3, 4"
    [ ! -s records ]
}

@test "records of 72 bytes have no device, and the table says their size" {
    copy_capture JOBX
    replay_all JOBX --record-size 72
    expect_status 0
    expect_equal "$(stat -c %s records)" $((248 * 72))
    expect_equal "$(records records records 72 | wc -l)" 248
    expect_equal "$(records operators records names | wc -l)" 248
}

@test "--first-index numbers the operators from there on" {
    copy_capture JOBX
    replay_all JOBX --first-index 1001
    expect_equal "$(records records records | cut -d ' ' -f 4 | sed -n '1p;$p')" $'1001\n1248'
    expect_equal "$(records operators records names | tail -1 | cut -f 6,7)" $'DecBbox\tbbox_decode'
    run_msprof replay -dir JOBX --fd 3 --first-index 0 3>records
    expect_status 2
}

@test "the table of names appears whole, with mode 0640, before the first record" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    mkfifo pipe
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed 0.001 --names names 3>pipe &
    writer=$!
    exec 4<pipe
    head -c 80 <&4 >records
    expect_equal "$(records operators records names | wc -l)" 1
    expect_equal "$(stat -c %a names)" 640
    exec 4<&-
    wait "$writer" && return 1
    expect_equal "$(ls -A)" $'JOBX\nnames\npipe\nrecords'
}

@test "a table that cannot be written is a failure, and no record is sent" {
    copy_capture JOBX
    run_msprof replay -q -dir JOBX --fd 3 --speed max --names missing/names 3>records
    expect_status 1
    expect_contains "$stderr" "missing/names"
    [ ! -s records ]
    run_msprof replay -q -dir JOBX --fd 3 --speed max --names /dev/full 3>records
    expect_status 1
    [ ! -s records ]
}

@test "the capture's pace is kept, times --speed" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    # the operators of the shipped capture take 0.121 s; only what must not be faster can be asserted
    for speed in 1 0.5; do
        start=$(date +%s%N)
        run_msprof replay -q -dir JOBX --fd 3 --speed "$speed" 3>records
        expect_status 0
        [ $((($(date +%s%N) - start) / 1000000)) -ge "$(python3 -c "print(int(120 / $speed))")" ]
        expect_equal "$(stat -c %s records)" $((248 * 80))
    done
}

@test "a speed is a number or max" {
    copy_capture JOBX
    for speed in -1 fast 0.0001 1000001 1e3 ''; do
        run_msprof replay -dir JOBX --fd 3 --speed "$speed" 3>records
        expect_status 2
    done
    for speed in 0 max 1000000 999.999; do
        run_msprof replay -q -dir JOBX --fd 3 --speed "$speed" 3>records
        expect_status 0
    done
}

@test "a descriptor must be given, open for writing and no terminal" {
    copy_capture JOBX
    run_msprof replay -dir JOBX
    expect_status 2
    expect_contains "$stderr" "pass --fd N"
    run_msprof replay -dir JOBX --fd 3 3>&-
    expect_status 2
    expect_contains "$stderr" "descriptor 3 is not open"
    run_msprof replay -dir JOBX --fd 3 3</dev/null
    expect_status 2
    expect_contains "$stderr" "descriptor 3 is open for reading only"
    run_msprof replay -dir JOBX --fd 2
    expect_status 2
    expect_contains "$stderr" "descriptor 2 is for messages"
    [ ! -e JOBX/sqlite ]
    script -qec "'$MSPROF' replay -dir JOBX --fd 1" /dev/null >out </dev/null && return 1
    grep -q "descriptor 1 is a terminal" out
}

@test "one capture is replayed" {
    copy_capture captures/JOBA
    run_msprof replay -q -dir captures --fd 3 --speed max 3>records
    expect_status 0
    copy_capture captures/JOBB
    run_msprof replay -q -dir captures --fd 3 --speed max 3>records
    expect_status 2
    expect_contains "$stderr" "takes one capture, but got 2"
    [ ! -s records ]
}

@test "a reader that goes away ends the replay, also while it waits" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    for speed in max 1 0.001; do
        mkfifo pipe
        { exec <pipe && head -c 80 >/dev/null; } &
        status=0
        timeout 120 "$MSPROF" replay -q -dir JOBX --fd 3 --speed "$speed" 3>pipe 2>errors || status=$?
        # at top speed all may be in the pipe before the reader is gone
        if [ "$speed" != max ] || [ "$status" -ne 0 ]; then
            expect_equal "$status" 1
            grep -qE "the reader of descriptor 3 closed it after [0-9]+ operators?$" errors
        fi
        wait
        rm pipe
    done
}

@test "a reader that is killed is noticed" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    mkfifo pipe
    tail -f /dev/null <pipe & # opens the pipe and never reads it
    reader=$!
    { sleep 0.3 && kill -KILL "$reader"; } &
    status=0
    timeout 120 "$MSPROF" replay -q -dir JOBX --fd 3 --speed 0.01 3>pipe 2>errors || status=$?
    expect_equal "$status" 1
    grep -q "the reader of descriptor 3 closed it" errors
}

# Writes a capture of more bytes of records than a pipe holds (64 KiB) and prints its path.
LONG=1200
long_capture() {
    python3 "$repository/testdata/generate/cann/make_prof.py" long --count "$LONG"
}

@test "a slow reader gets every record" {
    capture=$(long_capture)
    "$MSPROF" replay -q -dir "$capture" --output results --fd 3 --speed max --names names 3>&1 >log |
        { sleep 0.5 && head -c 1000 && sleep 0.2 && dd bs=33 status=none; } >records
    expect_equal "$(records operators records names | wc -l)" "$LONG"
}

@test "a pipe that does not block gets every record" {
    capture=$(long_capture)
    python3 - "$MSPROF" "$capture" <<'END'
import os, subprocess, sys, time
reader, writer = os.pipe()
os.set_blocking(writer, False)
child = subprocess.Popen([sys.argv[1], "replay", "-q", "-dir", sys.argv[2], "--output", "results", "--fd", str(writer),
                          "--speed", "max", "--names", "names"], pass_fds=[writer])
os.close(writer)
time.sleep(0.5)
with open("records", "wb") as file:
    while data := os.read(reader, 700):
        file.write(data)
sys.exit(child.wait())
END
    expect_equal "$(records operators records names | wc -l)" "$LONG"
}

@test "a socket and a file are as good as a pipe" {
    copy_capture JOBX
    python3 - "$MSPROF" <<'END'
import socket, subprocess, sys
here, there = socket.socketpair()
child = subprocess.Popen([sys.argv[1], "replay", "-q", "-dir", "JOBX", "--fd", str(there.fileno()), "--speed", "max",
                          "--names", "names"], pass_fds=[there.fileno()])
there.close()
with open("records", "wb") as file:
    while data := here.recv(100):
        file.write(data)
sys.exit(child.wait())
END
    expect_equal "$(records operators records names | wc -l)" 248
    printf 'before' >file
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed max 3>>file
    expect_equal "$(head -c 6 file)" before
    expect_equal "$(tail -c +7 file | cmp - records && echo same)" same
}

@test "a full disk is a failure" {
    copy_capture JOBX
    [ -w /dev/full ] || skip "there is no /dev/full"
    run_msprof replay -q -dir JOBX --fd 3 --speed max 3>/dev/full
    expect_status 1
    expect_contains "$stderr" "cannot write to descriptor 3: No space left on device"
}

@test "each record is written at once" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    # a socket of this kind keeps what one write wrote apart from the next
    python3 - "$MSPROF" <<'END'
import socket, subprocess, sys
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
child = subprocess.Popen([sys.argv[1], "replay", "-q", "-dir", "JOBX", "--fd", str(there.fileno()), "--speed", "max"],
                         pass_fds=[there.fileno()])
there.close()
lengths = []
while data := here.recv(1000):
    lengths.append(len(data))
print(len(lengths), set(lengths))
sys.exit(child.wait() or lengths != [80] * 248)
END
}

@test "a signal ends a replay that waits for its time or for its reader" {
    capture=$(long_capture)
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    "$MSPROF" import -q -dir "$capture" --output results || [ $? -eq 3 ]
    mkfifo pipe
    exec 4<>pipe
    run_interrupted TERM 0.3 "$MSPROF" replay -q -dir JOBX --fd 3 --speed 0.001 3>pipe 2>errors
    expect_equal "$status" 130
    run_interrupted INT 0.3 "$MSPROF" replay -q -dir "$capture" --output results --fd 3 --speed max 3>pipe 2>errors
    expect_equal "$status" 130
    grep -q "interrupted by SIGINT" errors
}
