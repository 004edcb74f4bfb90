#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nothing on a board is overwritten or removed that is not safe here: what stood there before, what changes after it was
# fetched, what another run is still writing.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2030,SC2031 # each scene has variables of its own

load ../cli/common
load server

setup_file() {
    begin_scenes overwrites keeps_twice dashes killed_upload changed_by_run changed_same_size changed_late weak_sums no_sums \
        fetch_under_run open_file orphan orphan_without_proc late_end unsynced
}

teardown_file() {
    end_scenes
}

setup() {
    make_board
}

# Files of the board with the names of the project's, and an own one; 'before' holds them.
make_own_files() {
    mkdir -p "$home/profiling/out" "$home/profiling/data" "$project/data" "$project/lib"
    echo '{"mine": true}' >"$home/profiling/out/acl.json"
    echo "calibrated for hours" >"$home/profiling/data/calib.txt"
    chmod 604 "$home/profiling/data/calib.txt"
    ln -s nowhere "$home/profiling/lib"
    echo unrelated >"$home/profiling/data/own"
    echo "from the project" >"$project/data/calib.txt"
    echo same | tee "$home/profiling/data/same" >"$project/data/same"
    echo library >"$project/lib/l.so"
    cp -a "$home/profiling" before
}

scene_overwrites() {
    start_sshd
    make_own_files
    collect --dry-run
    expect_contains "$output" "move different files of the same names in '<home>/profiling' to"
    expect_contains "$output" .msprof-kept
    printf '#!/bin/sh\ncat ../data/calib.txt ../lib/l.so; mkdir -p JOBA/data; echo x >JOBA/data/f\n' >"$project/out/main"
    collect
    expect_status 0
    expect_contains "$output" "from the project"
    expect_contains "$output" library
    expect_contains "$stderr" "'data/calib.txt'"
    expect_contains "$stderr" "'out/acl.json'"
    diff -r --no-dereference "$home/profiling" before
    expect_equal "$(stat -c '%a %Y' "$home/profiling/data/calib.txt")" "$(stat -c '%a %Y' before/data/calib.txt)"
    expect_equal "$(ls -A "$home" "$board_tmp")" "$(printf '%s:\n\n%s:\nprofiling' "$board_tmp" "$home")"
}

@test "files of the board with the names of the project's are told, set aside, and put back at the end" {
    scene overwrites
}

scene_keeps_twice() {
    start_sshd
    make_own_files
    collect --keep
    expect_status 0
    expect_contains "$stderr" "until a run without --keep ends"
    cmp "$home/profiling/data/calib.txt" "$project/data/calib.txt"
    cmp "$home/profiling/.msprof-kept/data/calib.txt" before/data/calib.txt
    echo "from the project, again" >"$project/data/calib.txt"
    collect --keep --output second
    expect_status 0
    cmp "$home/profiling/data/calib.txt" "$project/data/calib.txt"
    cmp "$home/profiling/.msprof-kept/data/calib.txt" before/data/calib.txt
    echo "changed by somebody on the board" >"$home/profiling/data/same"
    cp "$home/profiling/data/same" changed
    echo "from the project at last" >"$project/data/calib.txt"
    collect --output third
    expect_status 0
    cmp "$home/profiling/data/calib.txt" before/data/calib.txt
    cmp "$home/profiling/data/same" changed
}

@test "--keep replaces what msprof brought, keeps what it did not, and a run without --keep puts that back" {
    scene keeps_twice
}

# The project and the board have names that begin with "-": dash_run RUN WHAT-THE-PROGRAM-DOES OPTION...
dash_run() {
    printf '%s\n' "$1" | tee "$project/-n" "$project/-d/-e/-f" "$project/-d/f" >"$project/-k/f"
    printf '#!/bin/sh\ncd .. && [ "$(cat ./-n ./-l ./-d/-e/-f ./-d/f ./-k/f | uniq -c | tr -d " ")" = 5%s ] || exit
        %s\nmkdir -p out/JOB%s/data; echo x >out/JOB%s/data/f\n' "$1" "$2" "$1" "$1" >"$project/out/main"
    collect --output "$1" "${@:3}"
    expect_status 0
}

scene_dashes() {
    start_sshd
    mkdir -p "$project/-d/-e" "$project/-k" "$home/profiling/-k"
    ln -s ./-n "$project/-l"
    printf 'mine\n' | tee "$home/profiling/-n" "$home/profiling/-k/f" >"$home/profiling/-d"
    cp -a "$home/profiling" before
    dash_run first 'echo new >./-n'
    expect_contains "$stderr" "1 file of the project was changed on the board and stays there: '-n'"
    expect_equal "$(<"$home/profiling/-n.after-run")" new
    rm -- "$home/profiling/-n.after-run"
    rmdir "$home/profiling/out"
    diff -r "$home/profiling" before
    dash_run second : --keep
    dash_run third : --keep
    cmp "$home/profiling/.msprof-kept/-n" before/-n
}

@test "names that begin with a dash are brought, put back and removed as others are" {
    scene dashes
}

scene_killed_upload() {
    start_sshd
    make_own_files
    collect_in_background seconds=30
    wait_for grep -q "inference 1" collect.out
    kill -9 "$collect_process"
    wait "$collect_process" || true
    cmp "$home/profiling/data/calib.txt" "$project/data/calib.txt"
    collect --take-over --output second
    expect_status 0
    the_capture second
    find "$home/profiling/out" -maxdepth 1 -name 'JOB*' -exec rm -r {} + # of the run that was stopped
    diff -r --no-dereference "$home/profiling" before
}

@test "a run that was killed leaves what it set aside, and the next one puts it back" {
    scene killed_upload
}

scene_changed_by_run() {
    start_sshd
    make_own_files
    echo brought >"$project/data/state"
    printf '#!/bin/sh\necho new >../data/state; echo calibrated >../data/calib.txt; mkdir -p JOBA/data; echo x >JOBA/data/f\n' \
        >"$project/out/main"
    collect
    expect_status 0
    expect_contains "$stderr" "2 files of the project were changed on the board and stay there"
    cmp "$home/profiling/data/calib.txt" before/data/calib.txt
    expect_equal "$(<"$home/profiling/data/calib.txt.after-run")" calibrated
    expect_equal "$(<"$home/profiling/data/state")" new
}

@test "what the program makes of a file that was brought stays, and so does what stood there before" {
    scene changed_by_run
}

# The board's tools for checksums do SCRIPT after they have told those of a capture for the COUNT-th time.
change_after_sums() { # count script
    for tool in sha256sum openssl; do
        fake_command "$tool" "$tool \"\$@\"; status=\$?
            case \"\$PWD\" in */JOB*) case \$# in [12]) ;; *) echo >>'$scratch/asked'
            [ \$(wc -l <'$scratch/asked') -ne $1 ] || { $2; };; esac;; esac; exit \$status"
    done
}

expect_kept_for_change() {
    expect_status 3
    expect_contains "$stderr" "changed on the board since"
    expect_contains "$stderr" "'data/aicore.0.1.1.slice_1'"
    expect_equal "$(head -c 5 "$home/profiling/out/JOBBIG/data/aicore.0.1.1.slice_1")" final
}

scene_changed_same_size() {
    make_big_project 3 4
    start_sshd
    change_after_sums 1 "printf final | dd of=data/aicore.0.1.1.slice_1 conv=notrunc status=none"
    collect
    expect_kept_for_change
}

scene_changed_late() {
    make_big_project 3 4
    start_sshd
    # also its times are put back; its inode's time is not at anybody's disposal
    change_after_sums 2 "touch -r data/aicore.0.1.1.slice_1 stamp; printf final | dd of=data/aicore.0.1.1.slice_1 \
        conv=notrunc status=none; touch -r stamp data/aicore.0.1.1.slice_1"
    collect
    expect_kept_for_change
}

@test "a file that changes without changing its size after it was verified stays on the board: status 3" {
    scene changed_same_size changed_late
}

# Without these: hide_tools NAME...
hide_tools() {
    for name; do fake_command "$name" 'exit 127'; done
}

# A capture here whose first file has the size of the board's and other content.
make_other_capture() {
    mkdir -p "$home/out/JOBX/data" there/JOBX/data
    echo board >"$home/out/JOBX/data/f1"
    echo other >there/JOBX/data/f1
    echo more >"$home/out/JOBX/data/f2"
    cp -R "$home/out/JOBX" reference
}

scene_weak_sums() {
    start_sshd
    make_other_capture
    hide_tools sha256sum openssl
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output there --remove-remote
    expect_status 1
    expect_contains "$stderr" "already exists and differs from the board's file"
    hide_tools md5sum
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output there --remove-remote
    expect_status 1
    diff -r "$home/out/JOBX" reference
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output empty
    expect_status 0
    expect_contains "$stderr" "verified by cksum (the board has no sha256sum)"
    rm "$fake/md5sum"
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output empty --remove-remote
    expect_status 0
    expect_contains "$stderr" "verified by MD5 (the board has no sha256sum)"
    diff -r empty/JOBX reference
    [ ! -e "$home/out/JOBX" ]
}

@test "without SHA-256, MD5 and cksum tell a different file of the same size" {
    scene weak_sums
}

scene_no_sums() {
    mkdir bare
    for tool in sh cat find wc mkdir mv rm rmdir chmod ln tail ls df dirname uname sleep id cmp; do
        ln -s "$(command -v "$tool")" "bare/$tool"
    done
    start_sshd "SetEnv HOME=$home PATH=$scratch/bare TMPDIR=$board_tmp"
    make_other_capture
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output there --remove-remote
    expect_status 1
    expect_contains "$stderr" "already exists and differs from the board's file"
    rm bare/cmp there/JOBX/data/f2
    run_msprof collect --config board.ini --fetch-only "$home/out/JOBX" --output there --remove-remote
    expect_status 3
    expect_contains "$stderr" "the board has no tool to compare them"
    expect_equal "$(<"$home/out/JOBX/data/f1")" board
    expect_equal "$(<there/JOBX/data/f1)" other
    [ ! -e "$home/out/JOBX/data/f2" ] # that was transferred
    expect_equal "$(<there/JOBX/data/f2)" more
}

@test "without any checksum, cmp through the connection tells; without it nothing goes that was not transferred" {
    scene no_sums
}

scene_fetch_under_run() {
    start_sshd
    cat >"$project/out/main" <<PROGRAM
#!/bin/sh
mkdir -p JOBA/data
echo first >JOBA/data/f
echo wrote
until [ -e '$scratch/refused' ]; do sleep 0.1; done
echo last >>JOBA/data/f
PROGRAM
    collect_in_background ''
    wait_for grep -q wrote collect.out
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out" --output there --remove-remote
    touch refused
    expect_status 5
    expect_contains "$stderr" "another run is active"
    await_collect
    expect_status 0
    expect_equal "$(tr '\n' ' ' <"$project/profiling/JOBA/data/f")" "first last "
}

@test "--fetch-only --remove-remote takes nothing from under a run that is going on" {
    scene fetch_under_run
}

scene_open_file() {
    start_sshd
    mkdir -p "$home/JOBX/data"
    echo first >"$home/JOBX/data/f"
    (exec 8>>"$home/JOBX/data/f"; until [ -e end ]; do sleep 0.1; done; echo last >&8) 3>&- &
    run_msprof collect --config board.ini --fetch-only "$home/JOBX" --output there --remove-remote
    expect_status 3
    expect_contains "$stderr" "has a file of '$home/JOBX' open"
    touch end
    wait $!
    expect_equal "$(tail -n 1 "$home/JOBX/data/f")" last
    run_msprof collect --config board.ini --fetch-only "$home/JOBX" --output there --remove-remote
    expect_status 0
    expect_equal "$(tail -n 1 there/JOBX/data/f)" last
    [ ! -e "$home/JOBX" ]
}

@test "a capture that a process has open is fetched and stays on the board: status 3" {
    scene open_file
}

# Says one word, so that no broken pipe ends it, and captures when it is stopped or after so many tenths of a second.
make_silent_program() { # tenths
    cat >"$project/out/main" <<PROGRAM
#!/bin/sh
capture() {
    mkdir -p JOB\$\$/data
    echo \$\$ >JOB\$\$/data/f
    exit 0
}
trap capture INT
echo started
i=0
while [ \$i -lt $1 ]; do
    sleep 0.1
    i=\$((i + 1))
done
capture
PROGRAM
}

scene_orphan() {
    make_silent_program 600
    start_sshd
    collect_in_background ''
    wait_for grep -q started collect.out
    process=$(cat "$board_tmp/.msprof-$(id -u).lock"/*/program | cut -d ' ' -f 1)
    kill -9 "$collect_process"
    wait "$collect_process" || true
    collect --output second
    expect_status 5
    expect_contains "$stderr" "another run is active on the board: its program (process $process) still runs"
    expect_contains "$stderr" --take-over
    kill -0 "$process"
    [ -x "$home/profiling/out/main" ]
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out" --output there --remove-remote
    expect_status 5
    make_silent_program 2
    collect --output second --take-over
    expect_status 0
    expect_contains "$stderr" "(process $process) was still running and was stopped"
    capture=$(the_capture second)
    expect_failure grep -q "$process" "$capture/data/f"
    # the other's stays there, and is not taken for this run's
    run_msprof collect --config board.ini --fetch-only "$home/profiling/out" --output there --remove-remote
    expect_status 0
    expect_equal "$(cat "$(the_capture there)/data/f")" "$process"
    expect_equal "$(find "$home" "$board_tmp" -type f)" ""
}

@test "a program that outlives a collect which was killed keeps the lock, until --take-over stops it" {
    scene orphan
}

# Whether a command may have an empty /proc of its own.
can_hide_proc() {
    unshare -m sh -c 'mount -t tmpfs none /proc' 2>/dev/null
}

scene_orphan_without_proc() {
    can_hide_proc || return 0 # the test says so
    make_silent_program 600
    printf '#!/bin/sh\nexport SSH_ORIGINAL_COMMAND\n%s\n' \
        "exec unshare -m sh -c 'mount -t tmpfs none /proc; exec sh -c \"\$SSH_ORIGINAL_COMMAND\"'" >login-shell
    chmod +x login-shell
    start_sshd "ForceCommand $scratch/login-shell"
    collect_in_background ''
    wait_for grep -q started collect.out
    read -r process _ <"$(echo "$board_tmp/.msprof-$(id -u).lock"/*/program)"
    read -r holder _ <"$(echo "$board_tmp/.msprof-$(id -u).lock"/*/pid)"
    kill -9 "$collect_process"
    wait "$collect_process" || true
    wait_for expect_failure kill -0 "$holder"
    collect --output second
    expect_status 5
    expect_contains "$stderr" "another run is active on the board: its program (process $process) still runs"
    kill -0 "$process"
    make_silent_program 2
    collect --output second --take-over
    expect_status 0
    expect_contains "$stderr" "(process $process) was still running and was stopped"
}

@test "on a board without /proc a program that outlives its collect keeps the lock, too" {
    scene orphan_without_proc
    can_hide_proc || skip "an empty /proc needs root"
}

# The first removal of a lock, but for what names the program, is that of the shell that ran the old one: it hesitates.
scene_late_end() {
    make_silent_program 600
    start_sshd
    collect_in_background ''
    wait_for grep -q started collect.out
    fake_command rm "case \"\$*\" in */program | *prof-run*) ;; *.lock*) mkdir '$scratch/hesitates' && {
        sleep 3; exec 9>'$scratch/hesitated'; } ;; esac 2>/dev/null; exec rm \"\$@\""
    kill -9 "$collect_process"
    wait "$collect_process" || true
    make_silent_program 600
    collect_in_background '' --take-over --output second
    wait_for test -e hesitated
    wait_for grep -q started collect.out
    collect --output third
    expect_status 5
    expect_contains "$stderr" "another run is active on the board"
    interrupt_collect
    expect_equal "$(find "$board_tmp" -mindepth 1)" ""
}

@test "a shell that ends late after its program was stopped does not take the lock of the next run away" {
    scene late_end
}

scene_unsynced() {
    make_big_project 2 4
    start_sshd
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -DWITHOUT_MEMORY -O1 -shared -fPIC -o faults.so "$repository/tests/faults/faults.c" -ldl
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 FAULT_CALL=sync FAULT_PROGRAM=msprof
    LD_PRELOAD=$PWD/faults.so FAULT_AT=2 collect
    expect_status 1
    expect_contains "$stderr" "nothing was removed from the board"
    diff -r "$home/profiling/out/JOBBIG" reference
    LD_PRELOAD=$PWD/faults.so FAULT_COUNT=$PWD/count \
        run_msprof collect --config board.ini --fetch-only "$home/profiling/out/JOBBIG" --output there --remove-remote
    expect_status 0
    [ "$(<count)" -ge 4 ] # the file system, two files, directories
    [ ! -e "$home/profiling/out/JOBBIG" ]
}

@test "what was fetched is on the disk here before the board's copy goes" {
    scene unsynced
}
