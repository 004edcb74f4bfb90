#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What newcomers type first, with Ascend's msprof or with nothing in mind: each answer says the command that was meant.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    copy_capture JOBX
}

# Fails unless the words end with this status and these lines on stderr.
answers() { # status, lines, words of the command
    local expected=$1 lines=$2
    shift 2
    run_msprof "$@"
    expect_status "$expected"
    expect_equal "$output" ""
    expect_equal "$stderr" "$lines"
}

@test "the switches of Ascend's msprof are answered with our commands" {
    answers 2 "msprof: no capture given: pass --output=DIR" --analyze=on
    answers 2 "msprof: collecting from a device needs CANN's own msprof; 'msprof run' records ACL calls alone
  try: msprof run --output out -- ./main a" --application="./main a" --output=out
    answers 2 "msprof: no capture given: pass --output=DIR" --query=on
    answers 2 "msprof: no capture given: pass --output=DIR" --parse=on
    [ ! -e JOBX/sqlite ]
}

@test "a capture or a program in the place of a command is answered with commands for it" {
    answers 2 "msprof: 'JOBX' is not a command of 'msprof'
  try: msprof show JOBX" JOBX
    answers 2 "msprof: 'JOBX' is not a command of 'msprof export'
  try: msprof export summary JOBX, or msprof export timeline JOBX" export JOBX
    answers 2 "msprof: collecting from a device needs CANN's own msprof; 'msprof run' records ACL calls alone
  try: msprof run -- /bin/true" /bin/true
    answers 2 "msprof: unknown option '-d'
  try: -dir CAPTURE, or the capture's path alone" export summary -d JOBX
}

@test "words of other tools and misspelt ones are answered with ours" {
    answers 2 "msprof: 'summary' is not a command of 'msprof'
  try: msprof export summary CAPTURE" summary JOBX
    answers 2 "msprof: 'stats' is not a command of 'msprof'
  try: msprof show CAPTURE" stats JOBX
    answers 2 "msprof: 'exprot' is not a command of 'msprof', did you mean 'export'?; try 'msprof --help'" exprot summary JOBX
    answers 2 "msprof: 'sumary' is not a command of 'msprof export', did you mean 'summary'?; try 'msprof export --help'" \
        export sumary JOBX
    answers 2 "msprof: unknown option '--fromat', did you mean '--format'?; try 'msprof export summary --help'" \
        export summary --fromat json JOBX
    answers 2 "msprof: 'xyzzy' is not a command of 'msprof'; try 'msprof --help'" xyzzy
}

@test "a command without a capture, or with what holds none, says what is missing" {
    answers 2 "msprof: no capture given: pass CAPTURE or -dir DIR; try 'msprof import --help'" import
    mkdir empty
    answers 4 "msprof: 'empty' is not a capture and contains none
  try: pass a directory with data/ and info.json, or one that contains JOB*, PROF* or OPPROF* directories; --depth N searches further down" import empty
    answers 1 "msprof: cannot use 'nowhere' as a capture: cannot find 'nowhere': No such file or directory" import nowhere
}

@test "an archive of another kind is to be unpacked, and a file of a capture is not the capture" {
    for name in JOBX.tar.xz JOBX.tar.zst; do
        : >"$name"
        answers 1 "msprof: cannot use '$name' as a capture: cannot open '$PWD/$name': Not a directory
  try: unpack it, and give the directory: tar -xf $name" export summary "$name"
    done
    answers 1 "msprof: cannot use 'JOBX/info.json.0' as a capture: cannot open '$PWD/JOBX/info.json.0': Not a directory
  try: a capture is a directory; the file lies in JOBX" export summary JOBX/info.json.0
    answers 2 "msprof: cannot use 'JOBX/data' as a capture: 'JOBX/data' is part of the capture '$PWD/JOBX'
  try: pass the capture: -dir $PWD/JOBX" export summary JOBX/data
}

@test "-h is help, and a command that needs a further word shows those that there are" {
    run_msprof -h
    expect_status 0
    expect_contains "$output" "Usage: msprof COMMAND"
    run_msprof export
    expect_status 2
    expect_contains "$stderr" "summary"
}
