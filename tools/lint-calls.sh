#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finds files of one folder that call each other in a circle: neither can be read before the other. A helper that both need
# belongs below them, and two halves of one module into one file. Calls are what the objects name of each other.
# usage: tools/lint-calls.sh DIRECTORY   (of objects: build/release)
set -euo pipefail
directory=$(realpath "${1:?usage: tools/lint-calls.sh DIRECTORY}")
cd "$(dirname "$0")/.."
objects=()
while read -r source; do
    [ ! -e "$directory/${source%.c}.o" ] || objects+=("${source%.c}.o")
done < <(find base parsers db analysis exporters features ssh acl cli -name '*.c')
cd "$directory"

# Pairs of files: one names a function, the other, of the same folder, defines it.
calls=$(nm -A "${objects[@]}" |
    awk '{
            file = $1; sub(/\.o:.*/, "", file); symbol = $NF; kind = $(NF - 1)
            if (kind == "T") defined_in[symbol] = file
            if (kind == "U") named[++names] = file " " symbol
        }
        function folder(file) { sub("/[^/]*$", "", file); return file }
        END {
            for (n = 1; n <= names; n++) {
                split(named[n], use, " ")
                callee = defined_in[use[2]]
                if (callee != "" && callee != use[1] && folder(callee) == folder(use[1])) print use[1], callee, use[2]
            }
        }' | sort -u)
# tsort names the files of each circle; the calls between them say what to move.
circles=$(awk '{ print $1, $2 }' <<<"$calls" | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ :]*\/[^ :]*\)$/\1/p' | sort -u || :)
[ -z "$circles" ] && exit 0
echo "these files call each other in a circle:" >&2
awk 'NR == FNR { circle[$1] = 1; next } ($1 in circle) && ($2 in circle) { print "  " $1 ".c: " $3 "() of " $2 ".c" }' \
    <(printf '%s\n' "$circles") - <<<"$calls" >&2
exit 1
