# SPDX-License-Identifier: Apache-2.0
# For the tests of frameworks' directories: load it after ../cli/common.
# shellcheck disable=SC2154,SC2034 # ../cli/common sets repository; the tests read out

setup() {
    enter_scratch
}

# A copy of a directory that testdata/ ships: ms or pt.
copy_run() {
    cp -r "$repository/testdata/frameworks/run_ascend_$1" "run_ascend_$1"
    chmod -R u+w "run_ascend_$1"
    out=run_ascend_$1/ASCEND_PROFILER_OUTPUT
}

needs_python() {
    needs python3
}
