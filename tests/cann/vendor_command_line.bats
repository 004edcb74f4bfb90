#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ascend's tools' ways to ask: 'analyze' of captures, and options of the collecting binary instead of commands.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
    python3 "$BATS_TEST_DIRNAME/lib/make_outputs.py" PROF_1 1
}

# done or done with the data problems that the capture has
expect_done() {
    [ "$status" -eq 3 ] || expect_status 0
}

@test "analyze writes the files of the rules that it is given, and the database" {
    run_msprof analyze -dir PROF_1 -r communication
    expect_done
    expect_equal "$(ls PROF_1/analyze)" $'communication.json\ncommunication_analyzer.db'
    run_msprof analyze -dir PROF_1 --rule communication_matrix,communication --type text
    expect_done
    expect_equal "$(ls PROF_1/analyze)" $'communication.json\ncommunication_analyzer.db\ncommunication_matrix.json'
    run_msprof export summary -dir PROF_1 --stable-names
    cmp PROF_1/analyze/communication.json PROF_1/mindstudio_profiler_output/communication.json
    cmp PROF_1/analyze/communication_matrix.json PROF_1/mindstudio_profiler_output/communication_matrix.json
    run_msprof export db -dir PROF_1 --stable-names
    for database in PROF_1/analyze PROF_1; do
        sqlite3 "$database/communication_analyzer.db" .dump >dump.${database//\//_}
    done
    cmp dump.PROF_1_analyze dump.PROF_1
    run_msprof show -dir PROF_1 --table api # analyze/ is no part of the capture
    expect_not_contains "$stderr" importing
}

@test "analyze --type db writes the database alone, and --clear removes that of the capture" {
    run_msprof analyze -dir PROF_1 -r communication --type db --clear
    expect_done
    expect_equal "$(ls PROF_1/analyze)" communication_analyzer.db
    [ ! -e PROF_1/sqlite/runtime.db ] || [ "$status" -eq 3 ]
}

@test "a rule that there is not, and a capture without communication, are told" {
    run_msprof analyze -dir PROF_1 -r communication,step
    expect_status 2
    expect_contains "$stderr" "--rule 'communication,step': expected communication, communication_matrix or both"
    run_msprof analyze -dir PROF_1 -r communication --type json
    expect_status 2
    run_msprof export summary -dir PROF_1 --type text
    expect_status 2
    copy_family prof-910b PROF_2
    run_msprof analyze -dir PROF_2 -r communication
    expect_status 4
    expect_contains "$stderr" "has no data for a communication"
}

# The cells of the columns of a table on the terminal, by their numbers.
cells_of() { # column...
    local columns
    columns=$(printf ',$%s' "$@")
    awk -F '│' -v OFS='|' "NF > 3 && !/ID/ { gsub(/ /, \"\"); print ${columns:1} }"
}

@test "query tells of one device, model or iteration" {
    rm -rf PROF_1
    write_capture <<'END'
for device in (0, 1):
    p.launch(0, 1, 1, 'op', device=device)
    p.ran(1000, 2000, 1, 1, device=device)
    for model, begins, lasts in ((3, 500, 12000), (4, 700, 20000)):
        for iteration in range(4):
            time = begins + iteration * (lasts + 20 * device)
            for after, tag in ((0, 0), (100, 2), (lasts - 500, 3), (lasts - 20, 4)):
                p.step(time + after, tag, model, device=device)
END
    run_msprof query -q -dir PROF_1
    expect_done
    cells_of 3 6 7 <<<"$output" >job_rows
    IFS='|' read -r device model count < <(tail -n 1 job_rows)
    [ "$count" -ge 2 ]
    run_msprof query -q -dir PROF_1 --id "$device" --model-id "$model"
    expect_done
    expect_equal "$(cells_of 3 6 7 <<<"$output")" "$device|$model|$count"
    run_msprof query -q -dir PROF_1 --id="$device" --data-type 1 --model-id "$model"
    expect_done
    expect_equal "$(cells_of 2 3 4 <<<"$output")" "$(for ((i = 1; i <= count; i++)); do echo "$device|$model|$i"; done)"
    run_msprof query -q -dir PROF_1 --id "$device" --model-id "$model" --iteration-id 2
    expect_done
    expect_equal "$(cells_of 2 3 4 <<<"$output")" "$device|$model|2"
    cells_of 5 6 7 8 <<<"$output" >step_times
    run_msprof export summary -q -dir PROF_1 --stable-names --output out
    python3 - "$device" "$model" "$(<step_times)" <<'END'
import csv, sys
device, model, times = sys.argv[1:]
(row,) = [r for r in csv.DictReader(open('out/mindstudio_profiler_output/step_trace.csv'))
          if (r['Device_id'], r['Model ID'].strip(), r['Iteration ID']) == (device, model, '2')]
wanted = [row[c].strip() for c in ('Iteration Time(us)', 'FP to BP Time(us)', 'Data Aug Bound(us)', 'Iteration Refresh(us)')]
number = lambda text: text if text == 'N/A' else round(float(text), 3)
assert [number(x) for x in wanted] == [number(times.split('|')[i]) for i in range(4)], (wanted, times)
END
    run_msprof query -q -dir PROF_1 --id 4711
    expect_status 4
    run_msprof query -q -dir PROF_1 --id -1
    expect_done
    expect_equal "$(cells_of 3 6 7 <<<"$output")" "$(<job_rows)"
    for value in x -2 ''; do
        run_msprof query -dir PROF_1 --id "$value"
        expect_status 2
    done
    run_msprof query -dir PROF_1 --data-type 6
    expect_status 2
    expect_contains "$stderr" "msprof cluster"
}

@test "query --data-type 0 tells whether captures are those of a cluster" {
    local number
    rm -rf PROF_1
    for number in 1 2; do
        write_capture <<END
for device in (0, 1):
    p.launch(0, 1, 1, 'op', device=device)
    p.ran(1000, 2000, 1, 1, device=device)
    p.configs['device_%d' % device] = {'rank_id': $number}
END
        mkdir "of_$number"
        mv PROF_1 "of_$number"
    done
    mv of_2/PROF_1 of_1/PROF_2
    run_msprof query -q --data-type 0 -dir of_1 --output same # each has a rank twice
    expect_equal "$output" '{"status": 0, "info": "", "data": "0"}'
    sed -i 's/"rank_id": 1/"rank_id": 3/; s/"rank_id": 2/"rank_id": 4/' of_1/*/device_1/info.json.1
    run_msprof query -q --data-type 0 -dir of_1 --output different
    expect_equal "$output" '{"status": 0, "info": "", "data": "1"}'
}

@test "--export=on and its like do what they ask for of the directory of --output" {
    mkdir captures
    mv PROF_1 captures
    run_msprof --parse=on --output=captures
    expect_done
    [ -e captures/PROF_1/sqlite/runtime.db ]
    run_msprof --export=on --output captures
    expect_done
    ls captures/PROF_1/mindstudio_profiler_output/msprof_*.json captures/PROF_1/mindstudio_profiler_output/api_statistic_*.csv
    run_msprof --analyze=on --rule=communication --output=captures
    expect_done
    [ -e captures/PROF_1/analyze/communication.json ]
    [ ! -e captures/PROF_1/analyze/communication_matrix.json ]
    run_msprof --query=on --output=captures
    expect_done
    expect_contains "$output" "Job Info"
    run_msprof --export=on --parse=off --output=nowhere
    expect_status 1
    run_msprof import --cluster -dir captures
    expect_done
}

@test "options of the vendor's form go to the commands that have them, and to those that know their value" {
    echo '{"json_process": {"cann": true}}' >layers.json
    run_msprof --export=on --output=PROF_1 --reports=layers.json
    expect_done
    ls PROF_1/mindstudio_profiler_output/api_statistic_*.csv
    expect_not_contains "$(cat PROF_1/mindstudio_profiler_output/msprof_*.json)" "Ascend Hardware"
    run_msprof --parse=on --export=on --output PROF_1 --stable-names --reports layers.json --format=json
    expect_done
    ls PROF_1/mindstudio_profiler_output/msprof.json PROF_1/mindstudio_profiler_output/api_statistic.json
    run_msprof --export=on --output=PROF_1 --stable-names --format csv
    expect_done
    ls PROF_1/mindstudio_profiler_output/msprof.json PROF_1/mindstudio_profiler_output/api_statistic.csv
    run_msprof --export=on --output=PROF_1 --stable-names --format=pftrace --analyze=on -r communication
    expect_done
    ls PROF_1/mindstudio_profiler_output/msprof.pftrace PROF_1/analyze/communication.json
    [ ! -e PROF_1/analyze/communication_matrix.json ]
}

@test "an option that no command of the vendor's form has ends it before anything is done" {
    for option in --cluster --rule=communication --format=xml --model-id=x --nothing; do
        run_msprof --export=on --output=PROF_1 "$option"
        expect_status 2
        expect_contains "$stderr" "${option%%=*}"
        expect_equal "$(grep -c '^msprof: ' <<<"$stderr")" 1
        expect_equal "$(ls PROF_1)" "$(printf 'device_0\nhost')"
    done
}
