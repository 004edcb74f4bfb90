# SPDX-License-Identifier: Apache-2.0
# Families of captures as the command line shows them, and the kinds that the code names.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

# Makes a capture of one file of $2 bytes (an octal pattern for printf, repeated) called $1.
capture_of() {
    mkdir -p "$BATS_TEST_TMPDIR/JOBONE"
    cat >"$BATS_TEST_TMPDIR/JOBONE/$1"
}

family() {
    sqlite3 "$BATS_TEST_TMPDIR/JOBONE/sqlite/runtime.db" "SELECT value FROM meta WHERE key = 'family'"
}

@test "a record of an AI CPU alone in a JOB directory is imported or named, and does not crash" {
    { printf '\x5a\x5a\x3c' && head -c 125 /dev/zero; } | capture_of DATA_PREPROCESS.AICPU.0.slice_0
    run "$MSPROF" import -dir "$BATS_TEST_TMPDIR/JOBONE"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    [ "$(family)" != svp ]
}

@test "zeros in place of frequencies alone in a JOB directory are imported or named, and do not crash" {
    head -c 888 /dev/zero | capture_of lpmFreqConv.data.0.slice_0
    run "$MSPROF" import -dir "$BATS_TEST_TMPDIR/JOBONE"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    [ -n "$output" ]
}

@test "calls of ACL alone are a capture of Ascend, not of a board" {
    printf '\x5a\x5a' | cat - <(head -c 126 /dev/zero) | capture_of AclModule.acl_model.0.slice_0
    run "$MSPROF" import -dir "$BATS_TEST_TMPDIR/JOBONE"
    [ "$(family)" = ascend-2022 ]
}

@test "a family that this version does not know is an error and no board's capture" {
    printf 'letter\n' | capture_of acl_api.0.net.1
    run "$MSPROF" import -dir "$BATS_TEST_TMPDIR/JOBONE"
    sqlite3 "$BATS_TEST_TMPDIR/JOBONE/sqlite/runtime.db" "UPDATE meta SET value = 'later' WHERE key = 'family'"
    run "$MSPROF" export summary -dir "$BATS_TEST_TMPDIR/JOBONE"
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    [[ $output == *"'later'"* ]]
}

# Makes a capture that nothing is known of, with $2 in info.json.0; without $2 of a file that is not read.
unknown_capture() {
    mkdir -p "$1/data"
    if [ $# -gt 1 ]; then
        printf %s "$2" >"$1/info.json.0"
    else
        echo letter >"$1/data/letter.txt"
    fi
}

# Makes run/ of four captures that nothing is known of.
unknown_captures() {
    enter_scratch
    mkdir run other
    copy_capture other/JOBY
    unknown_capture run/JOBA ''
    unknown_capture run/JOBB '{}'
    unknown_capture run/JOBC '{"version"'
    unknown_capture run/JOBD
}

@test "a capture that nothing is known of has nothing to answer with" {
    local command name
    unknown_captures
    run_msprof import run
    expect_status 3
    for command in "show" "show --table summary" "show --table op_summary" "show --table roofline" "show --table list" \
        "advise" "advise --format json" "advise --format html" "report -o page.html" "report other -o page.html --diff" \
        "diff other" "diff --new other" "diff --save page.html" "view --report" "view" "view --perfetto" "export timeline" "export summary" \
        "export flame" "export flame --weight host" "export db" "analyse --rule communication"; do
        for name in JOBA JOBB JOBC JOBD; do
            # shellcheck disable=SC2086 # the words of a command
            run_msprof $command run/$name
            expect_status 3
            [ $name = JOBD ] || expect_contains "$stderr" "$name': nothing was recorded, because"
        done
        expect_contains "$stderr" "JOBD' h"
    done
    [ ! -e page.html ]
    run_msprof query run
    expect_status 3
}

@test "a capture that nothing is known of does not keep the others from being answered" {
    local command
    unknown_captures
    copy_capture run/JOBZ
    run_msprof import run
    expect_status 3
    for command in "show --table vendor" "show --table ops" "show --table op_summary --format csv" "advise" "diff other" \
        "report --format markdown -o /dev/stdout" "report --format markdown -o /dev/stdout --diff other"; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof $command run
        expect_status 3
        [ "$(grep -c "nothing was recorded" <<<"$stderr")" -eq 3 ]
        [[ ${output//\\/} == *bbox_pred* ]] # which Markdown escapes
    done
    run_msprof export flame run
    expect_status 3
    [ -d run/JOBZ/flame ]
}

@test "every kind that queries, joins and printed tables name exists" {
    local name names=0
    while read -r name; do
        names=$((names + 1))
        "$MSPROF" kinds "$name" >/dev/null
    done < <(grep -rhoE "(^|[^w])(\.|[^.a-z_])kind (=|IS|<>) '[a-z_]+'|record_kind_find\(\"[a-z_]+\"\)|\.kind = \"[a-z_]+\"|\[UNPLACED_[A-Z]+\] = \"[a-z_]+\"" \
        db exporters cli parsers | grep -v 'w\.kind' | grep -oE "['\"][a-z_]+['\"]" | tr -d "'\"" | sort -u)
    [ "$names" -ge 12 ]
}
