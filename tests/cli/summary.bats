#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof export summary on SVP captures: which files, which columns, which numbers, whatever the names and the workers.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
}

# Copies a capture of testdata/ to JOBX.
take() {
    mkdir JOBX
    cp -R "$repository/testdata/$1"/JOB*/. JOBX/
    rm -rf JOBX/sqlite JOBX/log JOBX/timeline JOBX/summary
    chmod -R u+w JOBX
}

# All tables of JOBX against what its raw files say: agree guide|vendor csv|json
agree() {
    run_msprof export summary -dir JOBX --columns "$1" --format "$2" --output "out-$1-$2"
    expect_status 0
    run python3 "$repository/tests/lib/svp_tables.py" JOBX "out-$1-$2/summary" "$1" "$2"
    echo "$output"
    [ "$status" -eq 0 ]
}

# Replaces the layer table of a model by one line of JSON.
set_layers() {
    printf '%s\n' "$2" >"JOBX/data/$1.layer.info"
}

# Prints the fields of a row of a CSV file, one in each line, line breaks inside as \n: csv_row FILE NUMBER
csv_row() {
    python3 -c '
import csv, sys
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    for field in list(csv.reader(file))[int(sys.argv[2])]:
        print(field.replace("\n", "\\n"))' "$1" "$2"
}

@test "every value of every table is what the raw files say, guide's columns as CSV" {
    take small
    agree guide csv
    expect_contains "$output" "48 tables agree"
}

@test "every value of every table is what the raw files say, guide's columns as JSON" {
    take small
    agree guide json
}

@test "every value of every table is what the raw files say, vendor's columns as CSV" {
    take small
    agree vendor csv
}

@test "every value of every table is what the raw files say, vendor's columns as JSON" {
    take small
    agree vendor json
}

@test "the tables of a whole residual network agree too" {
    take resnet50
    agree guide csv
    agree vendor json
}

@test "the check of the tables finds a wrong digit, a missing row and a missing file" {
    take small
    agree guide csv
    check=(python3 "$repository/tests/lib/svp_tables.py" JOBX out-guide-csv/summary guide csv)
    table=out-guide-csv/summary/op_statistic_0_3_0_1.csv
    cp "$table" kept
    sed -i '2s/,70\.53$/,70.54/' "$table"
    run "${check[@]}"
    [ "$status" -eq 1 ]
    head -n -1 kept >"$table"
    run "${check[@]}"
    [ "$status" -eq 1 ]
    rm "$table"
    run "${check[@]}"
    [ "$status" -eq 1 ]
    cp kept "$table"
    run "${check[@]}"
    [ "$status" -eq 0 ]
}

@test "each device, model, batch number, input and picture has its files" {
    take small
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_equal "$(cd JOBX/summary && printf '%s\n' op_statistic* acl_statistic*)" \
        "$(printf '%s\n' op_statistic_{0,1}_{3,4}_{0,1,4}_1.csv acl_statistic_{0,1}_{3,4}_1.csv)"
    # the last but one part is the rate of instruction cache misses, which no two of these samples share
    expect_equal "$(cd JOBX/summary && printf '%s\n' op_summary* | sed -E 's/\.0\.[0-9]{6}\.475\.csv$/ RATE/' | LC_ALL=C sort)" \
        "$(printf '%s RATE\n' op_summary_{0,1}.{detector.3,'face v1.2 人脸.4'}.{1.{1,2}.{0,1},4.{1,2}.{0,4}} | LC_ALL=C sort)"
    expect_equal "$(find JOBX/summary -type f | wc -l)" 48
    expect_contains "$stderr" "48 files"
}

@test "the number of rows that is told is that of the files" {
    take small
    run_msprof export summary -dir JOBX
    expect_status 0
    rows=$(($(cat JOBX/summary/*.csv | wc -l) - 48))
    expect_contains "$stderr" "48 files, $rows rows"
}

@test "the guide's columns are the default" {
    take small
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_equal "$(head -qn 1 JOBX/summary/op_summary_* | sort -u)" \
        "Layer Id,Ori Layer Name,Layer Name,Layer Type,Time(us),Time Ratio,Mac Busy Ratio,Mac Ppen Ratio,Vec Busy Ratio,Vec Ppen Ratio,Dstr Ratio,Dtrans Ratio,DLD Ratio,WLD Ratio,Memory Bound,DDR Read(byte),DDR Write(byte),DDR Total(byte)"
    expect_equal "$(head -qn 1 JOBX/summary/acl_statistic_* | sort -u)" \
        "Process ID,Thread ID,Type,Name,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),Min(us)"
    expect_equal "$(head -qn 1 JOBX/summary/op_statistic_* | sort -u)" \
        "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),Min(us)"
}

@test "the vendor's columns are what its tool prints" {
    take small
    run_msprof export summary -dir JOBX --columns vendor
    expect_status 0
    expect_equal "$(head -qn 1 JOBX/summary/op_summary_* | sort -u)" \
        "Task ID,Layer ID,Layer Name,Layer Type,Ori Layer Name,Time(us),Time Ratio(%),Mac Busy Ratio(%),Mac Ppen Ratio(%),Vec Busy Ratio(%),Vec Ppen Ratio(%),Dstr Ratio(%),Dtrans Ratio(%),DLD Ratio(%),WLD Ratio(%),Memory Bound,DDR Read(KB),DDR Write(KB),DDR Total(KB)"
    expect_equal "$(head -qn 1 JOBX/summary/acl_statistic_* | sort -u)" \
        "Process ID,Thread ID,Type,Name,Total Time(us),Total Time Ratio(%),Count,Avg(us),Min(us),Max(us)"
    expect_equal "$(head -qn 1 JOBX/summary/op_statistic_* | sort -u)" \
        "Task ID,Stream ID,OP Type,Task Type,Total Time(us),Total Time Ratio(%),Count,Avg(us),Max(us),Min(us)"
}

@test "AI CPU tasks are in op_statistic and not in op_summary" {
    take small
    run_msprof export summary -dir JOBX
    expect_status 0
    grep -q ',DecBbox,AI_CPU,' JOBX/summary/op_statistic_0_3_0_1.csv
    expect_equal "$(grep -l DecBbox JOBX/summary/op_summary_*)" ""
}

@test "fields are quoted as Python's csv module does it, whatever the names hold" {
    take small
    set_layers detector.3 '[{"layer_id":0,"name":"a \"b\"","type":"x,y","ori_name":"line\nbreak","task_id":0,"engine":"AI_CORE"},{"layer_id":1,"name":"人脸, 1","type":"Conv","ori_name":"","task_id":1,"engine":"AI_CORE"},{"layer_id":2,"name":"plain; one","type":"Conv","ori_name":"o","task_id":2,"engine":"AI_CORE"}]'
    run_msprof export summary -dir JOBX
    table=$(echo JOBX/summary/op_summary_0.detector.3.1.1.0.*)
    expect_contains "$(<"$table")" $'\n0,"line\nbreak","a ""b""","x,y",'
    expect_contains "$(<"$table")" $'\n1,,"人脸, 1",Conv,'
    expect_contains "$(<"$table")" $'\n2,o,plain; one,Conv,'
    expect_equal "$(csv_row "$table" 2 | head -4)" $'0\nline\\nbreak\na "b"\nx,y'
    expect_equal "$(csv_row "$table" 3 | head -4)" $'1\n\n人脸, 1\nConv'
    expect_contains "$(<JOBX/summary/op_statistic_0_3_0_1.csv)" ',0,"x,y",AI_CORE,'
}

@test "JSON has an indent of four, numbers as numbers and texts as texts" {
    take small
    run_msprof export summary -dir JOBX --format json --columns vendor
    expect_status 0
    expect_equal "$(find JOBX/summary -name '*.json' | wc -l)" 48
    # Python, which writes the shortest form of a number too, makes the same bytes of what it reads.
    python3 - JOBX/summary/*.json <<'CHECK'
import json, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert json.dumps(json.loads(text), indent=4, ensure_ascii=False) + "\n" == text, path
CHECK
    first=$(echo JOBX/summary/op_summary_0.detector.3.1.1.0.*)
    expect_equal "$(sed -n 2,9p "$first")" '    {
        "Task ID": "-",
        "Layer ID": "-",
        "Layer Name": "-",
        "Layer Type": "-",
        "Ori Layer Name": "-",
        "Time(us)": 439.16,
        "Time Ratio(%)": "100",'
    run_msprof export summary -dir JOBX --format json
    expect_status 0
    grep -q '^        "Time Ratio": 100,$' "$first"
}

@test "JSON stays valid whatever the names hold" {
    take small
    set_layers detector.3 '[{"layer_id":0,"name":"q\"b\\s\u0001\t\u007f","type":"</script>","ori_name":"e\ud83d\ude00","task_id":0,"engine":"AI_CORE"}]'
    run_msprof export summary -dir JOBX --format json
    expect_equal "$(python3 -c '
import json, sys
for row in json.load(open(sys.argv[1], encoding="utf-8"))[1:2]:
    print(ascii([row["Layer Id"], row["Layer Name"], row["Layer Type"], row["Ori Layer Name"]]))' \
        JOBX/summary/op_summary_0.detector.3.1.1.0.*)" "[0, 'q\"b\\\\s\\ufffd\\t\\ufffd', '</script>', 'e\\U0001f600']"
}

@test "what the capture does not hold is N/A" {
    take small
    rm JOBX/data/detector.3.layer.info
    echo '{"DeviceInfo": [{}]}' >JOBX/info.json.1
    run_msprof export summary -dir JOBX --columns vendor
    # a model without a layer table: the tasks' own numbers are all that is known of them
    table=$(echo JOBX/summary/op_summary_0.detector.3.1.1.0.*.475.csv)
    expect_equal "$(csv_row "$table" 2 | head -7 | paste -sd '|')" "0|N/A|N/A|N/A|N/A|70.74|16.11"
    expect_equal "$(cut -d , -f 2-4,7 JOBX/summary/op_statistic_0_3_0_1.csv)" $'Stream ID,OP Type,Task Type,Count\n0,N/A,AI_CORE,48\n2,N/A,AI_CPU,8'
    # a device without a frequency: no times, but their ratios, and 0 in the name
    table=$(echo JOBX/summary/op_summary_1.'face v1.2 人脸'.4.1.1.0.*.0.csv)
    expect_equal "$(csv_row "$table" 1 | sed -n 6,8p | paste -sd '|')" "N/A|100|77.06"
    grep -q ',Convolution,AI_CORE,N/A,N/A,20,N/A,N/A,N/A$' JOBX/summary/op_statistic_1_4_0_1.csv
    run_msprof export summary -dir JOBX --format json
    grep -q '"Time(us)": "N/A",' JOBX/summary/op_summary_1.'face v1.2 人脸'.4.1.1.0.*.json
}

@test "a model that was loaded and never executed has an acl_statistic only" {
    take small
    rm JOBX/data/aic*
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_equal "$(ls JOBX/summary)" "$(printf '%s\n' acl_statistic_{0,1}_{3,4}_1.csv)"
}

@test "a board that logs no API calls has no acl_statistic" {
    take small
    rm JOBX/data/acl_api.*
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_equal "$(find JOBX/summary -name 'acl_*' | wc -l)" 0
    expect_equal "$(find JOBX/summary -name 'op_*' | wc -l)" 44
}

# The board's file with the last task of its first inference after 4200 others: too far away to be counted to it.
split_an_inference() {
    python3 - JOBX/data/aicore.0.1.1 <<'SPLIT'
import struct, sys
with open(sys.argv[1], "rb") as file:
    content = file.read()
records = [content[i : i + 128] for i in range(0, len(content), 128)]
first = [record for record in records if record[100:104] == records[0][100:104] and record[120:124] == records[0][120:124]]
def picture(number):
    record = bytearray(first[0])
    struct.pack_into("<I", record, 120, number)
    return bytes(record)
with open(sys.argv[1], "wb") as file:
    file.write(b"".join(first[:-1] + [picture(number) for number in range(100, 4300)] + first[-1:]))
SPLIT
}

@test "two parts of an inference, which have one name, share one file" {
    take small
    split_an_inference
    run_msprof export summary -dir JOBX --columns vendor
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_equal "$(find JOBX/summary -name 'op_summary_0.detector.3.1.1.0.*' | wc -l)" 1
    expect_equal "$(cut -d , -f 1 JOBX/summary/op_summary_0.detector.3.1.1.0.* | paste -sd ' ')" "Task ID - 0 1 2 3 4 5 6 7 8 9 10 - 11"
    files=$(find JOBX/summary -type f | wc -l)
    expect_contains "$stderr" "$files files, $(($(cat JOBX/summary/*.csv | wc -l) - files)) rows"
    expect_equal "$(grep -c 'has been exported to "' JOBX/log/collection.log)" "$files"
    expect_equal "$(grep 'has been exported to "' JOBX/log/collection.log | sed 's/.*exported to//' | sort -u | wc -l)" "$files"
}

@test "one worker and many write the same files" {
    command -v taskset >/dev/null || skip "taskset(1) is not installed"
    take small
    run_msprof export summary -dir JOBX --output many
    expect_status 0
    # shellcheck disable=SC2034 # for run_msprof
    launcher=(taskset -c "$(taskset -pc $$ | sed 's/.*: //;s/[,-].*//')")
    run_msprof export summary -dir JOBX --output one
    expect_status 0
    diff -r many/summary one/summary
    sort_log() { grep -o 'exported to .*' "$1/log/collection.log" | sed 's|/[^"]*/||' | sort; }
    expect_equal "$(sort_log many)" "$(sort_log one)"
}

@test "a file that cannot be written fails the export, which says so once and leaves nothing half done" {
    take small
    run_msprof export summary -dir JOBX --output out
    expect_status 0
    victim=$(cd out/summary && echo op_summary_1.detector.3.4.1.0.*)
    rm -r out/summary
    mkdir -p "out/summary/$victim"
    run_msprof export summary -dir JOBX --output out
    expect_status 1
    expect_contains "$stderr" "$victim': it is a directory"
    expect_equal "$(grep -c 'it is a directory' <<<"$stderr")" 1
    expect_equal "$(find out/summary -name '*.tmp')" ""
    # what is there is whole: the last row has as many fields as the first
    for table in out/summary/op_statistic_*.csv; do
        expect_equal "$(tail -1 "$table" | tr -cd , | wc -c)" "$(head -1 "$table" | tr -cd , | wc -c)"
    done
}

@test "a full disk fails the export with the way out" {
    take small
    run_msprof import -q -dir JOBX
    # tables of device 0 and of device 1 that would go to a full device
    mkdir -p JOBX/summary
    ln -s /dev/full JOBX/summary/op_statistic_0_3_0_1.csv
    ln -s /dev/full JOBX/summary/op_statistic_1_3_0_1.csv
    run_msprof export summary -dir JOBX
    expect_status 1
    expect_contains "$stderr" "op_statistic_"
    expect_contains "$stderr" "free some space"
    expect_equal "$(grep -c 'cannot export the summary' <<<"$stderr")" 1
}
