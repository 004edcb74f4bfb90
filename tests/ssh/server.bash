# SPDX-License-Identifier: Apache-2.0
# A "board" for the tests of collect: an SSH server on 127.0.0.1 with throw-away keys and a home directory of its own.
# Load it after ../cli/common. Every process that is started here is ended by stop_all, by its number.
# shellcheck disable=SC2154,SC2034 # ../cli/common and the tests share these names

ssh_programs=${MSPROF_BUILD:-$repository/build/release}/tests/ssh
board_processes=()
frozen=()

# A command must fail ('!' does not end a test).
expect_failure() {
    if "$@"; then
        echo "did not fail: $*" >&2
        return 1
    fi
}

# Whether the program's SSH library has rsa-sha2 and AES-GCM: libssh2 has them since 1.11.
has_recent_ssh() {
    ! "$MSPROF" doctor | tr -s '\n ' ' ' | grep -qE 'libssh2 1\.([0-9]|10)\.'
}

# libssh2 1.10 forgets a few bytes of each ECDSA signature, and of each agreement on keys.
forgive_library() {
    echo leak:libssh2.so >suppressions
    export LSAN_OPTIONS=${LSAN_OPTIONS:-}:suppressions=$scratch/suppressions:print_suppressions=0
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0
}

# Finds a port that no connection of others gets: Linux begins at 32768.
free_port() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    return 1
}

# wait_for COMMAND...: until it succeeds, for at most a minute: a machine may have other work.
wait_for() {
    for _ in {1..1200}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    echo "timed out: $*" >&2
    return 1
}

is_listening() {
    (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Keys, the board's home, the project with the board program, and board.ini. Everything lies in $scratch.
make_board() {
    command -v sshd >/dev/null || [ -x /usr/sbin/sshd ] || skip "openssh-server is not installed"
    enter_scratch
    keys=$scratch/keys home=$scratch/home project=$scratch/project board_tmp=$scratch/board-tmp
    fake=$scratch/fake # commands of the board that tests replace
    mkdir -p "$keys" "$home" "$project/out" "$fake" "$board_tmp"
    ssh-keygen -q -t ed25519 -N '' -f "$keys/host"
    ssh-keygen -q -t ed25519 -N '' -f "$keys/user"
    cp "$keys/user.pub" "$keys/authorized"
    cp "$ssh_programs/board_program" "$project/out/main"
    unset SSH_AUTH_SOCK
    export HOME=$scratch/local-home
    mkdir -p "$HOME"
}

# Scenes mostly wait, so they are played side by side: begin_scenes NAME... in setup_file begins the functions scene_NAME,
# each with a board of its own; 'scene NAME' in a test is that one's end. More at once would let boards answer too late.
begin_scenes() {
    local name
    export scenes=$BATS_FILE_TMPDIR/scenes
    mkdir "$scenes"
    for name; do
        : >"$scenes/$name.log" # for end_scenes, which waits for all
    done
    {
        set +e
        local running=0 most=6
        for name; do
            if [ "$running" -eq "$most" ]; then
                wait -n
                running=$((running - 1))
            fi
            log_scene "$name" >"$scenes/$name.log" 2>&1 &
            running=$((running + 1))
        done
        wait
    } 3>&- &
}

log_scene() {
    play_scene "$1"
    echo $? >"$scenes/$1.part"
    mv "$scenes/$1.part" "$scenes/$1.ended"
}

play_scene() (
    set -eE
    trap - DEBUG
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/$1
    export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
    line=''
    trap 'line=${line:-"$BASH_COMMAND" in line $LINENO}' ERR
    trap end_scene EXIT
    mkdir "$BATS_TEST_TMPDIR"
    make_board
    "scene_$1"
)

end_scene() {
    set +eE
    trap - ERR
    [ -z "$line" ] || echo "failed: $line"
    stop_all
}

# scene NAME...
scene() {
    local name
    for name; do
        until [ -e "$scenes/$name.ended" ]; do
            sleep 0.05
        done
        sed "s/^/$name: /" "$scenes/$name.log"
        [ "$(<"$scenes/$name.ended")" = 0 ]
    done
}

# For teardown_file: they stand on their own feet, and in the way of who removes their directories.
end_scenes() {
    local log
    for log in "$scenes"/*.log; do
        scene "$(basename "$log" .log)" >/dev/null || true
    done
}

# start_sshd [LINE...]: more lines of sshd_config. Sets $port.
start_sshd() {
    # somebody else may take a free port before sshd does
    until try_sshd "$@"; do
        [ $((++sshd_attempts)) -lt 3 ] || return 1
    done
}

sshd_attempts=0
try_sshd() {
    port=$(free_port)
    mkdir -p /run/sshd 2>/dev/null || true
    {
        printf '%s\n' "$@" # the first value of an option counts
        cat <<CONFIG
Port $port
ListenAddress 127.0.0.1
HostKey $keys/host
AuthorizedKeysFile $keys/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv HOME=$home PATH=$fake:$PATH TMPDIR=$board_tmp
CONFIG
    } >sshd_config
    /usr/sbin/sshd -D -f "$PWD/sshd_config" -E "$PWD/sshd.log" 3>&- &
    board_processes+=($!)
    wait_for sshd_has_port_or_ended "$!" || return
    sshd_has_port || return # another test's server may have taken it, and answers
    write_ini "$port"
}

sshd_has_port() {
    grep -qs "Server listening on 127.0.0.1 port $port\." sshd.log
}

sshd_has_port_or_ended() { # process
    sshd_has_port || ! kill -0 "$1"
}

# A dropbear server for a throw-away account, which it lets in by key and by password. Sets $port.
start_dropbear() {
    needs dropbear
    make_user
    dropbearkey -t ed25519 -f "$keys/dropbear" >/dev/null 2>&1
    dropbearkey -y -f "$keys/dropbear" | grep '^ssh-ed25519' >"$keys/host.pub"
    mkdir -p "$home/.ssh"
    cp "$keys/user.pub" "$home/.ssh/authorized_keys"
    chown -R "$board_user" "$home"
    chmod 700 "$home" "$home/.ssh"
    chmod 600 "$home/.ssh/authorized_keys"
    port=$(free_port)
    dropbear -R -F -E -p "127.0.0.1:$port" -r "$keys/dropbear" -P "$scratch/dropbear.pid" 2>dropbear.log 3>&- &
    board_processes+=($!)
    wait_for is_listening "$port"
    write_ini "$port"
}

# A capture on the board, instead of the board program's: make_big_project FILES KILOBYTES
make_big_project() {
    cat >"$project/out/main" <<PROGRAM
#!/bin/sh
mkdir -p JOBBIG/data
i=0
while [ \$i -lt $1 ]; do
    head -c $(($2 * 1024)) /dev/urandom >JOBBIG/data/aicore.0.1.1.slice_\$i
    i=\$((i + 1))
done
cp -R JOBBIG $scratch/reference
PROGRAM
    chmod +x "$project/out/main"
}

# A server that takes connections and never says a word; board.ini names it.
start_silent_server() {
    local silent
    silent=$(free_port)
    python3 -c "
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', $silent)); s.listen(); time.sleep(60)" 3>&- &
    board_processes+=($!)
    wait_for is_listening "$silent"
    write_ini "$silent"
}

# write_ini PORT [LINE...]: board.ini for a port, login by key, with more lines; the server's key becomes known.
write_ini() {
    local its_port=$1
    shift
    {
        printf '[ssh_config]\nip = 127.0.0.1\nusername = %s\nport = %s\n' "${board_user:-$(id -un)}" "$its_port"
        # a busy machine answers late, and nothing waits for it to pass
        printf 'key = %s\nknown_hosts = %s\ntimeout = 20\n' "$keys/user" "$keys/known_hosts"
        [ $# -eq 0 ] || printf '%s\n' "$@"
    } >board.ini
    chmod 600 board.ini
    printf '[127.0.0.1]:%s %s\n' "$its_port" "$(cut -d ' ' -f 1,2 "$keys/host.pub")" >>"$keys/known_hosts"
}

# start_proxy CUT...: puts a cutting proxy between collect and the server; board.ini names it.
start_proxy() {
    proxy_port=$(free_port)
    resume_proxy "$@"
    write_ini "$proxy_port"
}

# resume_proxy CUT...: on the port that it had.
resume_proxy() {
    "$ssh_programs/cutting_proxy" "$proxy_port" "$port" "$@" >proxy.out 2>&1 3>&- &
    proxy=$!
    board_processes+=("$proxy")
    wait_for grep -q ready proxy.out
}

# Breaks the connection, and refuses others.
stop_proxy() {
    kill "$proxy"
    wait "$proxy" || true
}

# A command of the board that behaves as its text (a shell script) says. $real_path finds the real one.
fake_command() {
    printf '#!/bin/sh\nPATH=%s\n%s\n' "$PATH" "$2" >"$fake/$1"
    chmod +x "$fake/$1"
}

# collect [OPTION...]: the project's main on the board of board.ini.
collect() {
    run_msprof collect -m "$project/out/main" --config board.ini "$@"
}

# collect_in_background [ARGUMENTS [OPTION...]]: the same with arguments of the program; its output goes into files. The
# shell would have its background processes ignore SIGINT.
collect_in_background() {
    local arguments=${1:-}
    shift
    env --default-signal=INT "$MSPROF" collect -m "$project/out/main${arguments:+ $arguments}" --config board.ini "$@" \
        >collect.out 2>collect.err 3>&- &
    collect_process=$!
}

# Ctrl-C, and the end.
interrupt_collect() {
    kill -INT "$collect_process"
    await_collect
}

# The end of collect in the background, as run_msprof tells it.
await_collect() {
    status=0
    wait "$collect_process" || status=$?
    output=$(<collect.out) stderr=$(<collect.err)
}

# The capture's directory: exactly one.
the_capture() {
    local found=("${1:-$project/profiling}"/JOB*)
    if [ ${#found[@]} -ne 1 ] || [ ! -d "${found[0]}" ]; then
        echo "expected one capture, found: ${found[*]}" >&2
        return 1
    fi
    printf '%s\n' "${found[0]}"
}

# Nothing of a run is left: no project and no lock on the board, no temporary file here. The board may still be noticing that
# the link is gone.
expect_tidy() {
    wait_for is_tidy || expect_equal "$(find "$home" "$board_tmp" -mindepth 1; find "$scratch" -name '.msprof.*.tmp')" ""
}

is_tidy() {
    [ -z "$(find "$home" "$board_tmp" -mindepth 1; find "$scratch" -name '.msprof.*.tmp')" ]
}

# The board's server and its sessions stand still: those that hold connections are below the one that was started, as root
# directly and for others a process further.
freeze_board() {
    local children=${board_processes[0]}
    frozen=()
    while [ -n "$children" ]; do
        # shellcheck disable=SC2206 # numbers
        frozen+=($children)
        children=$(pgrep -x sshd -P "${children//$'\n'/,}" || true)
    done
    kill -STOP "${frozen[@]}"
}

thaw_board() {
    [ ${#frozen[@]} -eq 0 ] || kill -CONT "${frozen[@]}" 2>/dev/null || true
    frozen=()
}

stop_all() {
    local process
    thaw_board
    for process in "${board_processes[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    board_processes=()
    remove_user
}

# A throw-away account with a password, for servers that know accounts only; needs root.
make_user() {
    [ "$(id -u)" -eq 0 ] || skip "making a throw-away account needs root"
    command -v useradd >/dev/null || skip "useradd is not there"
    board_user=msproftest$$
    home=$(mktemp -d /tmp/msprof-home.XXXXXX) # the directories of bats are closed to other users
    useradd --no-create-home --home-dir "$home" --shell /bin/sh "$board_user" || skip "useradd does not work here"
    chown -R "$board_user" "$home"
    password='pass ;#"word'
    printf '%s:%s\n' "$board_user" "$password" | chpasswd
}

remove_user() {
    [ -n "${board_user:-}" ] || return 0
    wait_for userdel "$board_user" || true # its last processes may still be ending
    board_user=''
    case $home in
    /tmp/msprof-home.*) rm -rf "$home" ;;
    esac
}
