# SPDX-License-Identifier: Apache-2.0
# For tests of programs under the preload library: load it after ../cli/common.
# shellcheck disable=SC2154,SC2034 # common.bash sets MSPROF and scratch; the tests use what is set here

build=$(dirname "$(readlink -f "$MSPROF")")
PRELOAD=$build/libmsprof_preload.so
PROGRAM=$build/tests/acl/acl_program
SIGNALS=$build/tests/acl/acl_signals
LOADER=$build/tests/acl/acl_loader
export MSPROF_OUTPUT=captures

enter_preload_scratch() {
    enter_scratch
    needs sqlite3
    [ -x "$PROGRAM" ] || skip "$PROGRAM is not built: make test-programs"
    case $build in
    */asan | */tsan) export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 ;;
    esac
}

# Runs a program under the preload library; keeps $status, $output and $stderr.
preloaded() {
    status=0
    LD_PRELOAD=$PRELOAD "$@" >stdout 2>stderr || status=$?
    output=$(<stdout)
    stderr=$(<stderr)
}

# The captures, oldest first.
captures() {
    find captures -mindepth 1 -maxdepth 1 \( -name 'PROF_*' -o -name 'JOB*' \) -printf '%T@ %p\n' 2>/dev/null | sort -n | cut -d ' ' -f 2
}

# The only capture, imported without any problem.
imported() {
    local capture
    capture=$(captures)
    if [ -z "$capture" ] || [ "$(wc -l <<<"$capture")" -ne 1 ]; then
        echo "captures: '$capture', expected one" >&2
        return 1
    fi
    "$MSPROF" import -q --strict -dir "$capture" >&2 || return
    printf '%s\n' "$capture/sqlite/runtime.db"
}

# "name count" for each function of the only capture.
calls() {
    local database
    database=$(imported) || return
    sqlite3 -separator ' ' "$database" "SELECT name, count(*) FROM host_call_report GROUP BY name ORDER BY name"
}

# Until a program that runs beside has calls in its capture's files.
wait_for_calls() {
    local _
    for _ in $(seq 600); do
        [ -z "$(find captures -name '*.api_event.data.slice_0' -size +0 2>/dev/null)" ] || return 0
        sleep 0.1
    done
    echo "no calls were written in a minute" >&2
    return 1
}
