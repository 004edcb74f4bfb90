#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Two OPPROF directories compared, with gates.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3 jq
    enter_scratch
}

# add NAME DURATION VEC BYTES [LAUNCHES]: an operator on two vector cores at 1000 MHz; each launch is 1 % longer.
add() {
    plant <<END
for launch in range(${5:-1}):
    Op('add', 'vector', $2 * (1 + launch / 100), blocks=2, mhz=1000).write(
        '$1' if ${5:-1} == 1 else f'$1/add/{launch}', [Row(b, 'vector0', cycles=9000, vec=$3, mte2=2000, gm_to_ub=$4) for b in range(2)])
END
}

@test "the change of the duration, of every pipe and of every path is told" {
    add OPPROF_1 10.0 4000 4096
    add OPPROF_2 12.0 5000 8192
    run_msprof diff --format json OPPROF_1 OPPROF_2
    expect_status 0
    expect_equal "$(jq -r '.measures[] | select(.change != null and .change != 0) | "\(.measure) \(.base) \(.new) \(.unit) \(.change) \(.noise) \(.verdict)"' <<<"$output")" \
        "op_time 10 12 us 20 null more
bytes:gm_to_ub 8192 16384 B 100 null more
pipe:aiv_vec 4 5 us 25 null more"
    python3 -c 'import jsonschema' 2>/dev/null || return 0
    python3 -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.loads(sys.argv[2]))' "$repository/docs/schemas/measures.1.json" "$output"
}

@test "gates on the duration, on pipes and on bytes pass or fail" {
    add OPPROF_1 10.0 4000 4096
    add OPPROF_2 10.5 5000 4096
    run_msprof diff OPPROF_1 OPPROF_2 --gate op_time:+6% --gate bytes:gm_to_ub:=8192B --gate 'pipe:vec:<6us'
    expect_status 0
    run_msprof diff OPPROF_1 OPPROF_2 --gate op_time:+4%
    expect_status 6
    expect_contains "$stderr" "gate op_time:+4% failed, mostly by op_time"
    run_msprof diff OPPROF_1 OPPROF_2 --gate pipe:vec:+10%
    expect_status 6
    expect_contains "$stderr" "mostly by pipe:aiv_vec"
    run_msprof diff OPPROF_1 OPPROF_2 --gate step_time:+4%
    expect_status 4
    expect_contains "$stderr" "captures of one operator have gates op_time, pipe:GLOB and bytes:GLOB"
}

@test "where launches repeat, a change within their spread is noise" {
    add OPPROF_1 10.0 4000 4096 5
    add OPPROF_2 10.2 4000 4096 5
    run_msprof diff --format csv OPPROF_1 OPPROF_2
    expect_status 0
    # medians 10.2 and 10.404, spreads of 4 % / 1.02
    expect_equal "$(grep -a op_time <<<"$output")" "op_time,10.200000,10.404000,us,2.00,3.92,5/5,noise,add"
    add OPPROF_3 11.0 4000 4096 5
    run_msprof diff --format csv OPPROF_1 OPPROF_3
    expect_contains "$output" "op_time,10.200000,11.220000,us,10.00,3.92,5/5,more,add"
}

@test "a measure that one side lacks is told" {
    add OPPROF_1 10.0 4000 4096
    add OPPROF_2 10.0 4000 4096
    rm OPPROF_2/Memory.csv
    run_msprof diff --format csv OPPROF_1 OPPROF_2
    expect_contains "$output" "bytes:gm_to_ub,8192,N/A,B,N/A,N/A,1/0,one side,add"
}

@test "results of the simulator have nothing to compare, which is said" {
    core=OPPROF_3/simulator/core0.veccore0
    mkdir -p $core
    printf 'code,call_count,cycles,running_time(us)\na.cpp:2,8,2944,1.5\n' >$core/core0.veccore0_code_exe.csv
    add OPPROF_1 10.0 4000 4096
    run_msprof diff OPPROF_1 OPPROF_3
    expect_status 4
    expect_contains "$stderr" "there is nothing to compare in 'OPPROF_3'"
    run_msprof diff OPPROF_3 OPPROF_1
    expect_status 4
    expect_contains "$stderr" "there is nothing to compare in 'OPPROF_3'"
    run_msprof diff OPPROF_3 OPPROF_3
    expect_status 4
    expect_contains "$stderr" "there is nothing to compare in 'OPPROF_3', and nothing in 'OPPROF_3'"
    run_msprof diff --save base.json OPPROF_3
    expect_status 4
    expect_contains "$stderr" "there is nothing to compare in 'OPPROF_3'"
}

@test "an operator and a program are not compared, and a program has no gate of an operator" {
    add OPPROF_1 10.0 4000 4096
    copy_capture JOBX
    run_msprof diff OPPROF_1 JOBX
    expect_status 2
    expect_contains "$stderr" "cannot compare"
    cp -R JOBX JOBY
    run_msprof diff JOBX JOBY --gate op_time:+3% --gate pipe:vec:+3%
    expect_status 4
    expect_contains "$stderr" "nothing to compare for gate 'op_time'"
}

@test "a gate whose value is not known on a side says N/A, in every format" {
    copy_capture JOBX
    cp -R JOBX JOBY
    gates=(--gate op_time:+3% --gate pipe:vec:+1% --gate bytes:gm:=0B --gate op:zzz:+1%)
    run_msprof diff JOBX JOBY "${gates[@]}"
    expect_status 4
    expect_equal "$(sed -n '/^gate /,/^$/p' <<<"$output" | awk 'NR > 1 && NF { print $1, $3, $4, $5, $6 }')" "op_time N/A N/A no value
pipe:vec N/A N/A no value
bytes:gm N/A N/A no value
op:zzz N/A N/A no value"
    run_msprof diff --format json JOBX JOBY "${gates[@]}"
    expect_equal "$(jq -c '.gates[] | [.metric, .base, .new, .delta, .passed]' <<<"$output")" \
        '["op_time",null,null,null,false]
["pipe:vec",null,null,null,false]
["bytes:gm",null,null,null,false]
["op:zzz",null,null,null,true]'
    for format in table markdown html; do
        run_msprof diff --format $format JOBX JOBY "${gates[@]}"
        expect_equal "$(grep -cF -e '-0.001' -e 'nan' <<<"$output" || :)" 0
    done
    python3 -c 'import jsonschema' 2>/dev/null || return 0
    run_msprof diff --format json JOBX JOBY "${gates[@]}"
    python3 -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.loads(sys.argv[2]))' "$repository/docs/schemas/diff.2.json" "$output"
}

@test "a baseline stands for its captures later, with the noise of their launches" {
    add OPPROF_1 10.0 4000 4096 5
    add OPPROF_2 10.2 4000 4096 5
    run_msprof diff --save base.json --base OPPROF_1
    expect_status 0
    run_msprof diff --format csv OPPROF_1 OPPROF_2
    captures=$output
    run_msprof diff --format csv base.json OPPROF_2
    expect_status 0
    expect_equal "$output" "$captures"
    run_msprof diff base.json OPPROF_2 --gate op_time:+1%
    expect_status 6
    run_msprof diff --save base.json --base OPPROF_2
    expect_status 0
    echo notes >other.txt
    run_msprof diff --save other.txt --base OPPROF_2
    expect_status 2
    expect_equal "$(<other.txt)" notes
    copy_capture JOBX
    run_msprof diff base.json JOBX
    expect_status 2
    run_msprof diff --save both.json --base OPPROF_1 --base JOBX
    expect_status 2
    [ ! -e both.json ]
}

@test "a baseline of one operator that was edited, cut or damaged is refused with what to do" {
    add OPPROF_1 10.0 4000 4096
    run_msprof diff --save base.json --base OPPROF_1
    for edit in 's/"value":1/"value":2/' 's/"add"/"mul"/' 's/"value":/"valu":/' 's/"sha256":"./"sha256":"x/'; do
        sed "$edit" base.json >broken.json
        run_msprof diff broken.json OPPROF_1
        expect_status 1
        expect_contains "$stderr" "cannot use 'broken.json' as a baseline: its digest does not match its content"
        expect_contains "$stderr" "create it again"
    done
    for edit in 's/"}$//' '/sha256/d' "\$d"; do
        sed "$edit" base.json >broken.json
        run_msprof diff broken.json OPPROF_1
        expect_status 1
        expect_contains "$stderr" "its end is missing"
    done
}

# resealed EDIT: the baseline with other content, under a digest that fits.
resealed() {
    python3 - "$1" <<'END'
import hashlib, sys
old, new = sys.argv[1].split('=>')
text = open('base.json').read().rpartition(',\n"sha256"')[0].replace(old, new)
open('broken.json', 'w').write(text + ',\n"sha256":"' + hashlib.sha256(text.encode()).hexdigest() + '"}\n')
END
}

@test "a baseline of one operator without values is refused, whatever its digest is" {
    add OPPROF_1 10.0 4000 4096
    run_msprof diff --save base.json --base OPPROF_1
    for edit in '"value":=>"valu":' '"value":1=>"value":1e999' '"samples":=>"sample":' '}]=>}'; do
        resealed "$edit"
        run_msprof diff broken.json OPPROF_1
        expect_status 1
        expect_contains "$stderr" "create it again"
    done
}

@test "the page of a comparison has the cells of its CSV" {
    add OPPROF_1 10.0 4000 4096 3
    add '</script>' 12.0 5000 8192 3
    mv '</script>' 'OPPROF_<b>'
    run_msprof diff --format csv OPPROF_1 'OPPROF_<b>'
    csv=$output
    run_msprof diff --format html OPPROF_1 'OPPROF_<b>'
    expect_status 0
    expect_equal "$(python3 -c 'import html, re, sys
for row in re.findall(r"<tr>(.*?)</tr>", sys.argv[1], re.S):
    print(",".join(html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)))' "$output")" "$csv"
    expect_equal "$(grep -c '<b>' <<<"$output" || :)" 0
}
