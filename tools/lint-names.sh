#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finds functions of headers whose names do not say which module they are of. The first word of such a name, or the last, is
# one of the header's path, of a type that the header names or of a source file beside it; or else other names of the header
# begin with it, which makes it a module's. Plurals are as their singulars.
# usage: tools/lint-names.sh
set -euo pipefail
cd "$(dirname "$0")/.."
findings=$(find acl base cli db exporters features parsers ssh -name '*.h' | sort | while read -r header; do
    sed -z 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' "$header" |
        awk -v header="$header" -v beside="$(find "$(dirname "$header")" -maxdepth 1 -name '*.c' -printf '%f ')" '
            function single(word) { sub(/s+$/, "", word); sub(/ie$/, "y", word); return word }
            function allow(text, n, i, words) {
                n = split(text, words, /[^a-z0-9]+/)
                for (i = 1; i <= n; i++) known[single(words[i])] = 1
            }
            function first(name) { return single(substr(name, 1, index(name "_", "_") - 1)) }
            BEGIN { allow(header); gsub(/\.c /, " ", beside); allow(beside) }
            {
                rest = $0
                while (match(rest, /(struct|enum|typedef) [a-z0-9]+/)) {
                    split(substr(rest, RSTART, RLENGTH), type, " ")
                    known[single(type[2])] = 1
                    rest = substr(rest, RSTART + RLENGTH)
                }
            }
            /^[a-z]/ && !/^(typedef|(struct|enum|union) [a-z_0-9]+ \{)/ && match($0, /[a-z_0-9]+[(;[]/) {
                name = substr($0, RSTART, RLENGTH - 1)
                begun[first(name)]++
                if ($0 !~ /^(static|extern)/ && $0 ~ /\(/ && name != "__attribute__" && name !~ /^msprof_/) functions[name] = 1
            }
            END {
                for (name in functions) {
                    last = name
                    sub(/.*_/, "", last)
                    word = first(name)
                    shared = begun[word] > 1 && word !~ /^(i|ha|add|put|take|make)$/
                    if (!(word in known) && !(single(last) in known) && !shared)
                        print header ": " name "() begins with no name of its module"
                }
            }'
done)
[ -z "$findings" ] && exit 0
echo "$findings" >&2
exit 1
