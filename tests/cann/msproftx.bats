#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What programs say of themselves with msproftx: marks and ranges, on the timeline, in the table, in the databases.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3 sqlite3
    export PYTHONPATH=$BATS_TEST_DIRNAME/lib:$BATS_TEST_DIRNAME/../lib
}

# Writes the capture that the Python on standard input describes as p, and imports it.
capture() {
    {
        printf 'from prof_tx import *\np = TxProf("PROF_1")\n'
        cat
        printf 'p.write()\n'
    } >make.py
    python3 make.py
    run_msprof import -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

expect_sql() { # statement, rows
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "$1")" "$2"
}

# Exports everything of the capture; its files stand in out/.
export_all() {
    run_msprof export summary -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    run_msprof export timeline -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    mv PROF_1/mindstudio_profiler_output out
}

agree() { # layout, seed
    python3 "$BATS_TEST_DIRNAME/lib/agree_tx.py" make . "$2" 400 "$1"
    "$MSPROF" export summary -q -dir PROF_1
    "$MSPROF" export timeline -q -dir PROF_1
    python3 "$BATS_TEST_DIRNAME/lib/agree_tx.py" check .
    rm -r PROF_1
}

@test "table and timelines say what the records of 2025 say, to the nanosecond, on every clock" {
    for seed in 1 2 3 4; do
        agree additional "$seed"
    done
}

@test "table and timelines say what the records of 2024 say, to the nanosecond, on every clock" {
    for seed in 1 2 3 4; do
        agree old "$seed"
    done
}

@test "table and timeline say what the records of 2022 say, on the monotonic clock" {
    for seed in 1 2 3; do
        python3 "$BATS_TEST_DIRNAME/lib/agree_tx.py" make . "$seed" 400 2022
        "$MSPROF" export summary -q -dir JOBX
        "$MSPROF" export timeline -q -dir JOBX
        python3 "$BATS_TEST_DIRNAME/lib/agree_tx.py" check .
        rm -r JOBX
    done
}

@test "records of 180 and of 256 bytes are told apart by what is in them, whatever the size of the file" {
    for size in 180 256; do
        rm -rf PROF_1
        records=$((11520 / size))
        # 11520 bytes are 64 records of 180 bytes and 45 of 256; 7 bytes more are a damaged end.
        for extra in 0 7 100; do
            capture <<END
for i in range($records):
    p.old_tx(i, i + 1, 'event %d' % i, $size)
p.host['Msprof.msproftx'] += bytes($extra)
p.call(20000, 1, 0, 1)
END
            expect_sql "SELECT count(*), min(message), sum(start_ns - 1700000000000000000) FROM msproftx" \
                "$records|event 0|$((records * (records - 1) / 2))"
            expect_equal "$status" "$((extra > 0 ? 3 : 0))"
        done
    done
}

@test "records go on in the next slice, and what ageing left of the first is dropped" {
    capture <<'END'
for i in range(100):
    p.tx(i, i + 1, 'event %d' % i, age='aging')
p.call(20000, 1, 0, 1)
END
    local data=PROF_1/host/data/aging.additional.msproftx.slice_
    tail -c +201 ${data}0 >rest
    head -c 9999 rest >${data}0
    tail -c +10000 rest >${data}1
    run_msprof import -dir PROF_1
    expect_equal "$status" 0
    expect_sql "SELECT count(*), min(start_ns) % 1000, max(start_ns) % 1000 FROM msproftx" "99|1|99"
}

@test "a file that ends inside a record, or has foreign bytes in it, costs only those records" {
    capture <<'END'
for i in range(10):
    p.tx(i, i + 1, 'event %d' % i)
data = p.host['unaging.additional.msproftx']
data[2560:] = data[:100]
data[600:603] = b''
END
    expect_equal "$status" 3
    expect_sql "SELECT group_concat(message) FROM (SELECT message FROM msproftx ORDER BY id)" \
        "event 0,event 1,event 3,event 4,event 5,event 6,event 7,event 8,event 9"
    expect_contains "$stderr" "record 2, offset 512: the next record begins 253 bytes later, expected 256"
    expect_contains "$stderr" "record 10, offset 2557: 100 bytes at the end; expected a record of 256 bytes"
}

@test "an event that ends before it starts is dropped and told" {
    capture <<'END'
p.tx(100, 99, 'backwards')
p.tx(100, 100, 'now')
END
    expect_equal "$status" 3
    expect_contains "$stderr" "record 0, offset 0, field end_ns: the event ends"
    expect_sql "SELECT message FROM msproftx" "now"
}

@test "an event of an unknown type is shown with its number, a record of an unknown type is dropped" {
    capture <<'END'
p.tx(0, 9, 'new', event=77)
p.tx(1, 2, 'foreign', info=5)
END
    expect_equal "$status" 3
    expect_contains "$stderr" "event type 77; expected 0 to 3"
    expect_contains "$stderr" "record type 5; expected 0 or 1"
    export_all
    expect_equal "$(cut -d, -f5 out/msprof_tx_*.csv)" $'event_type\n77'
    expect_contains "$(<"$(echo out/msprof_tx_*.json)")" '"event_type":"77"'
}

@test "a domain that no dictionary names is shown as its number and told once" {
    capture <<'END'
for i in range(3):
    p.tx(i, i, 'event', info=1, mark=i + 1, event=3, domain=2**64 - 5)
END
    expect_equal "$status" 0
    expect_equal "$(grep -c 'field domain_hash: the id 18446744073709551611 is in no hash dictionary' <<<"$stderr")" 1
    expect_sql "SELECT DISTINCT domain FROM msproftx_report" "18446744073709551611"
}

@test "pieces of a long message are joined in their order, however they come" {
    capture <<'END'
def piece(segment, text, mark=1, **more):
    p.tx(5, 9, text, info=1, mark=mark, event=2, segment=segment, **more)
piece(2, 'c' * 156)
piece(0, 'a' * 156)
p.tx(6, 7, 'between')
piece(3, 'd')
piece(1, b'b' * 155 + b'\xe5')
piece(0, 'other thread', thread=2)
END
    expect_equal "$status" 3 # a byte that is no character, which stands in the middle: replaced, and told
    expect_sql "SELECT count(*), sum(message = 'between'), sum(message = 'other thread') FROM msproftx" "3|1|1"
    # the piece that ends inside a character is joined byte by byte
    expect_sql "SELECT length(CAST(message AS BLOB)), substr(message, 1, 1), substr(message, 157, 1) FROM msproftx
        WHERE segment = 0 AND thread_id = 1 AND mark_id = 1" "471|a|b"
}

@test "a character that two pieces share is whole again" {
    capture <<'END'
text = ('x' * 155 + '\u5377\u79ef').encode()
p.tx(1, 1, text[156:], info=1, mark=1, event=3, segment=1)
p.tx(1, 1, text[:156], info=1, mark=1, event=3, segment=0)
END
    expect_sql "SELECT substr(message, 156) FROM msproftx" "卷积"
}

@test "missing pieces of a message are told and the others kept" {
    capture <<'END'
def piece(segment, mark):
    p.tx(5, 9, 'piece %d of %d;' % (segment, mark), info=1, mark=mark, event=3, segment=segment)
piece(0, 1)
piece(2, 1)
piece(1, 2)
piece(0, 3)
piece(1, 3)
piece(1, 3)
END
    expect_equal "$status" 3
    expect_contains "$stderr" "2 pieces of the message of mark 1; expected 3"
    expect_contains "$stderr" "1 pieces of the message of mark 2; expected 2"
    expect_contains "$stderr" "3 pieces of the message of mark 3; expected 2"
    expect_sql "SELECT message FROM msproftx ORDER BY mark_id" \
        $'piece 0 of 1;piece 2 of 1;\npiece 1 of 2;\npiece 0 of 3;piece 1 of 3;piece 1 of 3;'
}

@test "a message of more than 65536 characters is cut and told, one of 17000 is whole" {
    capture <<'END'
for mark, pieces in ((1, 110), (2, 421)):
    for segment in range(pieces):
        p.tx(5, 9, 'x' * 156, info=1, mark=mark, event=3, segment=segment)
END
    expect_equal "$status" 3
    expect_contains "$stderr" "the message of mark 2 has 65676 characters; expected at most 65536"
    expect_contains "$stderr" "the files contain all that was recorded"
    expect_equal "$(grep -c 'the message of mark' <<<"$stderr")" 1
    expect_sql "SELECT mark_id, length(message) FROM msproftx ORDER BY mark_id" $'1|17160\n2|65536'
}

@test "mark numbers that come again begin new messages" {
    capture <<'END'
for i in range(3):
    for segment in range(2):
        p.tx(i, i, '%d%d' % (i, segment), info=1, mark=1, event=3, segment=segment)
END
    expect_equal "$status" 0
    expect_sql "SELECT group_concat(message, ' ') FROM (SELECT message FROM msproftx ORDER BY id)" "0001 1011 2021"
}

@test "ranges that overlap in part are on lanes of their own, nested ones on one" {
    capture <<'END'
p.tx(0, 100, 'outer', thread=7)
p.tx(10, 20, 'inside', thread=7)
p.tx(50, 150, 'overlaps', thread=7, event=2)
p.tx(100, 200, 'behind', thread=7)
p.tx(0, 100, 'elsewhere', thread=9)
END
    export_all
    expect_equal "$(python3 - <<'END'
import glob
from timeline import events_of
trace = events_of(open(glob.glob('out/msprof_tx_*.json')[0]))
lanes = {(e['pid'], e['tid']): e['args']['name'] for e in trace if e['name'] == 'thread_name'}
for e in trace:
    if e['ph'] == 'X':
        print(e['name'], lanes[e['pid'], e['tid']], sep=': ')
END
)" $'outer: Thread 7\ninside: Thread 7\noverlaps: Thread 7 (2)\nbehind: Thread 7\nelsewhere: Thread 9'
}

@test "more overlapping ranges than lanes become instants that keep their duration" {
    capture <<'END'
for i in range(70):
    p.tx(i, 1000 + i, 'range %d' % i, event=2)
END
    export_all
    expect_equal "$(python3 - <<'END'
import glob
from timeline import events_of
trace = events_of(open(glob.glob('out/msprof_tx_*.json')[0]))
print(sum(e['ph'] == 'X' for e in trace), [float(e['args']['Duration(us)']) for e in trace if e['ph'] == 'i'])
END
)" "64 [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]"
}

@test "what a layout of the user does not give is missing in the reports" {
    capture <<'END'
p.tx(5, 9, 'range', event=2, thread=3)
END
    cat >own.layout <<'END'
kind msproftx
layout own
size 256
endian little
magic offset 0 width 4 value 0x50145a5a
column end_tick offset 72 width 8
column message offset 100 width 156
END
    run_msprof import -dir PROF_1 --layout own.layout
    expect_equal "$status" 0
    run_msprof export summary -dir PROF_1 --layout own.layout
    expect_equal "$(tail -1 PROF_1/mindstudio_profiler_output/msprof_tx_*.csv)" \
        $'host,N/A,N/A,N/A,N/A,N/A,N/A,1700000000000000.009\t,1700000000000000.009\t,N/A,range,N/A,N/A,N/A,N/A'
    run_msprof export timeline -dir PROF_1 --layout own.layout
    expect_contains "$(cat PROF_1/mindstudio_profiler_output/msprof_tx_*.json)" \
        '"ph":"X","pid":223,"tid":0,"ts":0.009,"dur":0.000,"args":{"event_type":"N/A"}'
    sed -i /end_tick/d own.layout
    rm -r PROF_1/mindstudio_profiler_output
    run_msprof export timeline -dir PROF_1 --layout own.layout
    run_msprof export summary -dir PROF_1 --layout own.layout
    expect_contains "$(tail -1 PROF_1/mindstudio_profiler_output/msprof_tx_*.csv)" "N/A,N/A,N/A,N/A,range"
}

@test "with --trace-compat times are strings" {
    capture <<'END'
p.tx(5, 9, 'range')
END
    run_msprof export timeline -dir PROF_1 --trace-compat
    expect_contains "$(cat PROF_1/mindstudio_profiler_output/msprof_tx_*.json)" '"ts":"1700000000000000.005","dur":0.004'
}

@test "a range that a device began and did not end has no end there" {
    capture <<'END'
p.tx(5, 9, 'range', info=1, mark=4, event=2, domain='d')
p.mark(1000, 3, 4, tag=12)
END
    expect_sql "SELECT device_id, mark_id, stream_id, task_id, start_ns % 10000, end_ns FROM device_mark" "0|4|3|9|1000|"
    export_all
    expect_contains "$(<"$(echo out/msprof_tx_*.csv)")" $',4,1700000000000001.000\t,N/A'
}

@test "a mark or a range that a graph captured is one for each replay, paired by time, however the runs stand in the file" {
    capture <<'END'
p.tx(5, 5, 'tick', info=1, mark=7, event=3, domain='d')
p.tx(6, 7, 'decode', info=1, mark=8, event=2, domain='d')
runs = []
for run, length in enumerate((100, 200, 300)):
    at = 10000 * (run + 1)
    runs += [(at, 7, 11), (at + 100, 8, 12), (at + 100 + length, 8, 12)]
for time, mark, tag in runs[3:] + runs[:3]:
    p.mark(time, 3, mark, tag=tag)
END
    expect_sql "SELECT mark_id, start_ns % 100000, coalesce(end_ns, start_ns) - start_ns FROM device_mark ORDER BY 1, 2" \
        "7|10000|0
7|20000|0
7|30000|0
8|10100|100
8|20100|200
8|30100|300"
    export_all
    expect_equal "$(grep -c ',7,17000000000000[0-9.]*' "$(echo out/msprof_tx_*.csv)")" 3
    expect_equal "$(grep -c ',8,17000000000000[0-9.]*' "$(echo out/msprof_tx_*.csv)")" 3
}

@test "texts of any bytes make sound tables and timelines" {
    capture <<'END'
p.tx(0, 1, bytes(range(1, 157)))
p.tx(2, 3, bytes(range(128, 256)) + b'"\r\n,')
p.tx(4, 5, b'')
END
    export_all
    run_msprof export summary -dir PROF_1 --format json
    mv PROF_1/mindstudio_profiler_output/msprof_tx_*.json table.json
    expect_equal "$(python3 - <<'END'
import csv, glob, json
from timeline import events_of
def safe(text):
    return ''.join('\ufffd' if c not in '\t\n' and (c < ' ' or '\x7f' <= c < '\xa0') else c for c in text.decode('utf-8', 'replace'))
rows = list(csv.reader(open(glob.glob('out/msprof_tx_*.csv')[0], newline='', encoding='utf-8')))
print(sorted({len(row) for row in rows}), [row[10] == safe(text) for row, text in zip(
    rows[1:], (bytes(range(1, 157)), bytes(range(128, 256)) + b'"\r\n,', b''))])
print(len(json.load(open('table.json', encoding='utf-8'))))
print(sum(e['ph'] == 'X' for e in events_of(open(glob.glob('out/msprof_tx_*.json')[0], encoding='utf-8'))))
END
)" $'[15] [True, True, True]\n3\n3'
}

@test "the database for viewers holds the events, and their marks as tasks of the device" {
    capture <<'END'
p.tx(0, 10, 'load, "x"', category=3, thread=8)
p.tx(5, 5, 'mark', info=1, mark=2, event=3, domain='default', thread=8)
p.mark(1000, 3, 2)
END
    "$MSPROF" export db -q -dir PROF_1
    mv PROF_1/msprof_*.db viewers.db
    expect_equal "$(sqlite3 viewers.db "SELECT startNs % 10000, endNs % 10000, t.name, e.rangeId, e.category, m.value,
        globalTid >> 32, globalTid & 0xffffffff, endGlobalTid = globalTid, d.value, connectionId FROM MSTX_EVENTS e
        JOIN STRING_IDS m ON m.id = e.message LEFT JOIN STRING_IDS d ON d.id = e.domainId
        JOIN ENUM_MSTX_EVENT_TYPE t ON t.id = e.eventType ORDER BY startNs")" \
        $'0|10|push/pop|4294967295|3|load, "x"|77|8|1|N/A|4000000000
5|5|marker_ex|4294967295|4294967295|mark|77|8|1|default|4000000003'
    expect_equal "$(sqlite3 viewers.db "SELECT startNs % 10000, endNs % 10000, deviceId, connectionId, streamId, value
        FROM TASK JOIN STRING_IDS s ON s.id = taskType")" "1000|1000|0|4000000003|3|MsTx"
}

@test "a directory without parts is read too, by its names" {
    capture <<'END'
p.tx(5, 9, 'range')
END
    mkdir JOBAB
    mv PROF_1/host/data JOBAB/data
    mv PROF_1/host/info.json JOBAB/info.json.0
    mv PROF_1/host/start_info JOBAB/start_info.0
    mv PROF_1/host/host_start.log JOBAB/host_start.log.0
    rm JOBAB/data/*dic*
    run_msprof export summary -dir JOBAB
    expect_contains "$(cat JOBAB/mindstudio_profiler_output/msprof_tx_*.csv)" "host,77,1,0,push/pop,0,0,1700000000000000.005"
}

@test "what the host of a capture of 2022 recorded has no device in its name" {
    python3 - <<'END'
from prof_tx import TxProf
p = TxProf('PROF_1', chip=1)
p.old_tx(5, 9, 'range', 256)
p.mark(20, 1, 1, tag=0)
p.write()
END
    rm PROF_1/host/data/*dic*
    run_msprof export summary -dir PROF_1
    expect_equal "$(<PROF_1/summary/msprof_tx_1.csv)" \
        $'pid,tid,category,event_type,payload_type,payload_value,Start_time(ns),End_time(ns),message_type,message
77,1,0,push/pop,0,0,1000000000005,1000000000009,0,range'
}

@test "a capture without marks has no files of marks" {
    capture <<'END'
p.call(20000, 1, 0, 10)
END
    export_all
    expect_equal "$(find out -name 'msprof_tx*')" ""
}

@test "what many threads did with the library is what the reports of its capture say" {
    local program=${MSPROF_BUILD:-$repository/build/release}/tests/acl/tx_threads
    [ -x "$program" ] || skip "$program is not built: make acl-test-programs"
    for shape in "16 100" "1 5000" "24 1"; do
        read -r threads rounds <<<"$shape"
        "$program" "$PWD" "$threads" "$rounds" >said
        mv PROF_0* PROF_1
        run_msprof export summary -dir PROF_1
        expect_equal "$status" 0
        run_msprof export timeline -dir PROF_1
        expect_equal "$status" 0
        run python3 "$BATS_TEST_DIRNAME/lib/agree_program.py" PROF_1 said
        expect_equal "$output" "$((threads * rounds * 5)) events, 0 differences"
        rm -r PROF_1
    done
}

@test "a million events and more are divided into files" {
    python3 - <<'END'
from prof_tx import *
p = TxProf('PROF_1')
p.tx(5, 9, 'range')
record = bytes(p.host['unaging.additional.msproftx'])
p.host['unaging.additional.msproftx'] = record * 1000001
p.write()
END
    "$MSPROF" export summary -q -dir PROF_1
    expect_equal "$(cat PROF_1/mindstudio_profiler_output/msprof_tx_slice_0_*.csv | wc -l)" 1000001
    expect_equal "$(cat PROF_1/mindstudio_profiler_output/msprof_tx_slice_1_*.csv | wc -l)" 2
}

@test "lengths in msproftx_report are ticks of the clocks of the host and the device" {
    capture <<'END'
for i in range(20):
    p.tx(1000 * i, 1000 * i + 100 + 20 * i, 'range', info=1, mark=i + 1, event=2)
    p.step(100000 + 5000 * i, 11, 0, index=i + 1)
    p.step(101000 + 5020 * i, 12, 0, index=i + 1)
END
    rm -rf PROF_1/sqlite
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency": "49.999001"/' PROF_1/device_0/info.json.0
    sed -i 's/"Frequency": *"[0-9.]*"/"Frequency": "47.999001"/' PROF_1/host/info.json
    run_msprof import -dir PROF_1
    python3 - <<'END'
import sqlite3
from fractions import Fraction
db = sqlite3.connect('PROF_1/sqlite/runtime.db')
rows = db.execute('SELECT v.time_us, m.end_ns - m.start_ns, v.device_time_us, d.end_ns - d.start_ns FROM msproftx_report v'
                  ' JOIN msproftx m USING (id) JOIN device_mark d ON d.mark_id = m.mark_id').fetchall()
changed = [0, 0]
for row in rows:
    for k, hz in enumerate((47999001, 49999001)):
        us, ns = row[2 * k:2 * k + 2]
        exact = Fraction(round(Fraction(ns * hz, 10 ** 9)) * 10 ** 9, hz)
        assert round(us * 1000) == round(exact), (row, exact)
        changed[k] += round(exact) != ns
assert len(rows) == 20 and min(changed) > 0, (len(rows), changed)
END
}
