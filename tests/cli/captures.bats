#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Which captures are worked on, when they are imported, where the results go.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
}

@test "export and show import by themselves, and only when they must" {
    copy_capture JOBX
    run_msprof export timeline -dir JOBX
    expect_status 0
    expect_contains "$stderr" "there is no database yet, importing"
    run_msprof show -dir JOBX
    expect_status 0
    expect_not_contains "$stderr" "importing"
    touch -d '2001-01-01' JOBX/info.json.0
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_contains "$stderr" "the database is out of date, importing"
    run_msprof export summary -dir JOBX
    expect_not_contains "$stderr" "importing"
    run_msprof export summary -dir JOBX --freq-mhz 500
    expect_contains "$stderr" "the database is out of date, importing"
}

@test "a layout file that changes makes the database out of date" {
    copy_capture JOBX
    printf 'kind svp_pmu\nlayout other\nsize 128\nmagic offset 124 width 4 value 7\ncolumn total_cycle offset %s width 8\n' \
        16 >a.layout
    run_msprof import -q -dir JOBX --layout a.layout
    expect_status 0
    run_msprof show -dir JOBX --layout a.layout
    expect_not_contains "$stderr" "importing"
    cp a.layout same-content.layout
    run_msprof show -dir JOBX --layout same-content.layout
    expect_not_contains "$stderr" "importing"
    sed -i 's/offset 16/offset 24/' a.layout
    run_msprof show -dir JOBX --layout a.layout
    expect_contains "$stderr" "the database is out of date, importing"
}

@test "layouts are found in the user's layout directory" {
    mkdir -p "$XDG_CONFIG_HOME/msprof/layouts"
    printf 'kind svp_pmu\nlayout from-config\nsize 64\ncolumn total_cycle offset 0 width 8\n' \
        >"$XDG_CONFIG_HOME/msprof/layouts/board.layout"
    run_msprof kinds svp_pmu
    expect_status 0
    expect_contains "$output" "layout from-config: 64 bytes"
    printf 'kind svp_pmu\nlayout from-config\nsize 32\ncolumn total_cycle offset 0 width 8\n' >mine.layout
    run_msprof kinds svp_pmu --layout mine.layout
    expect_contains "$output" "layout from-config: 32 bytes"
    expect_not_contains "$output" "layout from-config: 64 bytes"
    run_msprof kinds --format mdoc
    expect_not_contains "$output" "from-config"
}

@test "a mistake in a layout file is told with file and line" {
    printf 'kind svp_pmu\nlayout x\nsize many\n' >bad.layout
    run_msprof kinds --layout bad.layout
    expect_status 1
    expect_contains "$stderr" "bad.layout:3:"
}

@test "import leaves a database that is up to date as it is, and reports what the first import did" {
    copy_capture JOBX
    truncate -s -5 JOBX/data/aicore.0.1.1
    run_msprof import -dir JOBX
    expect_status 3
    first=$stderr
    before=$(stat -c %i,%Y,%Z JOBX/sqlite/runtime.db)
    run_msprof import -dir JOBX
    expect_status 3
    expect_equal "$(stat -c %i,%Y,%Z JOBX/sqlite/runtime.db)" "$before"
    expect_contains "$stderr" "(1 record-truncated), the database is up to date (--force imports again)"
    expect_equal "${stderr%, the database is up to date*}" "${first%, *}"
    run_msprof import --strict -dir JOBX
    expect_status 1
}

@test "import makes a database anew with --force, and where the capture or what it depends on changed" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    local change
    for change in "" "touch JOBX/data/aicore.0.1.1" "cp JOBX/sqlite/runtime.db kept"; do
        eval "$change"
        ln -f JOBX/sqlite/runtime.db another-name # keeps the inode
        before=$(stat -c %i JOBX/sqlite/runtime.db)
        case $change in
        '') run_msprof import --force -q -dir JOBX ;;
        cp*) run_msprof import --freq-mhz 50 -q -dir JOBX ;;
        *) run_msprof import -q -dir JOBX ;;
        esac
        expect_status 0
        [ "$(stat -c %i JOBX/sqlite/runtime.db)" != "$before" ]
    done
    run_msprof import --freq-mhz 50 --database plain JOBX
    expect_not_contains "$stderr" "up to date"
}

@test "a directory of captures stands for all of them in the order of their names" {
    copy_capture captures/JOBB
    copy_capture captures/JOBA
    mkdir captures/other
    run_msprof import -dir captures
    expect_status 0
    expect_equal "$(grep -o 'JOB[AB]' <<<"$stderr")" $'JOBA\nJOBB'
    [ -f captures/JOBA/sqlite/runtime.db ]
    [ -f captures/JOBB/sqlite/runtime.db ]
    [ ! -e captures/other/sqlite ]
}

@test "a capture that is named twice is processed once" {
    copy_capture JOBX
    run_msprof import -dir JOBX -dir ./JOBX/
    expect_status 0
    [ "$(grep -c 'records decoded' <<<"$stderr")" -eq 1 ]
}

@test "a failing capture does not keep the others from being processed, and its status wins" {
    copy_capture JOBX
    run_msprof import -dir nothing-here -dir JOBX
    expect_status 1
    [ -f JOBX/sqlite/runtime.db ]
    mkdir empty
    rm -r JOBX/sqlite
    run_msprof import -dir empty -dir JOBX
    expect_status 4
    [ -f JOBX/sqlite/runtime.db ]
    run_msprof import -dir empty -dir nothing-here
    expect_status 1
}

@test "the tables of several captures are told apart" {
    copy_capture captures/JOBA
    copy_capture captures/JOBB
    run_msprof show -q -dir captures
    expect_status 0
    expect_contains "$output" "Capture : $PWD/captures/JOBA"
    expect_contains "$output" "Capture : $PWD/captures/JOBB"
    run_msprof show -q -dir captures/JOBA
    expect_not_contains "$output" "Capture :"
}

@test "--output takes everything that is made, and the capture stays as it was" {
    copy_capture JOBX
    before=$(find JOBX | sort)
    run_msprof export summary -dir JOBX --output results/deep
    expect_status 0
    run_msprof export timeline -dir JOBX --output results/deep
    expect_status 0
    expect_equal "$(ls results/deep)" $'log\nsqlite\nsummary\ntimeline'
    expect_equal "$(find JOBX | sort)" "$before"
    grep -q "exported to \"$PWD/results/deep/timeline/task_time" results/deep/log/collection.log
    copy_capture captures/JOBA
    copy_capture captures/JOBB
    run_msprof import -dir captures --output results/many
    expect_status 0
    [ -f results/many/JOBA/sqlite/runtime.db ]
    [ -f results/many/JOBB/sqlite/runtime.db ]
}

@test "captures of one name cannot share an --output" {
    copy_capture one/JOBX
    copy_capture two/JOBX
    run_msprof import -dir one -dir two --output results
    expect_status 2
    expect_contains "$stderr" "both write to the same place"
    [ ! -e results ]
}

@test "a read-only capture is told with the way out, and that way works" {
    copy_capture JOBX
    chmod a-w JOBX
    run_msprof_unprivileged import -dir JOBX
    expect_status 1
    expect_contains "$stderr" "cannot write results into '$PWD/JOBX'"
    expect_contains "$stderr" "  try: choose another directory with --output DIR"
    run_msprof_unprivileged export summary -dir JOBX --output results
    expect_status 0
    chmod u+w JOBX
}

@test "a database that is up to date is shown from a read-only directory" {
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    chmod -R a-w JOBX
    run_msprof_unprivileged show -dir JOBX
    chmod -R u+w JOBX
    expect_status 0
    expect_equal "$stderr" ""
}

@test "a log that cannot be written is a warning" {
    copy_capture JOBX
    mkdir -p JOBX/log/collection.log
    run_msprof import -dir JOBX
    expect_status 0
    expect_contains "$stderr" "warning: no log is written: "
}

@test "the log has the vendor's lines, in English and with times, and is appended to" {
    copy_capture JOBX
    LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 "$MSPROF" import -q -dir JOBX
    "$MSPROF" export summary -q -dir JOBX
    "$MSPROF" export timeline -q -dir JOBX
    log=JOBX/log/collection.log
    head='^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-9]{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} \[(INFO|WARNING|ERROR)\] \[MSVP\] \[[0-9]+\] '
    expect_equal "$(grep -Evc "$head" "$log" || true)" 0
    grep -Eq "${head}msprof_common: Start analyzing data in \"$PWD/JOBX\" \.\.\.$" "$log"
    grep -Eq "${head}msprof_common: It may take few minutes, please be patient \.\.\.$" "$log"
    grep -Eq "${head}msprof_common: Analysis data in \"$PWD/JOBX\" finished\.$" "$log"
    [ "$(grep -Ec "${head}msprof_export: Start to export op_summary summary data \.\.\.$" "$log")" -eq 1 ]
    grep -Eq "${head}msprof_export: The op_summary summary data of device [0-9]+ for model .+ from input [0-9]+ has been exported to \"$PWD/JOBX/summary/op_summary_.*\.csv\"\.$" "$log"
    grep -Eq "${head}msprof_export: The task_time timeline data of device [0-9]+ for model .+ has been exported to \"$PWD/JOBX/timeline/task_time_.*\.json\"\.$" "$log"
    [ "$(grep -c 'has been exported' "$log")" -eq "$(find JOBX/summary JOBX/timeline -type f | wc -l)" ]
}

@test "what is made is not readable for others whatever the umask" {
    copy_capture JOBX
    umask 0
    "$MSPROF" export summary -q -dir JOBX
    "$MSPROF" export timeline -q -dir JOBX
    expect_equal "$(find JOBX/sqlite JOBX/log JOBX/summary JOBX/timeline -type f -not -perm 0640)" ""
    expect_equal "$(find JOBX/sqlite JOBX/log JOBX/summary JOBX/timeline -type d -not -perm 0750)" ""
}

@test "the progress bar shows on a terminal only, and is gone at the end" {
    command -v script >/dev/null || skip "script(1) is not installed"
    mkdir -p JOBX/data
    echo '{"DeviceInfo": [{"aic_frequency": "600"}]}' >JOBX/info.json.0
    size=1536M # more than half a second, from which on it shows
    ! has_sanitizer || size=384M
    truncate -s "$size" JOBX/data/aicore.0.1.1
    on_terminal=$(TERM=xterm script -qec "'$MSPROF' import -dir JOBX" /dev/null) || true
    expect_contains "$on_terminal" "%"
    expect_contains "$on_terminal" "/s"
    [[ ${on_terminal##*%} == *$'\r\033[K'* ]]
    quiet=$(TERM=xterm script -qec "'$MSPROF' import -q -dir JOBX" /dev/null) || true
    expect_not_contains "$quiet" "%"
    run_msprof import -dir JOBX
    expect_not_contains "$stderr" "%"
}

@test "captures are given by position, by glob and with -dir, each once" {
    copy_capture JOBA
    copy_capture JOBB
    run_msprof import -q JOB*
    expect_status 0
    [ -f JOBA/sqlite/runtime.db ]
    [ -f JOBB/sqlite/runtime.db ]
    run_msprof export summary JOBA --format json
    expect_status 0
    ls JOBA/summary/*.json
    [ ! -e JOBB/summary ]
    run_msprof show JOBA -dir JOBA
    expect_status 0
    expect_not_contains "$output" "Capture :"
    run_msprof show -dir JOBB JOBA
    expect_status 0
    expect_equal "$(grep -o 'JOB[AB]$' <<<"$output" | tr '\n' ' ')" "JOBB JOBA "
}

@test "a word that is no capture is told, and the captures beside it are worked on" {
    copy_capture JOBX
    run_msprof import -q nothing JOBX
    expect_status 1
    expect_contains "$stderr" "cannot use 'nothing' as a capture"
    [ -f JOBX/sqlite/runtime.db ]
    run_msprof import ""
    expect_status 2
    expect_contains "$stderr" "empty name of a capture"
}

@test "results go neither beside the data of a capture nor into another capture, and nothing is written" {
    local place
    copy_capture JOBX
    copy_capture JOBY
    find JOBX JOBY | sort >before
    for place in JOBX/data JOBX/data/new/one JOBY/data JOBY "$PWD/JOBY/./data/"; do
        for command in "import" "export summary" "export timeline" "show"; do
            # shellcheck disable=SC2086 # of two words
            run_msprof $command JOBX --output "$place"
            expect_status 2
            expect_contains "$stderr" "try: choose another directory with --output"
        done
    done
    find JOBX JOBY | sort | diff before -
    run_msprof import -q JOBX --output JOBX
    expect_status 0
    run_msprof import -q JOBX JOBY --output .
    expect_status 0
}
