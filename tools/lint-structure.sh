#!/bin/bash
# Checks what the compiler does not: which folder may include which, which folder may use which library, that library
# folders neither print nor end the program, and how long files are. Prints FILE:LINE: what is wrong.
set -u
cd "$(dirname "$0")/.." || exit 1

longest_file=600

findings=0
finding() {
    echo "$*" >&2
    findings=$((findings + 1))
}

sources_of() {
    [ ! -d "$1" ] || find "$1" -name '*.[ch]' | sort
}

# What the files of a folder may include beside their own folder's headers: an extended regular expression.
allowed_includes() {
    case $1 in
    base) echo '^$' ;;
    switches) echo '^base/' ;;
    parsers) echo '^base/|^kind_list\.h$' ;;
    db) echo '^base/|^parsers/(record|capture/capture|decode/decode)\.h$' ;;
    analysis) echo '^base/' ;;
    frameworks) echo '^base/' ;;
    exporters) echo '^(base|switches|db|analysis|frameworks)/|^parsers/(record|series)\.h$|^(report|track)_list\.h$' ;;
    cluster) echo '^base/|^exporters/json_text\.h$' ;;
    ssh) echo '^base/' ;;
    acl) echo '^(base|switches)/|^msprof/|^preload_functions\.h$' ;;
    cli) echo '^(base|switches|parsers|db|analysis|frameworks|exporters|cluster|ssh)/|^acl/subscribe/operator_' ;;
    testdata) echo '^(base|parsers|cluster)/' ;;
    esac
}

# The only folders that may include a library's header.
allowed_users() {
    case $1 in
    sqlite3.h) echo db exporters cli ;;
    cjson/*) echo base ;;
    openssl/*) echo base ssh ;;
    csv.h) echo base exporters cluster ;;
    libssh2*.h) echo ssh ;;
    esac
}

check_includes() {
    local folder=$1 file=$2 line header
    while IFS=: read -r line header; do
        [[ $header == "$folder"/* ]] && continue
        [[ $header =~ $(allowed_includes "$folder") ]] && continue
        finding "$file:$line: $folder/ must not include \"$header\" (see docs/architecture.md)"
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/;t found;b;:found;=;p' "$file" |
        paste -d: - -)
}

check_libraries() {
    local folder=$1 file=$2 line header users
    while IFS=: read -r line header; do
        users=$(allowed_users "$header")
        [ -n "$users" ] || continue
        [[ " $users " == *" $folder "* ]] && continue
        finding "$file:$line: <$header> is for $users only"
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*<([^>]+)>.*/\1/;t found;b;:found;=;p' "$file" |
        paste -d: - -)
}

check_quiet() {
    local file=$1 line text
    while IFS=: read -r line text; do
        finding "$file:$line: a library folder must neither print nor end the program: ${text#"${text%%[![:space:]]*}"}"
    done < <(grep -nE '(^|[^a-z_0-9>.])(printf|vprintf|puts|putchar|perror|exit|_exit|quick_exit|abort|assert|main)[[:space:]]*\(|(^|[^a-z_/])(stdout|stderr)([^a-z_]|$)' "$file" |
        grep -vE '^[0-9]+:[[:space:]]*(/?\*|//)|"/dev/std')
}

for folder in base switches parsers db analysis frameworks exporters cluster ssh acl cli testdata; do
    while read -r file; do
        check_includes "$folder" "$file"
        if [ "$folder" != testdata ]; then
            check_libraries "$folder" "$file"
        fi
        case $folder in
        cli | testdata) ;;
        acl) [ "${file##*/}" = exits.c ] || check_quiet "$file" ;; # stands in front of _exit()
        *) check_quiet "$file" ;;
        esac
    done < <(sources_of "$folder")
done

# A file is its .c and its .h together: what it includes must not come back to it.
circles=$(for folder in base switches parsers db analysis frameworks exporters cluster ssh acl cli; do
    sources_of "$folder"
done | xargs grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+\.h"' |
    sed -E 's/^([^:]+)\.[ch]:.*"([^"]+)\.h"$/\1 \2/' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null |
    sed -n 's/^tsort: \([^:]*\/.*\)$/  \1/p')
if [ -n "$circles" ]; then
    finding "these files include each other in a circle:
$circles"
fi

while read -r file; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "$longest_file" ]; then
        finding "$file:$lines: more than $longest_file lines: divide it"
    fi
done < <(find . \( -name build -o -name .git \) -prune -o \( -name '*.[ch]' -o -name '*.bats' -o -name '*.bash' -o -name '*.sh' -o -name '*.py' \) -print)

if [ "$findings" -gt 0 ]; then
    echo "lint-structure: $findings findings" >&2
    exit 1
fi
