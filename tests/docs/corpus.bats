#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The inputs that the fuzz targets begin with.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository
bats_require_minimum_version 1.5.0
load ../cli/common

@test "the fuzz targets begin with files of every kind, numbered as the kinds are" {
    needs python3
    python3 - "$repository" <<'END'
import glob, os, re, sys
kinds = []
paths = [path for where in ('parsers/kinds/*', 'features/*/kinds') for path in glob.glob(os.path.join(sys.argv[1], where, '*.c'))]
for path in sorted(paths, key=os.path.basename):
    with open(path, encoding='utf-8') as source:
        if re.search(r'\.patterns =|^    \w+_RECORD\(|^(METRIC|PLAIN)_KIND\(', source.read(), re.MULTILINE):
            kinds.append(os.path.basename(path)[:-2])
assert len(kinds) > 30
for number, kind in enumerate(kinds):
    for what in ('whole', 'slices', 'cut', 'joined'):
        with open(os.path.join(sys.argv[1], 'tests/fuzz/corpus/decode', '%s_%s' % (kind, what)), 'rb') as seed:
            first = seed.read(1)[0]
        assert first == number, ('run tests/fuzz/make_seeds.py', kind, first, number)
END
}

@test "whole captures of every family are what the target of imports begins with" {
    needs python3
    for seed in svp job 2022_0 2022_1 prof_5 prof_1 system_5 system_1; do
        [ -s "$repository/tests/fuzz/corpus/import/$seed" ]
    done
    # the scripts that write them are part of the sources: what they write today is what is there
    cp -R "$repository/tests/fuzz" "$repository/tests/lib" "$BATS_TEST_TMPDIR"
    mkdir -p "$BATS_TEST_TMPDIR/tree/tests/cann" "$BATS_TEST_TMPDIR/tree/tests/opprof"
    ln -s "$repository/tests/cann/lib" "$BATS_TEST_TMPDIR/tree/tests/cann/lib"
    ln -s "$repository/tests/opprof/lib" "$BATS_TEST_TMPDIR/tree/tests/opprof/lib"
    mv "$BATS_TEST_TMPDIR/fuzz" "$BATS_TEST_TMPDIR/lib" "$BATS_TEST_TMPDIR/tree/tests"
    ln -s "$repository/parsers" "$repository/features" "$repository/testdata" "$BATS_TEST_TMPDIR/tree"
    rm -r "$BATS_TEST_TMPDIR/tree/tests/fuzz/corpus/import" "$BATS_TEST_TMPDIR/tree/tests/fuzz/corpus/opprof"
    python3 -B "$BATS_TEST_TMPDIR/tree/tests/fuzz/make_seeds.py"
    # found_*: inputs that showed mistakes
    diff -r -x 'found_*' "$BATS_TEST_TMPDIR/tree/tests/fuzz/corpus/import" "$repository/tests/fuzz/corpus/import"
    diff -r -x 'found_*' "$BATS_TEST_TMPDIR/tree/tests/fuzz/corpus/opprof" "$repository/tests/fuzz/corpus/opprof"
}
