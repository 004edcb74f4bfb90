#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks what the compiler does not: which folder may use which library, that library folders neither print nor end the program,
# how long files are, how many stand in a folder, and what stands at the top. Prints FILE:LINE: what is wrong.
set -u
cd "$(dirname "$0")/.." || exit 1

longest_file=1000
most_files=60
most_chains=400 # lines that begin "if (status == 0" or "if (!failed": a function returns early instead. Whoever makes them fewer lowers it

findings=0
finding() {
    echo "$*" >&2
    findings=$((findings + 1))
}

# The areas that have rules of their own. Files in an area within another are not of the outer one.
areas=(base parsers db exporters/table exporters/timeline exporters features/cluster/mpi features/*/commands features/*/ features ssh acl cli testdata)
areas=("${areas[@]%/}")

sources_of() {
    local area inner=()
    for area in "${areas[@]}"; do
        [[ $area != "$1"/* ]] || inner+=(-path "$area" -prune -o)
    done
    [ ! -d "$1" ] || find "$1" "${inner[@]}" -name '*.[ch]' -print | sort
}

# The only folders, or files, that may include a library's header.
allowed_users() {
    case $1 in
    sqlite3.h) echo db exporters features cli ;;
    cjson/*) echo base ;;
    openssl/*) echo base ssh ;;
    csv.h) echo base features ;;
    xxhash.h) echo base ;;
    zlib.h | libdeflate.h) echo exporters ;;
    archive.h | archive_entry.h) echo parsers ;;
    libssh2*.h) echo ssh/transport/libssh2.c ;;
    libssh/*) echo ssh/transport/libssh.c ;;
    esac
}

# FILE:LINE:HEADER for each include of the sources of a folder, of "" or of <>.
includes_of() { # folder, opening, closing
    sources_of "$1" | xargs -r grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2[^$3]+$3" |
        sed -E "s/^([^:]+:[0-9]+:)[^$2]*$2([^$3]+)$3.*/\\1\\2/"
}

check_libraries() {
    local folder=$1 file line header users
    declare -A users_of=()
    while IFS=: read -r file line header; do
        [ -n "${users_of[$header]+known}" ] || users_of[$header]=$(allowed_users "$header")
        users=${users_of[$header]}
        [ -n "$users" ] || continue
        [[ " $users " == *" ${folder%%/*} "* || " $users " == *" $file "* ]] && continue
        finding "$file:$line: <$header> is for $users only"
    done < <(includes_of "$folder" '<' '>')
}

check_quiet() {
    local folder=$1 file line text
    while IFS=: read -r file line text; do
        finding "$file:$line: a library folder must neither print nor end the program: ${text#"${text%%[![:space:]]*}"}"
    done < <(sources_of "$folder" | grep -vx 'acl/preload/system\.c' | # stands in front of _exit()
        xargs -r grep -nHE '(^|[^a-z_0-9>.])(printf|vprintf|puts|putchar|perror|exit|_exit|quick_exit|abort|assert|main)[[:space:]]*\(|(^|[^a-z_/])(stdout|stderr)([^a-z_]|$)' |
        grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)|"/dev/std')
}

for folder in "${areas[@]}"; do
    [ "$folder" = testdata ] || check_libraries "$folder"
    case $folder in
    cli | testdata | features/*/commands | features/cluster/mpi) ;;
    *) check_quiet "$folder" ;;
    esac
done

# A file is its .c and its .h together: what it includes must not come back to it.
circles=$(for folder in "${areas[@]}"; do
    sources_of "$folder"
done | xargs grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+\.h"' |
    sed -E 's/^([^:]+)\.[ch]:.*"([^"]+)\.h"$/\1 \2/' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null |
    sed -n 's/^tsort: \([^:]*\/.*\)$/  \1/p')
if [ -n "$circles" ]; then
    finding "these files include each other in a circle:
$circles"
fi

while read -r lines file; do
    if [ "$lines" -gt "$longest_file" ] && [ "$file" != total ]; then
        finding "$file:$lines: more than $longest_file lines: divide it"
    fi
done < <(find . \( -name build -o -name .git \) -prune -o \( -name '*.[ch]' -o -name '*.bats' -o -name '*.bash' -o -name '*.sh' -o -name '*.py' \) -print0 |
    xargs -0 wc -l)

while read -r files folder; do
    if [ "$files" -gt "$most_files" ]; then
        finding "$folder: $files files stand in it, more than $most_files: divide it"
    fi
done < <(find . \( -name build -o -name .git -o -name __pycache__ -o -path ./testdata -o -path ./tests/fuzz/corpus \) -prune -o -type f -printf '%h\n' |
    sort | uniq -c)

chains=$(for folder in "${areas[@]}"; do
    [ "$folder" = testdata ] || sources_of "$folder"
done | xargs cat | grep -cE '^[[:space:]]*if \((status == 0|!failed)')
if [ "$chains" -gt "$most_chains" ]; then
    finding "$chains lines begin \"if (status == 0\" or \"if (!failed\", more than $most_chains: return early from what fails"
fi

# What a command leaves in the folder that it was started in is not of the sources.
known_at_the_top="acl api base cli db debian docs exporters features include man parsers po python ssh testdata tests tools
    CHANGELOG.md CONTRIBUTING.md Dockerfile LICENSE Makefile README.md README.zh-CN.md SECURITY.md"
while read -r name; do
    [[ $name == .* ]] || [[ " ${known_at_the_top//$'\n'/ } " == *" $name "* ]] ||
        finding "$name: stands at the top of the sources, where it is not expected: a result that was committed?"
done < <(git -c core.quotePath=false ls-files 2>/dev/null | cut -d/ -f1 | sort -u)

if [ "$findings" -gt 0 ]; then
    echo "lint-structure: $findings findings" >&2
    exit 1
fi
