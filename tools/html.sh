#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the manual as a site: build/html/, an index, a page for each manual page, references between them that work, and docs/ beside.
# Needs mandoc, and cmark-gfm for docs/ as pages (they stay text without it). usage: tools/html.sh DIRECTORY_OF_PAGES OUTPUT
set -euo pipefail
cd "$(dirname "$0")/.."

pages=${1:?usage: tools/html.sh DIRECTORY_OF_PAGES OUTPUT}
output=${2:?usage: tools/html.sh DIRECTORY_OF_PAGES OUTPUT}
rm -rf "$output"
mkdir -p "$output"

cat >"$output/style.css" <<'END'
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre, code, .Li, table { font-size: 0.95em; overflow-x: auto; }
table { border-collapse: collapse; }
td, th { padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
table.head, table.foot { width: 100%; }
END

# The references to pages that are not of this manual, as sqlite3(1), are text.
link_own_pages() {
    local name
    while IFS= read -r name; do
        [ -e "$pages/${name%.html}" ] || sed -i -E "s|<a class=\"Xr\" href=\"${name//./\\.}\"[^>]*>([^<]*)</a>|\\1|g" "$1"
    done < <(grep -oE 'class="Xr" href="[^"]*"' "$1" | sed -E 's/.*href="([^"]*)"/\1/' | sort -u)
}

one_line() { # page
    sed -n 's/^\.Nd //p' "$1" | head -n 1 | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/\\&//g'
}

for page in "$pages"/*.[1-8]; do
    name=$(basename "$page")
    mandoc -T html -O man=%N.%S.html,style=style.css "$page" >"$output/$name.html"
    link_own_pages "$output/$name.html"
done

render_docs() {
    local file target
    while IFS= read -r file; do
        target=$output/$file
        mkdir -p "$(dirname "$target")"
        if command -v cmark-gfm >/dev/null; then
            {
                printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s</title><link rel="stylesheet" href="%s">' "$(basename "$file" .md)" "$(dirname "$file" | sed 's|[^/]*|..|g')/style.css"
                printf '</head><body>\n'
                cmark-gfm --extension table "$file" | sed -E 's|(href="[^":]*)\.md(["#])|\1.html\2|g'
                printf '</body></html>\n'
            } >"${target%.md}.html"
        else
            cp "$file" "$target"
        fi
    done < <(find docs -name '*.md' | sort)
}
render_docs

section_title() {
    case $1 in
    1) echo Commands ;;
    3) echo 'Functions of libmsprof_acl' ;;
    5) echo Formats ;;
    7) echo Overviews ;;
    esac
}

{
    printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    printf '<title>msprof: manual</title><link rel="stylesheet" href="style.css"></head><body>\n<h1>msprof: manual</h1>\n'
    for section in 1 5 7 3; do
        printf '<h2>%s</h2>\n<table>\n' "$(section_title "$section")"
        for page in "$pages"/*."$section"; do
            name=$(basename "$page")
            printf '<tr><td><a href="%s.html">%s(%s)</a></td><td>%s</td></tr>\n' "$name" "${name%.*}" "$section" "$(one_line "$page")"
        done
        printf '</table>\n'
    done
    printf '<h2>For who works on it</h2>\n<ul>\n'
    (cd "$output" && find docs -type f | sort) | while IFS= read -r file; do
        printf '<li><a href="%s">%s</a></li>\n' "$file" "${file%.*}"
    done
    printf '</ul>\n</body></html>\n'
} >"$output/index.html"

# Every link of the site leads to a file of it, or out of it.
broken=0
while IFS= read -r page; do
    while IFS= read -r link; do
        target=$(dirname "$page")/${link%%#*}
        if [ ! -e "$target" ] && [ ! -e "${target%.html}.md" ]; then
            case $page in
            "$output"/docs/*) ;; # they refer to sources, too
            *)
                echo "$page: '$link' leads nowhere" >&2
                broken=1
                ;;
            esac
        fi
    done < <(grep -oE '(href|src)="[^"#][^":]*"' "$page" | sed -E 's/^[a-z]*="//; s/"$//' | sort -u)
done < <(find "$output" -name '*.html')
[ "$broken" -eq 0 ] || exit 1
echo "$output/index.html"
