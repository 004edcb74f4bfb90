#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof tui: keys go in through a terminal of the test's own, and screens come out (tests/lib/tui.py).
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load ../cann/small_capture

setup() {
    enter_scratch
    needs python3
    [ -e /lib/terminfo/v/vt52 ] || [ -e /usr/share/terminfo/v/vt52 ] || skip "nothing is known of the terminal vt52"
    [[ $("$MSPROF" doctor) == *ncurses* ]] || skip "libncursesw6 is not installed"
}

# Prints the screens of a session; --size ROWSxCOLUMNS first, where another than 24x80 is wanted.
screens() { # capture, keys...
    local size=24x80
    if [ "$1" = --size ]; then
        size=$2
        shift 2
    fi
    timeout 300 python3 "$repository/tests/lib/tui.py" --size "$size" "$MSPROF" tui "$1" -- "${@:2}" >screens
}

# The screen with this number, from 0, before the first key, on.
screen() {
    awk -v wanted="$1" '$0 == "--------------------" { number++; next } number == wanted' screens
}

# Two streams; Slow runs three times, 10, 20 and 40 us long, Quick once behind them.
plant() {
    capture <<'END'
for i, (start, length) in enumerate(((100000, 10000), (200000, 20000), (300000, 40000))):
    p.launch(start - 50000, 1, i + 1, 'Slow')
    p.ran(start, start + length, 1, i + 1)
p.launch(340000, 2, 9, 'Quick')
p.ran(400000, 402000, 2, 9)
END
}

@test "the first screen has the views, the capture, the first finding and the keys" {
    plant
    screens PROF_1 ""
    local first
    first=$(screen 0)
    expect_equal "$(sed -n 1p <<<"$first")" "1 Findings 2 Timeline 3 Operators 4 Gaps 5 Steps 6 Path 7 Memory 8 Summary"
    expect_equal "$(sed -n 2p <<<"$first")" PROF_1
    run_msprof advise PROF_1 --format json
    expect_contains "$(sed -n 3p <<<"$first")" "$(jq -r '.findings[0].sentence' <<<"$output" | cut -c 1-40)"
    expect_contains "$(tail -n 1 <<<"$first")" "? help"
}

@test "operators have the numbers of show" {
    plant
    screens PROF_1 3
    run_msprof show PROF_1 --table ops --columns name,share,total,count,median,p95,longest,type --width 0
    expect_equal "$(screen 1 | sed -n '6,8p' | tr -s ' ')" "$(tr -s ' ' <<<"$output" | sed 's/^ //')"
    expect_contains "$(screen 1)" "ops: row 1 of 2"
}

@test "every table that show has a number in is shown with the same cells, of each family" {
    local path table
    for path in "$repository"/testdata/small/JOB* "$repository"/testdata/cann/{2022-910a,job-910a,prof-910b}/{JOB,PROF}*; do
        [ -d "$path" ] || continue
        rm -rf capture
        cp -R "$path" capture
        chmod -R u+w capture
        "$MSPROF" -q import capture
        for table in ops streams; do
            screens --size 40x200 capture "t$table<enter>"
            run_msprof show capture --table "$table" --format csv --top 30
            screen 1 | python3 -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.argv[1])))
lines = [line.split() for line in sys.stdin.read().splitlines()[5:]]
plain = lambda cell: cell.rstrip("0").rstrip(".") if "." in cell else cell
numbers = lambda cells: tuple(sorted(plain(cell) for cell in cells if cell.replace(".", "", 1).isdigit()))
shown = {numbers(line) for line in lines}
for row in rows[1:]:
    assert numbers(" ".join(row).split()) in shown, (sys.argv[2], row)
' "$output" "$path $table"
        done
    done
}

@test "a column sorts, a filter leaves rows out, and a search finds the next row" {
    plant
    screens PROF_1 3 "<right><right>s" "s" "fcount>1<enter>" "f<erase><erase><erase><erase><erase><erase><erase><enter>" "/Quick<enter>"
    expect_contains "$(screen 2 | sed -n 5p)" "sorted by -count"
    expect_contains "$(screen 3 | sed -n 5p)" "sorted by count"
    expect_contains "$(screen 3 | sed -n 7p)" Quick
    expect_contains "$(screen 4 | sed -n 5p)" "row 1 of 1, sorted by count, filter count>1"
    expect_contains "$(screen 5 | sed -n 5p)" "of 2"
    expect_contains "$(screen 6 | sed -n 5p)" "row 1 of 2"
}

@test "a filter that does not hold together is refused with the columns that there are, and the rows stay" {
    plant
    screens PROF_1 3 "fcolour>1<enter>"
    expect_contains "$(screen 2 | tail -n 1)" colour
    expect_contains "$(screen 2 | sed -n 5p)" "row 1 of 2"
}

@test "what is under the cursor has the name, the start and the duration of op_summary, and the call that launched it" {
    plant
    screens PROF_1 "2/Slow<enter>n"
    expect_contains "$(screen 1)" "Slow"
    local details
    details=$(screen 1 | grep '^at ')
    # The first one is under the cursor already. A launch begins 50 us before its task, the runtime's call 20 ns later.
    expect_contains "$details" "for 40.000 us"
    expect_contains "$details" "launched by"
    expect_contains "$details" "49.980 us before"
    run_msprof show PROF_1 --table op_summary --columns task_duration --filter 'op_name=Slow' --sort -task_duration --top 1 --format csv
    expect_equal "$(tail -n 1 <<<"$output" | tr -d '\t')" 40
}

@test "a row of operators leads to the operator's longest execution in the timeline" {
    plant
    screens PROF_1 "3<enter>"
    expect_contains "$(screen 1 | grep '^at ')" "for 40.000 us"
    expect_contains "$(screen 1 | sed -n 5p)" "a column is"
}

@test "an execution that is wide enough has its name in the lane, and blocks are as high as the lane is busy" {
    plant
    screens PROF_1 "2" "/Slow<enter>n+"
    expect_contains "$(screen 2 | grep 'stream 1')" "Slow"
    # 302 us in 66 columns: 10 us are 2.2 of them, 20 us 4.4 and 40 us 8.7, in which the name has room; one of 2 us on
    # the other stream is less than a half of its column.
    local lanes
    lanes=$(screen 1 | grep -E '^0 stream [12]')
    expect_equal "$(grep -o '█' <<<"$lanes" | wc -l)" 2
    expect_equal "$(grep -o 'Slow' <<<"$lanes" | wc -l)" 2
    expect_equal "$(sed -n 2p <<<"$lanes" | tr -d ' 0stream2')" '▄'
}

@test "rows are written as CSV and Markdown, whole, and a file that is there stays" {
    plant
    echo mine >taken.csv
    # ^U empties the name that is offered
    screens PROF_1 3 $'w\x15rows.csv<enter>' $'w\x15rows.md<enter>' $'w\x15taken.csv<enter>'
    run_msprof show PROF_1 --table ops --format csv
    expect_equal "$(cat rows.csv)" "$output"
    run_msprof show PROF_1 --table ops --format markdown
    expect_equal "$(cat rows.md)" "$output"
    expect_equal "$(cat taken.csv)" mine
    expect_contains "$(screen 4 | tail -n 1)" "is there already"
}

@test "the part of the timeline that is seen is written as export writes it" {
    plant
    screens PROF_1 $'2/Quick<enter>e\x15out<enter>'
    [ -d out ]
    local file
    file=$(find out -name '*.json' | head -n 1)
    jq -e '[.[] | select(.name? == "Quick")] | length > 0' "$file"
    jq -e '[.[] | select(.name? == "Slow")] | length == 0' "$file"
}

@test "the screen follows the terminal's size, and says so where it is too small" {
    plant
    screens PROF_1 2 "<40x120>" "<6x30>" "<24x80>"
    expect_equal "$(screen 2 | wc -l)" 40
    expect_contains "$(screen 3)" "too small"
    expect_contains "$(screen 4)" "stream 1"
}

@test "a terminal of ASCII gets nothing else" {
    plant
    LC_ALL=C screens PROF_1 2 3
    expect_equal "$(LC_ALL=C tr -d ' -~\n' <screens | wc -c)" 0
    expect_contains "$(screen 1 | grep 'stream 1')" "#"
}

@test "names in Chinese are as wide as the terminal shows them" {
    capture <<'END'
p.launch(50000, 1, 1, '矩阵乘法')
p.ran(100000, 110000, 1, 1)
p.launch(60000, 1, 2, 'plain')
p.ran(200000, 210000, 1, 2)
END
    screens PROF_1 3
    expect_contains "$(screen 1)" '矩阵乘法'
    # The total of both rows begins in the same column.
    screen 1 | python3 -c '
import sys, unicodedata
width = lambda text: sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
ends = {width(line[:line.index("10.000")]) for line in sys.stdin if "10.000" in line}
assert len(ends) == 1, ends'
}

# Six steps, in each of which Slow takes so many us and Quick 2.
plant_steps() { # us
    capture <<END
for i in range(6):
    start = 100000 + i * 200000
    p.launch(start - 50000, 1, 2 * i + 1, 'Slow')
    p.ran(start, start + $1 * 1000, 1, 2 * i + 1)
    p.launch(start - 40000, 1, 2 * i + 2, 'Quick')
    p.ran(start + 100000, start + 102000, 1, 2 * i + 2)
END
}

@test "against a base the head has the verdict of diff, and the changes its times, what became worse first" {
    plant_steps 40
    mv PROF_1 base
    plant_steps 60
    mv PROF_1 new
    timeout 300 python3 "$repository/tests/lib/tui.py" --size 24x100 "$MSPROF" tui new --diff base -- 9 "<enter>" >screens
    run_msprof diff base new --format json
    expect_contains "$(screen 0 | sed -n 3p)" "against the base: $(jq -r .verdict <<<"$output")"
    expect_contains "$(screen 0 | sed -n 1p)" "9 Changes"
    local row
    row=$(screen 1 | grep '^Slow' | head -n 1)
    expect_equal "$(tr -s ' ' <<<"$row" | cut -d ' ' -f 2-5)" "operator +20.000 40.000 60.000"
    expect_contains "$row" "!!"
    expect_contains "$(screen 2 | grep '^at ')" "for 60.000 us"
}

@test "steps are drawn by their durations" {
    local path=$repository/testdata/resnet50
    cp -R "$path"/JOB* capture
    chmod -R u+w capture
    screens capture ""
    run_msprof -q show capture --table overlap --format csv
    expect_contains "$(screen 0 | sed -n 4p)" "steps, median"
}

@test "without a terminal it ends with a usage error that names what prints the same" {
    plant
    run_msprof tui PROF_1
    expect_status 2
    expect_contains "$stderr" "needs a terminal"
    expect_contains "$stderr" "msprof show"
}

@test "an interrupt ends it with 130, and the terminal is given back" {
    plant
    local result=0
    screens PROF_1 3 "<interrupt>" || result=$?
    expect_equal "$result" 130
}

@test "a capture of msprof op has findings and tables, and no timeline" {
    cp -R "$repository"/testdata/opprof/OPPROF_20260101000000_ABCDEFGHIJKLMNOP OPPROF_1
    chmod -R u+w OPPROF_1
    screens OPPROF_1 2 "tblocks<enter>"
    expect_contains "$(screen 1)" "no device ran anything"
    expect_contains "$(screen 2 | sed -n 5p)" "blocks: row 1 of 4"
}
