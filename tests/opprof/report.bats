#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The page about an OPPROF directory.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3
    enter_scratch
}

# cells CAPTION: the rows of a table of the page as CSV, for numbers and texts without quotes.
cells() {
    python3 - "$1" <<'END'
import html, re, sys
page = open('page.html', encoding='utf-8').read()
table = re.search(r'<caption>' + re.escape(sys.argv[1]) + r'</caption>(.*?)</table>', page, re.S).group(1)
for row in re.findall(r'<tr>(.*?)</tr>', table, re.S):
    cells = re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)
    if cells:
        print(','.join(html.unescape(re.sub(r'<[^>]*>', '', cell)) for cell in cells))
END
}

@test "the page has the findings, and each table with the numbers of show" {
    plant_mix
    run_msprof report OPPROF_2 -o page.html
    expect_status 0
    expect_contains "$(<page.html)" "op-double-buffer"
    for table in operator:Operator pipes:Pipes memory:Memory conflicts:Conflicts roofline:Roofline; do
        run_msprof show --table "${table%:*}" --format csv OPPROF_2
        expect_equal "$(cells "${table#*:}")" "$output"
    done
}

@test "shares of pipes are bars as long as their numbers" {
    plant_mix
    run_msprof report OPPROF_2 -o page.html
    expect_contains "$(<page.html)" 'style="--s:19.93%">19.9336</td>' # 6000 of 30100 cycles
}

@test "a table that was not collected names the option that collects it" {
    plant_vector
    rm OPPROF_1/L2Cache.csv
    run_msprof report OPPROF_1 -o page.html
    expect_status 0
    expect_contains "$(<page.html)" "--aic-metrics=L2Cache"
}

@test "advise has a page with the findings alone" {
    plant_mix
    run_msprof advise --format html OPPROF_2
    expect_status 0
    expect_contains "$output" "op-double-buffer"
    expect_equal "$(grep -c '<caption>Pipes' <<<"$output" || :)" 0
}
