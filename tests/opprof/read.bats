#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# OPPROF directories of 'msprof op' are found and imported.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3 sqlite3
    enter_scratch
}

# in_database DIRECTORY SQL
in_database() {
    sqlite3 "$1"/sqlite/*.db "$2"
}

@test "every file of a launch is a table of the database, and numbers are exact" {
    plant_vector
    run_msprof import OPPROF_1
    expect_status 0
    expect_equal "$(in_database OPPROF_1 "SELECT op_name, op_type, duration_ps, block_dim, mix_block_dim, current_mhz FROM opprof_operator")" \
        "add_custom|vector|12500000|4||1800"
    for table in pipe arithmetic memory l0 ub l2 conflict; do
        expect_equal "$table $(in_database OPPROF_1 "SELECT count(*), sum(core = 1), sum(total_cycles) FROM opprof_$table")" \
            "$table 4|4|77400"
    done
    expect_equal "$(in_database OPPROF_1 "SELECT group_concat(gm_to_ub_bytes) FROM opprof_memory")" "262144,524288,786432,1048576"
    expect_equal "$(in_database OPPROF_1 "SELECT time_ps, vec_ratio, icache_miss_rate FROM opprof_pipe WHERE block_id = 0")" \
        "10000000|300000|10000"
}

@test "NA and N/A are NULL, and cube and vector cores share their columns" {
    plant_mix
    run_msprof import OPPROF_2
    expect_status 0
    expect_equal "$(in_database OPPROF_2 "SELECT core, sub_core, count(*), count(cube_time_ps), count(vec_time_ps), count(mte2_time_ps)
        FROM opprof_pipe GROUP BY 1, 2")" "0|0|3|3|0|3
1|0|3|0|3|3
1|1|3|0|3|3"
    sed -i 's/1650,1800,/N\/A,1800,/' OPPROF_2/OpBasicInfo.csv
    run_msprof import OPPROF_2
    expect_equal "$(in_database OPPROF_2 "SELECT current_mhz IS NULL, rated_mhz FROM opprof_operator")" "1|1800"
}

@test "the order of columns does not matter, and one that nobody knows is kept under its name" {
    plant_vector
    python3 - <<'END'
import csv
path = 'OPPROF_1/PipeUtilization.csv'
rows = [row[:-1] for row in csv.reader(open(path))]
rows = [row[:2] + row[:1:-1] + (['aiv_new_ratio(%)'] if i == 0 else [str(i * 0.5)]) for i, row in enumerate(rows)]
open(path, 'w').writelines(','.join(row) + ',\n' for row in rows)
END
    run_msprof import OPPROF_1
    expect_status 0
    expect_contains "$stderr" "PipeUtilization.csv: field aiv_new_ratio(%): a column that this version does not know"
    expect_equal "$(in_database OPPROF_1 "SELECT sum(vec_time_ps), sum(total_cycles) FROM opprof_pipe")" "12000000|77400"
    expect_equal "$(in_database OPPROF_1 "SELECT block_id, core, name, value FROM opprof_other WHERE block_id = 2")" \
        "2|1|aiv_new_ratio(%)|1.5"
}

@test "a byte order mark, other line ends, quoted names and blanks around them change nothing" {
    plant_mix
    cp -R OPPROF_2 OPPROF_3
    python3 - <<'END'
import csv, glob
for number, path in enumerate(sorted(glob.glob('OPPROF_3/*.csv'))):
    rows = list(csv.reader(open(path)))
    quote = (lambda text: f'"{text}"') if number % 2 else (lambda text: f' {text} ')
    head = ','.join(quote(name) for name in rows[0][:-1]) + ','
    with open(path, 'wb') as file:
        file.write(b'\xef\xbb\xbf' + '\r\n'.join([head] + [','.join(row) for row in rows[1:]]).encode())
END
    run_msprof import OPPROF_2 OPPROF_3
    expect_status 0
    for table in operator pipes memory l2 conflicts blocks roofline; do
        run_msprof show --table $table --format csv OPPROF_2
        first=$output
        run_msprof show --table $table --format csv OPPROF_3
        expect_equal "$output" "$first"
    done
}

@test "every column of every chip and release arrives, each in a column of its own" {
    expect_equal "$(python3 "$BATS_TEST_DIRNAME/lib/chips.py" "$MSPROF")" "787 cells of 4 releases"
}

@test "tables and rules of the 950 and of the 310P read the columns that these chips have" {
    python3 "$BATS_TEST_DIRNAME/lib/chips.py" "$MSPROF" >/dev/null
    run_msprof show --table l2 --columns core,requests,hits,misses --format csv OPPROF_3
    expect_contains "$output" "cube,\"read, close half\","
    expect_contains "$output" "vector,\"write, far half\","
    run_msprof show --table conflicts --columns conflict --format csv OPPROF_3
    expect_equal "$(sort -u <<<"$output" | paste -sd,)" "Conflict,load unit,special functions,store unit"
    run_msprof show --table pipes --columns core,pipe,state --format csv OPPROF_2
    expect_equal "$(cut -d, -f1,3 <<<"$output" | sort -u)" "AI core,busy
AI core,wait
Core,State"
    expect_contains "$output" "AI core,vector,busy"
    run_msprof show --table memory --columns path --format csv OPPROF_2
    expect_contains "$output" "L0C read"
    for directory in OPPROF_0 OPPROF_1 OPPROF_2 OPPROF_3; do
        run_msprof advise $directory
        expect_status 0
        run_msprof report $directory -o page.html
        expect_status 0
    done
}

@test "several operators, launches and devices are one capture, each launch by its directory" {
    plant <<'END'
row = [Row(0, 'vector0', cycles=1800, vec=900)]
for device in 0, 1:
    for name in 'add', 'mul':
        for launch in range(3):
            Op(name, 'vector', 1 + launch, blocks=1, device=device).write(
                f'OPPROF_3/device{device}/{name}/{launch}', row, suffix='_20260101000000%03d' % launch)
END
    run_msprof show --table operator --format csv --sort launch OPPROF_3
    expect_status 0
    expect_equal "$(cut -d, -f1,2,4 <<<"$output" | sed -n '2p;13p'; wc -l <<<"$output")" "device0/add/0,add,1
device1/mul/2,mul,3
13"
    run_msprof show --table operator --filter launch=device1/add/1 --columns op_name,task_duration,device_id --format csv OPPROF_3
    expect_equal "$output" "Op Name,Task Duration(us),Device Id
add,2,1"
}

@test "of a file that is there with two times in its name the newer is read" {
    plant_vector
    cp OPPROF_1/PipeUtilization.csv OPPROF_1/PipeUtilization_20260101000000001.csv
    sed 's/^0,vector0,NA,NA,NA/0,vector0,NA,NA,NA/; /^3,/d' OPPROF_1/PipeUtilization.csv >OPPROF_1/PipeUtilization_20260101000000000.csv
    rm OPPROF_1/PipeUtilization.csv
    run_msprof import OPPROF_1
    expect_contains "$stderr" "PipeUtilization_20260101000000000.csv: older than 'PipeUtilization_20260101000000001.csv'"
    expect_equal "$(in_database OPPROF_1 "SELECT count(*) FROM opprof_pipe")" 4
}

@test "rows of blocks that are missing are told with the first of them" {
    plant_vector
    sed -i '/^2,/d' OPPROF_1/Memory.csv
    run_msprof import OPPROF_1
    expect_status 3
    expect_contains "$stderr" "Memory.csv: field block_id: 3 rows of vector cores; OpBasicInfo.csv says 4 blocks; vector0 of block 2 is the first without one"
}

@test "files of different runs in one directory are told" {
    plant_vector
    plant_vector OPPROF_9
    sed -i 's/,18900,/,18901,/' OPPROF_9/L2Cache.csv
    cp OPPROF_9/L2Cache.csv OPPROF_1/
    run_msprof import OPPROF_1
    expect_status 3
    expect_contains "$stderr" "L2Cache.csv: field total_cycles: blocks or cycles differ from those of"
}

@test "damaged files lose no more than what is damaged" {
    plant_vector
    printf 'nonsense,1\n2,3\n' >OPPROF_1/MemoryUB.csv
    : >OPPROF_1/MemoryL0.csv
    truncate -s 900 OPPROF_1/PipeUtilization.csv
    sed -i '3s/vector0/core?/; 4s/^2,/two,/; 5s/0.300000/x/' OPPROF_1/ArithmeticUtilization.csv
    run_msprof import OPPROF_1
    expect_status 3
    expect_contains "$stderr" "MemoryUB.csv: the first row has none of the columns of opprof_ub"
    expect_contains "$stderr" "MemoryL0.csv: 0 bytes"
    expect_contains "$stderr" "PipeUtilization.csv: record"
    expect_contains "$stderr" "not a core name; expected cube0, vector0 or vector1"
    expect_contains "$stderr" "not a block number; expected a whole number"
    expect_equal "$(in_database OPPROF_1 "SELECT count(*) FROM opprof_memory")" 4
    expect_equal "$(in_database OPPROF_1 "SELECT group_concat(block_id) FROM opprof_arithmetic")" 0,3
}

@test "a second row of a block and core is refused" {
    plant_vector
    sed -i '$a '"$(sed -n 2p OPPROF_1/Memory.csv)" OPPROF_1/Memory.csv
    run_msprof import OPPROF_1
    expect_status 3
    expect_contains "$stderr" "Memory.csv: record 6, field block_id: a second row of this block and core; the first is used"
    expect_equal "$(in_database OPPROF_1 "SELECT count(*), sum(gm_to_ub_bytes) FROM opprof_memory")" "4|2621440"
}

@test "an empty directory of this name is refused with what it should hold" {
    mkdir OPPROF_1
    run_msprof import OPPROF_1
    expect_status 1
    expect_contains "$stderr" "contains no data; expected files of 'msprof op'"
}

@test "other captures stand beside an OPPROF directory, and neither reads the other's files" {
    copy_capture JOBX
    plant_vector
    cp OPPROF_1/PipeUtilization.csv OPPROF_1/OpBasicInfo.csv JOBX/data/
    run_msprof import JOBX OPPROF_1
    expect_contains "$stderr" "data/PipeUtilization.csv"
    expect_equal "$(in_database JOBX "SELECT count(*) FROM opprof_pipe")" 0
    run_msprof import -dir .
    expect_contains "$stderr" "OPPROF_1"
}

@test "a launch's own directory is a capture, whatever it is called" {
    plant_vector run7
    run_msprof show --table operator --columns op_name --format csv run7
    expect_status 0
    expect_equal "$output" "Op Name
add_custom"
}

@test "what the simulator writes is read with its cores" {
    mkdir -p OPPROF_4/simulator/core0.veccore1 OPPROF_4/simulator/core0.cubecore0
    printf 'instr,addr,pipe,call_count,cycles,running_time(us),detail\nVADD,288401332,VECTOR,8,2944,1.630000,"XD:X16=0x400,XN:X13=0"\nMOV,16,MTE2,2,100,0.060000,"a"\n' \
        >OPPROF_4/simulator/core0.veccore1/core0.veccore1_instr_exe.csv
    printf 'code,call_count,cycles,running_time(us)\n/src/add.cpp:12,8,2944,1.630000\n' >OPPROF_4/simulator/core0.cubecore0/core0.cubecore0_code_exe.csv
    run_msprof show --table instructions --format csv OPPROF_4
    expect_status 0
    expect_equal "$output" 'Instruction,Pipe,Calls,Cycles,Of Core(%),Time(us),Core,Address,Operands
VADD,VECTOR,8,2944,96.7148,1.63,core0.veccore1,0x1130a7b4,"XD:X16=0x400,XN:X13=0"
MOV,MTE2,2,100,3.2852,0.06,core0.veccore1,0x10,a'
    run_msprof show --table lines --format csv OPPROF_4
    expect_equal "$output" 'Line,Calls,Cycles,Of Core(%),Time(us),Core
/src/add.cpp:12,8,2944,100,1.63,core0.cubecore0'
}

@test "whatever is damaged in its files, a directory is imported, and what is left is counted" {
    plant_mix
    mkdir -p OPPROF_2/simulator
    printf '{"traceEvents": [{"ph": "X", "pid": "core0.veccore0", "tid": "MTE2", "name": "MOV", "ts": 1, "dur": 2, "args": {}}]}' \
        >OPPROF_2/simulator/trace.json
    python3 - "$MSPROF" <<'END'
import glob, os, random, shutil, subprocess, sys
random.seed(7)
for number in range(60):
    shutil.rmtree('X', ignore_errors=True)
    shutil.copytree('OPPROF_2', 'X/OPPROF_2')
    paths = sorted(glob.glob('X/OPPROF_2/**/*.*', recursive=True))
    for path in random.sample([p for p in paths if os.path.isfile(p)], 3):
        data = bytearray(open(path, 'rb').read())
        for _ in range(random.randint(1, 8)):
            at = random.randrange(len(data))
            data[at:at + random.randint(0, 3)] = random.choice([b'', b',', b'"', b'\n', b'\0', b'-', b'9' * 40, b'\xff', b'NA', b'{'])
        open(path, 'wb').write(data)
    run = subprocess.run([sys.argv[1], 'import', 'X/OPPROF_2'], capture_output=True, text=True, timeout=60)
    assert run.returncode in (0, 3), (number, run.returncode, run.stderr)
    for table in 'operator', 'pipes', 'memory', 'blocks', 'roofline':
        shown = subprocess.run([sys.argv[1], 'show', '-q', '--table', table, 'X/OPPROF_2'], capture_output=True, timeout=60)
        assert shown.returncode in (0, 3, 4), (number, table, shown.returncode, shown.stderr)
    advice = subprocess.run([sys.argv[1], 'advise', '-q', 'X/OPPROF_2'], capture_output=True, timeout=60)
    assert advice.returncode in (0, 3), (number, advice.returncode, advice.stderr)
END
}

@test "real OPPROF directories are imported without a data problem, but for those that were cut" {
    needs_shared data/real-samples-2/opprof-more
    cp -r "$shared"/data/real-samples-2/opprof-910b-2026-05 "$shared"/data/real-samples-2/opprof-more .
    chmod -R u+w .
    count=0
    while read -r directory; do
        run_msprof import "$directory"
        [[ $directory == *real_default_vector_minimal* ]] || expect_status 0
        count=$((count + 1))
    done < <(find . -type d -name 'OPPROF_*')
    [ "$count" -ge 7 ]
}

@test "a table with more columns than are read says so" {
    mkdir OPPROF_1
    python3 - >OPPROF_1/PipeUtilization.csv <<'END'
print('block_id,sub_block_id,aiv_time(us),' + ','.join(f'c{i}' for i in range(9000)))
print('0,vector0,1.500000,' + ','.join(['1'] * 9000))
END
    run_msprof import OPPROF_1
    expect_status 3
    expect_contains "$stderr" "PipeUtilization.csv: 256 columns or more; the others are ignored"
}
