# SPDX-License-Identifier: Apache-2.0
# For the tests of libmsprof_acl: load it after common.
# shellcheck disable=SC2154 # common.bash sets repository

build=${MSPROF_BUILD:-$repository/build/release}
# shellcheck disable=SC2034 # for the tests
programs=$build/tests/acl
unset MSPROF_ACL_LOG MSPROF_ACL_DEVICES MSPROF_REPLAY MSPROF_OP_NAMES ASCEND_WORK_PATH

# The only capture in a directory.
capture_in() {
    local captures=("$1"/PROF_*)
    [ ${#captures[@]} -eq 1 ] && [ -d "${captures[0]}" ] || return
    printf '%s\n' "${captures[0]}"
}

# Files that a capture has for a stream: slices_of CAPTURE msproftx.
slices_of() {
    find "$1" -name "*.$2.slice_*" ! -name '*.done'
}

# Runs Python with acl.prof on the library that was built. A library with AddressSanitizer needs its runtime first.
run_python() {
    local before=()
    if grep -aq __asan_init "$build/libmsprof_acl.so.1"; then
        before=(LD_PRELOAD="$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0)
    fi
    env "${before[@]}" PYTHONPATH="$repository/python" \
        MSPROF_ACL_LIBRARY="$build/libmsprof_acl.so.1" python3 "$@"
}

needs() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}
