#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command line: words, options, exit statuses, streams.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common

setup() {
    enter_scratch
}

# Takes the last bytes of a device file of JOBX away.
cut_device_file() {
    local files=(JOBX/data/aicore.0.*.[0-9])
    truncate -s -5 "${files[0]}"
}

@test "every spelling of the capture option is taken" {
    copy_capture JOBX
    for spelling in "-dir JOBX" "-dir=JOBX" "--dir JOBX" "--dir=JOBX" "--collection-dir JOBX" "--collection-dir=JOBX"; do
        rm -rf JOBX/sqlite
        # shellcheck disable=SC2086 # two words are meant
        run_msprof import $spelling
        expect_status 0
        [ -f JOBX/sqlite/runtime.db ]
    done
}

@test "options may stand before, between and after the words of a command" {
    copy_capture JOBX
    run_msprof -q export -dir JOBX summary --format json
    expect_status 0
    expect_equal "$stderr" ""
    ls JOBX/summary/op_summary_*.json
}

@test "a value that looks like the capture option stays a value" {
    copy_capture JOBX
    run_msprof import --output -dir -dir JOBX
    expect_status 0
    [ -f ./-dir/sqlite/runtime.db ]
}

@test "two dashes end the options" {
    copy_capture ./-dir
    run_msprof import -q -- -dir
    expect_status 0
    [ -f ./-dir/sqlite/runtime.db ]
}

@test "an unknown command is a usage error that names the nearest one" {
    run_msprof imprt
    expect_status 2
    expect_equal "$stderr" "msprof: 'imprt' is not a command of 'msprof', did you mean 'import'?; try 'msprof --help'"
    run_msprof export sumary
    expect_status 2
    expect_contains "$stderr" "did you mean 'summary'?; try 'msprof export --help'"
}

@test "an unknown option is a usage error that names the nearest one" {
    run_msprof export summary --formt csv
    expect_status 2
    expect_equal "$stderr" \
        "msprof: unknown option '--formt', did you mean '--format'?; try 'msprof export summary --help'"
    run_msprof import -dri JOBX
    expect_status 2
    expect_contains "$stderr" "unknown option '-dri', did you mean '-dir'?"
    run_msprof show -qz
    expect_status 2
    expect_contains "$stderr" "unknown option '-qz'"
}

@test "an abbreviated option is refused and its full name told" {
    run_msprof export summary --form csv -dir JOBX
    expect_status 2
    expect_contains "$stderr" "unknown option '--form', did you mean '--format'?"
}

@test "an option of another command is told as that" {
    run_msprof import --columns guide
    expect_status 2
    expect_contains "$stderr" "'--columns' is an option of 'msprof export summary', 'msprof show', 'msprof cluster', not of 'msprof import'"
}

@test "wrong values of options are usage errors that say what is expected" {
    run_msprof export summary -dir JOBX --format xml
    expect_status 2
    expect_contains "$stderr" "--format is 'xml', expected one of: csv, json"
    run_msprof show -dir JOBX --width wide
    expect_status 2
    expect_contains "$stderr" "--width is 'wide', expected a whole number from 0 to 100000"
    for frequency in 0 -1 0.0001 100000.001 600MHz ""; do
        run_msprof import -dir JOBX --freq-mhz "$frequency"
        expect_status 2
        expect_contains "$stderr" "--freq-mhz is '$frequency', expected MHz"
    done
    run_msprof import -dir
    expect_status 2
    expect_contains "$stderr" "--collection-dir needs a value"
    run_msprof import -dir ""
    expect_status 2
    expect_contains "$stderr" "empty value"
    run_msprof import --quiet=yes -dir JOBX
    expect_status 2
    expect_contains "$stderr" "--quiet takes no value"
}

@test "a command without a capture is a usage error" {
    for command in "import" "export timeline" "export summary" "show"; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof $command
        expect_status 2
        expect_contains "$stderr" "no capture given: pass CAPTURE or -dir DIR; try 'msprof $command --help'"
    done
}

@test "without a command the help goes to stderr and the status is 2" {
    run_msprof
    expect_status 2
    expect_equal "$output" ""
    expect_contains "$stderr" "Usage: msprof COMMAND"
    run_msprof export
    expect_status 2
    expect_equal "$output" ""
    expect_contains "$stderr" "Usage: msprof export COMMAND"
}

@test "every level has a help with examples on stdout" {
    for command in "" "import" "export" "export timeline" "export summary" "show" "kinds" "completion" "help"; do
        for option in -h --help; do
            # shellcheck disable=SC2086 # the words of a command
            run_msprof $command $option
            expect_status 0
            expect_equal "$stderr" ""
            expect_contains "$output" "Usage: msprof${command:+ $command} "
            expect_contains "$output" "EXAMPLES"
        done
        # shellcheck disable=SC2086
        run_msprof help $command
        expect_status 0
        expect_contains "$output" "Usage: msprof${command:+ $command} "
    done
    run_msprof help nonsense
    expect_status 2
}

@test "the version is one line on stdout" {
    run_msprof --version
    expect_status 0
    [[ $output =~ ^msprof\ [0-9]+\.[0-9]+\.[0-9]+(\ \(commit\ [0-9a-f]{8,}\))?$ ]]
}

@test "output that cannot be written is a failure" {
    for arguments in "--version" "--help" "kinds" "kinds --format json" "completion bash" "help --options"; do
        # shellcheck disable=SC2086 # several words
        run_msprof_into /dev/full $arguments
        expect_status 1
        expect_equal "$stderr" "msprof: cannot write to standard output: No space left on device"
    done
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    run_msprof_into /dev/full show -dir JOBX
    expect_status 1
    expect_contains "$stderr" "No space left on device"
}

@test "closed standard output is a failure and no other file takes its place" {
    copy_capture JOBX
    status=0
    "$MSPROF" show -dir JOBX >&- || status=$?
    [ "$status" -eq 1 ]
    [ "$(sqlite3 JOBX/sqlite/runtime.db 'PRAGMA integrity_check')" = ok ]
}

@test "a reader that goes away ends the program silently" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    # the tables may fit into the pipe before it closes, so either status is right
    { code=0; "$MSPROF" show -dir JOBX 2>errors || code=$?; echo $code >code; } | head -n 1 >/dev/null
    [[ $(<code) == 141 || $(<code) == 0 ]]
    [ ! -s errors ]
}

@test "color is off in pipes, with NO_COLOR and on dumb terminals, and on when asked for" {
    escape=$'\033'
    run_msprof --color=always imprt
    expect_contains "$stderr" "${escape}["
    run_msprof imprt
    expect_not_contains "$stderr" "$escape"
    command -v script >/dev/null || skip "script(1) is not installed"
    on_terminal() { TERM=xterm script -qec "$*" /dev/null; }
    expect_contains "$(on_terminal "'$MSPROF' imprt")" "${escape}["
    expect_not_contains "$(NO_COLOR=1 on_terminal "'$MSPROF' imprt")" "$escape"
    expect_contains "$(NO_COLOR='' on_terminal "'$MSPROF' imprt")" "${escape}["
    expect_not_contains "$(on_terminal "TERM=dumb '$MSPROF' imprt")" "$escape"
    expect_not_contains "$(on_terminal "'$MSPROF' --color=never imprt")" "$escape"
    expect_contains "$(NO_COLOR=1 on_terminal "'$MSPROF' --color=always imprt")" "${escape}["
}

@test "--quiet leaves errors only" {
    copy_capture JOBX
    run_msprof import -dir JOBX
    expect_status 0
    expect_contains "$stderr" "records decoded"
    run_msprof import -q -dir JOBX
    expect_status 0
    expect_equal "$stderr" ""
    run_msprof import -q -dir nothing-here
    expect_status 1
    expect_contains "$stderr" "nothing-here"
}

@test "an error is one line, and every cause of it with --verbose" {
    run_msprof import -dir nothing-here
    expect_status 1
    [ "$(grep -vc '^  try: ' <<<"$stderr")" -eq 1 ]
    expect_contains "$stderr" "msprof: cannot use 'nothing-here' as a capture: "
    run_msprof -v import -dir nothing-here
    expect_contains "$stderr" "  because: "
}

@test "messages cannot drive the terminal" {
    run_msprof import -dir $'no\033[31m\nsuch'
    expect_status 1
    expect_not_contains "$stderr" $'\033'
    [ "$(grep -vc '^  try: ' <<<"$stderr")" -eq 1 ]
}

@test "status 3 says that the data have problems, also when the database is up to date" {
    copy_capture JOBX
    cut_device_file
    run_msprof import -dir JOBX
    expect_status 3
    expect_contains "$stderr" "warning: "
    run_msprof export timeline -dir JOBX
    expect_status 3
    expect_contains "$stderr" "data problem"
    run_msprof show -q -dir JOBX
    expect_status 3
    run_msprof --strict export timeline -dir JOBX
    expect_status 1
    expect_contains "$stderr" "--strict"
}

@test "--strict makes the first data problem a failure and keeps the older database" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    before=$(sha256sum <JOBX/sqlite/runtime.db)
    cut_device_file
    run_msprof import --strict -dir JOBX
    expect_status 1
    expect_equal "$(sha256sum <JOBX/sqlite/runtime.db)" "$before"
    expect_equal "$(ls -A JOBX/sqlite)" runtime.db
}

@test "status 4 says that nothing was found to do" {
    mkdir -p empty parent/JOBX/data
    run_msprof import -dir empty
    expect_status 4
    expect_contains "$stderr" "'empty' is not a capture and contains none"
    copy_capture JOBX
    find JOBX/data -name 'aicore*' -delete
    find JOBX/data -name 'aicpu*' -delete
    find JOBX/data -name 'acl_api*' -delete
    run_msprof export timeline -dir JOBX
    expect_status 4
    expect_contains "$stderr" "has no data for a timeline"
}

@test "an interrupt ends an import with status 130 and leaves nothing behind" {
    mkdir -p JOBX/data
    echo '{"DeviceInfo": [{"aic_frequency": "600"}]}' >JOBX/info.json.0
    truncate -s 4G JOBX/data/aicore.0.1.1 # zeros are records; nothing is stored for them on disk
    run_interrupted INT 0.5 "$MSPROF" import -dir JOBX 2>errors
    output='' stderr=$(<errors)
    expect_status 130
    expect_contains "$stderr" "interrupted"
    expect_equal "$(ls -A JOBX/sqlite)" ""
}
