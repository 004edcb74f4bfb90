#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# mstx of programs that collect by themselves, with acl.prof or an acl.json.
# shellcheck disable=SC2154 # common.bash and acl.bash set status, output, stderr and the programs

bats_require_minimum_version 1.5.0
load ../cli/common
load acl

setup() {
    enter_scratch
    needs sqlite3 python3
}

# "count domain message" of the only capture in a directory, which has no problem.
marks_in() {
    local capture
    capture=$(capture_in "$1")
    "$MSPROF" import -q --strict -dir "$capture" >&2 || return
    sqlite3 -separator ' ' "$capture/sqlite/runtime.db" "SELECT count(*), n.text, m.message FROM msproftx m
        JOIN name n ON n.id = m.domain_id GROUP BY 2, 3 ORDER BY 2, 3"
}

cat_program() {
    cat <<'END'
import sys
import acl, mstx


def work(text):
    for _ in range(3):
        step = mstx.range_start(text)
        part = mstx.range_start("part", domain="Module")
        mstx.mark("mark", domain="links")
        mstx.range_end(part, domain="Module")
        mstx.range_end(step)


END
}

@test "a collection with ACL_PROF_MSPROFTX takes marks and ranges from its start to its end" {
    { cat_program && cat <<'END'; } >program.py
work("before")
open_before = mstx.range_start("before")
assert open_before == 0
assert acl.prof.init("out") == 0
config = acl.prof.create_config([0], 1, 0, 0x80)
assert acl.prof.start(config) == 0
work("step")
across = mstx.range_start("across the end")
assert acl.prof.stop(config) == 0
mstx.range_end(across)
work("after")
END
    run_python program.py
    run_msprof import -dir "$(capture_in out)"
    expect_status 3
    expect_contains "$stderr" "'across the end': 1 that did not end"
    expect_equal "$(sqlite3 -separator ' ' out/PROF_*/sqlite/runtime.db "SELECT count(*), n.text, m.message FROM msproftx m
        JOIN name n ON n.id = m.domain_id GROUP BY 2, 3 ORDER BY 2, 3")" "3 Module part
3 default step
3 links mark"
}

@test "a directory by ACL_PROF_PATH is enough, and a second capture has its own ranges" {
    { cat_program && cat <<'END'; } >program.py
assert acl.prof.set_config(16, "out") == 0
config = acl.prof.create_config([0], 1, 0, 0x80)
assert acl.prof.start(config) == 0
work("step")
assert acl.prof.stop(config) == 0
END
    run_python program.py
    expect_equal "$(marks_in out)" "3 Module part
3 default step
3 links mark"
}

@test "without that bit nothing is recorded, and a note says so once" {
    { cat_program && cat <<'END'; } >program.py
assert acl.prof.init("out") == 0
config = acl.prof.create_config([0], 1, 0, 0x1)
assert acl.prof.start(config) == 0
work("step")
assert acl.prof.stop(config) == 0
END
    run_python program.py 2>notes
    expect_equal "$(grep -c 'mstx marks are not recorded: ACL_PROF_MSPROFTX (0x80)' notes)" 1
    expect_equal "$(slices_of "$(capture_in out)" msproftx)" ""
}

@test "an acl.json chooses domains by the options of CANN" {
    { cat_program && cat <<'END'; } >program.py
assert acl.init("acl.json") == 0
work("step")
assert acl.finalize() == 0
END
    while IFS='|' read -r options expected; do
        rm -rf out
        printf '{"profiler": {"switch": "on", "msproftx": "on", "output": "%s"%s}}\n' "$PWD/out" "$options" >acl.json
        run_python program.py 2>notes
        expect_equal "$options: $(marks_in out | tr '\n' ';')" "$options: $expected"
    done <<'END'
|3 Module part;3 default step;3 links mark;
, "mstx_domain_include": "Module,default"|3 Module part;3 default step;
, "mstx_domain_exclude": "Module"|3 default step;3 links mark;
, "mstx_domain_include": "links", "mstx_domain_exclude": "links"|3 links mark;
END
    expect_contains "$(<notes)" '"mstx_domain_exclude" has no effect together with "mstx_domain_include"'
}
