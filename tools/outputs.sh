#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints the SHA-256 of everything that a program makes of every capture that there is: files, databases as dumps, terminal, status.
# A refactoring is right when the lists before and after it are the same:
#     tools/outputs.sh build/msprof >before; ...; tools/outputs.sh build/msprof >after; diff before after
# usage: tools/outputs.sh [--keep DIR] [--only PATTERN] PROGRAM
# --only PATTERN: of the captures whose names match this pattern of the shell alone, for a look in between.
# --keep DIR: leave the outputs in DIR, to see in which lines two of them differ.
# Captures are those of testdata/, of ../shared (or $MSPROF_SHARED) where it is, and generated ones.
set -euo pipefail
cd "$(dirname "$0")/.."

keep='' only='*'
while [[ ${1:-} == --keep || ${1:-} == --only ]]; do
    [ "$1" = --keep ] && keep=$2 || only=$2
    shift 2
done
if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 [--keep DIR] [--only PATTERN] PROGRAM" >&2
    exit 2
fi
program=$(realpath "$1")
shared=$(realpath -qe "${MSPROF_SHARED:-../shared}") || shared=
generators=$PWD/build/release

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${keep:-$scratch/out}
mkdir -p "$out" "$scratch/in"
out=$(realpath "$out")
export LC_ALL=C TZ=UTC NO_COLOR=1 COLUMNS=120 HOME=$scratch
umask 0027

# --- the captures ---

# Copies captures below a name; their files are as old as those of every other run.
take() { # name, directory...
    local name=$1
    shift
    mkdir -p "$scratch/in/$name"
    cp -r "$@" "$scratch/in/$name/"
}

take_captures() {
    local directory
    take resnet50 testdata/resnet50/JOB*
    take small testdata/small/JOB*
    for directory in testdata/cann/*/; do
        take "cann-$(basename "$directory")" "$directory"[JP][OR]*
    done
    for directory in testdata/frameworks/*_ascend_*/; do
        take "frameworks-$(basename "$directory")" "$directory"
    done
    if [ -n "$shared" ]; then
        for directory in "$shared"/data/generated/*/; do
            take "shared-$(basename "$directory")" "$directory"/*/
        done
    fi
    "$generators"/make-capture --output "$scratch/in/generated-svp" --seed 7 >/dev/null 2>&1
    "$generators"/make-ranks --output "$scratch/in/cluster-ranks" --ranks 8 >/dev/null
    chmod -R u+w "$scratch/in"
    find "$scratch/in" -exec touch -h -d 2025-01-01 {} +
}

# --- the outputs ---

# Replaces texts that differ from run to run: where the scratch directory is, how long something took, and the program's commit.
fixed() {
    sed -E "s|$scratch|@|g; s/\b[0-9]+(\.[0-9]+)? (ms|s|seconds)\b/# s/g; s/[0-9]{14}/@time/g; s/\(commit [^)]*\)/(commit @)/g"
}

# Runs the program; keeps what it printed and its status.
run() { # capture, name of the run, arguments...
    local room=$out/$1/$2 status=0
    shift 2
    mkdir -p "$room"
    (cd "$scratch/in" && exec "$program" "$@") >"$room/stdout" 2>"$room/stderr" </dev/null || status=$?
    echo "$status" >>"$room/stderr"
}

dump() { # database
    sqlite3 "$1" .dump | grep -v "'tool_version'"
}

# The capture's own directory of a run takes what the run left in its --output.
collect() { # capture, name of the run, directory
    local room=$out/$1/$2 file name
    [ -d "$3" ] || return 0
    while IFS= read -r file; do
        name=$(printf '%s' "${file#"$3"/}" | sed -E 's/[0-9]{14}/@time/g')
        mkdir -p "$room/$(dirname "$name")"
        case $file in
        */log/* | */.msprof_*.files | */.msprof_cluster | */.msprof_cluster/*) ;;
        *.db) dump "$file" >"$room/$name.sql" ;;
        *) cp "$file" "$room/$name" ;;
        esac
    done < <(find "$3" -type f)
    rm -rf "$3"
}

# Tables are those of every capture of this kind, as show lists them.
show_tables() { # capture, path
    local table
    run "$1" show show "$2" --width 0
    run "$1" show-list show "$2" --table list
    while IFS= read -r table; do
        run "$1" "show-$table" show "$2" --table "$table" --format markdown
    done < <(awk 'NR > 1 && /^[a-z]/ { print $1 }' "$out/$1/show-list/stdout" | sort -u)
}

pages() { # capture, path
    mkdir "$scratch/result"
    run "$1" page report "$2" -o "$scratch/result/page.html"
    run "$1" page-markdown report "$2" --format markdown -o "$scratch/result/page.md"
    collect "$1" page "$scratch/result"
}

outputs_of_capture() { # capture, path
    local name=$1 path=$2 result=$scratch/result
    run "$name" summary-csv export summary "$path" --stable-names --output "$result"
    collect "$name" summary-csv "$result"
    run "$name" summary-json export summary "$path" --stable-names --format json --columns vendor --output "$result"
    collect "$name" summary-json "$result"
    run "$name" timeline export timeline "$path" --stable-names --output "$result"
    collect "$name" timeline "$result"
    run "$name" timeline-compat export timeline "$path" --stable-names --trace-compat --output "$result"
    collect "$name" timeline-compat "$result"
    run "$name" pftrace export timeline "$path" --stable-names --format pftrace --output "$result"
    collect "$name" pftrace "$result"
    run "$name" flame export flame "$path" --output "$result"
    collect "$name" flame "$result"
    run "$name" db export db "$path" --stable-names --output "$result"
    collect "$name" db "$result"
    pages "$name" "$path"
    run "$name" query query "$path"
    show_tables "$name" "$path"
    run "$name" advise advise "$path"
    run "$name" advise-json advise "$path" --format json
    run "$name" diff diff "$path" "$path"
    run "$name" diff-json diff "$path" "$path" --format json --allow-incomparable
}

outputs_of_framework() { # capture, path
    local result=$scratch/result
    run "$1" analyse analyse "$2" --export text,db --output "$result"
    collect "$1" analyse "$result"
    pages "$1" "$2"
    show_tables "$1" "$2"
    run "$1" advise advise "$2"
    run "$1" diff diff "$2" "$2"
}

outputs_of_cluster() { # capture, path
    local result=$scratch/result
    run "$1" cluster cluster "$2" --detail --output "$result"
    collect "$1" cluster "$result"
    pages "$1" "$2"
}

# One result of the captures with samples of the system, which have the most tables.
outputs_of_merge() {
    local result=$scratch/result path
    mkdir "$scratch/in/merge"
    for path in "$scratch"/in/*system-*/PROF_*; do
        cp -rp "$path" "$scratch/in/merge/PROF_$(basename "$(dirname "$path")")"
    done
    run merge summary export summary --merge --output "$result" merge
    collect merge summary "$result"
    run merge timeline export timeline --merge --output "$result" merge
    collect merge timeline "$result"
}

take_captures
for directory in "$scratch"/in/*/; do
    name=$(basename "$directory")
    # shellcheck disable=SC2053 # a pattern
    [[ $name == $only ]] || continue
    case $name in
    *cluster*) outputs_of_cluster "$name" "$name" ;;
    *)
        for path in "$directory"*/; do
            path=$name/$(basename "$path")
            case $path in
            *_ascend_ms | *_ascend_pt) outputs_of_framework "$name" "$path" ;;
            *) outputs_of_capture "$name" "$path" ;;
            esac
        done
        ;;
    esac
done
[ "$only" != '*' ] || outputs_of_merge

cd "$out"
find . -type f | sort | while IFS= read -r file; do
    fixed <"$file" >"$scratch/fixed"
    mv "$scratch/fixed" "$file"
    sha256sum "$file"
done
