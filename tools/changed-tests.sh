#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints the tests that know a file which changed since a commit: git says which files did, the dependency files of the build
# who includes them. A feature's folder is known by tests/<feature>/ and tests/unit/<feature>/.
# usage: tools/changed-tests.sh BUILD_VARIANT_DIR [COMMIT]   (main, where there is one; else the last commit)
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tools/changed-tests.sh BUILD_VARIANT_DIR [COMMIT]}
commit=${2:-$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)}
shopt -s nullglob

tests_of() { # folder
    printf '%s\n' tests/"$1"/*.bats tests/unit/"$1"/test_*.c
}

# The sources whose objects are made of a file, by the dependency files; of x.c those that know x.h.
users_of() { # file
    local file=${1%.c}
    [ "$file" = "$1" ] || file+=.h
    grep -rlE --include='*.d' "(^| )${file//./\\.}( |:|$)" "$build" | sed -E "s|^$build/||; s/\.d$/.c/" || :
}

{ git diff --name-only "$commit" && git ls-files --others --exclude-standard; } | while read -r file; do
    case $file in
    tests/*/*.bats | tests/unit/*/test_*.c | tests/fuzz/fuzz_*.c) [ ! -e "$file" ] || echo "$file" ;;
    tests/lib/*.py | tests/cli/*.bash | tests/cann/lib/*) grep -lE "\<$(basename "${file%.*}")\>" tests/*/*.bats || : ;;
    tests/*/*) file=${file#tests/} && tests_of "${file%%/*}" ;;
    docs/* | man/* | *.md) tests_of docs ;;
    *.[ch])
        { echo "$file" && users_of "$file"; } | sed -nE 's#^features/([a-z]+)/.*#\1#p; s#^(ssh|acl)/.*#\1#p; s#^(tests/unit/.*|tests/fuzz/fuzz_.*)#=\1#p' | sort -u |
            while read -r user; do
                if [[ $user == =* ]]; then echo "${user#=}"; else tests_of "$user"; fi
            done
        ;;
    esac
done | sort -u
