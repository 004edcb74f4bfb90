#!/usr/bin/env bats
# Captures of the layout of 2022 against what Ascend's tool of 2022 made of them.

load common

setup() {
    enter_scratch
}

# Imports a shared capture and compares all its reports.
agrees() {
    local name=$1 capture
    if [ ! -d "$shared/data/generated/$name" ] || [ ! -d "$shared/data/expected/$name" ]; then
        skip "no shared data at $shared"
    fi
    command -v python3 >/dev/null || skip "python3 is not installed"
    cp -R "$shared/data/generated/$name/"PROF* .
    chmod -R u+w PROF*
    capture=$(echo PROF*)
    "$MSPROF" import -dir "$capture"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline -dir "$capture"
    run python3 "$repository/tests/cann/agree_legacy.py" "$shared/data/expected/$name" "$capture"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every report of an Ascend 310 capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip0-1k
}

@test "every report of an Ascend 910A capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip1-1k
}
