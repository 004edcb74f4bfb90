#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that what sources and pages refer to is there: sections of docs/formats/ ("docs/formats/cann.md 4.2"), other
# pages of docs/, the relative links of Markdown files, and the sources that comments of C name.
set -u
cd "$(dirname "$0")/.." || exit 1

findings=0
finding() {
    echo "$*" >&2
    findings=$((findings + 1))
}

texts() {
    find . \( -name build -o -name .git -o -path ./tests/fuzz/corpus \) -prune -o -type f \
        \( -name '*.[chS]' -o -name '*.md' -o -name '*.py' -o -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.hex' \
        -o -name '*.[1-8]' -o -name '*.in' -o -name Makefile \) -print0
}

while IFS=: read -r file line page section; do
    if [ ! -e "$page" ]; then
        finding "$file:$line: there is no $page"
    elif [ -n "$section" ] && ! grep -qE "^#+ ${section//./\\.}( |\$)" "$page"; then
        finding "$file:$line: $page has no section $section"
    fi
done < <(texts | xargs -0 grep -HnoE 'docs/[a-z0-9/-]+\.md( [0-9A-Z]+(\.[0-9]+)*( and [0-9A-Z]+(\.[0-9]+)*)*)?' |
    awk -F: '{
        n = split($3, words, " ")
        if (n == 1) print $1 ":" $2 ":" words[1] ":"
        for (i = 2; i <= n; i++) if (words[i] != "and") print $1 ":" $2 ":" words[1] ":" words[i]
    }' | awk -F: '$4 == "" || $4 ~ /^([0-9]+(\.[0-9]+)*|[A-Z][0-9]+)$/ || sub(/:[^:]*$/, ":")')

while IFS= read -r -d '' file; do
    while IFS=: read -r line target; do
        case $target in
        *://* | '#'* | mailto:*) continue ;;
        esac
        [ -e "$(dirname "$file")/${target%%#*}" ] || finding "$file:$line: the link to '$target' leads nowhere"
    done < <(grep -noE '\]\([^)]+\)' "$file" | sed -E 's/\]\(([^)]*)\)/\1/')
done < <(find . \( -name build -o -name .git \) -prune -o -name '*.md' -print0)

while IFS=: read -r file line source; do
    [ -e "$source" ] || finding "$file:$line: there is no $source"
done < <(find acl base cli db exporters features parsers ssh tests -name '*.[ch]' -print0 | xargs -0 grep -HnvE '^ *# *include' |
    grep -oE '^[^:]+:[0-9]+:|\<(acl|base|cli|db|exporters|features|parsers|ssh|tests|tools)/[a-z0-9_/-]+\.[ch]\>' |
    awk '/:$/ { at = $0; next } { print at $0 }')

if [ "$findings" -gt 0 ]; then
    echo "lint-links: $findings findings" >&2
    exit 1
fi
