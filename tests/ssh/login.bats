#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ways to log in: agent, keys of every type, password, keyboard-interactive; OpenSSH and dropbear; where secrets come from.
# bats file_tags=sanitized
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
}

# use_key TYPE [PASSPHRASE]: the only key that the server takes.
use_key() {
    rm -f "$keys/user" "$keys/user.pub"
    ssh-keygen -q -t "$1" -N "${2:-}" -f "$keys/user"
    cp "$keys/user.pub" "$keys/authorized"
}

# Login by password only: "pwd = ..." as given.
use_password() {
    sed -i '/^key = /d' board.ini
    printf 'pwd = %s\n' "$1" >>board.ini
}

start_agent() {
    eval "$(ssh-agent -s)" >/dev/null
    board_processes+=("$SSH_AGENT_PID")
}

@test "keys of type ECDSA log in, to a server with an ECDSA host key" {
    rm "$keys/host" "$keys/host.pub"
    ssh-keygen -q -t ecdsa -N '' -f "$keys/host"
    use_key ecdsa
    start_sshd
    forgive_library
    collect
    expect_status 0
    expect_contains "$stderr" "(key)"
}

@test "a key with a passphrase needs it, and no message shows it" {
    use_key ed25519 'open sesame'
    start_sshd
    collect
    expect_status 5
    expect_contains "$stderr" passphrase
    PASS='open sesame' write_ini "$port" 'passphrase = env:PASS'
    export PASS='open sesame'
    collect
    expect_status 0
    expect_not_contains "$stderr" sesame
    expect_failure grep -rq sesame "$project/profiling"
    PASS=wrong collect
    expect_status 5
    expect_contains "$stderr" "the passphrase is wrong"
    expect_not_contains "$stderr" wrong-
}

@test "the agent comes before the key file" {
    start_sshd
    start_agent
    ssh-add -q "$keys/user"
    collect
    expect_status 0
    expect_contains "$stderr" "(agent)"
    ssh-add -q -D
    collect --output second
    expect_status 0
    expect_contains "$stderr" "(key)"
}

@test "an agent that never answers does not hold the login up" {
    start_sshd
    python3 -c "
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind('$scratch/agent'); s.listen(); open('$scratch/agent-ready', 'w'); time.sleep(60)" 3>&- &
    board_processes+=($!)
    wait_for test -e agent-ready
    SSH_AUTH_SOCK=$scratch/agent collect
    expect_status 0
    expect_contains "$stderr" "(key)"
}

@test "a password logs in; a wrong one is refused; neither is told anywhere" {
    make_user
    start_sshd 'PasswordAuthentication yes' 'PubkeyAuthentication no'
    use_password "$password"
    collect -v
    expect_status 0
    expect_contains "$stderr" "(password)"
    expect_not_contains "$stderr" "$password"
    expect_failure grep -rqF "$password" "$project/profiling"
    sed -i 's/^pwd = .*/pwd = not the one/' board.ini
    collect --output second
    expect_status 5
    expect_contains "$stderr" "refused to log in '$board_user': tried the password"
    expect_not_contains "$stderr" "not the one"
}

@test "keyboard-interactive is answered with the password" {
    make_user
    [ -e /etc/pam.d/sshd ] || skip "there is no PAM service for sshd"
    start_sshd 'UsePAM yes' 'KbdInteractiveAuthentication yes' 'PubkeyAuthentication no'
    use_password "$password"
    collect
    expect_status 0
    expect_contains "$stderr" "(keyboard-interactive)"
}

@test "secrets come from the environment, a file or a command" {
    make_user
    start_sshd 'PasswordAuthentication yes' 'PubkeyAuthentication no'
    printf '%s\nsecond line\n' "$password" >secret
    chmod 600 secret
    export BOARD_PASSWORD=$password
    for way in env:BOARD_PASSWORD "file:$scratch/secret" "cmd:cat '$scratch/secret'"; do
        write_ini "$port"
        use_password "$way"
        collect --output "out-${way%%:*}"
        expect_status 0
        expect_contains "$stderr" "(password)"
    done
    write_ini "$port"
    use_password env:NO_SUCH_VARIABLE
    collect
    expect_status 2
    expect_contains "$stderr" NO_SUCH_VARIABLE
    write_ini "$port"
    use_password 'cmd:echo half-a-secret; exit 1'
    collect
    expect_status 2
    expect_not_contains "$stderr" half-a-secret
}

@test "after the login a secret is in memory once, and in no command line" {
    ! grep -q __asan_init "$MSPROF" || skip "a sanitizer keeps memory that was freed"
    make_user
    start_sshd 'PasswordAuthentication yes' 'KbdInteractiveAuthentication yes' 'PubkeyAuthentication no'
    printf '%s\n' "$password" >secret
    chmod 600 secret
    for way in "$password" "file:$scratch/secret" "cmd:cat '$scratch/secret'"; do
        write_ini "$port"
        use_password "$way"
        rm -rf "$project/profiling"
        collect_in_background seconds=60 --take-over # of the program of the collect that was killed
        wait_for grep -q "inference 0" collect.out
        expect_equal "$(printf %s "$password" | "$repository/tests/ssh/find_secret.py" "$collect_process")" "memory 1"
        grep -q '^Max core file size  *0  *0 ' "/proc/$collect_process/limits"
        kill -ABRT "$collect_process"
        await_collect
        expect_equal "$status" 134
        expect_equal "$(find . -name 'core*')" ""
    done
}

@test "dropbear, which boards run, works by key and by password" {
    start_dropbear
    collect
    expect_status 0
    expect_contains "$stderr" "(key)"
    expect_contains "$stderr" "verified by SHA-256"
    use_password "$password"
    collect --output second
    expect_status 0
    expect_contains "$stderr" "(password)"
    run_msprof collect -m "$project/out/main seconds=60" --config board.ini --timeout 1 --output third
    expect_status 0
    the_capture third
    expect_equal "$(cd "$home" && find . -type f)" ./.ssh/authorized_keys
}

@test "names and IPv6 addresses of hosts, with and without brackets" {
    getent hosts localhost >/dev/null || skip "localhost has no address here: /etc/hosts is not there"
    start_sshd 'ListenAddress ::1'
    sed -i 's/^ip = .*/ip = localhost/' board.ini
    cut -d ' ' -f 1,2 "$keys/host.pub" | sed "s/^/[localhost]:$port /" >>"$keys/known_hosts"
    collect
    expect_status 0
    (exec 9<>"/dev/tcp/::1/$port") 2>/dev/null || skip "this machine has no IPv6"
    cut -d ' ' -f 1,2 "$keys/host.pub" | sed "s/^/[::1]:$port /" >>"$keys/known_hosts"
    for address in ::1 '[::1]'; do
        sed -i "s/^ip = .*/ip = $address/" board.ini
        rm -r "$project/profiling"
        collect
        expect_status 0
    done
}

@test "keys of type RSA log in, by key file and by agent, to a server with an RSA host key alone" {
    has_recent_ssh || skip "libssh2 before 1.11 has no rsa-sha2"
    rm "$keys/host" "$keys/host.pub"
    ssh-keygen -q -t rsa -b 2048 -N '' -f "$keys/host"
    use_key rsa
    start_sshd 'LogLevel DEBUG1'
    collect
    expect_status 0
    expect_contains "$stderr" "(key)"
    expect_contains "$(cat sshd.log)" "kex: host key algorithm: rsa-sha2-512"
    start_agent
    ssh-add -q "$keys/user"
    rm -r "$project/profiling"
    collect
    expect_status 0
    expect_contains "$stderr" "(agent)"
}

# The remedies that a message names: on the board, or here.
expect_remedies() {
    expect_contains "$stderr" "libssh2 before 1.11"
    expect_contains "$stderr" "ssh-keygen -t ed25519"
    expect_contains "$stderr" "build msprof with libssh ('make SSH=libssh') or a newer libssh2"
}

@test "libssh2 before 1.11, which has no rsa-sha2, says so of an RSA key and of a server with an RSA host key alone, with what helps" {
    ! has_recent_ssh || skip "this SSH library has rsa-sha2"
    start_sshd
    ssh-keygen -q -t rsa -b 2048 -N '' -f "$keys/rsa"
    cat "$keys/rsa.pub" >>"$keys/authorized"
    sed -i "s|^key = .*|key = $keys/rsa|" board.ini
    collect
    expect_status 5
    expect_contains "$stderr" "refused to log in"
    expect_remedies
    start_agent
    ssh-add -q "$keys/rsa"
    sed -i "/^key = /d" board.ini
    collect
    expect_status 5
    expect_contains "$stderr" "tried the agent's keys"
    expect_remedies
    ssh-add -q "$keys/user" # the next key of the agent
    collect
    expect_status 0
    rm "$keys/host" "$keys/host.pub"
    ssh-keygen -q -t rsa -b 2048 -N '' -f "$keys/host"
    start_sshd
    collect
    expect_status 5
    expect_contains "$stderr" "no match for the host key: the server has rsa-sha2-512,rsa-sha2-256"
    expect_contains "$stderr" "dropbearkey -t ed25519"
    expect_remedies
}

@test "bytes come guarded by the best cipher that both sides have" {
    local best=aes128-ctr
    start_sshd 'LogLevel DEBUG1'
    collect
    expect_status 0
    ! has_recent_ssh || best=aes128-gcm@openssh.com
    expect_contains "$(cat sshd.log)" "kex: server->client cipher: $best"
    start_sshd 'LogLevel DEBUG1' 'Ciphers chacha20-poly1305@openssh.com,aes128-ctr,aes256-ctr'
    rm -r "$project/profiling"
    collect
    expect_status 0
    ! has_recent_ssh || best=chacha20-poly1305@openssh.com
    expect_contains "$(cat sshd.log)" "kex: server->client cipher: $best"
}

@test "a server of ten years ago is enough: a host key signed with SHA-1, AES-CTR, the group of 2048 bits" {
    rm "$keys/host" "$keys/host.pub"
    ssh-keygen -q -t rsa -b 2048 -N '' -f "$keys/host"
    start_sshd 'HostKeyAlgorithms ssh-rsa' 'MACs hmac-sha1' 'Ciphers aes128-ctr' \
        'KexAlgorithms diffie-hellman-group14-sha1'
    collect
    expect_status 0
    expect_contains "$stderr" "verified by SHA-256"
}

@test "a server with old ciphers alone is refused, with what it needs" {
    start_sshd 'Ciphers aes128-cbc'
    collect
    expect_status 5
    expect_contains "$stderr" "cannot agree with the SSH server"
    expect_contains "$stderr" "aes128-cbc"
    if has_recent_ssh; then
        expect_contains "$stderr" "AES-GCM, chacha20-poly1305 or AES-CTR"
    else
        expect_contains "$stderr" "one of the ciphers AES-CTR: libssh2 before 1.11 knows neither"
        expect_contains "$stderr" "make SSH=libssh"
    fi
}

@test "without HOME, as under cron, ~ is the home directory of the passwd entry" {
    needs getent
    start_sshd
    local home_here way
    home_here=$(getent passwd "$(id -u)" | cut -d : -f 6)
    for way in --unset=HOME HOME=; do
        # shellcheck disable=SC2034 # run_msprof uses it
        launcher=(env "$way")
        write_ini "$port"
        sed -i '/^known_hosts = /d' board.ini
        collect
        expect_status 5
        expect_contains "$stderr" "which stores it in '$home_here/.ssh/known_hosts'"
        write_ini "$port"
        sed -i 's|^key = .*|key = ~/no-such-key|' board.ini
        collect
        expect_contains "$stderr" "'$home_here/no-such-key'"
    done
    [ ! -e .ssh ]
}
