#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What Ascend's C++ core makes of a capture of chip 15, and its database for viewers of one of chip 5.
# bats file_tags=once

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

copy_shared() { # name
    cp -R "$shared/data/generated/$1"/PROF* PROF_1
    chmod -R u+w PROF_1
    rm -rf PROF_1/log PROF_1/sqlite PROF_1/mindstudio_profiler_output PROF_1/*.db
}

@test "a capture of chip 15 gives what Ascend's tool gives" {
    needs_shared data/expected/chip15
    copy_shared chip15-150
    run_msprof export summary -dir PROF_1 --stable-names --columns vendor --output out
    expect_status 0
    run_msprof export timeline -dir PROF_1 --stable-names --trace-compat --output out
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/agree_chip_15.py" out/mindstudio_profiler_output "$shared/data/expected/chip15"
}

@test "the database for viewers of chip 15 has the rows of CCU and DPU_TASK that Ascend's core makes" {
    needs_shared data/expected/chip15
    copy_shared chip15-150
    run_msprof export db -dir PROF_1 --stable-names --output out
    python3 - out/msprof.db "$shared/data/expected/chip15/msprof_db.json.gz" <<'END'
import gzip, json, sqlite3, sys
theirs = json.load(gzip.open(sys.argv[2]))
words = dict(theirs['STRING_IDS']['rows'])
own = sqlite3.connect(sys.argv[1])
own_words = dict(own.execute('SELECT id, value FROM STRING_IDS'))
# globalTaskId is a number of its own here and there; a time that the vendor cuts off may differ by one
for table, texts, times in (('CCU', (2, 5), (3, 4)), ('DPU_TASK', (7, 8), (2, 3))):
    columns = [tuple(row[1:3]) for row in own.execute('PRAGMA table_info(%s)' % table)]
    assert columns == [tuple(column) for column in theirs[table]['columns']], columns
    drop = [name for name, _ in columns].index('globalTaskId')
    def plain(rows, words):
        return sorted([words[cell] if i in texts else cell for i, cell in enumerate(row) if i != drop] for row in rows)
    found, wanted = plain(own.execute('SELECT * FROM %s' % table), own_words), plain(theirs[table]['rows'], words)
    assert len(found) == len(wanted) > 20
    for a, b in zip(found, wanted):
        assert all(x == y or (isinstance(x, int) and abs(x - y) <= 1) for x, y in zip(a, b)), (a, b)
assert own.execute('SELECT count(*) FROM DPU_TASK JOIN TASK USING(globalTaskId)').fetchone() == (0,)
END
}

@test "the database for viewers of chip 5 is that of Ascend's tool" {
    needs_shared data/expected/system-chip5-db
    copy_shared system-chip5
    run_msprof export db -dir PROF_1 --stable-names --output out
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/agree_viewers.py" out/msprof.db "$shared/data/expected/system-chip5-db/msprof.json.gz"
}

@test "a capture of chip 16 gives what a recalculation of its files gives" {
    needs_shared data/generated/chip15-150
    copy_shared chip15-150
    for chip in 16 15; do # what makes them writes the same files with another chip
        sed -i "s/\"platform_version\": *\"1[56]\"/\"platform_version\":\"$chip\"/" PROF_1/host/info.json PROF_1/device_0/info.json.0
        rm -rf out
        run_msprof export summary -dir PROF_1 --stable-names --output out
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/lib/recompute_v6.py" PROF_1 out/mindstudio_profiler_output
        run_msprof export timeline -dir PROF_1 --stable-names --output out
        mv out "of_$chip"
    done
    rm -r of_1[56]/sqlite of_1[56]/log
    sed -i 's/"chip":"*1[56]"*//' of_1[56]/mindstudio_profiler_output/msprof.json
    diff -r of_15 of_16
}
