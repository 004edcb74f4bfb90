#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every source says its license in its first line, behind '#!' where there is one; prints those that do not, or adds the lines.
# usage: tools/spdx.sh [--add] [DIRECTORY]
set -euo pipefail

license='SPDX-License-Identifier: Apache-2.0'
add=
if [ "${1:-}" = --add ]; then
    add=1
    shift
fi
cd "${1:-$(dirname "$0")/..}"

# Files that other programs wrote are theirs, and are not changed.
sources() {
    find . \( -path ./build -o -path ./.git -o -path './testdata/[!g]*' -o -path ./tests/fuzz/corpus \) -prune -o -type f \
        \( -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.py' -o -name Makefile \
        -o -path ./.ci/run -o -path ./tests/run -o -path ./tests/check \) -print | sort
}

# The files without their line, each behind what it lacks: "c", "text" or, behind a '#!', "script".
lacking() {
    # shellcheck disable=SC2016 # what is in quotes is awk's
    sources | xargs -d '\n' awk -v license="$license" '
        FNR == 1 { plain = FILENAME ~ /\.([chS]|cc)$/; how = plain ? "c" : "text"
                   line = plain ? "/* " license " */" : "# " license
                   if (/^#!/) { how = "script"; next } }
        { if ($0 != line) print how, FILENAME; nextfile }'
}

add_lines() { # what they lack, command of sed
    awk -v how="$1" '$1 == how { print substr($0, length(how) + 2) }' <<<"$missing" | xargs -r -d '\n' sed -i "$2"
}

# Read as a whole before it runs: it is among the files that get a line.
main() {
    local missing
    missing=$(lacking)
    if [ -n "$add" ]; then
        add_lines c "1i/* $license */"
        add_lines text "1i# $license"
        add_lines script "1a# $license"
    elif [ -n "$missing" ]; then
        sed -E "s|^[a-z]+ (.*)|\1:1: says no license (tools/spdx.sh --add)|" <<<"$missing" >&2
        exit 1
    fi
    exit 0
}

# The rule holds from the commit on that adds the lines: the Makefile has one of them.
[ -n "$add" ] || head -n 1 Makefile | grep -q "$license" || exit 0
main
