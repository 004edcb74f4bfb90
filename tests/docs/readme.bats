#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The README says what is so: its commands run, its examples work, its paths exist.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status and stderr

load ../cli/common
load tree

setup() {
    enter_scratch
    readme=$repository/README.md
}

# The code blocks of a language, one after the other, of the README and of the pages that it sends its readers to.
blocks() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p;}" "$readme" "$repository"/docs/{layouts,recording}.md
}

@test "the README gives two commands, and the second is what continuous integration runs" {
    expect_equal "$(sed -n '/^## Two commands/,/^## A tour/s/^    //p' "$readme")" "tools/tour.sh
tools/test.sh"
    [ -x "$repository/tools/tour.sh" ]
    [ -x "$repository/tools/test.sh" ]
    grep -qx 'exec tools/test.sh --all --without-shared-too </dev/null' "$repository/.ci/run"
}

@test "the tour runs in a copy of the tree and leaves the shipped capture as it is" {
    only_in_all "it builds the program again"
    enter_tree_copy
    find testdata -type f -exec sha256sum {} + | sort >before
    tools/tour.sh >output 2>errors
    find testdata -type f -exec sha256sum {} + | sort >after
    cmp before after

    for file in sqlite/runtime.db timeline/task_time_0.resnet50.6.1.json summary/acl_statistic_0_6_1.csv; do
        [ -s "build/tour/$file" ]
    done
    grep -q '^Frequency : 600 Mhz' build/tour/show.txt
    expect_equal "$(grep -c '^\[[1-6]/6\] ' output)" 6
    grep -q '^Executions  *248 of 62 operators$' output
    # A first screen that a terminal of 50 lines shows whole.
    [ "$(cat output errors | wc -l)" -le 45 ]
    for directory in timeline summary; do
        grep -q "^  build/tour/$directory: $(find "build/tour/$directory" -type f | wc -l) files " output
    done
}

@test "the summary that the README begins with is that of the shipped capture" {
    run_msprof -q show "$repository"/testdata/resnet50/JOB* --output "$scratch/results" --table summary --width 0
    expect_status 0
    count=0
    while IFS= read -r line; do
        expect_contains "$output" "$line"
        count=$((count + 1))
    done < <(sed -n '/^    \$ msprof show/,/^## Two commands/s/^    \([A-Z].*\)/\1/p' "$readme")
    [ "$count" -eq 6 ]
}

@test "every command of the README runs" {
    copy_capture JOBX
    copy_capture captures/JOBA
    copy_capture captures/JOBB
    blocks layout >board.layout
    blocks C >program.c
    # stands for the installed library
    build=$(dirname "$(readlink -f "$MSPROF")")
    sed -e "s|@LIBDIR@|$build|; s|@INCLUDEDIR@|$repository/include|" "$repository/acl/msprof_acl.pc.in" >msprof_acl.pc
    export PKG_CONFIG_PATH=$PWD LD_LIBRARY_PATH=$build
    PATH=$(dirname "$MSPROF"):$PATH
    count=0
    while IFS= read -r line; do
        if [[ $line == sqlite3* ]] && ! command -v sqlite3 >/dev/null; then
            continue
        fi
        count=$((count + 1))
        if ! bash -e -o pipefail -c "$line" >out 2>err </dev/null; then
            printf 'failed: %s\n' "$line" >&2
            cat out err >&2
            return 1
        fi
    done < <(blocks sh)
    [ "$count" -ge 11 ]
    compgen -G "captures/PROF_*/mindstudio_profiler_output/msprof_tx_*.json" >tx_files
    [ -f JOBX/sqlite/runtime.db ]
    [ -f JOBX/timeline/task_time_0.resnet50.6.1.json ]
    [ -f JOBX/summary/acl_statistic_0_6_1.json ]
    [ -d results/JOBA/summary ]
    [ -d results/JOBB/summary ]
}

@test "every command that the README shows outside of these blocks runs" {
    build=$(dirname "$(readlink -f "$MSPROF")")
    PATH=$(dirname "$MSPROF"):$PATH
    mkdir -p project/out
    printf '#!/bin/sh\nexec "%s/tests/acl/acl_program" nest\n' "$build" >main
    chmod +x main
    cp main project/out/main
    printf '[ssh_config]\nip = 192.0.2.1\nusername = root\n' >board.ini
    chmod 600 board.ini
    # the program that the README has in C, the two commands and the one above are run by other tests
    # shellcheck disable=SC2016 # the backticks are those of the README
    sed -n '/^```/,/^```/d; s/^    \(\$ \)\?//p' "$readme" | grep '^[a-z]*[ /]' | grep -v '^tools/\|testdata/resnet50/JOB\*' >commands
    expect_equal "$(wc -l <commands)" 2
    while IFS= read -r line; do
        line=${line/msprof collect /msprof collect --dry-run } # there is no board here; tests/ssh/ has one
        bash -e -o pipefail -c "$line" >out 2>err </dev/null || { cat out err >&2; return 1; }
    done <commands
    compgen -G "PROF_*/mindstudio_profiler_output/*.csv"
}

@test "the commands of the README that install and remove do that" {
    enter_tree_copy
    blocks '' | grep -E '^(sudo )?make' | sed -e "s|sudo make \([a-z]*\)|make -s \1 DESTDIR='$PWD/root'|" -e 's|sudo ldconfig|true|' \
        -e "s|DESTDIR=/tmp/package|DESTDIR='$PWD/package'|" -e 's|#.*||' >commands
    expect_equal "$(wc -l <commands)" 3
    run_command() {
        bash -e -c "$(sed -n "$1p" commands)" >out 2>&1 || { cat out >&2; return 1; }
    }
    run_command 1
    [ -x root/usr/local/bin/msprof ]
    run_command 2
    [ -x package/usr/bin/msprof ]
    run_command 3
    expect_equal "$(find root ! -type d)" ""
}

@test "the README shows the shipped capture's timeline and report, as they are taken of headless Chromium" {
    command -v chromium >/dev/null || skip "chromium is not installed: 'tools/packages.sh all' does that"
    expect_equal "$(grep -o 'docs/pictures/[a-z]*.png' "$readme")" $'docs/pictures/timeline.png\ndocs/pictures/report.png'
    "$repository/tools/screenshots.sh" "$MSPROF" taken
    python3 - taken/timeline.png <<'END'
import struct, sys, zlib

def pixels(path):
    """Rows of a picture of 8 bits a channel."""
    data, at, packed = open(path, 'rb').read(), 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, colour = struct.unpack('>IIBB', data[at + 8:at + 18])
            assert depth == 8 and colour in (2, 6)
            size = 3 if colour == 2 else 4
        packed += data[at + 8:at + 8 + length] if kind == b'IDAT' else b''
        at += 12 + length
    lines, above = zlib.decompress(packed), bytearray(width * size)
    for y in range(height):
        filter, *line = lines[y * (width * size + 1):(y + 1) * (width * size + 1)]
        for x in range(width * size):
            left, up, corner = (line[x - size], above[x], above[x - size]) if x >= size else (0, above[x], 0)
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[x] = line[x] + (0, left, up, (left + up) // 2, nearest)[filter] & 255
        above = line
        yield [tuple(line[x:x + 3]) for x in range(0, width * size, size)]

rows = list(pixels(sys.argv[1]))
bright = [len({pixel for pixel in row if max(pixel) - min(pixel) > 60}) for row in rows]
# the row of the cores has operators of many colours
assert len(rows[0]) == 1200 and sum(colours >= 6 for colours in bright) >= 10, bright
END
    [ "$(wc -c <taken/report.png)" -gt $(($(wc -c <"$repository/docs/pictures/report.png") * 3 / 4)) ]
}

@test "messages that the README quotes under Troubleshooting are those of the program" {
    sed -n '/^## Troubleshooting/,/^## Limits/s/^\* \*\*"\(.*\)"\*\*.*/\1/p' "$readme" | grep -v '^error while loading' >quoted
    [ "$(wc -l <quoted)" -ge 2 ]
    while IFS= read -r message; do
        part=$(sed 's/^\.\.\. *//; s/ *\.\.\.$//' <<<"$message")
        grep -rqF --include='*.c' "$part" "$repository"/{parsers,ssh,cli,db} || { echo "no message has: $part"; false; }
    done <quoted
}

@test "the README's first two screens say what, for whom and why, with the two commands" {
    [ "$(grep -n '^## A tour' "$readme" | cut -d : -f 1)" -le 72 ]
    for head in 'Who it is for' 'Why not' 'Two commands'; do
        sed -n '1,/^## A tour/p' "$readme" | grep -q "^## $head"
    done
}

@test "the record kind of CONTRIBUTING is all that a new kind needs" {
    needs sqlite3
    enter_tree_copy
    readme=$repository/CONTRIBUTING.md blocks c >parsers/kinds/svp/memory.c
    make -s -j2 program
    MSPROF=$PWD/build/msprof
    copy_capture JOBX
    # two samples: 1000 ns, 7 KB; 2000 ns, 9 KB
    printf '\x5a\xa5\0\0\0\0\0\0\xe8\x03\0\0\0\0\0\0\x07\0\0\0\0\0\0\0' >JOBX/data/memory.0
    printf '\x5a\xa5\0\0\0\0\0\0\xd0\x07\0\0\0\0\0\0\x09\0\0\0\0\0\0\0' >>JOBX/data/memory.0
    run_msprof import -dir JOBX
    expect_status 0
    expect_equal "$(sqlite3 JOBX/sqlite/runtime.db 'SELECT time_ns, used_bytes FROM memory_sample')" "1000|7000
2000|9000"
    run_msprof kinds memory
    expect_contains "$output" "Memory in use."
}

@test "the exit statuses of the README are those of the help" {
    listed=$(sed -nE 's/^\| ([0-9]+) \|.*/\1/p' "$readme" | sort -n | tr '\n' ' ')
    told=$("$MSPROF" --help | sed -n '/^Exit status:/,$p' | grep -oE '(^| )[0-9]+ [a-z]' | grep -oE '[0-9]+' | sort -n | tr '\n' ' ')
    expect_equal "$listed" "$told"
}

@test "the folders and files that the README and its pages name exist" {
    count=0
    # shellcheck disable=SC2016 # the backticks are those of the README
    while IFS= read -r path; do
        [ -e "$repository/$path" ] || {
            echo "README.md names $path" >&2
            return 1
        }
        count=$((count + 1))
    done < <(grep -ohE '`(acl|include|python|base|parsers|db|docs|exporters|cli|man|tools|tests|testdata)/[^ `*]*`' \
        "$readme" "$repository"/docs/{layouts,recording}.md |
        tr -d '`' | grep -v memory | sort -u)
    [ "$count" -ge 10 ]
}

# Stands in for the package tools: logs what is called, and says that the packages in $installed are there.
fake_package_tools() {
    unset DEBIAN_FRONTEND
    mkdir -p bin
    cat >bin/dpkg-query <<'END'
#!/bin/bash
[[ " $installed " == *" ${*: -1} "* ]] || exit 1
printf installed
END
    for tool in apt-get sudo; do
        cat >bin/$tool <<END
#!/bin/bash
echo "$tool \$*\${DEBIAN_FRONTEND:+ (\$DEBIAN_FRONTEND)}" >>"$scratch/calls"
[ $tool != sudo ] || exec "\$@"
END
    done
    printf '#!/bin/bash\necho "%s"\n' "$1" >bin/id
    chmod +x bin/*
    : >calls
}

@test "only missing packages are installed, after an update and without questions" {
    fake_package_tools 0
    export installed="gcc libc6-dev make libsqlite3-dev libcjson-dev libssh2-1-dev"
    PATH=$scratch/bin:$PATH "$repository/tools/packages.sh" build
    expect_equal "$(grep -v 'install -s' calls)" "apt-get update -qq
apt-get install -y -qq --no-install-recommends libcsv-dev libssl-dev zlib1g-dev libdeflate-dev libxxhash-dev libarchive-dev libncurses-dev (noninteractive)"
}

@test "packages are installed with sudo by users that are not root" {
    fake_package_tools 1000
    export installed="gcc libc6-dev make libsqlite3-dev libcjson-dev libssh2-1-dev libcsv-dev"
    PATH=$scratch/bin:$PATH "$repository/tools/packages.sh" build
    expect_equal "$(grep ^sudo calls)" "sudo apt-get update -qq
sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libssl-dev zlib1g-dev libdeflate-dev libxxhash-dev libarchive-dev libncurses-dev"
}

@test "nothing is called when nothing is missing" {
    fake_package_tools 1000
    export installed="gcc libc6-dev make libsqlite3-dev libcjson-dev libssh2-1-dev libcsv-dev libssl-dev zlib1g-dev libdeflate-dev libxxhash-dev libarchive-dev libncurses-dev"
    PATH=$scratch/bin:$PATH "$repository/tools/packages.sh" build
    expect_equal "$(cat calls)" ""
}
