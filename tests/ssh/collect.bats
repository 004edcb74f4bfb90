#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# collect against a real OpenSSH server: the way there and back.
# shellcheck disable=SC2154,SC2016 # run_msprof and make_board set them; scripts for the board stand in single quotes

load ../cli/common
load server

setup() {
    make_board
}

teardown() {
    stop_all
}

@test "a program runs on the board and its capture comes home whole" {
    start_sshd
    collect
    expect_status 0
    capture=$(the_capture)
    [ -s "$capture/data/aicore.0.1.1" ]
    [ -s "$capture/info.json.0" ]
    expect_contains "$stderr" "verified by SHA-256"
    run_msprof import -dir "$capture"
    expect_status 0
    expect_tidy
}

@test "files have mode 0640 and directories 0750" {
    start_sshd
    collect
    expect_status 0
    capture=$(the_capture)
    expect_equal "$(find "$capture" -type f ! -perm 640)" ""
    expect_equal "$(find "$capture" -type d ! -perm 750)" ""
}

@test "--all makes the same reports as import and export" {
    start_sshd
    collect --all
    expect_status 0
    capture=$(the_capture)
    cp -R "$capture" again
    rm -r again/sqlite again/timeline again/summary again/log
    run_msprof export timeline -dir again
    expect_status 0
    run_msprof export summary -dir again
    expect_status 0
    diff -r "$capture/timeline" again/timeline
    diff -r "$capture/summary" again/summary
}

@test "--output says where the capture goes" {
    start_sshd
    collect --output elsewhere
    expect_status 0
    the_capture elsewhere
    [ ! -e "$project/profiling" ]
}

@test "the program gets its arguments, its output is shown live and kept in the log" {
    start_sshd
    run_msprof collect -m "$project/out/main say=hello say=\$HOME" --config board.ini
    expect_status 0
    expect_contains "$output" hello
    expect_contains "$output" '$HOME'
    grep -q 'msprof_board: hello' "$project/profiling/log/collection.log"
}

@test "the log keeps the first and the last lines of a program that prints without end, and says how many bytes are left out" {
    start_sshd
    printf '#!/bin/sh\nseq 1 120000 | sed "s/^/line /"\necho the end >&2\n' >"$project/out/main"
    for _ in 1 2; do # of another run the last lines alone, when the log is full
        run_msprof collect -m "$project/out/main" --config board.ini
        expect_status 5 # it makes no capture
        expect_contains "$output" "line 60000"
    done
    /usr/bin/python3 - "$project/profiling/log/collection.log" <<'END'
import re, sys
text = open(sys.argv[1]).read()
assert len(text) < (4 + 2 * 1.1) * 1024 * 1024, len(text)
left = [(int(m[1]), m.start(), m.end()) for m in re.finditer(r".* (\d+) bytes of similar lines omitted\n", text)]
assert len(left) == 2, left
lines = [int(n) for n in re.findall(r"msprof_board: line (\d+)\n", text)]
first = [n for n, after in zip(lines, lines[1:] + [0]) if after != n + 1]  # before each jump
assert lines[0] == 1 and first[1:] == [120000, 120000], (lines[0], first)
assert text.count("msprof_board: the end\n") == 2
heads = [len(head) for head in re.findall(r".*msprof_board: line ", text)]  # with the number of the process: each run has its own
length = lambda run: lambda n: heads[-run] + len(str(n)) + 1
tails = [n for before, n in zip(lines, lines[1:]) if n > before + 1 or n < before]
assert left[0][0] == sum(map(length(0), range(first[0] + 1, tails[0]))), (left, first, tails)
assert left[1][0] == sum(map(length(1), range(1, tails[1]))), (left, first, tails)
END
    for _ in 3 4; do # and so on: it does not grow
        run_msprof collect -m "$project/out/main" --config board.ini
        expect_status 5
        [ "$(stat -c %s "$project/profiling/log/collection.log")" -lt $((7 * 1024 * 1024)) ]
    done
    expect_equal "$(tail -n 100 "$project/profiling/log/collection.log" | grep -c 'msprof_board: line 120000$')" 1
}

@test "arguments keep their blanks in quotes and behind --, and no shell reads them" {
    start_sshd
    printf '#!/bin/sh\nfor a; do echo "<$a>"; done\n' >"$project/out/main"
    run_msprof collect -m "$project/out/main 'a  b' \"c'd\" e\\ f '' \$(touch\ $scratch/g) ; | \`x\`" --config board.ini \
        -- --output 'h  i' "j'k" '' '$(touch l)' '*'
    expect_status 5 # it makes no capture
    expect_equal "$output" "$(printf '<%s>\n' 'a  b' "c'd" 'e f' '' "\$(touch $scratch/g)" ';' '|' '`x`' \
        --output 'h  i' "j'k" '' '$(touch l)' '*')"
    expect_equal "$(find "$scratch" -name g -o -name l)" ""
    run_msprof collect -m "$project/out/main 'a" --config board.ini
    expect_status 2
    expect_contains "$stderr" "missing closing quote (')"
    collect stray
    expect_status 2
    expect_contains "$stderr" "pass arguments of the program after '--'"
}

@test "a program whose name is all that was said, blanks included, runs without arguments" {
    start_sshd
    printf '#!/bin/sh\necho "$# arguments"\n' >"$project/out/main with -n 5"
    chmod +x "$project/out/main with -n 5"
    run_msprof collect -m "$project/out/main with -n 5" --config board.ini
    expect_contains "$output" "0 arguments"
}

@test "control characters of the board do not reach the terminal" {
    start_sshd
    printf '#!/bin/sh\nprintf "a\\033[2Jb\\n"\n' >"$project/out/main"
    collect
    expect_status 5 # it makes no capture
    expect_contains "$output" 'a?[2Jb'
}

@test "--keep leaves the project, and the next upload sends only what changed" {
    start_sshd
    head -c 100000 /dev/urandom >"$project/model.om"
    collect --keep
    expect_status 0
    [ -x "$home/profiling/out/main" ]
    cmp "$project/model.om" "$home/profiling/model.om"
    echo new >"$project/new.txt"
    collect --keep
    expect_status 0
    expect_contains "$stderr" "uploaded 1 file,"
    change_byte "$project/model.om" 50000 # same size, other content
    collect --keep
    expect_status 0
    expect_contains "$stderr" "uploaded 1 file,"
    cmp "$project/model.om" "$home/profiling/model.om"
}

@test "what was on the board before stays there" {
    start_sshd
    mkdir -p "$home/profiling/out"
    echo mine >"$home/profiling/out/notes"
    collect
    expect_status 0
    expect_equal "$(cd "$home" && find . -type f)" ./profiling/out/notes
}

@test "--exclude leaves files out; links and odd names go along" {
    start_sshd
    mkdir -p "$project/lib" "$project/src"
    echo lib >"$project/lib/libx.so.1"
    ln -s libx.so.1 "$project/lib/libx.so"
    echo odd >"$project/it's a \"name\" \$(x)"
    echo source >"$project/src/a.c"
    long=$(printf 'd%.0s' {1..60})/$(printf 'e%.0s' {1..60})/$(printf 'f%.0s' {1..60})
    mkdir -p "$project/${long%/*}"
    echo long >"$project/$long"
    collect --keep --exclude src --exclude '*.tmp'
    expect_status 0
    [ "$(readlink "$home/profiling/lib/libx.so")" = libx.so.1 ]
    cmp "$project/it's a \"name\" \$(x)" "$home/profiling/it's a \"name\" \$(x)"
    cmp "$project/$long" "$home/profiling/$long"
    [ ! -e "$home/profiling/src" ]
}

@test "acl.json is made when there is none" {
    start_sshd
    collect --keep --interval 7 --acl_api off --aicpu off
    expect_status 0
    expect_equal "$(tr -d ' \n' <"$home/profiling/out/acl.json")" \
        '{"profiler":{"output":"'"$home"'/profiling/out","aacpu":"off","aac_metrics":"ArithmeticUtilization","interval":"7","acl_api":"off","switch":"on"}}'
    [ ! -e "$project/out/acl.json" ]
}

@test "metrics that boards do not count are passed on, and those of other chips warned of" {
    start_sshd
    for metrics in off none PipeUtilization; do
        collect --keep --aac_metrics "$metrics"
        expect_status 0
        grep -q "\"aac_metrics\": *\"$metrics\"" "$home/profiling/out/acl.json"
        if [ "$metrics" = PipeUtilization ]; then
            expect_contains "$stderr" "boards count only ArithmeticUtilization: --aac_metrics PipeUtilization turns collection off"
        else
            expect_not_contains "$stderr" "boards count"
        fi
        rm -r "$project/profiling"
    done
    collect --aac_metrics Arithmetic
    expect_status 2
    expect_contains "$stderr" "expected one of: ArithmeticUtilization, off, none"
}

@test "an acl.json keeps its other keys to the last byte" {
    start_sshd
    printf '{ "big": 12345678901234567890.10 ,\n\t"profiler": {"interval" :"3", "x":[1,"}"]}\n}' >"$project/out/acl.json"
    cp "$project/out/acl.json" before
    collect --keep --interval 5
    expect_status 0
    cmp "$project/out/acl.json" before
    patched=$(<"$home/profiling/out/acl.json")
    expect_contains "$patched" '{ "big": 12345678901234567890.10 ,'
    expect_contains "$patched" '{"interval" :"5", "x":[1,"}"], "output": "'
}

@test "a dump that is on is refused before anything is changed" {
    start_sshd
    echo '{"dump":{"dump_list":[{"model_name":"m"}]}}' >"$project/out/acl.json"
    collect
    expect_status 2
    expect_contains "$stderr" 'dump'
    expect_tidy
}

@test "--switch off says that there will be no capture, and none is no failure" {
    start_sshd
    collect --switch off
    expect_status 0
    expect_contains "$stderr" "no JOB directory will appear"
    expect_tidy
}

@test "'project' in the ini file names the root of a project without out/" {
    start_sshd
    mkdir -p tree/bin/arm tree/models
    mv "$project/out/main" tree/bin/arm/app
    echo model >tree/models/m.om
    write_ini "$port" "project = $scratch/tree"
    run_msprof collect -m tree/bin/arm/app --config board.ini --keep --exclude 'msprof-output' --output tree/msprof-output
    expect_status 0
    cmp tree/models/m.om "$home/profiling/models/m.om"
    [ -x "$home/profiling/bin/arm/app" ] && [ -e "$home/profiling/bin/arm/acl.json" ]
    the_capture tree/msprof-output
    run_msprof collect -m "$scratch/tree/bin/arm/app" --config board.ini --dry-run
    expect_status 0
    write_ini "$port"
    run_msprof collect -m tree/bin/arm/app --config board.ini
    expect_status 2
    expect_contains "$stderr" "project = DIR"
}

@test "--dry-run prints the plan and needs no board" {
    write_ini 1
    collect --dry-run --all --timeout 9
    expect_status 0
    expect_contains "$output" "connect to '127.0.0.1', port 1"
    expect_contains "$output" "for at most 9 s"
    expect_contains "$output" "import the capture"
    [ ! -e "$project/profiling" ]
}

@test "two boards run side by side, one capture each" {
    mkdir "$scratch/a" "$scratch/b"
    start_sshd "SetEnv HOME=$scratch/a TMPDIR=$scratch/a"
    port_a=$port
    start_sshd "SetEnv HOME=$scratch/b TMPDIR=$scratch/b"
    printf '[ssh_config:a]\nport = %s\n[ssh_config:b]\nport = %s\n' "$port_a" "$port" >>board.ini
    mv "$project/out/main" "$project/out/works"
    cat >"$project/out/main" <<PROGRAM
#!/bin/sh
: >"$scratch/runs.\${HOME##*/}"
i=0
until [ -e "$scratch/runs.a" ] && [ -e "$scratch/runs.b" ]; do
    [ \$((i += 1)) -lt 600 ] || exit 9 # one runs after the other
    sleep 0.1
done
exec ./works "\$@"
PROGRAM
    chmod +x "$project/out/main"
    run_msprof collect -m "$project/out/main seconds=1" --config board.ini --board a --board b --all
    expect_status 0
    the_capture "$project/profiling/a"
    the_capture "$project/profiling/b"
    expect_contains "$output" "[a] inference 1"
    expect_equal "$(find a b -mindepth 1)" ""
}

@test "the newest of several captures is taken and the others stay on the board" {
    start_sshd
    run_msprof collect -m "$project/out/main captures=2" --config board.ini
    expect_status 0
    expect_contains "$stderr" "2 new captures"
    the_capture
    [ "$(find "$home/profiling/out" -mindepth 1 -maxdepth 1 -name 'JOB*' | wc -l)" -eq 1 ]
    [ ! -e "$home/profiling/out/main" ]
}

@test "a partial capture comes home and import says what is missing" {
    start_sshd
    run_msprof collect -m "$project/out/main partial" --config board.ini --all
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_contains "$stderr" "no .done file"
}

@test "NFS mounts the project as the vendor's tool does and unmounts it" {
    start_sshd
    fake_command mount "echo \"\$@\" >'$scratch/mounted'; for d; do :; done; cp -R '$project/.' \"\$d/\""
    fake_command umount "echo \"\$@\" >'$scratch/unmounted'; rm -rf \"\$1\"/*"
    echo '{"other": 1}' >"$project/out/acl.json"
    collect --transfer=nfs
    expect_status 2
    expect_contains "$stderr" "own loopback address"
    expect_contains "$stderr" --nfs-server
    expect_contains "$stderr" /etc/hosts
    collect --transfer=nfs --nfs-server 192.0.2.7
    expect_status 0
    expect_equal "$(<mounted)" \
        "-t nfs -o nolock -o tcp -o rsize=32768,wsize=32768 192.0.2.7:$project $home/profiling"
    expect_equal "$(<unmounted)" "$home/profiling"
    expect_equal "$(<"$project/out/acl.json")" '{"other": 1}'
    the_capture
    expect_tidy
}

@test "a board without stat, tar, xargs and checksums still works" {
    start_sshd
    for name in stat xargs sha256sum openssl; do fake_command "$name" 'exit 127'; done
    # tar hidden: a PATH of links to everything else
    mkdir bare
    for tool in sh cat find wc mkdir mv rm rmdir chmod ln tail ls df dirname uname printf sleep kill echo; do
        ln -s "$(command -v "$tool")" "bare/$tool"
    done
    stop_all
    start_sshd "SetEnv HOME=$home PATH=$scratch/bare"
    collect
    expect_status 0
    expect_contains "$stderr" "verified by size"
    run_msprof import -dir "$(the_capture)"
    expect_status 0
    expect_tidy
}

@test "a fetch has the board run three commands: what it is, its files and their bytes, their checksums" {
    mkdir -p "$home/JOBX/data"
    for i in 1 2 3; do echo "$i" >"$home/JOBX/data/f$i"; done
    printf '#!/bin/sh\necho >>%s/commands\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n' "$scratch" >count
    chmod +x count
    start_sshd "ForceCommand $scratch/count"
    run_msprof collect --config board.ini --fetch-only JOBX --output there
    expect_status 0
    diff -r "$home/JOBX" there/JOBX
    expect_equal "$(wc -l <commands)" 3
    run_msprof collect --config board.ini --fetch-only JOBY --output there
    expect_status 5
    expect_contains "$stderr" "missing directory '$home/JOBY' on the board"
    [ ! -e there/JOBY ]
}
