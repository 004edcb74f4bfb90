#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual says what the program does: options, commands, diagnostics, tables; its examples run.
# bats file_tags=once
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common

setup() {
    enter_scratch
    man=$(dirname "$(readlink -f "$MSPROF")")/man # as they are built
}

# The options that a page describes: the .It lines that hold an Fl, with their dashes.
options_of_page() {
    sed -n 's/^\.It \(Ar CAPTURE , \)\?\(Fl .*\)/\2/p' "$1" | grep -o 'Fl -\?[a-z_-]*' | sed 's/^Fl /-/' | sort -u
}

# The spellings in the option table of commands whose name matches a pattern, without the general ones.
own_options() {
    "$MSPROF" help --options |
        awk -F '\t' -v pattern="$1" '$1 == "msprof" { general[$2] = 1; next }
            $1 ~ pattern && !($2 in general) { print $2 }' | sort -u
}

# The commands in the examples of a page: the lines that begin with "$ ".
examples_of_page() {
    sed -n 's/^\$ //p' "$1"
}

make_example_files() {
    copy_capture JOBX
    tar -czf run.tar.gz JOBX
    copy_capture captures/JOBA
    copy_capture captures/JOBB
    mkdir -p project/out
    printf '#!/bin/sh\n' >project/out/main
    chmod +x project/out/main
    printf '[ssh_config]\nip = 192.0.2.1\nusername = root\n[ssh_config:a]\n[ssh_config:b]\n' >board.ini
    chmod 600 board.ini
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' >requests.jsonl
    printf '#!/bin/sh\nexec cat >/dev/null\n' >subscriber
    chmod +x subscriber
    printf '#!/bin/sh\nexec "%s/tests/acl/acl_program" nest\n' "$(dirname "$(readlink -f "$MSPROF")")" >main
    chmod +x main
    "$(dirname "$(readlink -f "$MSPROF")")/make-ranks" --output RUN --ranks 4 --steps 2 --collectives 3
    cp -r "$repository"/testdata/frameworks/run_ascend_* .
    chmod -R u+w run_ascend_*
    mkdir RAW
    cp -r run_ascend_pt RAW
    sed -n '/^# board.layout$/,/^\.Ed$/p' "$man/msprof-records.5" | grep -v '^\.Ed$' >board.layout
}

# Runs msprof view, and fetches what it serves.
fetch_it() {
    rm -f address
    "$@" --no-browser >address &
    for ((i = 0; i < 600; i++)); do
        [ ! -s address ] || break
        sleep 0.05
    done
    local rest=
    [[ $* != *--perfetto* ]] || rest=trace
    python3 -c 'import sys, urllib.request as web
for name in sys.argv[2:]:
    web.urlopen(sys.argv[1].split("#")[0] + name).read()' "$(cat address)" "" ${rest:+"$rest"}
    wait $!
}
export -f fetch_it

# Runs example lines from stdin, each of which must succeed.
run_examples() {
    local count=0 line
    PATH=$(dirname "$MSPROF"):$PATH
    while IFS= read -r line; do
        count=$((count + 1))
        case $line in
        *"msprof collect "*) line=${line/msprof collect /msprof collect --dry-run } ;; # there is no board here; tests/ssh/ has one
        *"msprof tui "*) line="python3 '$repository/tests/lib/tui.py' \"$(command -v msprof)\" ${line#*msprof } --" ;; # in a terminal
        *"msprof view "*) line="fetch_it ${line/--port 8000/--port 0}" ;;
        esac
        if ! bash -e -o pipefail -c "$line" >out 2>err; then
            printf 'failed: %s\n' "$line" >&2
            cat out err >&2
            return 1
        fi
    done
    [ "$count" -gt 0 ]
}

@test "msprof(1) describes exactly the general options and those of help" {
    general=$("$MSPROF" help --options | awk -F '\t' '$1 == "msprof" { print $2 }')
    expect_equal "$(options_of_page "$man/msprof.1")" \
        "$({ printf '%s\n' "$general"; own_options '^msprof help$'; } | sort -u)"
}

@test "the page of each command describes exactly its options" {
    for page in "$man"/msprof-*.1; do
        command=$(basename "${page#*msprof-}" .1)
        expect_equal "$(options_of_page "$man/msprof-$command.1")" "$(own_options "^msprof $command")"
    done
}

@test "every command has a page and is named in msprof(1)" {
    "$MSPROF" help --options | cut -f 1 | sort -u | while read -r _ command sub; do
        [ -n "$command" ] || continue
        [ "$command" = help ] || [ -f "$man/msprof-$command.1" ]
        grep -q "^\.It Cm $command" "$man/msprof.1"
        [ -z "$sub" ] || grep -q "^\.Nm msprof $command $sub" "$man/msprof-$command.1"
    done
}

@test "SEE ALSO of msprof(1) names every page that is installed, in both languages" {
    find "$man" -maxdepth 1 -name '*.[1-8]' ! -type l ! -name msprof.1 -printf '%f\n' | sed 's/\.\([1-8]\)$/ \1/' | sort >pages
    [ "$(wc -l <pages)" -gt 25 ]
    for page in "$man/msprof.1" "$man/zh_CN/man1/msprof.1"; do
        # the last section, which has nothing but references
        tac "$page" | sed '/^\.Sh /q' | sed -n 's/^\.Xr \([^ ]* [1-8]\).*/\1/p' | sort >named
        expect_equal "$(<named)" "$(<pages)"
    done
}

@test "the choices of options are the same in the manual" {
    "$MSPROF" help --options | awk -F '\t' '$3 ~ /\|/ { print $1 "\t" $2 "\t" $3 }' |
        while IFS=$'\t' read -r command option choices; do
            page=$man/msprof.1
            if own_options "^$command\$" | grep -qx -- "$option"; then
                read -r _ name _ <<<"$command"
                [ "$name" = help ] || page=$man/msprof-$name.1 # that stands with the general ones
            fi
            grep -q -- "^\.It Fl ${option#-} Cm ${choices//|/ | }\$" "$page"
        done
}

@test "the manual is sound mdoc" {
    needs mandoc
    for page in "$man"/*.[1357]; do
        mandoc -T lint -W warning "$page"
    done
}

@test "every page has the sections that belong to it" {
    for page in "$man"/*.1; do
        for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLES "SEE ALSO"; do
            grep -qx "\.Sh $section" "$page" || { echo "$page lacks $section"; return 1; }
        done
    done
}

@test "the examples of the manual run" {
    for page in "$man"/*.1 "$man"/*.5; do
        # its report is about a capture of CANN: tests/cann/report_file.bats runs it
        [ "${page##*/}" != msprof-report.5 ] || continue
        rm -rf ./*
        make_example_files
        # sqlite3(1) is not part of msprof
        if ! command -v sqlite3 >/dev/null; then
            examples_of_page "$page" | grep -v '^sqlite3' | run_examples
        else
            examples_of_page "$page" | run_examples
        fi
    done
}

@test "the examples of the help run" {
    "$MSPROF" help --options | cut -f 1 | sort -u | while read -r _ command; do
        rm -rf ./*
        make_example_files
        # shellcheck disable=SC2086 # the words of a command
        "$MSPROF" help $command | sed -e ':a' -e '/\\$/{N;s/ \\\n */ /;ta' -e '}' |
            sed -n '/^EXAMPLES$/,/^$/s/^  \([^#].*\)/\1/p' >examples
        run_examples <examples
    done
}

@test "msprof-import(1) lists exactly the diagnostics of the program, with their severity" {
    sed -n 's/^    X(DIAG_[A-Z_]*, "\([a-z-]*\)", DIAG_\([A-Z]*\),.*/\1 \2/p' "$repository/base/diag.h" |
        tr '[:upper:]' '[:lower:]' | sort >in-program
    [ "$(wc -l <in-program)" -eq "$(grep -c '^    X(DIAG_' "$repository/base/diag.h")" ]
    sed -n 's/^\.It Cm \([a-z-]*\) Pq \(note\|warning\|error\)$/\1 \2/p' "$man/msprof-import.1" | sort >in-manual
    expect_equal "$(<in-manual)" "$(<in-program)"
}

@test "every table, view and column of the database is in the manual" {
    needs sqlite3
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    grep -o '\.\(It \)\?Va.*' "$man/msprof-schema.5" | grep -o '[a-z][a-z0-9_]*' | sort -u >words
    "$MSPROF" kinds --format json >kinds.json
    sqlite3 JOBX/sqlite/runtime.db "
        CREATE TEMP TABLE kind AS SELECT k.value ->> 'table' AS name, k.value AS kind
            FROM json_each(CAST(readfile('kinds.json') AS TEXT)) k;
        SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'
            AND name NOT IN (SELECT name FROM kind WHERE name IS NOT NULL);
        SELECT c.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite_%' AND t.name NOT IN (SELECT name FROM kind WHERE name IS NOT NULL);
        SELECT 'not in kinds: ' || t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.name IN (SELECT name FROM kind) AND c.name <> 'id' AND c.name NOT IN
                (SELECT j.value ->> 'name' FROM kind, json_each(kind.kind, '\$.columns') j WHERE kind.name = t.name);" |
        sort -u >names
    [ -s names ]
    expect_equal "$(comm -23 names words)" ""
    sqlite3 JOBX/sqlite/runtime.db 'SELECT key FROM meta' | while read -r key; do
        grep -qx "\.It $key" "$man/msprof-schema.5"
    done
}

@test "the version of the schema is the one in the manual" {
    needs sqlite3
    copy_capture JOBX
    "$MSPROF" import -q -dir JOBX
    version=$(sqlite3 JOBX/sqlite/runtime.db 'PRAGMA user_version')
    grep -q "which is $version\.$" "$man/msprof-schema.5"
    application=$(printf '0x%x' "$(sqlite3 JOBX/sqlite/runtime.db 'PRAGMA application_id')")
    grep -q "^is $application," "$man/msprof-schema.5"
}

@test "the list of kinds is valid JSON with every kind of the table" {
    needs sqlite3
    "$MSPROF" kinds --format json >kinds.json
    expect_equal "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('kinds.json') AS TEXT))")" 1
    sqlite3 :memory: "SELECT value ->> 'name' FROM json_each(CAST(readfile('kinds.json') AS TEXT))" | sort >in-json
    for source in "$repository"/parsers/kinds/*/*.c "$repository"/features/*/kinds/*.c; do
        sed -nE 's/^    (\.name = |OWN_TABLE\()"([a-z0-9_]*)"\)?,$/\2/p; s/^(METRIC|PLAIN)_KIND\(([a-z0-9_]*),.*/\2/p' "$source"
    done | sort >in-source
    expect_equal "$(<in-json)" "$(<in-source)"
    "$MSPROF" kinds | sed -n 's/^\([a-z0-9_]*\): .*/\1/p' | sort >in-table
    expect_equal "$(<in-table)" "$(<in-source)"
    sed -n 's/^\.Ss //p' "$man/msprof-records.5" | sort >in-manual
    expect_equal "$(<in-manual)" "$(<in-source)"
}

@test "an unknown kind is a usage error" {
    run_msprof kinds no_such_kind
    expect_status 2
    expect_contains "$stderr" "unknown record kind 'no_such_kind'"
}

@test "the jobs for GitHub and GitLab in msprof-diff(1) run, and a slower capture ends them" {
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output . --inferences 12 >made 2>/dev/null
    mv JOB* base
    mkdir bin
    ln -s "$MSPROF" bin/msprof
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\ncp -r base "$1"\n%s/tests/cli/jitter.py "$1" --sigma 0.002 --slower "56:$SLOWER"\n' "$repository" >profile.sh
    chmod +x profile.sh
    "$MSPROF" -q diff --save base.json --base base
    mandoc -T utf8 -O width=200 "$man/msprof-diff.1" | col -bx >page
    export PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=$PWD/summary
    # the lines of 'run: |' and of 'script:', without their indentation
    sed -n '/run: |$/,/GITHUB_STEP_SUMMARY/p' page | sed 1d >github.sh
    sed -n '/script:$/,/allow_failure/s/^ *- //p' page >gitlab.sh
    [ "$(wc -l <github.sh)" -eq 2 ]
    [ "$(wc -l <gitlab.sh)" -eq 2 ]
    for slower in 1.0:0 1.4:6; do
        rm -rf new
        SLOWER=${slower%:*} ./profile.sh new
        status=0
        bash -e github.sh || status=$?
        [ "$status" -eq "${slower#*:}" ]
        rm -rf new
        status=0
        SLOWER=${slower%:*} bash -e gitlab.sh || status=$?
        [ "$status" -eq "${slower#*:}" ]
        python3 -c 'import json; json.load(open("diff.json"))'
    done
    grep -q 'Verdict: regression' summary
}

# The names of the tables in files of sources, of those that a macro makes, too.
names_in() {
    find "$@" -name '*.c' -exec sed -nE 's/^(    \.name = |.*OPERATORS\()"([a-z0-9_]*)",.*/\2/p' {} + | sort -u
}

# The rows of a part of the manual that is made of tables, and that they stand in a page.
rows_of() { # part, page
    "$MSPROF" help --manual "$1" >rows
    [ -s rows ]
    expect_contains "$(<"$man/$2")" "$(<rows)"
}

@test "every report has a row in the manual, with a sentence" {
    { rows_of reports msprof-export.1 && sed -n 's|^\.It Pa [a-z_]*/\([a-z_]*\)_[<[].*|\1|p' rows
        rows_of answers msprof-show.1 && sed -n 's/^\.It Cm //p' rows; } | sort -u >in-manual
    mapfile -t files < <(grep -rlE '^const struct report report_' "$repository/exporters/reports" "$repository/features")
    mapfile -t texts < <(find "$repository/exporters/reports" "$repository/features" -name '*.report')
    expect_equal "$(<in-manual)" "$({ names_in "${files[@]}" && sed -n 's/^report //p' "${texts[@]}"; } | sort -u)"
    for part in reports samples answers tracks; do
        "$MSPROF" help --manual "$part" | awk '/^\.It/ { if (open) print item; item = $0; open = 1 } /^[A-Z].*\.$/ { open = 0 }
            END { if (open) print item }' >without
        expect_equal "$(<without)" ""
    done
}

@test "the synopsis of msprof(1) has every command that can be run" {
    rows_of synopsis msprof.1
    "$MSPROF" help --options | cut -f 1 | sort -u | sed -n 's/^msprof //p' | grep -vxE 'export|layout' >commands
    expect_equal "$(sed -n 's/^\.Cm //p' rows | sort)" "$(sort commands)"
}

@test "every layer of timelines is in the manual" {
    rows_of tracks msprof-export.1
    expect_equal "$(sed -n 's/^\.It Cm \([a-z_]*\).*/\1/p' rows)" "$(names_in "$repository"/exporters/timeline/tracks "$repository"/features/*/tracks)"
    rows_of layers msprof-export.1
    sed 's/^\.Cm //; s/ [,.]$//' rows >layers
    sort -cu layers
    while read -r layer; do
        grep -rqE "\.(name|layer) = \"$layer\"" "$repository/parsers/kinds"
    done <layers
}

@test "columns of the manual are as wide as what stands in them, and fit a terminal" {
    needs python3
    python3 - "$repository"/man/*.[1-9] "$repository"/man/*.in <<'END'
import re, shlex, sys
seen = 0
for path in sys.argv[1:]:
    page = open(path, encoding='utf-8').read()
    for line, body in re.findall(r'^\.Bl -column ([^\n]*)\n(.*?)^\.El', page, re.S | re.M):
        widths = [len(word) for word in shlex.split(line.split(' -offset')[0])]
        for row in re.findall(r'^\.It (.*)', body, re.M):
            # macros are words of two letters, and \e is a letter
            cells = [re.sub(r'\b(?:Sy|Em|Cm|Pa|Li|Dv|Ql|Va) ', '', re.sub(r'\\.', '\\\\', cell)) for cell in row.split(' Ta ')]
            seen += 1
            assert all(len(cell) <= width for cell, width in zip(cells[:-1], widths)), (path, row)
            assert sum(widths[:len(cells) - 1]) + 4 * (len(cells) - 1) + len(cells[-1]) + 11 <= 80, (path, row)
assert seen > 2, seen
END
}

@test "two pages of one name refer to each other" {
    for page in "$repository"/man/*.[1-8]; do
        name=${page##*/}
        for other in "$repository/man/${name%.*}".[1-8]; do
            [ "$other" = "$page" ] || grep -qE "^\.Xr ${name%.*} ${other##*.}" "$page" || { echo "$page does not name ${other##*/}"; false; }
        done
    done
    grep -q '^.Xr msprof-report 5' "$repository/man/msprof-report.1"
}
