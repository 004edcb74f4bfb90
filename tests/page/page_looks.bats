#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How pages that msprof report writes look in a browser.
# bats file_tags=once
# shellcheck disable=SC2154 # common sets repository

load ../cli/common
load page

@test "Chromium and axe-core find nothing wrong with any page, light, dark, narrow or printed, and nothing on another" {
    axe=$repository/build/npm/node_modules/axe-core/axe.min.js
    command -v chromium >/dev/null || skip "chromium is not installed: 'tools/packages.sh all' does that"
    [ -f "$axe" ] || skip "axe-core could not be had from npm: 'tools/packages.sh all' tries again"
    for side in base new; do
        program <<PY
for step in range(9):
    p.late()
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100 + 50 * ('$side' == 'new'))
    p.op('b/side', 'Cast', 20, gap=-60, core=VECTOR, stream=3)
    p.at += 40000
    p.op('c/after', 'MatMul', 200)
    p.prof.tensors(p.host - 20, 'c/after', [(place, 2, 1, (512, 512)) for place in (0, 0, 1)])
    p.call('aclrtSynchronizeStream', p.at - 50000, p.at + 2000)
    p.prof.memory(p.at, 'a/conv', 0x1000 * (step + 1), 4096 << step)
    p.host = p.at + 30000
    p.op('d/late', 'MatMul', 50, gap=40)
    p.end_step()
PY
        mv PROF_1 "PROF_$side"
    done
    copy_capture JOBX
    cp -R "$repository/testdata/frameworks/run_ascend_pt" .
    chmod -R u+w run_ascend_pt
    "$(dirname "$(readlink -f "$MSPROF")")/make-ranks" --output RUN --slow-rank 5 --slow-link 2 --seed 3
    run_msprof -q cluster RUN
    report PROF_new --peak-bandwidth 100 --peak-flops 5
    mv page.html capture.html
    report JOBX --peak-bandwidth 12.8
    mv page.html board.html
    report run_ascend_pt
    mv page.html framework.html
    report RUN
    mv page.html cluster.html
    report PROF_new --diff PROF_base
    mv page.html diff.html
    LANG=C.UTF-8 LANGUAGE=zh_CN run_msprof -q report PROF_new --diff PROF_base -o chinese.html
    grep -q '<html lang="zh' chinese.html
    expect_equal "$(python3 "$repository/tests/lib/page_in_browser.py" "$axe" {capture,board,framework,cluster,diff,chinese}.html)" ""
}

@test "in Chromium a page sorts by every column, filters rows and tells the values of its curves, and loads nothing" {
    command -v chromium >/dev/null || skip "chromium is not installed: 'tools/packages.sh all' does that"
    program <<'PY'
for step in range(30):
    p.op('op/%d' % (step % 11), ('Conv2D', 'MatMul', 'Cast')[step % 3], 100 + step)
    p.op('b/side', 'Cast', 20, gap=3 * step, core=VECTOR, stream=3)
    p.prof.memory(p.at, 'b/side', 0x1000, 4096 << 10 if step % 2 else -(4096 << 10))
PY
    python3 "$repository/tests/lib/page_script.py" page.html
}

@test "on paper a page is the answers on two pages of A4, and with --print all every part and table" {
    command -v chromium >/dev/null || skip "chromium is not installed: 'tools/packages.sh all' does that"
    local pages
    sheets() {
        chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --user-data-dir="$PWD/profile" --print-to-pdf=page.pdf \
            "file://$PWD/page.html" >/dev/null 2>&1
        grep -ac '/Type /Page\b' page.pdf
    }
    copy_capture JOBX
    copy_family prof-910b PROF_2
    for capture in JOBX PROF_2; do
        report "$capture"
        pages=$(sheets)
        [ "$pages" -le 2 ] && [ "$pages" -ge 1 ]
        report "$capture" --print all
        [ "$(sheets)" -gt 4 ]
    done
    run_msprof report JOBX --print some
    expect_status 2
    expect_contains "$stderr" "answers"
}
