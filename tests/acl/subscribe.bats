#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A subscriber as the guides show it, without hardware: fed by a replay that the library starts, or by one beside it.
# shellcheck disable=SC2154 # common.bash sets repository

load ../cli/common

setup() {
    enter_scratch
    subscriber=${MSPROF_BUILD:-$repository/build/release}/tests/acl/subscriber
    [ -x "$subscriber" ] || skip "$subscriber is not built: make acl-test-programs"
    export MSPROF_PROGRAM=$MSPROF
}

# Prints what a subscriber must print of the records and names that a replay wrote: model, flag, start, end, duration,
# type, name.
expected_lines() {
    "$MSPROF" replay -q "$@" --fd 3 --speed max --names names 3>records
    python3 "$repository/tests/lib/operator_records.py" operators records names
}

# Fails unless both files have these lines, and as many as are expected.
expect_lines() {
    cat "$2" >wanted # "$2" can be a pipe
    expect_equal "$(wc -l <wanted)" "$3"
    cmp "$1" wanted >&2
}

@test "a program that subscribes gets the operators of MSPROF_REPLAY, unchanged" {
    copy_capture JOBX
    expected_lines -dir JOBX >expected
    MSPROF_REPLAY=JOBX "$subscriber" cann 248 6 >got
    expect_lines got expected 248
}

@test "a program with the names of SVP boards gets the same, in buffers of the usual sizes" {
    copy_capture JOBX
    expected_lines -dir JOBX >expected
    MSPROF_REPLAY=JOBX MSPROF_REPLAY_SPEED=max "$subscriber" svp 248 6 >got
    awk -F '\t' -v OFS='\t' '{ $6 = substr($6, 1, 64); $7 = substr($7, 1, 256); print }' expected >shortened
    expect_lines got shortened 248
}

@test "several models are subscribed to, each with its operators and names" {
    cp -R "$repository"/testdata/small/JOB* JOBY
    expected_lines -dir JOBY >expected
    MSPROF_REPLAY=JOBY MSPROF_REPLAY_SPEED=max "$subscriber" cann 448 3 4 >got
    expect_lines <(sort got) <(sort expected) 448
}

@test "operators of a CANN capture belong to the model that is subscribed to" {
    capture=("$repository"/testdata/cann/prof-910b/PROF*)
    expected_lines -dir "${capture[0]}" --output results --model-id 21 >expected
    MSPROF_REPLAY=${capture[0]} MSPROF_REPLAY_OUTPUT=results MSPROF_REPLAY_SPEED=max "$subscriber" cann 100 21 >got
    expect_lines got expected 100
}

@test "the subscription can end before the replay does" {
    copy_capture JOBX
    MSPROF_REPLAY=JOBX MSPROF_REPLAY_SPEED=0.1 timeout 120 "$subscriber" cann 3 6 >got
    count=$(wc -l <got)
    [ "$count" -ge 3 ] && [ "$count" -lt 248 ]
}

@test "a program that runs with other rights than its user's does not listen to MSPROF_REPLAY" {
    [ "$(id -u)" -eq 0 ] || skip "giving a program another group needs root"
    local build=${subscriber%/tests/acl/subscriber} flags=()
    grep -aq __asan_init "$build/libmsprof_acl.so.1" && flags=(-fsanitize=address)
    copy_capture JOBX
    # one that needs no library of the build: the linker looks for none where the user says
    gcc -I "$repository/include" "$repository/tests/acl/subscriber.c" "$build/libmsprof_acl.a" "${flags[@]}" -lcjson -pthread \
        -lm -o other
    MSPROF_REPLAY=JOBX ./other cann 248 6 >got
    expect_equal "$(wc -l <got)" 248
    chgrp daemon other
    chmod g+s other
    status=0
    MSPROF_REPLAY=JOBX timeout 1 ./other cann 248 6 >got 2>errors || status=$?
    expect_equal "$status" 124 # it waits for a device's operators
    expect_equal "$(<got)" ""
    expect_contains "$(<errors)" "the pipe delivers operators only if"
}

@test "a model that the capture does not have cannot be subscribed to" {
    copy_capture JOBX
    MSPROF_REPLAY=JOBX "$subscriber" cann 1 7 2>errors && return 1
    expect_contains "$(<errors)" "aclprofModelSubscribe: 100011"
    expect_contains "$(<errors)" "no operators of model 7; its models are 6"
}

@test "a program that ignores SIGCHLD is told that, and what msprof says, when a subscription fails" {
    copy_capture JOBX
    MSPROF_REPLAY=JOBX env --ignore-signal=CHLD "$subscriber" cann 1 7 2>errors && return 1
    expect_contains "$(<errors)" "this program ignores SIGCHLD"
    expect_contains "$(<errors)" "no operators of model 7; its models are 6"
}

@test "a capture that is none fails the subscription with what msprof says of it" {
    MSPROF_REPLAY=missing "$subscriber" cann 1 7 2>errors && return 1
    expect_contains "$(<errors)" "aclprofModelSubscribe: 500005"
    expect_contains "$(<errors)" "cannot find 'missing'"
}

@test "another process reads what a replay beside it sends, with names from the table" {
    copy_capture JOBX
    expected_lines -dir JOBX >expected
    rm names
    for size in 80 72; do
        mkfifo pipe
        "$MSPROF" replay -q -dir JOBX --fd 3 --speed max --names names --record-size "$size" 3>pipe &
        # the record's size is asked for once the table is there
        { while [ ! -e names ]; do sleep 0.01; done && MSPROF_OP_NAMES=names "$subscriber" read; } <pipe >got
        wait
        expect_lines got expected 248
        rm names pipe
    done
}

@test "a process without the table gets a code instead of names" {
    copy_capture JOBX
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed max 3>records
    "$subscriber" read <records >got 2>errors && return 1
    expect_contains "$(<errors)" "aclprofGetOpTypeLen: 100000"
    expect_contains "$(<errors)" "no table of names"
    [ ! -s got ]
}

@test "one reader gets two replays, told apart by their indexes" {
    copy_capture JOBX
    cp -R "$repository"/testdata/small/JOB* JOBY
    expected_lines -dir JOBX >expected
    expected_lines -dir JOBY >>expected
    "$MSPROF" replay -q -dir JOBX --fd 3 --speed max --names x 3>records
    "$MSPROF" replay -q -dir JOBY --fd 3 --speed max --names y --first-index 1000 3>>records
    MSPROF_OP_NAMES=x:y "$subscriber" read <records >got
    expect_lines got expected 696
}

@test "a subscriber that is killed leaves no replay behind" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    cat >program <<END
#!/bin/sh
echo \$\$ >replay
exec "$MSPROF" "\$@"
END
    chmod +x program
    MSPROF_PROGRAM=$PWD/program MSPROF_REPLAY=JOBX MSPROF_REPLAY_SPEED=0.001 "$subscriber" cann 248 6 >got 3>&- &
    victim=$!
    for _ in $(seq 6000); do
        [ -s replay ] && [[ $(readlink "/proc/$(<replay)/exe") == */msprof ]] && break
        sleep 0.01
    done
    sleep 0.2
    kill -KILL "$victim"
    wait "$victim" || :
    for _ in $(seq 6000); do
        [ ! -e "/proc/$(<replay)" ] && return 0
        sleep 0.01
    done
    return 1
}
