#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Boards that lack a command, whose login shell talks or is no sh, and programs that leave something behind.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016,SC2317 # run_msprof and make_board set them; scripts for the board stand in single quotes
# shellcheck disable=SC2030,SC2031 # each scene has variables of its own

load ../cli/common
load server

setup_file() {
    begin_scenes data_behind_link fifo harmless_link held_output no_ls no_find no_cat nothing_reads talking_shell csh full_tmp interrupted_lock dry_run
}

teardown_file() {
    end_scenes
}

setup() {
    make_board
}

# The board program's capture, in which SCRIPT then changes something: change_capture SCRIPT
change_capture() {
    mv "$project/out/main" "$project/out/works"
    printf '#!/bin/sh\n./works || exit\ncd JOB*\n%s\n' "$1" >"$project/out/main"
    chmod +x "$project/out/main"
}

scene_data_behind_link() {
    start_sshd
    change_capture "mv data/aicore.0.1.1 '$scratch/elsewhere'; ln -s '$scratch/elsewhere' data/aicore.0.1.1"
    collect --all
    expect_status 3
    expect_contains "$stderr" "not fetched, the first is 'data/aicore.0.1.1'"
    [ -L "$(find "$home" -name aicore.0.1.1)" ]
    [ -s elsewhere ]
}

scene_fifo() {
    start_sshd
    change_capture 'mkfifo data/aicore.0.1.1.slice_1'
    collect
    expect_status 3
    expect_contains "$stderr" "'data/aicore.0.1.1.slice_1'"
    [ -p "$(find "$home" -name aicore.0.1.1.slice_1)" ]
}

scene_harmless_link() {
    start_sshd
    change_capture 'ln -s aicore.0.1.1 data/latest'
    collect
    expect_status 0
    rm -rf "$home/profiling" "$project/profiling"
    change_capture 'mv data/aicore.0.1.1 data/real; ln -s real data/aicore.0.1.1'
    mv "$project/out/works" "$project/out/main.sh"
    printf '#!/bin/sh\nmkdir -p JOBA/data; echo x >JOBA/data/real; ln -s real JOBA/data/aicore.0.1.1\n' >"$project/out/main"
    collect
    expect_status 3
}

@test "data behind a link, and a pipe in a capture, are named, stay on the board, and make status 3" {
    scene data_behind_link fifo
}

@test "a link to a file of the capture is no loss, unless its name is that of data" {
    scene harmless_link
}

scene_held_output() {
    start_sshd
    printf '#!/bin/sh\nmkdir -p JOBA/data; echo x >JOBA/data/f; echo before the end\nsleep 301 &\necho $! >%s/left\nexit 3\n' "$scratch" \
        >"$project/out/main"
    start=$SECONDS
    collect
    [ $((SECONDS - start)) -lt 200 ]
    expect_status 5
    expect_contains "$output" "before the end"
    expect_contains "$stderr" "'main' ended with exit status 3"
    expect_contains "$stderr" "1 process started by 'main' still runs on the board: sleep ($(<left))"
    expect_not_contains "$stderr" killed
    [ -e "$project/profiling/JOBA/data/f" ]
    kill "$(<left)"
    printf '#!/bin/sh\nmkdir -p JOBB/data; echo x >JOBB/data/f\nkill -SEGV $$\n' >"$project/out/main"
    collect
    expect_contains "$stderr" "'main' crashed on the board: SIGSEGV"
}

@test "the program ends with its main process: what that leaves behind is told, and does not hold the end" {
    scene held_output
}

# A board with every command of this machine but some: start_board_without NAME...
start_board_without() {
    local tool
    mkdir bare
    for tool in sh cat find wc mkdir mv rm rmdir chmod ln tail ls df dirname uname sleep id tar xargs sha256sum stat \
        touch cp dd head readlink env; do
        [[ " $* " == *" $tool "* ]] || ln -s "$(command -v "$tool")" "bare/$tool"
    done
    start_sshd "SetEnv HOME=$home PATH=$scratch/bare TMPDIR=$board_tmp"
}

works_without() {
    start_board_without "$@"
    mkdir "$project/data" "$project/-e"
    echo data | tee "$project/-d" "$project/-e/d" >"$project/data/d"
    printf '#!/bin/sh\n[ -s ../-d ] && [ -s ../-e/d ] || exit\nfor n in B A; do mkdir -p JOB$n/data/sub; echo $n >JOB$n/data/sub/f; : >JOB$n/.hidden; done\ntouch -d 2001-01-01 JOBB\n' \
        >"$project/out/main"
    collect
    expect_status 0
    expect_equal "$(<"$project/profiling/JOBA/data/sub/f")" A
    [ -e "$project/profiling/JOBA/.hidden" ]
    expect_equal "$(find "$home" "$board_tmp" -type f | sort)" "$(printf '%s\n' "$home"/profiling/out/JOBB/{.hidden,data/sub/f} | sort)"
}
scene_no_ls() { works_without ls; }
scene_no_find() { works_without find stat; }
scene_no_cat() { works_without cat tar; }

@test "a board without ls, without find and stat, or without cat and tar is worked with what it has" {
    scene no_ls no_find no_cat
}

scene_nothing_reads() {
    start_board_without cat dd tail
    collect
    expect_status 5
    expect_contains "$stderr" "it has none of cat, dd and tail"
    expect_contains "$stderr" sftp
    expect_contains "$stderr" "--fetch-only $home/profiling/out"
    [ -d "$home/profiling/out" ]
}

@test "a board that has nothing to read files with: it is said what is missing, and how to fetch" {
    scene nothing_reads
}

# A login shell of SCRIPT; the account is a throw-away one.
start_board_with_shell() {
    printf '%s\n' "$1" >"$scratch/login-shell"
    chmod +x "$scratch/login-shell"
    start_sshd "ForceCommand $scratch/login-shell"
}

scene_talking_shell() {
    start_board_with_shell '#!/bin/sh
echo "Welcome to the board"; echo home=/etc; echo tool=sha256sum; printf "locked /etc"; echo noise >&2
exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"'
    collect
    expect_status 0
    expect_not_contains "$stdout$output" Welcome
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
}

@test "what a login shell prints is no answer" {
    scene talking_shell
}

scene_csh() {
    command -v csh >/dev/null || return 0 # the test says so
    start_board_with_shell "#!/bin/sh
exec $(command -v csh || true) -f -c \"\$SSH_ORIGINAL_COMMAND\""
    collect --exclude "nothing!"
    expect_status 0
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
}

@test "a login shell may be csh" {
    scene csh
    needs csh
}

scene_full_tmp() {
    [ "$(id -u)" -eq 0 ] || return 0
    mkdir small
    mount -t tmpfs -o size=16k tmpfs small 2>/dev/null || return 0
    start_sshd "SetEnv HOME=$home PATH=$fake:$PATH TMPDIR=$scratch/small"
    head -c 100000 /dev/zero >small/full 2>/dev/null || true
    collect_in_background seconds=2
    wait_for grep -q "inference 0" collect.out
    [ -d "$home/.msprof.lock" ]
    collect --output second
    await_collect
    umount small
    the_capture
    expect_equal "$(find "$home" -name '.msprof*')" ""
}

@test "where the board's directory for temporary files is full, the lock is in the home directory" {
    scene full_tmp
    [ "$(id -u)" -eq 0 ] || skip "a small file system needs root"
}

scene_interrupted_lock() {
    start_sshd
    fake_command id "touch '$scratch/asked'; sleep 1; exec id \"\$@\""
    collect_in_background ''
    wait_for test -e asked
    interrupt_collect
    expect_status 130
    no_lock_is_made() {
        ! pgrep -f "$fake/id" && [ -z "$(find "$home" "$board_tmp" -mindepth 1)" ]
    }
    sleep 1.5 # the board goes on by itself, and is to end without a lock
    wait_for no_lock_is_made
}

@test "Ctrl-C while the board is being locked leaves no lock" {
    scene interrupted_lock
}

scene_dry_run() {
    unset NO_SUCH_SECRET
    write_ini 1 "pwd = env:NO_SUCH_SECRET"
    collect --dry-run
    expect_status 2
    expect_contains "$stderr" NO_SUCH_SECRET
    NO_SUCH_SECRET=x collect --dry-run
    expect_status 0
    write_ini 1 "remote_dir = /data/my board"
    collect --dry-run
    expect_status 2
    expect_contains "$stderr" "does not support ' '"
    write_ini 1
    collect --dry-run --keep
    expect_status 0
    expect_contains "$output" "leave on the board (--keep): the project, with its patched acl.json, and the capture"
}

@test "--dry-run finds a variable that is not set and a remote_dir with a blank, and says what --keep keeps" {
    scene dry_run
}
