#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A board that mounts the project: this machine's acl.json is patched meanwhile, and is as it was at the end, whatever ends.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2030,SC2031 # each scene has variables of its own

load ../cli/common
load server

setup_file() {
    begin_scenes killed edited linked mode_and_none killed_edited loopback
}

teardown_file() {
    end_scenes
}

setup() {
    make_board
}

# A mount that copies, and counts how many are there.
start_nfs_board() {
    start_sshd
    fake_command mount "[ ! -e '$scratch/is-mounted' ] || { echo busy >&2; exit 32; }
        touch '$scratch/is-mounted'; for d; do :; done; cp -R '$project/.' \"\$d/\""
    fake_command umount "rm '$scratch/is-mounted' || exit 32; rm -rf \"\$1\"/*"
}

collect_by_nfs() {
    collect --transfer=nfs --nfs-server 192.0.2.7 "$@"
}

run_by_nfs() { # tenths of a second
    printf '#!/bin/sh\necho started\ni=0; while [ $i -lt %s ]; do sleep 0.1; i=$((i + 1)); done\nmkdir -p JOB$$/data; echo x >JOB$$/data/f\n' \
        "$1" >"$project/out/main"
}

# Collect is killed while the program runs, which goes on.
kill_by_nfs() {
    run_by_nfs 600
    collect_in_background '' --transfer=nfs --nfs-server 192.0.2.7
    wait_for grep -q started collect.out
    kill -9 "$collect_process"
    wait "$collect_process" || true
    grep -q profiler "$project/out/acl.json"
    run_by_nfs 1
}

# Nothing of msprof's is beside acl.json.
expect_no_backup() {
    expect_equal "$(find "$project" -name '*msprof*')" ""
}

scene_killed() {
    start_nfs_board
    printf '{"other": 1}' >"$project/out/acl.json"
    chmod 604 "$project/out/acl.json"
    stat -c '%i %a %y' "$project/out/acl.json" >before
    kill_by_nfs
    collect_by_nfs --take-over
    expect_status 0
    expect_contains "$stderr" "'out/acl.json' is restored to its state before a killed run"
    expect_contains "$stderr" "was still mounted by a killed run"
    the_capture
    expect_equal "$(<"$project/out/acl.json")" '{"other": 1}'
    expect_equal "$(stat -c '%i %a %y' "$project/out/acl.json")" "$(<before)"
    [ ! -e is-mounted ]
    expect_no_backup
}

@test "after a run that was killed the next one puts acl.json back, and mounts once" {
    scene killed
}

scene_edited() {
    start_nfs_board
    run_by_nfs 1
    echo '{"other": 1}' >"$project/out/acl.json"
    sed -i "2i echo '{\"edited\": 2}' >'$project/out/acl.json'" "$project/out/main"
    collect_by_nfs
    expect_status 0
    expect_contains "$stderr" "acl.json was changed during the run"
    expect_equal "$(<"$project/out/acl.json")" '{"edited": 2}'
    expect_equal "$(<"$project/out/acl.json.before-msprof")" '{"other": 1}'
}

scene_killed_edited() {
    start_nfs_board
    echo "of an earlier run" >"$project/out/acl.json.before-msprof"
    echo '{"other": 1}' >"$project/out/acl.json"
    kill_by_nfs
    echo '{"edited": 2}' >"$project/out/acl.json"
    collect_by_nfs --take-over
    expect_status 0
    expect_contains "$stderr" "patched by a killed run and changed since; it is kept"
    expect_equal "$(<"$project/out/acl.json")" '{"edited": 2}'
    expect_equal "$(<"$project/out/acl.json.before-msprof-2")" '{"other": 1}'
    expect_equal "$(<"$project/out/acl.json.before-msprof")" "of an earlier run"
}

@test "an acl.json that was edited during the run is not reverted, also after a run that was killed" {
    scene edited killed_edited
}

scene_linked() {
    start_nfs_board
    run_by_nfs 1
    mkdir "$project/settings"
    echo '{"other": 1}' >"$project/settings/acl.json"
    ln -s ../settings/acl.json "$project/out/acl.json"
    # one there is in the project, behind two names
    collect_by_nfs --exclude settings
    expect_status 0
    expect_equal "$(readlink "$project/out/acl.json")" ../settings/acl.json
    expect_equal "$(<"$project/settings/acl.json")" '{"other": 1}'
    expect_no_backup
}

@test "an acl.json that is a link stays one" {
    scene linked
}

scene_mode_and_none() {
    start_nfs_board
    run_by_nfs 1
    collect_by_nfs
    expect_status 0
    [ ! -e "$project/out/acl.json" ]
    kill_by_nfs
    collect_by_nfs --take-over --output second
    expect_status 0
    [ ! -e "$project/out/acl.json" ]
    expect_no_backup
    echo '{"other": 1}' >"$project/out/acl.json"
    chmod 604 "$project/out/acl.json"
    sed -i "2i stat -c %a '$project/out/acl.json' >'$scratch/mode'" "$project/out/main"
    collect_by_nfs --output third
    expect_status 0
    expect_equal "$(<mode)$(stat -c %a "$project/out/acl.json")" 604604
}

@test "acl.json keeps its mode, and where there was none there is none afterwards" {
    scene mode_and_none
}

scene_loopback() {
    write_ini 1
    collect --transfer=nfs --dry-run
    expect_status 2
    expect_contains "$stderr" "own loopback address"
    collect_by_nfs --dry-run
    expect_status 0
    collect --transfer=nfs --nfs-server localhost --dry-run
    expect_status 2
}

@test "--dry-run finds that a board could not mount from a loopback address" {
    scene loopback
}
