#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures in archives, captures further down in directories, and several of them at the same time.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
    mkdir tmp
    export TMPDIR=$scratch/tmp
}

# Makes a tar file of entries that no tar(1) would pack: make_tar FILE, and lines of Python that call
# add(name, data), link(name, type, target) on standard input.
make_tar() {
    {
        cat <<'PYTHON'
import io, sys, tarfile
archive = tarfile.open(sys.argv[1], "w:gz" if sys.argv[1].endswith("gz") else "w")
def add(name, data=b""):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
def link(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    archive.addfile(info)
PYTHON
        cat
        echo 'archive.close()'
    } >make_tar.py
    python3 make_tar.py "$1"
}

@test "an archive of a capture gives the tables of the capture, and leaves nothing behind" {
    needs python3
    copy_capture JOBX
    run_msprof show JOBX --table ops --format csv
    expect_status 0
    expected=$output
    rm -r JOBX/sqlite JOBX/log
    tar -cf below.tar JOBX
    tar -czf below.tar.gz ./JOBX
    tar -czf itself.tgz -C JOBX .
    mkdir -p deep/a/b
    cp -r JOBX deep/a/b/JOBX
    tar -cf deep.tar deep
    python3 -m zipfile -c zipped.zip JOBX
    for archive in below.tar below.tar.gz itself.tgz deep.tar zipped.zip; do
        run_msprof show "$archive" --table ops --format csv
        expect_status 0
        expect_equal "$output" "$expected"
        expect_contains "$stderr" "'$scratch/$archive"
        expect_not_contains "$stderr" "$TMPDIR"
    done
    expect_equal "$(ls -A tmp)" ""
}

@test "cluster, analyse and layout read archives, and write only where --output says" {
    mkdir -p run/deeper
    cp -r "$repository"/testdata/frameworks/run_ascend_ms run/deeper/
    tar -czf run.tar.gz run
    for command in cluster "cluster --timeline" analyse "analyse --rule communication"; do
        # shellcheck disable=SC2086 # words
        run_msprof $command run.tar.gz
        expect_status 2
        expect_contains "$stderr" "'run.tar.gz' is an archive; results cannot be written into it
  try: choose another directory with --output DIR"
        rm -rf output expected
        # shellcheck disable=SC2086 # words
        run_msprof -q $command run.tar.gz --output output
        result=$status
        # shellcheck disable=SC2086 # words
        run_msprof -q $command run/deeper --output expected
        expect_equal "$result" "$status"
        expect_equal "$(find output -type f -not -path '*/log/*' -printf '%f\n' | sort)" \
            "$(find expected -type f -not -path '*/log/*' -printf '%f\n' | sort)"
        [ -n "$(find output -name '*.json')" ]
    done
    run_msprof -q cluster run/deeper --table api_sum --format csv
    expect_status 0
    expected=$output
    run_msprof -q cluster run.tar.gz --table api_sum --format csv
    expect_status 0
    expect_equal "$output" "$expected"
    copy_capture JOBX
    run_msprof -q export summary JOBX
    run_msprof -q layout infer -dir JOBX
    expect_status 0
    expected=$output
    tar -czf board.tar.gz JOBX
    run_msprof -q layout infer -dir board.tar.gz
    expect_status 0
    expect_equal "$output" "$expected"
    expect_equal "$(ls -A tmp)" ""
}

@test "results of an archive go where --output says, and are known again" {
    copy_capture JOBX
    rm -rf JOBX/sqlite
    tar -czf run.tar.gz JOBX
    for command in import "export summary" "export timeline"; do
        # shellcheck disable=SC2086 # two words
        run_msprof $command run.tar.gz
        expect_status 2
        expect_contains "$stderr" "'run.tar.gz' is an archive; results cannot be written into it
  try: choose another directory with --output DIR"
    done
    run_msprof import run.tar.gz --output results
    expect_status 0
    run_msprof import run.tar.gz --output results
    expect_status 0
    expect_contains "$stderr" "the database is up to date"
    run_msprof export summary run.tar.gz --output results
    expect_status 0
    expect_not_contains "$stderr" "importing"
    expect_contains "$(ls results/summary)" "op_summary_"
    sed -i 's/"/ "/' JOBX/info.json.0
    tar -czf other.tar.gz JOBX
    run_msprof import other.tar.gz --output results
    expect_status 2
    expect_contains "$stderr" "contains the results of another capture, '$scratch/run.tar.gz/JOBX'"
    expect_equal "$(ls -A tmp)" ""
}

@test "diff takes archives for captures" {
    copy_capture JOBX
    tar -czf base.tar.gz JOBX
    cp base.tar.gz new.tar.gz
    run_msprof diff base.tar.gz new.tar.gz
    expect_status 0
}

@test "names and links that lead out of an archive are refused, and nothing is written there" {
    needs python3
    for entry in 'add("../escaped", b"x")' 'add("JOBX/data/../../../escaped", b"x")' "add('$scratch/escaped', b'x')" \
        'link("JOBX/data", tarfile.SYMTYPE, "../../tmp")' 'link("JOBX/data", tarfile.SYMTYPE, "/etc")' \
        'link("JOBX/escaped", tarfile.LNKTYPE, "../../secret")' 'link("x", tarfile.LNKTYPE, "/etc/passwd")'; do
        echo "$entry" | make_tar bad.tar
        run_msprof show bad.tar
        expect_status 1
        expect_contains "$stderr" "which leads out of it"
        expect_equal "$(find . -name escaped)" ""
    done
    python3 -c 'import zipfile
with zipfile.ZipFile("bad.zip", "w") as archive: archive.writestr("../escaped", "x")'
    run_msprof show bad.zip
    expect_status 1
    expect_contains "$stderr" "which leads out of it"
    expect_equal "$(find . -name escaped; ls -A tmp)" ""
}

@test "a file is never written through a link of the archive" {
    needs python3
    echo kept >outside
    make_tar bad.tar <<'PYTHON'
link("JOBX/inside", tarfile.SYMTYPE, "other")
add("JOBX/inside", b"x")
link("JOBX/here", tarfile.SYMTYPE, "data")
add("JOBX/here/aicore.0.1.1", b"x")
PYTHON
    run_msprof show bad.tar
    expect_equal "$status" 1
    expect_equal "$(cat outside; ls -A tmp)" "kept"
}

@test "links that stay inside, devices and pipes are left out and counted; a second name of a file is read" {
    needs python3
    copy_capture JOBX
    rm -rf JOBX/sqlite
    run_msprof show JOBX --table ops --format csv
    expected=$output
    rm -r JOBX/sqlite JOBX/log
    ln -s info.json.0 JOBX/a_link
    mkfifo JOBX/a_pipe
    ln JOBX/data/aicore.0.1.1 JOBX/0_first
    tar -czf run.tar.gz --sort=name JOBX
    expect_contains "$(tar -tvf run.tar.gz)" "link to JOBX/0_first"
    run_msprof show run.tar.gz --table ops --format csv
    expect_status 3
    expect_contains "$stderr" "2 links, devices or pipes are left out, the first is 'JOBX/a_"
    expect_equal "$output" "$expected"
}

@test "an archive that unpacks to very much more than its size is refused" {
    needs python3
    echo 'add("JOBX/data/aicore.0.1.1", bytes(80 << 20))' | make_tar bomb.tar.gz
    run_msprof show bomb.tar.gz
    expect_status 1
    expect_contains "$stderr" "unpacks to more than 200 times its size
  try: if that is right, unpack it yourself, and give the directory"
    expect_equal "$(ls -A tmp)" ""
}

@test "entries that are left out count for the limits: what takes time to skip is refused like what takes room" {
    needs python3
    python3 - <<'END' # second names with data of their own, and links
import gzip, tarfile
first, other = tarfile.TarInfo("JOBX/first"), tarfile.TarInfo("JOBX/other")
other.type, other.linkname, other.size = tarfile.LNKTYPE, "JOBX/first", 2 << 20
link = tarfile.TarInfo("JOBX/link")
link.type, link.linkname = tarfile.SYMTYPE, "data"
with gzip.open("data.tar.gz", "wb", 1) as file:
    file.write(first.tobuf(tarfile.USTAR_FORMAT))
    for _ in range(40):
        other.pax_headers = {"size": str(2 << 20)}
        file.write(other.create_pax_header(other.get_info(), "utf-8") + bytes(2 << 20))
with gzip.open("links.tar.gz", "wb", 1) as file:
    for _ in range(120):
        file.write(link.tobuf(tarfile.GNU_FORMAT) * 10000)
END
    run_msprof show data.tar.gz
    expect_status 1
    expect_contains "$stderr" "unpacks to more than 200 times its size"
    run_msprof show links.tar.gz
    expect_status 1
    expect_contains "$stderr" "unpacks to more than 1000000 files"
    expect_equal "$(ls -A tmp)" ""
}

@test "an archive that is damaged, empty or none is named as such" {
    needs python3
    copy_capture JOBX
    tar -czf run.tar.gz JOBX
    head -c 5000 run.tar.gz >cut.tar.gz
    echo text >text.zip
    : >empty.tar
    for archive in cut.tar.gz text.zip empty.tar; do
        run_msprof show "$archive"
        expect_status 1
        expect_contains "$stderr" "cannot use '$archive' as a capture: '$scratch/$archive' cannot be read as an archive: "
    done
    expect_equal "$(ls -A tmp)" ""
}

@test "names in other scripts are read from every kind of archive, in every locale" {
    needs python3
    copy_capture JOBX
    mv JOBX JOB人脸
    rm -rf JOB人脸/sqlite
    tar -cf gnu.tar --format=gnu JOB人脸
    tar -cf pax.tar --format=pax JOB人脸
    python3 -m zipfile -c zipped.zip JOB人脸
    for archive in gnu.tar pax.tar zipped.zip; do
        LC_ALL=C run_msprof import "$archive" --output "of_$archive"
        expect_status 0
        expect_contains "$stderr" "'$scratch/$archive/JOB人脸': "
    done
}

@test "without libarchive an archive is to be unpacked, and all else works" {
    copy_capture JOBX
    tar -czf run.tar.gz JOBX
    mkdir none
    : >none/libarchive.so.13
    export LD_LIBRARY_PATH=$scratch/none
    run_msprof show run.tar.gz
    expect_status 1
    expect_contains "$stderr" "libarchive.so.13, which reads archives, is not installed
  try: install libarchive13 (libarchive), or unpack it and give the directory"
    run_msprof show JOBX
    expect_status 0
}

@test "a kill leaves nothing of an archive" {
    needs python3
    copy_capture JOBX
    python3 -c '
import os
with open("JOBX/data/other", "wb") as file:
    for i in range(40): file.write(os.urandom(1 << 20))'
    tar -cf run.tar JOBX
    "$MSPROF" -q show run.tar >/dev/null 2>&1 &
    sleep 0.03
    kill -KILL $! || true
    wait $! || true
    for _ in $(seq 100); do
        [ -n "$(ls -A tmp)" ] || break
        sleep 0.05
    done
    expect_equal "$(ls -A tmp)" ""
}

@test "--depth searches directories for captures, without following links" {
    copy_capture JOBX
    rm -rf JOBX/sqlite
    mkdir -p all/one all/two/three all/.hidden
    cp -r JOBX all/JOBA
    cp -r JOBX all/one/JOBB
    cp -r JOBX all/two/three/mine
    cp -r JOBX all/.hidden/JOBH
    ln -s "$scratch" all/back
    run_msprof import all
    expect_status 0
    expect_equal "$(grep -c decoded <<<"$stderr")" 1
    run_msprof import all --depth 2
    expect_status 0
    expect_equal "$(grep -c decoded <<<"$stderr")" 2
    run_msprof import all --depth 3 --output results
    expect_status 0
    expect_equal "$(cd results && echo ./*)" "./JOBA ./JOBB ./mine"
    run_msprof import all/two
    expect_status 4
    expect_contains "$stderr" "--depth N searches further down"
    run_msprof import all --depth 0
    expect_status 2
}

@test "--jobs imports and exports captures at the same time, with the results of one after the other" {
    copy_capture JOBX
    rm -rf JOBX/sqlite
    for i in 1 2 3 4 5; do
        cp -r JOBX "JOB$i"
    done
    truncate -s -5 JOB3/data/aicore.0.1.1
    mkdir all
    mv JOB? all
    run_msprof export summary all --output apart --stable-names --jobs 1
    expect_status 3
    run_msprof export summary all --output together --stable-names --jobs 4
    expect_status 3
    expect_equal "$(grep -c decoded <<<"$stderr")" 6
    expect_equal "$(cd apart && sha256sum ./*/summary/*)" "$(cd together && sha256sum ./*/summary/*)"
    run_msprof import all --jobs 3
    expect_status 3
    expect_equal "$(find all -name runtime.db | wc -l)" 6
    run_msprof export timeline --merge all --output merged --jobs 2
    expect_status 2
    expect_contains "$stderr" "--merge makes one result of them"
}
