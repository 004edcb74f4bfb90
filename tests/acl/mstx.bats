#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# mstx: what programs say of themselves with it is recorded.

# shellcheck disable=SC2154 # common.bash and preload.bash set status, output, stderr and the programs
bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
    needs python3
    unset MSPROF_OUTPUT
    marker=$build/tests/acl/acl_mstx
}

# Runs what acl_mstx does under 'msprof run'; its output is in the file printed.
run_marker() {
    rm -rf captures
    status=0
    "$MSPROF" run --output captures "${options[@]}" -- "$marker" "$@" >printed 2>stderr || status=$?
    stderr=$(<stderr)
}
options=()

rows() {
    sqlite3 -separator ' ' "$(captures)/sqlite/runtime.db" "$1"
}

# "count domain event message" of the only capture.
marks() {
    rows "SELECT count(*), n.text, m.event_type, m.message FROM msproftx m LEFT JOIN name n ON n.id = m.domain_id
        GROUP BY 2, 3, 4 ORDER BY 2, 3, 4"
}

@test "marks and ranges of threads, nested, across threads and in domains are what the program knows of them" {
    run_marker threads 50
    expect_equal "$status" 0
    "$MSPROF" export db -q -dir "$(captures)"
    expect_equal "$(python3 "$repository/tests/acl/lib/known_marks.py" "$(captures)" printed)" 604
    run_msprof -q show "$(captures)" --table ranges --format csv
    expect_contains "$output" ",inner"
    run_msprof -q show "$(captures)" --table steps --step-range 'across 0' --format json
    expect_status 0
    run_msprof -q report "$(captures)" --output page.html
    expect_status 0
    expect_contains "$(<page.html)" "across 2"
    run_msprof -q export timeline -dir "$(captures)" --trace-compat
    expect_status 0
}

@test "--mstx-domains records the domains that it names, and nothing else" {
    options=(--reports none --mstx-domains "links, default")
    run_marker threads 10
    "$MSPROF" import -q --strict "$(captures)"
    expect_equal "$(marks)" "40 default 2 outer
1 links 2 across 0
1 links 2 across 1
1 links 2 across 2
1 links 2 across 3"
    expect_contains "$(<"$(captures)/host/sample.json")" '"mstxDomainInclude":"links, default"'
    for list in "" "," "a,,b" "a, "; do
        options=(--mstx-domains "$list")
        run_marker threads 1
        expect_equal "$status" 2
        expect_contains "$stderr" "--mstx-domains"
    done
}

@test "ranges that are not ended, ended twice or in another domain, and domains that are gone are told" {
    run_marker misuse
    expect_equal "$status" 3
    expect_contains "$stderr" "'open 'a'b': 1 that did not end"
    expect_contains "$stderr" "'open too': 1 that did not end"
    expect_contains "$stderr" "ends of ranges that were not open: ended twice, or never begun: 2"
    expect_contains "$stderr" "ends of ranges in another domain; recorded in the domain where they began: 1"
    expect_contains "$stderr" "marks and ranges in a domain that was destroyed or never created; not recorded: 1"
    expect_equal "$(marks)" "1 default 2 twice
1 one 2 wrong"
    expect_equal "$(rows "SELECT code, count(*) FROM diagnostics GROUP BY code")" "range-misused 3
range-open 2"
}

@test "long and empty messages are whole" {
    options=(--reports none)
    run_marker long
    expect_equal "$status" 0
    "$MSPROF" import -q --strict "$(captures)"
    expect_equal "$(rows "SELECT event_type, length(message), substr(message, 1, 3) || substr(message, -3) FROM msproftx
        ORDER BY start_ns, id")" "0 5000 abcfgh
2 5000 abcfgh
0 0 "
}

@test "memory of heaps makes a curve, in a table and on the timeline" {
    run_marker memory
    expect_equal "$status" 0
    expect_equal "$(cut -d , -f 1-3,5,7- "$(captures)"/mindstudio_profiler_output/mstx_memory_*.csv)" \
        "Domain,Device_id,Heap,Event,Size(KB),Total Allocated(KB),Total Reserved(KB)
default,3,1,heap registered,64,0,64
default,3,1,region registered,1,1,64
default,3,1,region registered,2,3,64
default,3,1,region registered,4,7,64
default,3,1,region unregistered,2,5,64
default,3,1,region unregistered,1,4,64
default,N/A,N/A,region unregistered,N/A,N/A,N/A
default,N/A,N/A,region unregistered,N/A,N/A,N/A
default,3,1,heap unregistered,64,0,0"
    expect_equal "$(python3 - "$(captures)"/mindstudio_profiler_output/msprof_2*.json <<'END'
import sys
from timeline import read_timeline
trace = read_timeline(sys.argv[1]).events
print([(e['args']['Allocated'], e['args']['Reserved']) for e in trace
       if e['ph'] == 'C' and e['name'] == 'Heap 1 of default, device 3'])
END
)" "[(0, 64), (1, 64), (3, 64), (7, 64), (5, 64), (4, 64), (0, 0)]"
}

@test "marks of signal handlers, of children, before exec and before a crash are recorded" {
    options=(--reports none)
    run_marker signals 20000
    expect_equal "$status" 0
    "$MSPROF" import -q --strict "$(captures)"
    expect_equal "$(rows "SELECT count(*) FROM msproftx WHERE message = 'interrupted'")" 20000
    expect_equal "$(rows "SELECT sum(message = 'in handler') - sum(message = 'from handler'), sum(message = 'in handler') > 0
        FROM msproftx")" "0 1"
    run_marker children
    expect_equal "$status $(captures | wc -l)" "0 3"
    for capture in $(captures); do
        "$MSPROF" import -q --strict "$capture"
    done
    expect_equal "$(for capture in $(captures); do
        sqlite3 "$capture/sqlite/runtime.db" 'SELECT message FROM msproftx'
    done | sort)" "before exec
child
parent"
    run_marker killed
    expect_equal "$status" 139
    run_msprof import "$(captures)"
    expect_contains "$stderr" "'in this': 1 that did not end"
    expect_equal "$(marks)" "1 default 0 before"
}

@test "another tool keeps its place, and that is said" {
    needs gcc
    cat >tool.c <<'END'
#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"
#include <stdio.h>
static void mark(const char *message, aclrtStream stream) { (void)stream; fprintf(stderr, "tool heard %s\n", message); }
int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    mstxFuncTable table;
    unsigned size;
    if (get(MSTX_API_MODULE_CORE, &table, &size) != MSTX_SUCCESS)
        return MSTX_FAIL;
    *table[MSTX_API_CORE_MARK_A] = (mstxFuncPointer)mark;
    return MSTX_SUCCESS;
}
END
    gcc -shared -fPIC -I"$repository/include" tool.c -o libtool.so
    MSTX_INJECTION_PATH=$PWD/libtool.so run_marker many 1
    expect_equal "$status" 4
    expect_contains "$stderr" "tool heard mark"
    expect_contains "$stderr" "MSTX_INJECTION_PATH names another tool, '$PWD/libtool.so'"
    LD_PRELOAD=$PWD/libtool.so run_marker many 1
    expect_equal "$status" 4
    expect_contains "$stderr" "tool heard mark"
    expect_contains "$stderr" "'$PWD/libtool.so' is preloaded, too, and receives them"
    # one that comes with the program's own libraries makes room
    gcc -I"$repository/include" -xc - -o linked -L. -Wl,--no-as-needed -ltool -Wl,-rpath,"$PWD" <<'END'
#include "mstx/ms_tools_ext.h"
int main(void) { mstxMarkA("mark", NULL); return 0; }
END
    marker=$PWD/linked run_marker
    expect_equal "$status" 0
    expect_not_contains "$stderr" "tool heard"
    # our own by that variable is no other
    MSTX_INJECTION_PATH=$PRELOAD run_marker many 1
    expect_equal "$status" 0
    expect_not_contains "$stderr" "another tool"
}

@test "the preload library is the tool where MSTX_INJECTION_PATH names it, without being preloaded, also to plugins" {
    needs gcc
    rm -rf captures
    MSPROF_OUTPUT=$PWD/captures MSTX_INJECTION_PATH=$PRELOAD "$marker" threads 50 >printed
    for what in summary timeline db; do
        "$MSPROF" export "$what" -q -dir "$(captures)"
    done
    expect_equal "$(python3 "$repository/tests/acl/lib/known_marks.py" "$(captures)" printed)" 604
    rm -rf captures
    printf '#include "mstx/ms_tools_ext.h"\nvoid plug(void) { mstxMarkA("plugged", NULL); }\n' |
        gcc -shared -fPIC -I"$repository/include" -xc - -o plugin.so
    gcc -I"$repository/include" -xc - -o program -ldl <<'END'
#include "mstx/ms_tools_ext.h"
#include <dlfcn.h>
static void use(void *library)
{
    void (*plug)(void);
    *(void **)&plug = dlsym(library, "plug");
    plug();
    dlclose(library);
}
int main(void)
{
    use(dlopen("./plugin.so", RTLD_NOW));
    mstxMarkA("mark", NULL);
    use(dlopen("./plugin.so", RTLD_NOW | RTLD_GLOBAL));
    return 0;
}
END
    MSPROF_OUTPUT=$PWD/captures MSTX_INJECTION_PATH=$PRELOAD ./program
    "$MSPROF" import -q "$(captures)"
    expect_equal "$(rows "SELECT message, count(*) FROM msproftx GROUP BY 1 ORDER BY 1")" $'mark 1\nplugged 2'
}

@test "the header is good C99, C17 and C++11, and does nothing without a tool" {
    needs gcc g++
    cat >program.c <<'END'
#include "mstx/ms_tools_ext.h"
#include "mstx/ms_tools_ext.h"
#include "msprof/acl_prof.h"
int main(void)
{
    mstxMemRegionRef_t region;
    uint64_t tool = 1;
    mstxRangeId range = mstxRangeStartA("range", NULL);
    mstxDomainHandle_t domain = mstxDomainCreateA("domain");
    region.pointer = NULL;
    mstxDomainMarkA(domain, "mark", NULL);
    mstxRangeEnd(range);
    mstxDomainDestroy(domain);
    mstxGetToolId(&tool);
    return range == MSTX_INVALID_ID && domain == globalDomain && tool == MSTX_TOOL_INVALID_ID && !region.pointer ? 0 : 1;
}
END
    cp program.c program.cc
    flags=(-Wall -Wextra -Wpedantic -Werror -I"$repository/include")
    for extra in -DX=1 -DMSTX_DISABLE; do
        gcc -std=c99 -pedantic-errors "${flags[@]}" "$extra" program.c -o program
        ./program
        gcc -std=c17 -Wconversion -Wshadow "${flags[@]}" "$extra" program.c -o program
        ./program
        g++ -std=c++11 "${flags[@]}" "$extra" program.cc -o program
        ./program
    done
    gcc -std=c99 "${flags[@]}" -DMSTX_NO_IMPL -fsyntax-only -xc - <<<'#include "mstx/ms_tools_ext.h"'
}

@test "Python programs with threads are recorded by the modules mstx and msprof.mstx, and by the library of CANN's name" {
    cat >program.py <<'END'
import ctypes, threading
import mstx
from msprof import mstx as same

library = ctypes.CDLL("libms_tools_ext.so")
library.mstxRangeStartA.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
library.mstxRangeStartA.restype = ctypes.c_uint64
library.mstxRangeEnd.argtypes = [ctypes.c_uint64]


printing = threading.Lock()


def say(event, number, message, domain):
    with printing:
        print(event, number, message, domain, threading.get_native_id(), sep="\t", flush=True)


def work(number):
    for i in range(50):
        step = mstx.range_start("step", None)
        with same.mstx_range("block", domain="Module"):
            mstx.mark("märk")
        mstx.range_end(step)
        say("start/end", step, "step", "default")
        say("marker", 0, "märk", "default")


@mstx.mstx_range("whole")
def whole():
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


assert mstx.get_tool_id() == 0x1000
whole()
number = library.mstxRangeStartA(b"by library", None)
library.mstxRangeEnd(number)
say("start/end", number, "by library", "default")
number = same.range_start(message="named", stream=1, domain="default")
mstx.range_end(rangeId=number)
say("start/end", number, "named", "default")
try:
    mstx.mark(5)
except TypeError:
    pass
else:
    raise SystemExit(3)
END
    PYTHONPATH=$repository/python PYTHONDONTWRITEBYTECODE=1 "$MSPROF" run --output captures -- python3 program.py >printed
    # the threads of blocks and of the whole are not printed: the capture's own numbers stand for them
    rows "SELECT 'start/end' || char(9) || m.mark_id || char(9) || m.message || char(9) || n.text || char(9) || m.thread_id
        FROM msproftx m JOIN name n ON n.id = m.domain_id WHERE m.message IN ('block', 'whole')" >>printed
    expect_equal "$(python3 "$repository/tests/acl/lib/known_marks.py" "$(captures)" printed)" 603
    expect_equal "$(rows "SELECT count(DISTINCT thread_id), count(*) FROM msproftx WHERE message = 'block'")" "4 200"
}

@test "texts and domains that C cannot have do not stop a Python program, and no mark is lost for them" {
    cat >program.py <<'END'
import mstx
mstx.mark('\ud800')
mstx.mark('a\0b')
mstx.mark('raw \udcff')
mstx.mark('empty', None, '')
mstx.range_end(mstx.range_start('long', domain='d' * 2000), domain='d' * 2000)
mstx.range_end(mstx.range_start(b'bytes', domain=b'x'), domain='x')
for wrong in {'message': 7}, {'message': 'm', 'domain': 7}:
    try:
        mstx.mark(**wrong)
    except TypeError as error:
        print(error)
END
    expect_equal "$(PYTHONPATH=$repository/python "$MSPROF" run -q --output captures --reports none -- python3 program.py)" \
        $'message must be str, not int\ndomain must be str, not int'
    "$MSPROF" import -q "$(captures)" || [ $? -eq 3 ] # of the byte that is no UTF-8
    expect_equal "$(marks)" $'1 default 0 \\ud800\n1 default 0 a\\0b\n1 default 0 empty\n1 default 0 raw \ufffd\n1 default 2 long\n1 x 2 bytes'
}

@test "mstx in Python without a tool does nothing" {
    expect_equal "$(PYTHONPATH=$repository/python PYTHONDONTWRITEBYTECODE=1 python3 -c "import mstx
print(mstx.range_start('x'), mstx.mark('x', stream=1), mstx.range_end(1), mstx.get_tool_id())")" "0 None None 0"
}
