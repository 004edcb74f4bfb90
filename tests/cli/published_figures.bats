#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The numbers of the vendor's published figures come out of captures that encode them. The expected rows are typed from
# the figures (vendor columns), not taken from this program's output.
# shellcheck disable=SC2154 # load common sets scratch, repository and shared; run sets output

load common

setup() {
    enter_scratch
}

# import and export the capture of one figure; $summary is its directory of tables
export_figure() {
    cp -R "$repository/testdata/figures/$1"/JOB* JOBX
    chmod -R u+w JOBX
    run_msprof export summary -dir JOBX --columns vendor
    expect_status 0
    summary=JOBX/summary
}

# Prints columns of a CSV file, joined with '|'; understands quoted fields.
csv_columns() {
    awk -v wanted="$2" '
        function split_csv(line, fields,   n, i, c, quoted) {
            n = 1
            fields[1] = ""
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"")
                    quoted = !quoted
                else if (c == "," && !quoted)
                    fields[++n] = ""
                else
                    fields[n] = fields[n] c
            }
            return n
        }
        BEGIN { columns = split(wanted, column, ",") }
        {
            sub(/\r$/, "")
            split_csv($0, field)
            row = field[column[1]]
            for (i = 2; i <= columns; i++)
                row = row "|" field[column[i]]
            print row
        }' "$1"
}

@test "the acl_statistic figure comes out, row by row" {
    export_figure acl_statistic
    expect_equal "$(head -1 "$summary/acl_statistic_0_6_1.csv")" \
        "Process ID,Thread ID,Type,Name,Total Time(us),Total Time Ratio(%),Count,Avg(us),Min(us),Max(us)"
    # by name: the figure is sorted in another way
    expect_equal "$(tail -n +2 "$summary/acl_statistic_0_6_1.csv" | LC_ALL=C sort)" \
        "0,0,model,svp_acl_ext_process_aicpu_task,352740,14.21891502,50,7054,6863,11883
0,0,model,svp_acl_mdl_execute,1781448,71.80999524,50,35628,35377,41968
0,0,model,svp_acl_mdl_load_from_mem,340694,13.73334193,1,340694,340694,340694
0,0,model,svp_acl_mdl_unload,5898,0.237747805,1,5898,5898,5898"
}

@test "the op_statistic figure comes out, row by row" {
    export_figure op_statistic
    # Task ID 13 is not in the figure: the printed ratios need one more type after Softmax
    expect_equal "$(head -14 "$summary/op_statistic_0_34_0_1.csv")" \
        "Task ID,Stream ID,OP Type,Task Type,Total Time(us),Total Time Ratio(%),Count,Avg(us),Max(us),Min(us)
0,0,Convolution,AI_CORE,8131.84,20.71,8,1016.48,2590.33,11.17
1,0,DecBbox,AI_CORE,87.83,0.22,1,87.83,87.83,87.83
2,0,Fc,AI_CORE,12511.5,31.86,4,3127.875,9361.17,71.83
3,0,FilterBox,AI_CORE,42.17,0.11,1,42.17,42.17,42.17
4,0,NMS,AI_CORE,163.5,0.42,1,163.5,163.5,163.5
5,0,Permute,AI_CORE,999.35,2.54,5,199.87,463.17,9.67
6,0,PoolingMax,AI_CORE,5180.66,13.19,2,2590.33,2590.33,2590.33
7,0,Preprocess,AI_CORE,2591.83,6.6,2,1295.915,2590.33,1.5
8,0,ROIPooling,AI_CORE,6571.17,16.73,1,6571.17,6571.17,6571.17
9,0,Reportop,AI_CORE,982.66,2.5,4,245.665,500.5,1.5
10,0,Reshape,AI_CORE,1024,2.61,6,170.6667,397,6.5
11,0,Slice,AI_CORE,23.67,0.06,1,23.67,23.67,23.67
12,0,Softmax,AI_CORE,712.5,1.81,2,356.25,646.17,66.33"
    [ "$(wc -l <"$summary/op_statistic_0_34_0_1.csv")" -eq 15 ]
}

@test "the rows that the op_summary figure shows come out" {
    export_figure op_summary
    table=$summary/op_summary_0.fasterrcnn_alexnet.34.1.1.0.0.000402.600.csv
    # Task ID, Layer ID, Time, Time Ratio, the eight ratios, Memory Bound
    expect_equal "$(csv_columns "$table" 1,2,6,7,8,9,10,11,12,13,14,15,16 | grep -E '^(-|0|1|6|8|9|12)\|')" \
        "-|-|28823.67|100|60.59|55.14|62.47|6.15|15.6|5.65|45.77|10.81|0.76
0|0,1,2,3,4|2594|9|97.34|97|99.59|10.64|1.9|1.09|30.54|1.8|0.31
1|5|693.83|2.41|95.72|95.47|99.81|2.65|0|0|4.12|11.61|0.12
6|10|9.67|0.03|0|0|0|0|0|92.29|0|0|0
8|12|59.17|0.21|0|0|12.57|11.23|14.44|11.35|72.18|0|6.43
9|13|32.17|0.11|19.31|19.07|96.6|9.53|19.52|0|77.96|4.11|4.04
12|17,18|23.67|0.08|0|0|3.8|3.51|75.61|12.76|7.22|0|21.52"
    # Task ID, Layer Type
    expect_equal "$(csv_columns "$table" 1,4 | grep -E '^(-|1|6|8|9|12)\|')" \
        "-|-
1|Convolution
6|Permute
8|Permute
9|Convolution
12|Slice,Permute"
    expect_equal "$(csv_columns "$table" 1,5 | grep -E '^0\|')" "0|data,conv1,relu1,pool1,conv2,relu2,pool2"
}

@test "a capture of 88 tasks gives every time, name and size back that it was worked back from" {
    needs python3
    run python3 "$BATS_TEST_DIRNAME/ss928_tasks.py" "$MSPROF" - .
    expect_contains "$output" "616 cells"
}

@test "the 88 tasks of a real SS928 come out of a capture that encodes them, cell by cell, and their sum" {
    needs python3
    needs_shared data/real-samples-2
    run python3 "$BATS_TEST_DIRNAME/ss928_tasks.py" "$MSPROF" \
        "$shared/data/real-samples-2/svp-ss928-profile-2026-10/ss928_tasks.csv" .
    expect_equal "$output" "616 cells, 398.838575 ms"
}
