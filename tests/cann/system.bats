#!/usr/bin/env bats
# Samples of systems, memory and links: what their files become.

# shellcheck disable=SC2154 # common.bash sets MSPROF, shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    export PYTHONDONTWRITEBYTECODE=1
}

@test "text files become the rows that their fixtures say" {
    python3 "$BATS_TEST_DIRNAME/lib/text_kinds.py" "$MSPROF" "$repository/testdata/kinds" "$PWD/work"
}

agree_with_expected() { # expected tables, capture
    run_msprof export summary -dir "$2"
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/agree_tables.py" "$1" "$2/mindstudio_profiler_output"
}

@test "every table of the shipped captures with samples is the one beside them" {
    for name in system-910b system-910a; do
        copy_family "$name" PROF_1
        agree_with_expected "$repository/testdata/cann/$name/expected" PROF_1
        # no table is without an expected one
        expect_equal "$(find PROF_1/mindstudio_profiler_output -name '*.csv' | wc -l)" \
            "$(find "$repository/testdata/cann/$name/expected" -name '*.csv' | wc -l)"
    done
}

@test "sampled cores are added up, and the means of cores are right" {
    for chip in 5 1; do
        rm -rf made expected
        capture=$(python3 "$repository/testdata/generate/cann/make_system.py" made --chip "$chip" --seed 3 --sampled-cores)
        python3 "$BATS_TEST_DIRNAME/lib/recompute_system.py" --tables expected "$capture"
        [ -e expected/ai_core_utilization.csv ]
        agree_with_expected expected "$capture"
    done
}

# The tables that the recalculation has, of shared data, against those of Ascend's tool: what it says of other captures is
# worth as much.
@test "the recalculation of tables of samples gives what Ascend's tool gives" {
    needs_shared data/expected/system-chip5
    while read -r name tables; do
        rm -rf tables
        # shellcheck disable=SC2086 # names of tables, or none for all
        python3 "$BATS_TEST_DIRNAME/lib/recompute_system.py" --tables tables "$shared/data/generated/$name"/PROF_* $tables
        names=()
        for table in tables/*.csv; do
            names+=("$(basename "$table" .csv)")
            mv "$table" "${table%.csv}_1.csv"
        done
        python3 "$BATS_TEST_DIRNAME/lib/agree_system.py" "$shared/data/expected/$name" tables "${names[@]}"
    done <<'END'
system-chip5
system-chip1
sample-chip5 ai_core_utilization ai_vector_core_utilization
sample-chip1 ai_core_utilization
END
}

# A generated capture of shared data and what Ascend's tool made of it: every table equal, but for what the manual says.
agree_with_tool() {
    needs_shared "data/expected/$1"
    cp -r "$shared/data/generated/$1"/PROF_* PROF_1
    chmod -R u+w PROF_1
    run_msprof export summary -dir PROF_1
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/agree_system.py" "$shared/data/expected/$1" PROF_1/mindstudio_profiler_output
}

@test "every table of an Ascend 910B with samples is that of Ascend's tool" {
    agree_with_tool system-chip5
}

@test "every table of an Ascend 910A with samples is that of Ascend's tool" {
    agree_with_tool system-chip1
}

@test "sampled cores of an Ascend 910B are those of Ascend's tool" {
    agree_with_tool sample-chip5
}

@test "sampled cores of an Ascend 910A are those of Ascend's tool" {
    agree_with_tool sample-chip1
}

@test "voltages of the cores and the bus are counters of the timeline" {
    [ -d "$shared/data/generated/system-chip5" ] || skip "the shared data are not there"
    run_msprof export timeline -q --stable-names --output out "$shared/data/generated/system-chip5"/PROF_*
    expect_status 0
    python3 - <<'END'
import json
events = json.load(open("out/mindstudio_profiler_output/msprof.json"))["traceEvents"]
def values(name):
    return [(e["ts"], e["args"]["mV"]) for e in events if e["name"] == name and e["ph"] == "C"]
# two records of five pairs each tell of the same five times
assert values("Aicore Voltage(mV)")[:4] == [(292, 889), (292, 887), (876, 854), (876, 821)], values("Aicore Voltage(mV)")
assert len(values("Bus Voltage(mV)")) == 10 and values("Bus Voltage(mV)")[0] == (292, 744)
assert any(e["name"] == "process_name" and e["args"]["name"] == "Voltage Info" for e in events)
END
}
