#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# libmsprof as a program outside of the tree uses it, built against an installed copy.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch

load ../cli/common
load ../docs/tree

setup_file() {
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR enter_tree_copy
    forget_outer_make
    export root=$BATS_FILE_TMPDIR/root
    make -s read prefix="$root"
    make -s install-read prefix="$root"
    export PKG_CONFIG_PATH=$root/lib/pkgconfig LD_LIBRARY_PATH=$root/lib
    # shellcheck disable=SC2046 # words
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$repository/tests/library/questions.c" $(pkg-config --cflags --libs msprof) \
        -o "$BATS_FILE_TMPDIR/questions"
}

setup() {
    enter_scratch
    copy_capture JOBX
    ask=$BATS_FILE_TMPDIR/questions
}

# A table of the program as lines of tabs, without titles.
table_of_program() { # table, option...
    "$MSPROF" show JOBX --table "$@" --format json 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print("\t".join(str(value) if not isinstance(value, float) else f"{value:.10g}" for value in row.values()))'
}

@test "the example of msprof_open(3) builds against the installed copy and prints operators" {
    awk '/^\.Bd -literal/ { inside = 1; next } /^\.Ed/ { inside = 0 } inside' "$repository/man/msprof_open.3" |
        sed 's/\\e/\\/g' >example.c
    # shellcheck disable=SC2046 # words
    cc -std=c17 -Wall -Wextra -Werror example.c $(pkg-config --cflags --libs msprof) -o example
    ./example JOBX >lines
    expect_equal "$(wc -l <lines)" 10
    expect_equal "$(awk '{ print $3 }' lines)" "$(table_of_program ops --columns name --top 10)"
}

@test "the example of the header builds and prints operators" {
    {
        printf '#include <msprof/msprof.h>\n#include <stdio.h>\nint main(void)\n{\n'
        sed -n '2,/\*\/$/s/^ \*     //p' "$root/include/msprof/msprof.h" | sed 's/"PROF_000001"/"JOBX"/'
        printf 'return 0;\n}\n'
    } >example.c
    # shellcheck disable=SC2046 # words
    cc -std=c17 -Wall -Wextra -Werror example.c $(pkg-config --cflags --libs msprof) -o example
    expect_equal "$(./example | awk '{ print $1, $3 }')" \
        "$(table_of_program ops --columns name,total --top 10 | awk -F '\t' '{ printf "%.3f %s\n", $2, $1 }')"
}

@test "a project of CMake finds the installed copy" {
    needs cmake
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(ask C)\nfind_package(Msprof %s REQUIRED)\nadd_executable(ask ask.c)\ntarget_link_libraries(ask Msprof::msprof)\n' \
        "$(make -s -C "$repository" version)" >CMakeLists.txt
    cp "$repository/tests/library/questions.c" ask.c
    cmake -S . -B made -DCMAKE_PREFIX_PATH="$root" >log 2>&1 || { cat log >&2 && return 1; }
    cmake --build made >log 2>&1 || { cat log >&2 && return 1; }
    [[ $(made/ask JOBX facts) == *" svp "* ]]
}

@test "Python finds the installed copy" {
    PYTHONPATH=$root/share/msprof/python python3 -c 'import msprof; print(msprof.open("JOBX"))' >line
    expect_equal "$(<line)" "<msprof.Capture '$scratch/JOBX' (svp, 558 records)>"
}

@test "captures side by side, and one that another thread interrupts, leave no memory and read none that is not theirs" {
    # shellcheck disable=SC2046 # words
    cc -std=c17 -g -Wall -Wextra -Werror "$repository/tests/library/threads.c" $(pkg-config --cflags --libs msprof) -lsqlite3 -pthread \
        -o threads
    copy_family prof-910b PROF_1
    python3 "$repository/tests/cluster/rank_tables.py" make JOB 1
    expect_equal "$(./threads JOBX PROF_1 JOB)" "done"
    needs valgrind
    expect_equal "$(valgrind -q --leak-check=full --show-leak-kinds=definite,possible --error-exitcode=9 ./threads JOBX PROF_1 JOB 2>&1)" "done"
}

@test "the header compiles as C++" {
    needs g++
    printf '#include <msprof/msprof.h>\nint main() { return msprof_version()[0] == 0; }\n' >version.cpp
    # shellcheck disable=SC2046 # words
    g++ -Wall -Wextra -Wpedantic -Werror version.cpp $(pkg-config --cflags --libs msprof) -o version
    ./version
}

@test "a capture is imported when it is opened, once, and the program takes the same database" {
    [[ $("$ask" JOBX facts) == "$scratch/JOBX svp 558 decoded, 0 rejected, 0 problems, imported" ]]
    [[ $("$ask" JOBX facts) == *"as it was" ]]
    before=$(stat -c %i JOBX/sqlite/runtime.db)
    run_msprof show JOBX
    expect_status 0
    expect_equal "$(stat -c %i JOBX/sqlite/runtime.db)" "$before"
    [ ! -e JOBX/log ]
}

@test "a capture that cannot be written to is read by a temporary database, which goes" {
    needs unshare
    chmod -R a-w JOBX
    mkdir temporary
    export TMPDIR=$scratch/temporary
    if [ "$(id -u)" = 0 ]; then # whom permissions do not keep from writing
        run unshare -m sh -c "mount --bind JOBX JOBX && mount -o remount,ro,bind JOBX && '$ask' JOBX facts"
        [ "$status" -eq 0 ] || skip "no namespaces of mounts here"
    else
        run "$ask" JOBX facts
    fi
    [[ $output == *" imported" ]]
    expect_equal "$(ls temporary)" ""
    [ ! -e JOBX/sqlite ]
}

@test "tables have the rows and the numbers that the program prints" {
    for table in ops types op_statistic layers summary; do
        expect_equal "$("$ask" JOBX table "$table" | tail -n +2)" "$(table_of_program "$table")"
    done
}

@test "a point in time is an integer in nanoseconds" {
    expect_equal "$("$ask" JOBX table gaps/start | tail -n +2 | sed -E 's/(...)$/.\1/')" \
        "$("$MSPROF" show JOBX --table gaps --columns start --format csv 2>/dev/null | tail -n +2 | tr -d '\t')"
}

@test "every table of each family has as many rows as the program prints" {
    for family in prof-910b system-910b 2022-910a job-910a; do
        copy_family "$family" PROF_1
        "$ask" PROF_1 tables | cut -f 1 >names
        [ "$(wc -l <names)" -gt 5 ]
        while read -r table; do
            expect_equal "$table $("$ask" PROF_1 table "$table" | tail -n +2 | wc -l)" \
                "$table $("$MSPROF" show PROF_1 --table "$table" --format json 2>/dev/null | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')"
        done <names
    done
}

@test "columns, order, rows and filters are chosen as with the program" {
    expect_equal "$("$ask" JOBX table 'ops/name,total/-total/5/total > 100us' | tail -n +2)" \
        "$(table_of_program ops --columns name,total --sort=-total --top 5 --filter 'total > 100us')"
    expect_equal "$("$ask" JOBX table 'ops/name///name ~ nothing*')" name
}

@test "a query reads the views, and can only read" {
    expect_equal "$("$ask" JOBX sql 'SELECT count(*) AS operators, max(duration_ns) / 1e3 AS us, NULL AS absent FROM op')" \
        $'operators\tus\tabsent\n248\t788.166\tN/A'
    run "$ask" JOBX sql 'DELETE FROM meta'
    expect_equal "$status" 1
    expect_contains "$output" "error -8: query:1:1: the statement does more than read"
}

@test "answers are the documents of the program" {
    needs python3
    "$ask" JOBX advise >advice.json
    "$MSPROF" advise JOBX --format json | cmp - advice.json
    copy_capture JOBY
    "$ask" JOBY diff JOBX | sed 's/ *$//' >changes.json
    "$MSPROF" diff JOBX JOBY --format json >expected.json
    python3 -c 'import json, sys; a, b = (json.load(open(name)) for name in sys.argv[1:]); assert a == b, (a, b)' changes.json expected.json
    "$ask" JOBX summary | python3 -c 'import json, sys; rows = json.load(sys.stdin); assert {"Item": "Cores", "Value": "1"} in rows'
}

@test "the ranks of a job together: verdicts and tables are those of the program, and of its files" {
    needs python3
    cat >ranks.c <<'END'
#include <msprof/msprof.h>
#include <stdio.h>
static int count(void *arg, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    ++*(int *)arg;
    return done > total;
}
static int stop(void *arg, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    return arg == NULL;
}
int main(int argc, char **argv)
{
    struct msprof_error *error = NULL;
    char *text;
    int told = 0;
    struct msprof_cluster_options options = {sizeof options, argc > 2 ? argv[2] : NULL, count, &told};
    struct msprof_cluster_options stopped = {.size = sizeof stopped, .progress = stop};
    if (msprof_cluster(argv[1], &options, &text, &error) < 0) {
        printf("%d: %s\n", msprof_error_code(error), msprof_error_message(error));
        msprof_error_free(error);
        return 1;
    }
    fputs(text, stdout);
    msprof_free(text);
    return told > 0 && msprof_cluster(argv[1], &stopped, &text, NULL) == MSPROF_ERROR_INTERRUPTED && text == NULL ? 0 : 2;
}
END
    # shellcheck disable=SC2046 # words
    cc -std=c17 -Wall -Wextra -Werror ranks.c $(pkg-config --cflags --libs msprof) -o ranks
    python3 "$repository/tests/cluster/rank_tables.py" make JOB 3
    cp -r JOB THERE
    mkdir temporary
    TMPDIR=$scratch/temporary ./ranks JOB >verdicts.json
    expect_equal "$(ls temporary) $(find JOB -name 'cluster_*')" " "
    "$MSPROF" cluster THERE --format json 2>/dev/null | cmp - verdicts.json
    [ ! -e THERE/cluster_analysis_output ]
    "$MSPROF" cluster THERE --output files >/dev/null 2>&1 || [ $? -eq 3 ]
    python3 - <<'END'
import csv, glob, json
verdicts = json.load(open("verdicts.json"))
def first(name):
    return next(csv.DictReader(open(glob.glob("files/**/" + name, recursive=True)[0])))
slow, computing = first("slow_ranks.csv"), first("slow_computing.csv")
told = verdicts["slowest_rank"]
assert str(told["rank"]) == slow["Rank"], (told, slow)
assert str(told["came_last"]) == slow["Arrived Last"] and str(told["collectives"]) == slow["Collectives"], (told, slow)
assert abs(told["others_waited_us"] - float(slow["Others Waited(us)"])) < 1e-3, (told, slow)
assert str(verdicts["computing"]["rank"]) == computing["Index"]
assert verdicts["computing"]["ms"] == round(float(computing["Computing(us)"]) / 1e3, 3), (verdicts, computing)
END
    for table in operator_sum communication_sum free; do
        ./ranks JOB "$table" >table.json
        "$MSPROF" cluster THERE --table "$table" --format json 2>/dev/null >expected.json
        python3 -c 'import json
table = json.load(open("table.json"))
rows = [{key: None if value == "N/A" else value for key, value in row.items()} for row in json.load(open("expected.json"))]
assert table["rows"] == rows != [] and list(table["rows"][0]) == list(rows[0]), (table, rows)'
    done
    run ./ranks JOB nothing
    expect_equal "$status $output" "1 -2: there is no table 'nothing' of ranks"
    run ./ranks JOBX
    expect_contains "$output" "-3: '$scratch/JOBX' contains no captures of ranks"
    rm -r JOB/PROF*RANK1/device_0 JOB/PROF*RANK1/sqlite JOB/PROF*RANK1/.msprof_cluster
    ./ranks JOB operator_sum | python3 -c 'import json, sys; problems = json.load(sys.stdin)["problems"]; assert problems and all("RANK1" in one["file"] for one in problems), problems'
}

@test "files are written into a directory of the caller's" {
    expect_equal "$("$ask" JOBX export report out)" out/report.html
    grep -q '</html>' out/report.html
    [[ $("$ask" JOBX export timeline out) == *.json* ]]
    "$ask" JOBX export summary out >written
    while read -r file; do [ -s "$file" ]; done <written
    run "$ask" JOBX export nothing out
    expect_contains "$output" "expected summary, timeline, perfetto, db or report"
}

@test "a framework that cannot be read is a data problem, and the capture answers without it" {
    cp -r "$repository/testdata/frameworks/run_ascend_pt" run_ascend_pt
    chmod -R u+w run_ascend_pt
    rm run_ascend_pt/profiler_info*.json
    capture=$(find run_ascend_pt -maxdepth 1 -name 'PROF_*')
    run "$ask" "$capture" diagnostics table ops/name
    expect_equal "$status" 0
    expect_contains "$output" "framework-unreadable"
    expect_equal "$(sed '1,/^name$/d' <<<"$output")" "$("$MSPROF" show --table ops --columns name --format csv "$capture" 2>/dev/null | tail -n +2)"
}

@test "options without a size are refused, results may go into a directory that is not there yet" {
    cat >sizes.c <<'END'
#include <msprof/msprof.h>
#include <stdio.h>
int main(void)
{
    struct msprof_capture *capture;
    struct msprof_table *table;
    struct msprof_error *error = NULL;
    struct msprof_open_options none = {0}, there = {.size = sizeof there, .results = "not/there/yet"};
    struct msprof_table_options rows = {0};
    struct msprof_facts facts = {0};
    if (msprof_open("JOBX", &none, &capture, &error) != MSPROF_ERROR_USAGE)
        return 1;
    puts(msprof_error_message(error));
    msprof_error_free(error);
    if (msprof_open("JOBX", &there, &capture, NULL) != 0)
        return 2;
    if (msprof_table_open(capture, "ops", &rows, &table, NULL) != MSPROF_ERROR_USAGE ||
        msprof_facts(capture, &facts, NULL) != MSPROF_ERROR_USAGE)
        return 3;
    facts.size = sizeof facts;
    if (msprof_facts(capture, &facts, NULL) != 0)
        return 4;
    puts(facts.database);
    msprof_close(capture);
    return 0;
}
END
    # shellcheck disable=SC2046 # words
    cc -std=c17 -Wall -Wextra -Werror sizes.c $(pkg-config --cflags --libs msprof) -o sizes
    run ./sizes
    expect_equal "$status $output" "0 the size in the options is 0: set it to the sizeof of their struct
$scratch/not/there/yet/sqlite/runtime.db"
    [ -e not/there/yet/sqlite/runtime.db ]
}

@test "errors say what, where, what was expected and what to do" {
    run "$ask" nowhere facts
    expect_equal "$status" 1
    expect_contains "$output" "error -3: cannot find 'nowhere': No such file or directory"
    mkdir empty
    run "$ask" empty facts
    expect_equal "$output" "error -3: 'empty' is not a capture and contains none
hint: pass a directory with data/ and info.json, or one that contains a JOB*, PROF* or OPPROF* directory"
    run "$ask" JOBX table operations
    expect_contains "$output" "error -2: this capture has no table 'operations'"
    run "$ask" JOBX table ops/duration
    expect_contains "$output" "error -2: unknown column 'duration'"
    expect_contains "$output" "hint: it has share, total"
    run "$ask" JOBX what
    expect_contains "$output" "unknown question 'what'; expected summary, advise or diff"
}

@test "hints of the library are for its callers: none names an option or a command of the program" {
    needs python3
    cat >hints.py <<'END'
import glob, os, re, sys
# Of the folders that the library is made of: a hint in words of the program has another one before it.
findings = []
os.chdir(sys.argv[1])
files = [file for folder in ("api", "base", "db", "exporters", "parsers", "features") for file in glob.glob(folder + "/**/*.c", recursive=True)]
assert len(files) > 300
for file in files:
    if "/commands/" in file:
        continue
    text = open(file).read()
    for call in re.finditer(r'err_hint(_caller)?\(([^;]*?)\);', text, re.S):
        words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call.group(2)))
        line, start = text.count("\n", 0, call.start()) + 1, text.rfind("\n", 0, call.start())
        own = re.search(r"(^|\W)--[a-z]|'msprof |\bmsprof [a-z]+ ", words)
        if own and (call.group(1) or "err_hint_caller(" not in "".join(text[:start].splitlines()[-3:])) and not file.startswith("api/capture"):
            findings.append(f"{file}:{line}: {words}")
sys.exit("\n".join(findings) or 0)
END
    python3 hints.py "$repository"
    copy_family prof-910b PROF_1
    run "$ask" PROF_1 table nothing
    expect_contains "$output" "hint: msprof_tables, or .tables in Python, lists its tables"
    run_msprof show PROF_1 --table nothing
    expect_contains "$stderr" "'msprof show --table list CAPTURE' lists its tables"
    ln -s /tmp sqlite
    mkdir -p elsewhere && ln -s /tmp elsewhere/sqlite
    PYTHONPATH=$root/share/msprof/python python3 - <<'END'
import msprof
for call, hint in ((lambda: msprof.open("PROF_1", results="elsewhere"), "remove the link, or choose another directory for results"),
                   (lambda: msprof.open("PROF_1").table("ops", step=99).columns, "choose a time range: from and until, or from_ and until in Python"),
                   (lambda: msprof.open("JOBX").table("ops", step=99).columns, "the table overlap lists them")):
    try:
        call()
    except msprof.Error as error:
        assert error.hint == hint, error.hint
    else:
        raise SystemExit(f"no error: {hint}")
END
}

@test "arguments that are wrong are errors that name them, of every function" {
    # shellcheck disable=SC2046 # words
    cc -std=c17 -g -Wall -Wextra -Werror -Wno-unused-value "$repository/tests/library/bad_input.c" $(pkg-config --cflags --libs msprof) -o bad_input
    ./bad_input JOBX >told || { cat told >&2 && return 1; }
    [ "$(grep -c ' calls$' told)" -eq 1 ]
    # Each function that the library has is called.
    while read -r function; do
        grep -q "\<$function(" "$repository/tests/library/bad_input.c" || [ "$function" = msprof_version ] ||
            { echo "$function is not called" && return 1; }
    done < <(sed -n 's/^    \(msprof_[a-z_]*\);$/\1/p' "$repository/api/libmsprof.map")
    needs valgrind
    valgrind -q --leak-check=full --show-leak-kinds=definite,possible --error-exitcode=9 ./bad_input JOBX >told 2>&1 || { cat told >&2 && return 1; }
}

@test "the libraries export what they promised, and at most 25 functions read" {
    needs python3 objdump
    for library in libmsprof.so.1 libmsprof_acl.so.1; do
        python3 "$BATS_TEST_DIRNAME/symbols.py" "$repository/build/release/$library" "$BATS_TEST_DIRNAME/$library.txt"
    done
    expect_equal "$(($(grep -vc '^#' "$BATS_TEST_DIRNAME/libmsprof.so.1.txt") <= 25))" 1
    sed 's/msprof_open MSPROF_1.0/msprof_open MSPROF_0.9/; /msprof_free/d' "$BATS_TEST_DIRNAME/libmsprof.so.1.txt" >other.txt
    run python3 "$BATS_TEST_DIRNAME/symbols.py" "$root/lib/libmsprof.so.1" other.txt
    expect_equal "$status $output" "1 gone: msprof_open MSPROF_0.9
new, and not in other.txt: msprof_free MSPROF_1.0
new, and not in other.txt: msprof_open MSPROF_1.0"
}

@test "a file of another program in the database's place is an error, and stays" {
    mkdir JOBX/sqlite
    echo mine >JOBX/sqlite/runtime.db
    run "$ask" JOBX facts
    expect_contains "$output" "is not a database that msprof made, or another program changed it"
    expect_equal "$(cat JOBX/sqlite/runtime.db)" mine
}

@test "an interrupt ends the next call alone" {
    run "$ask" JOBX interrupt table ops
    expect_contains "$output" "error -12: interrupted"
}
