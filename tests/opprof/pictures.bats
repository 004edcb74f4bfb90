#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Pictures of the page about an OPPROF directory, and source beside hot lines.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3
    enter_scratch
}

compare() {
    run_msprof report "$1" -o page.html
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/pictures.py" "$MSPROF" "$1" page.html
}

@test "bars, maps, rooflines, paths and the verdict have the numbers of the tables" {
    plant_vector
    plant_mix
    expect_equal "$(compare OPPROF_1)" "71 marks"
    expect_equal "$(compare OPPROF_2)" "158 marks"
}

@test "the page is the same bytes twice, needs nothing else, and has no script but its own" {
    plant_mix
    run_msprof report OPPROF_2 -o page.html
    run_msprof report OPPROF_2 -o again.html
    cmp page.html again.html
    expect_equal "$(grep -oE '(src|href)="[^#][^"]*"' page.html || :)" ""
    expect_equal "$(grep -c '<script>' page.html)" 1
    expect_contains "$(<page.html)" "default-src &#39;none&#39;"
    # each drawing says what it is, and the contents lead to parts that are there
    expect_equal "$(grep -oE '<svg [^>]*>' page.html | grep -vc 'aria-label=\|aria-hidden=' || :)" 0
    expect_equal "$(grep -oE 'href="#c1-[a-z]+"' page.html | sed 's/.*#//' | sort)" \
        "$(grep -oE '<section id="c1-[a-z]+"' page.html | sed 's/.*"\(.*"\)/\1/' | sort)"
}

@test "names of operators and launches are texts, and hashes with --redact" {
    plant <<'END'
for launch in range(2):
    Op('</script><b>"x', 'vector', 10.0, blocks=2).write(f'OPPROF_1/<i>/{launch}', [
        Row(b, 'vector0', cycles=9000, vec=900) for b in range(2)])
END
    run_msprof report OPPROF_1 -o page.html
    expect_status 0
    expect_equal "$(grep -cE '<b>|<i>' page.html || :)" 0
    expect_contains "$(<page.html)" '&lt;b&gt;'
    run_msprof report --redact OPPROF_1 -o page.html
    expect_equal "$(grep -c 'b&gt;\|i&gt;' page.html || :)" 0
}

@test "a directory without tables, without launches or with other cores has a page, too" {
    mkdir OPPROF_1 OPPROF_2
    printf 'Op Name,Op Type,Task Duration(us),Block Dim,Device Id,Pid,Current Freq,Rated Freq,\nadd,AiCore,5.000000,8,0,7,1060,1060,\n' >OPPROF_1/OpBasicInfo.csv
    printf 'aic_time(us),aic_total_cycles,aic_cube_time(us),aic_cube_ratio,aic_vec_time(us),aic_vec_ratio,\n4.000000,4240,1.000000,0.250000,2.000000,0.500000,\n' >OPPROF_1/PipeUtilization.csv
    run_msprof report OPPROF_1 -o page.html
    expect_status 0
    expect_contains "$(<page.html)" "took 5 us, its longest block 4 us; the busiest pipe was vector of the AI cores"
    printf 'Op Name,Op Type,Task Duration(us),Block Dim,\n' >OPPROF_2/OpBasicInfo.csv
    printf 'block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,\n0,vector0,NA,NA,NA,NA,\n' >OPPROF_2/PipeUtilization.csv
    run_msprof report OPPROF_2 -o page.html
    expect_contains "$(<page.html)" "An operator whose OpBasicInfo.csv is missing"
    expect_equal "$(grep -c 'nan\|inf"' page.html || :)" 0
}

# simulate LINE...: a simulated core that ran these lines, each hotter than the next.
simulate() {
    mkdir -p OPPROF_5/simulator/core0.veccore1
    {
        echo 'code,call_count,cycles,running_time(us)'
        cycles=9000
        for line; do
            echo "$line,8,$((cycles -= 100)),1.630000"
        done
    } >OPPROF_5/simulator/core0.veccore1/core0.veccore1_code_exe.csv
}

# sources: rows of the table of hot lines, as LINE|SOURCE.
sources() {
    python3 - <<'END'
import html, re
page = open('page.html', encoding='utf-8').read()
found = re.search(r'<caption>Hot lines beside their source</caption>(.*?)</table>', page, re.S)
for row in re.findall(r'<tr>(<td.*?)</tr>', found.group(1) if found else '', re.S):
    cells = [html.unescape(re.sub(r'<[^>]*>', '', cell)) for cell in re.findall(r'<td[^>]*>(.*?)</td>', row, re.S)]
    print(cells[0] + '|' + cells[-1])
END
}

@test "hot lines stand beside their source, which is found by the tail of its path" {
    simulate /home/u/op/src/add.cpp:2 /home/u/op/src/add.cpp:3 /home/u/op/src/add.cpp:4 /elsewhere/other.h:1 /gone/x.cpp:14 /gone/x.cpp:15
    mkdir -p tree/op/src
    printf 'first\n\tx = a</script><b>;\r\nlast' >tree/op/src/add.cpp
    printf 'wrong\n' >tree/add.cpp
    printf '#include "a"\n' >tree/other.h
    run_msprof report OPPROF_5 --source tree -o page.html
    expect_status 0
    expect_equal "$(sources)" '/home/u/op/src/add.cpp:2|x = a</script><b>;
/home/u/op/src/add.cpp:3|last
/home/u/op/src/add.cpp:4|the file has no such line
/elsewhere/other.h:1|#include "a"
/gone/x.cpp:14|N/A
/gone/x.cpp:15|N/A'
    expect_equal "$(grep -c '<b>' page.html || :)" 0
    expect_equal "$(grep -o 'x.cpp is not below the directory of --source' page.html | wc -l)" 1
}

@test "hot lines of several launches are beside their source with their launch" {
    mkdir src
    printf 'first\nsecond\n' >src/a.cpp
    for launch in add/0 mul/0; do
        core=OPPROF_1/$launch/simulator/core0.veccore0
        mkdir -p $core
        printf 'code,call_count,cycles,running_time(us)\n/k/a.cpp:2,8,2944,1.5\n' >$core/core0.veccore0_code_exe.csv
    done
    run_msprof report OPPROF_1 --source src -o page.html
    expect_status 0
    expect_equal "$(sed 's/<[^>]*>//g' page.html | grep -o '[a-z]*/0 core0.veccore0')" "add/0 core0.veccore0
mul/0 core0.veccore0"
}

@test "the page says how many hot lines it has not put beside their source" {
    # shellcheck disable=SC2046 # a word for each line
    simulate $(printf '/op/add.cpp:%d ' {1..23})
    mkdir tree
    seq 30 >tree/add.cpp
    run_msprof report OPPROF_5 --source tree -o page.html
    expect_status 0
    expect_equal "$(sources | wc -l)" 20
    expect_contains "$(<page.html)" "The first 20 are beside their source; the table of lines has 3 more."
}

@test "nothing outside the directory of --source is read" {
    mkdir -p tree/up
    echo hidden_word >secret.cpp
    ln -s ../secret.cpp tree/link.cpp
    ln -s .. tree/out
    simulate /a/link.cpp:1 out/secret.cpp:1 /a/../secret.cpp:1 ../secret.cpp:1 "$PWD/secret.cpp:1" /a/up:1
    run_msprof report OPPROF_5 --source tree -o page.html
    expect_status 0
    expect_equal "$(sources | cut -d'|' -f2 | sort -u)" "N/A"
    expect_equal "$(grep -c hidden_word page.html || :)" 0
}

@test "source is hidden with --redact, and a directory that is not there is said" {
    simulate /op/add.cpp:1
    mkdir tree
    echo 'int secret_name;' >tree/add.cpp
    run_msprof report OPPROF_5 --redact --source tree -o page.html
    expect_status 0
    expect_equal "$(grep -c 'secret_name\|add.cpp' page.html || :)" 0
    run_msprof report OPPROF_5 --source nowhere -o page.html
    expect_status 4
    expect_contains "$stderr" "'nowhere'"
}

@test "--source says that captures of other kinds have no lines" {
    copy_capture JOBX
    mkdir tree
    run_msprof report JOBX --source tree -o page.html
    expect_contains "$stderr" "--source needs an OPPROF directory"
}
