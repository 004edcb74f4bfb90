#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof show on SVP captures: its four blocks, their order, their values, their alignment.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
    mkdir JOBX
    cp -R "$repository"/testdata/small/JOB*/. JOBX/
    rm -rf JOBX/sqlite JOBX/log JOBX/timeline JOBX/summary
    chmod -R u+w JOBX
}

# Shows JOBX with these options into the file `shown`, all 32 tables of its inferences.
show() {
    run_msprof_into shown show -q -dir JOBX --top 32 "$@"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

# The rows of `shown`, a line for each, cells joined by '|' (tests/lib/text_tables.py).
cells() {
    python3 "$repository/tests/lib/text_tables.py" cells shown
}

# The lines of `shown`'s cells from one block's title, without it, to the next one's.
block() {
    cells | awk -v title="$1" '/^(AI Core Metrics|Op statistic|Acl statistic|Frequency) :/ { inside = index($0, title) == 1; next } inside'
}

# Fails unless all tables of `shown` are aligned and all its lines at most so wide (default: any width).
expect_aligned() {
    run python3 "$repository/tests/lib/text_tables.py" align shown "$@"
    [ "$status" -eq 0 ] && return
    echo "$output" >&2
    return 1
}

# Rows of the CSV tables of JOBX/summary, their titles left out, cells joined by '|'.
csv_rows() {
    python3 - "$@" <<'ROWS'
import csv, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            print("|".join(row))
ROWS
}

@test "there are four blocks, in the order of the guide" {
    show
    expect_equal "$(grep -oE '^(AI Core Metrics|Op statistic|Acl statistic|Frequency) :' shown)" \
        $'AI Core Metrics :\nOp statistic :\nAcl statistic :\nFrequency :\nFrequency :'
    expect_equal "$(tail -2 shown)" $'Frequency : 475 Mhz\nFrequency : 475 Mhz Device id: 1'
}

@test "each table has its heading and its columns" {
    show
    expect_equal "$(head -3 shown)" 'AI Core Metrics :
Model name : detector Model id : 3 Batch num: 1 Current pic count: 0
Fps : 2277  (frames per second in model)'
    expect_equal "$(block 'AI Core' | grep '^Task ID' | sort -u)" \
        'Task ID|Layer Name|Layer Type|Ori Layer Name|Time(us)\nTime Ratio(%)|Mac Ppen Ratio(%)\nVec Ppen Ratio(%)|Dstr Ratio(%)\nDtrans Ratio(%)\nDLD Ratio(%)\nWLD Ratio(%)|Memory Bound\nBandWidth(GB/s)|DDR Read(KB)\nDDR Write(KB)\nDDR Total(KB)'
    expect_equal "$(block 'Op statistic' | grep '^Task ID' | sort -u)" \
        'Task ID|Stream ID|OP Type|Task Type|Total Time(us)|Total Time Ratio(%)|Count|Avg(us)|Max(us)|Min(us)'
    expect_equal "$(block 'Acl statistic' | grep '^Process ID' | sort -u)" \
        'Process ID|Thread ID|Type|Name|Total Time(us)|Total Time Ratio(%)|Count|Avg(us)|Min(us)|Max(us)'
}

@test "every model, batch number, input, picture and device has its table, and says which it is" {
    show
    expect_equal "$(grep -c '^Fps : ' shown)" 32
    grep -qxF 'Model name : face v1.2 人脸 Model id : 4 Batch num: 4 Current pic count: 4 Input pic num: 2 Device id: 1' shown
    expect_equal "$(grep '^Model name' shown | sort -u | wc -l)" 32
    expect_equal "$(block 'Op statistic' | grep '^Model')" 'Model id : 3
Model id : 3 Current pic count: 1
Model id : 3 Current pic count: 4
Model id : 4
Model id : 4 Current pic count: 1
Model id : 4 Current pic count: 4
Model id : 3 Device id: 1
Model id : 3 Current pic count: 1 Device id: 1
Model id : 3 Current pic count: 4 Device id: 1
Model id : 4 Device id: 1
Model id : 4 Current pic count: 1 Device id: 1
Model id : 4 Current pic count: 4 Device id: 1'
    expect_equal "$(block 'Acl statistic' | grep '^Model')" $'Model id : 3\nModel id : 4\nModel id : 3 Device id: 1\nModel id : 4 Device id: 1'
}

@test "of many inferences the first 20 tables are shown, and it is said how many there are and how to see them" {
    # The headings and cells of a block's first tables, in a file: first FILE BLOCK COUNT
    first() {
        cp "$1" shown
        block "$2" | grep -v '^Tables :' | awk -v most="$3" '/^Model/ { count++ } count <= most'
    }
    show
    cp shown all
    run_msprof_into few show -q -dir JOBX
    expect_equal "$(grep '^Tables :' few)" "Tables : 20 of 32 (more: --top N; all: op_summary of 'msprof export summary')"
    for block in 'AI Core Metrics' 'Op statistic' 'Acl statistic'; do
        expect_equal "$(first few "$block" 1000)" "$(first all "$block" 20)"
    done
    run_msprof_into few show -q -dir JOBX --top 3
    expect_equal "$(grep '^Tables :' few)" "Tables : 3 of 32 (more: --top N; all: op_summary of 'msprof export summary')
Tables : 3 of 12 (more: --top N; all: op_statistic of 'msprof export summary')"
    expect_equal "$(first few 'AI Core Metrics' 1000)" "$(first all 'AI Core Metrics' 3)"
    expect_not_contains "$(<all)" "Tables :"
    cp few shown
    expect_aligned
}

@test "layers and several values stand in one cell" {
    show
    expect_contains "$(block 'AI Core' | sed -n 3,5p)" \
        '-|-|-|-|439.16/100|76.3/12.62|27.27/0.16/31.42/12.61|0.41/5.6528|1605.51/997.64/2603.15
0|data\nconv1\npool1|Preprocess\nConvolution\nPoolingMax|data\nconv1\nconv1_relu\npool1|70.74/16.11|95.17/57.09|33.27/0/25.07/1.54|0.35/0.7648|156.19/196/352.19'
}

@test "the metrics are those of the op_summary files" {
    show
    "$MSPROF" export summary -q -dir JOBX --columns vendor
    # in the order of the blocks: by device, model and picture, then batch number and input
    for device in 0 1; do
        for model in detector.3 'face v1.2 人脸.4'; do
            for picture in 1.0 4.0 1.1 4.4; do # with its batch number in front
                for input in 1 2; do
                    printf '%s\0' JOBX/summary/"op_summary_$device.$model.${picture%.*}.$input.${picture#*.}."*
                done
            done
        done
    done | xargs -0 python3 -c '
import csv, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            def joined(*titles):
                return "/".join(row[title] for title in titles)
            def lines(title):
                return row[title].replace(",", "\\n")
            print(row["Task ID"], lines("Layer Name"), lines("Layer Type"), lines("Ori Layer Name"),
                  joined("Time(us)", "Time Ratio(%)"), joined("Mac Ppen Ratio(%)", "Vec Ppen Ratio(%)"),
                  joined("Dstr Ratio(%)", "Dtrans Ratio(%)", "DLD Ratio(%)", "WLD Ratio(%)"), row["Memory Bound"],
                  joined("DDR Read(KB)", "DDR Write(KB)", "DDR Total(KB)"), sep="|")' >expected
    [ "$(wc -l <expected)" -eq $((32 * 13)) ]
    # all but the bandwidth, which the files do not have
    expect_equal "$(block 'AI Core' | grep -E '^(-|[0-9]+)\|' | sed -E 's,/[^/|]*(\|[^|]*)$,\1,')" "$(<expected)"
}

@test "the statistics are those of the op_statistic and acl_statistic files" {
    show
    "$MSPROF" export summary -q -dir JOBX --columns vendor
    expect_equal "$(block 'Op statistic' | grep '^[0-9]')" "$(csv_rows JOBX/summary/op_statistic_{0,1}_{3,4}_{0,1,4}_1.csv)"
    expect_equal "$(block 'Acl statistic' | grep '^[0-9]')" "$(csv_rows JOBX/summary/acl_statistic_{0,1}_{3,4}_1.csv)"
}

@test "wide characters do not move the columns" {
    show
    grep -q '分类概率' shown
    expect_aligned
    expect_contains "$output" "48 tables are aligned"
    printf '%s\n' '[{"layer_id":0,"name":"卷积层一，很长的名字","type":"卷积","ori_name":"ｆｕｌｌ","task_id":0,"engine":"AI_CORE"},' \
        '{"layer_id":1,"name":"e\u0301cole","type":"Conv","ori_name":"한국어","task_id":1,"engine":"AI_CORE"}]' >JOBX/data/detector.3.layer.info
    for width in 0 160 110 60; do
        show --width "$width"
        grep -q '한국어' shown
        expect_aligned "$width"
    done
}

@test "the check of the alignment finds a shifted column" {
    show
    sed -i '0,/分类概率/s/分类概率/分类/' shown
    run python3 "$repository/tests/lib/text_tables.py" align shown
    [ "$status" -eq 1 ]
}

@test "every shipped capture fits 80 columns, and 60" {
    captures=0
    while IFS= read -r info; do
        rm -rf JOBX
        cp -R "${info%/*}" JOBX
        rm -rf JOBX/sqlite JOBX/log
        chmod -R u+w JOBX
        for width in 80 60; do
            show --width "$width"
            expect_aligned "$width"
        done
        captures=$((captures + 1))
    done < <(find "$repository/testdata" -path '*/JOB*/info.json.0')
    [ "$captures" -ge 5 ]
}

@test "--width changes nothing but blanks, line breaks and frames, and breaks no number" {
    squeeze() { cells | sed 's/\\n//g' | tr -d ' \n|'; }
    # of all columns but those of layers' names
    numbers() {
        { block 'AI Core' | cut -s -d'|' -f1,5-; block 'Op statistic'; block 'Acl statistic'; } | grep -F '|' |
            sed 's/\\n/ /g' | grep -oE '[0-9.]+' | sort
    }
    show
    cp shown wide
    text=$(squeeze) values=$(numbers)
    [ "$(wc -l <<<"$values")" -gt 5000 ]
    for width in 150 110 80 60 1; do
        show --width "$width"
        [ "$(wc -L <shown)" -lt "$(wc -L <wide)" ]
        expect_equal "$(squeeze)" "$text"
        expect_equal "$(numbers)" "$values"
    done
}

@test "where the numbers need more than --width, the tables are as narrow as they can be" {
    show --width 1
    expect_aligned
    widest=$(wc -L <shown)
    [ "$widest" -lt 60 ]
    cp shown narrowest
    for width in 2 20; do
        show --width "$width"
        expect_equal "$(grep '[│═─]' shown)" "$(grep '[│═─]' narrowest)"
    done
}

@test "on a narrow terminal a table's heading is wrapped between its fields" {
    show --width 60
    expect_contains "$(<shown)" 'Model name : face v1.2 人脸 Model id : 4 Batch num: 4
Current pic count: 4 Input pic num: 2 Device id: 1
Fps : '
    # a field is longer than the line
    show --width 20
    expect_contains "$(<shown)" 'Model name : face v1.2 人脸
Model id : 4
Batch num: 4
Current pic count: 4
Input pic num: 2
Device id: 1
Fps : '
}

@test "into a pipe there are no colors and no limit of the width" {
    TERM=xterm show
    expect_not_contains "$(<shown)" $'\033'
    [ "$(wc -L <shown)" -gt 150 ]
    cp shown piped
    show --width 0
    cmp shown piped
}

@test "titles are cyan where colors are wanted, and only they" {
    show --color always
    expect_equal "$(grep -c $'^\033\[36m\(AI Core Metrics\|Op statistic\|Acl statistic\|Frequency\) :\033\[0m' shown)" 5
    expect_equal "$(grep -c $'\033' shown)" 5
    NO_COLOR=1 show
    expect_not_contains "$(<shown)" $'\033'
}

@test "on a terminal the tables are as wide as it is" {
    command -v script >/dev/null || skip "script(1) is not installed"
    show
    script -qec "stty cols 140; TERM=xterm '$MSPROF' show -q -dir JOBX --top 32" /dev/null | tr -d '\r' >raw
    expect_contains "$(<raw)" $'\033[36mOp statistic :\033[0m'
    sed $'s/\033\[[0-9]*m//g' raw >shown
    expect_aligned 140
}

@test "COLUMNS gives the width when nothing else does" {
    COLUMNS=140 show
    cp shown by-columns
    show --width 140
    cmp shown by-columns
    COLUMNS=200 show --width 140
    cmp shown by-columns
}

@test "a model that was loaded and never executed has no metrics, and it is said" {
    rm JOBX/data/aic*
    show
    expect_equal "$(head -4 shown)" $'AI Core Metrics :\nNo device data: the model never ran, or marks no layers.\nOp statistic :\nNo operators.'
    expect_equal "$(block 'Acl statistic' | grep -c '^[0-9]')" 58
    expect_equal "$(tail -1 shown)" "Frequency : N/A"
}

@test "a capture without API calls says so" {
    rm JOBX/data/acl_api.*
    show
    expect_equal "$(block 'Acl statistic')" "No API calls."
}

@test "a name cannot drive the terminal" {
    printf '%s\n' '[{"layer_id":0,"name":"\u001b[31mred\u0007","type":"a\nb","ori_name":"x\ty","task_id":0,"engine":"AI_CORE"}]' \
        >JOBX/data/detector.3.layer.info
    show
    expect_equal "$(LC_ALL=C tr -d '\n\200-\377 -~' <shown | wc -c)" 0
    expect_aligned
}

@test "tables that cannot be written fail the command" {
    run_msprof_into /dev/full show -q -dir JOBX
    expect_status 1
    expect_contains "$stderr" "cannot write"
}

@test "show makes no summary" {
    show
    [ ! -e JOBX/summary ]
}

@test "the vendor's spelling leaves timeline/ beside sqlite/ and log/, ours does not" {
    rm -rf JOBX
    copy_capture JOBX
    run_msprof show -dir JOBX
    expect_status 0
    expect_equal "$(cd JOBX && echo *)" "data info.json.0 log sqlite timeline"
    mv JOBX/timeline left
    run_msprof export timeline -q -dir JOBX
    diff -r left JOBX/timeline
    rm -r JOBX/timeline
    run_msprof show -dir JOBX --output results
    diff -r left results/timeline
    run_msprof show --dir JOBX
    run_msprof show JOBX
    run_msprof show -dir JOBX --table ops
    [ ! -e JOBX/timeline ]
}
