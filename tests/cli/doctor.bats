#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof doctor: what a report of a fault needs, and nothing that identifies anybody.
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
}

# A value of the JSON of a capture: json CAPTURE FILTER.
json() {
    "$MSPROF" doctor "$1" --format json | jq -r "$2"
}

# A sum over the files of a kind as another tool reads the database.
ask() {
    sqlite3 "$1/sqlite/runtime.db" "$2"
}

@test "without a capture the doctor tells versions, libraries, limits, locale and layouts" {
    ulimit -n 500
    LC_ALL=C.UTF-8 run_msprof doctor
    expect_status 0
    expect_equal "$stderr" ""
    for head in Program Schemas Libraries Features System Limits Temporary Locale Variables Layouts; do
        expect_contains $'\n'"$output" $'\n'"$head "
    done
    expect_contains "$output" "$("$MSPROF" --version)"
    expect_contains "$output" "SQLite $(sqlite3 --version | cut -d ' ' -f 1)"
    expect_contains "$output" "glibc $(ldd --version | head -n 1 | grep -oE '[0-9.]+$')"
    expect_contains "$output" "Linux $(uname -r | grep -oE '^[0-9.]+')"
    expect_contains "$output" "open files 500,"
    expect_contains "$output" "C.UTF-8, characters UTF-8"
}

@test "the report of a capture fits a screen of 80 columns and 25 lines, in which every record is counted" {
    for capture in resnet50/JOB* cann/prof-910b/PROF* cann/2022-910a/PROF* cann/job-910a/JOB*; do
        rm -rf JOBX
        # shellcheck disable=SC2086 # its last part is a pattern
        cp -R "$repository"/testdata/$capture JOBX
        chmod -R u+w JOBX
        run_msprof doctor JOBX
        expect_status 0
        [ "$(wc -l <<<"$output")" -le 25 ]
        [ "$(wc -L <<<"$output")" -le 80 ]
        expect_contains "$output" "$(ask JOBX "SELECT sum(records_decoded) FROM source_file") = "
        expect_equal "$(json JOBX '.captures[0] | .rows + .joined')" "$(ask JOBX "SELECT sum(records_decoded) FROM source_file")"
        expect_equal "$(json JOBX '[.captures[0].kinds[].files] | add')" "$(ask JOBX 'SELECT count(*) FROM source_file')"
        expect_equal "$(json JOBX '[.captures[0].kinds[] | select(.kind != null) | .kind + " " + (.bytes | tostring)] | sort | join("\n")')" \
            "$(ask JOBX "SELECT kind || ' ' || sum(size_bytes) FROM source_file WHERE kind IS NOT NULL GROUP BY kind ORDER BY 1")"
    done
}

@test "losses are told by their kind and code, with the status of the import" {
    copy_capture JOBX
    printf 'cut' >>JOBX/data/aicore.0.1.1
    : >JOBX/data/something.else
    run_msprof doctor JOBX
    expect_status 3
    expect_equal "$stderr" ""
    expect_contains "$output" "record-truncated 1"
    run_msprof import JOBX
    codes=$(ask JOBX "SELECT DISTINCT code FROM diagnostics ORDER BY 1")
    expect_equal "$(json JOBX '.captures[0].problems[].code' | sort)" "$codes"
    expect_equal "$(json JOBX '[.captures[0].problems[].rejected] | add')" \
        "$(ask JOBX "SELECT coalesce(sum(records), 0) FROM record_count WHERE outcome = 'rejected'")"
}

# Every name that a capture or an environment can bring, planted with one word.
plant_names() {
    mkdir -p "secret home/secret"
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output "secret home" --seed 3 2>/dev/null
    mv "secret home"/JOB* "secret home/JOBsecret"
    capture="secret home/JOBsecret"
    for file in "$capture"/data/*resnet50*; do # the models of a board are names of files
        mv "$file" "${file//resnet50/secretnet}"
    done
    sed -i 's/"name": *"[a-z]/"name": "secret/' "$capture"/data/*.layer.info
    printf 'secret' >"$capture/data/secret.bin"
    printf 'secret' >"$capture/data/aicore.secret.1"
    # shellcheck disable=SC2016 # a name that is a command to a shell and an escape to a terminal
    printf 'x' >"$capture/data/"$'secret\e[31m$(secret)"\\\n'
    printf '{"secret": "secret"}' >"$capture/data/secret.1.layer.info"
    mkdir -p config/msprof/layouts
    printf 'kind svp_pmu\nlayout secret-board\nsize 72\nendian little\ncolumn task_id offset 2 width 2\n' >config/msprof/layouts/secret.layout
    export XDG_CONFIG_HOME=$PWD/config
}

@test "no name of a user, host, directory, file, model or layout is told, in no format and on no stream" {
    plant_names
    for format in table json; do
        HOME=/home/secret USER=secret LOGNAME=secret TMPDIR="$PWD/secret home" HOSTNAME=secret LANG=secret_SECRET.secret PAGER=secret \
            run_msprof doctor "$capture" --format $format
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        expect_not_contains "${output,,}" secret
        expect_not_contains "${stderr,,}" secret
        expect_not_contains "$output" $'\e'
        expect_contains "$output" "svp_pmu"
        expect_contains "$output" "file-unknown"
        [ "$(uname -n)" = localhost ] || ! grep -qw -- "$(uname -n)" <<<"$output"
    done
    expect_equal "$(jq -r '.layouts.loaded[] | .kind + " " + .origin + " " + (.record_size | tostring)' <<<"$output")" "svp_pmu user 72"
}

@test "what another's database says is not told: it is made anew" {
    copy_capture JOBX
    "$MSPROF" import -q JOBX
    sqlite3 JOBX/sqlite/runtime.db "UPDATE source_file SET kind = 'secret'; UPDATE meta SET value = 'secret' WHERE key IN ('family', 'clock');
        INSERT INTO diagnostics(severity, code, message, occurrences) VALUES('secret', 'secret', 'secret', 9223372036854775807)"
    run_msprof doctor JOBX
    expect_not_contains "$output$stderr" secret
}

@test "a capture that cannot be imported does not keep the doctor from telling of the machine" {
    copy_capture "secret/JOBX"
    : >secret/JOBX/sqlite # where a directory is to be made
    run_msprof doctor secret/JOBX
    expect_status 1
    expect_contains "$output" "Libraries"
    expect_contains "$output" "cannot be imported (status 1)"
    expect_not_contains "$output$stderr" secret
    run_msprof doctor secret/JOBX --format json
    expect_equal "$(jq -c '.captures[0] | [.opened, .status]' <<<"$output")" '[false,1]'
}

@test "layouts that cannot be loaded are a remark" {
    mkdir -p config/msprof/layouts
    echo 'kind secret' >config/msprof/layouts/secret.layout
    XDG_CONFIG_HOME=$PWD/config run_msprof doctor
    expect_status 1
    expect_contains "$output" "cannot load layouts"
    expect_not_contains "$output$stderr" secret
}

@test "nothing decoded is status 4, with the files that are there" {
    mkdir -p JOBX/data
    echo '{"DeviceInfo": [{"aic_frequency": "475"}]}' >JOBX/info.json.0
    run_msprof doctor JOBX
    expect_status 4
    expect_contains "$output" "1 file (1 of no kind)"
    expect_not_contains "$output$stderr" secret
}

@test "several captures are numbered, and one that is none is told by what was typed" {
    copy_capture captures/JOBA
    copy_capture captures/JOBB
    run_msprof doctor captures
    expect_status 0
    expect_contains "$output" $'\nCapture 1  svp'
    expect_contains "$output" $'\nCapture 2  svp'
    expect_not_contains "$output$stderr" JOBA
    run_msprof doctor no-capture
    expect_contains "$stderr" no-capture
    run_msprof doctor --format xml
    expect_status 2
    expect_equal "$output" ""
}

@test "a board's capture without layers leads to ATC's --online_model_type, one with layers does not" {
    copy_capture JOBX
    run_msprof doctor JOBX
    expect_not_contains "$output" online_model_type
    rm JOBX/data/aicore.*
    run_msprof doctor JOBX
    expect_contains "$output" "--online_model_type 0, 1, 4"
    run_msprof import JOBX
    expect_contains "$stderr" "--online_model_type 2 (default), 3, 6 and 7"
}
