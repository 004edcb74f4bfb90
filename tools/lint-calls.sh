#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finds files that call each other in a circle: neither can be read before the other. A helper that both need belongs below
# them, and two halves of one module into one file. Calls are what the objects name of each other. Within a folder there is none;
# those over several folders may only become fewer.
# usage: tools/lint-calls.sh DIRECTORY   (of objects: build/release)
set -euo pipefail
directory=$(realpath "${1:?usage: tools/lint-calls.sh DIRECTORY}")
cd "$(dirname "$0")/.."
objects=()
while read -r source; do
    [ ! -e "$directory/${source%.c}.o" ] || objects+=("${source%.c}.o")
done < <(find base parsers db exporters features ssh api acl cli -name '*.c')
cd "$directory"
most_in_circles=25 # files, over all folders. Whoever makes them fewer lowers it

# Pairs of files: one names a function, the other defines it. sigaction is the C library's for those that call it; what several
# files define is a parameter of a library, which each library has its own of.
calls=$(nm -A "${objects[@]}" |
    awk '{
            file = $1; sub(/\.o:.*/, "", file); symbol = $NF; kind = $(NF - 1)
            if (kind == "T" && symbol != "sigaction") defined_in[symbol] = (symbol in defined_in) && defined_in[symbol] != file ? "" : file
            if (kind == "U") named[++names] = file " " symbol
        }
        END {
            for (n = 1; n <= names; n++) {
                split(named[n], use, " ")
                callee = defined_in[use[2]]
                if (callee != "" && callee != use[1]) print use[1], callee, use[2]
            }
        }' | sort -u)
folder='function folder(file) { sub("/[^/]*$", "", file); return file }'
# The files that circles are made of: what is left when those that call nobody left, or that nobody left calls, are taken away.
in_circles() {
    awk '{ from[NR] = $1; to[NR] = $2; files[$1]; files[$2] }
        END {
            do {
                delete calls; delete called; gone = 0
                for (n = 1; n <= NR; n++) if (from[n] in files && to[n] in files) { calls[from[n]]; called[to[n]] }
                for (file in files) if (!(file in calls) || !(file in called)) { delete files[file]; gone++ }
            } while (gone)
            for (file in files) print file
        }' | sort
}
report() { # files
    awk 'NR == FNR { circle[$1] = 1; next } ($1 in circle) && ($2 in circle) { print "  " $1 ".c: " $3 "() of " $2 ".c" }' \
        <(printf '%s\n' "$1") - <<<"$calls" >&2
}
circles=$(awk "$folder"' folder($1) == folder($2) { print $1, $2 }' <<<"$calls" | in_circles)
if [ -n "$circles" ]; then
    echo "these files of one folder call each other in a circle:" >&2
    report "$circles"
    exit 1
fi
circles=$(awk '{ print $1, $2 }' <<<"$calls" | in_circles)
count=$(grep -c . <<<"$circles" || :)
[ "$count" -le "$most_in_circles" ] && exit 0
echo "$count files are in circles of calls, or between two, more than $most_in_circles:" >&2
report "$circles"
exit 1
