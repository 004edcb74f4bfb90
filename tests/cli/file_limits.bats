#!/usr/bin/env bats
# A limit on the size of files (ulimit -f) is an error as a full disk is: told, and nothing half is left.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    copy_capture
}

limited() {
    status=0
    (ulimit -f 16 && exec "$MSPROF" "$@") >stdout 2>stderr || status=$?
    stderr=$(<stderr)
}

@test "an import beyond the limit on the size of files ends with an error, not by SIGXFSZ" {
    limited import -dir JOBX
    expect_status 1
    expect_contains "$stderr" "cannot import"
    expect_equal "$(find JOBX/sqlite -mindepth 1)" ""
}

@test "an export beyond the limit on the size of files leaves no half report" {
    run_msprof import -q -dir JOBX
    limited export timeline -dir JOBX
    expect_status 1
    expect_contains "$stderr" "File too large"
    expect_equal "$(find JOBX -name '.msprof*')" ""
    # shellcheck disable=SC2044 # names without blanks
    for file in $(find JOBX/timeline -name '*.json'); do
        python3 -m json.tool "$file" >/dev/null
    done
}
