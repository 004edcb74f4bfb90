#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# export db: samples in the database for viewers.

# shellcheck disable=SC2154 # common.bash sets shared and repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load ../cann/small_capture

setup() {
    enter_scratch
    needs python3
}

# The columns of Ascend's schema (docs/formats/cann.md 8.5).
columns() {
    cat <<'END'
NPU_MEM type ddr hbm timestampNs deviceId
NPU_MODULE_MEM moduleId timestampNs totalReserved deviceId
NPU_OP_MEM operatorName addr type size timestampNs globalTid totalAllocate totalReserve component deviceId
NIC deviceId timestampNs bandwidth rxPacketRate rxByteRate rxPackets rxBytes rxErrors rxDropped txPacketRate txByteRate txPackets txBytes txErrors txDropped funcId
ROCE deviceId timestampNs bandwidth rxPacketRate rxByteRate rxPackets rxBytes rxErrors rxDropped txPacketRate txByteRate txPackets txBytes txErrors txDropped funcId
HBM deviceId timestampNs bandwidth hbmId type
DDR deviceId timestampNs read write
LLC deviceId llcId timestampNs hitRate throughput mode
SAMPLE_PMU_TIMELINE deviceId timestampNs totalCycle usage freq coreId coreType
SAMPLE_PMU_SUMMARY deviceId metric value coreId coreType
PCIE deviceId timestampNs txPostMin txPostMax txPostAvg txNonpostMin txNonpostMax txNonpostAvg txCplMin txCplMax txCplAvg txNonpostLatencyMin txNonpostLatencyMax txNonpostLatencyAvg rxPostMin rxPostMax rxPostAvg rxNonpostMin rxNonpostMax rxNonpostAvg rxCplMin rxCplMax rxCplAvg
HCCS deviceId timestampNs txThroughput rxThroughput
NETDEV_STATS deviceId timestampNs macTxPfcPkt macRxPfcPkt macTxByte macTxBandwidth macRxByte macRxBandwidth macTxBadByte macRxBadByte roceTxPkt roceRxPkt roceTxErrPkt roceRxErrPkt roceTxCnpPkt roceRxCnpPkt roceNewPktRty nicTxByte nicTxBandwidth nicRxByte nicRxBandwidth
ACC_PMU accId readBwLevel writeBwLevel readOstLevel writeOstLevel timestampNs deviceId
SOC_BANDWIDTH_LEVEL l2BufferBwLevel mataBwLevel timestampNs deviceId
CPU_USAGE timestampNs cpuId usage
HOST_MEM_USAGE timestampNs usage
HOST_DISK_USAGE timestampNs readRate writeRate usage
HOST_NETWORK_USAGE timestampNs usage speed
OSRT_API name globalTid startNs endNs
QOS deviceId eventName bandwidth timestampNs dieId
SIO deviceId name timestampNs rxReq rxRsp rxSnp rxDat txReq txRsp txSnp txDat
END
}

# compare CAPTURE: every table of samples has the columns of the schema, and its values those of the timeline's counters.
compare() {
    run_msprof export db --stable-names --output out "$1"
    expect_status 0
    run_msprof export timeline --stable-names --output out "$1"
    expect_status 0
    columns >schema
    python3 - <<'END'
import glob, sqlite3
from timeline import read_timeline
(path,) = glob.glob("out/**/msprof*.db", recursive=True)
database = sqlite3.connect(path)
document = read_timeline("out/mindstudio_profiler_output/msprof.json")
origin = int(document.facts["origin_unix_ns"])
processes = {e["pid"]: e["args"]["name"] for e in document.events if e["name"] == "process_name"}
counters = {}
for e in document.events:
    if e["ph"] == "C":
        for title, value in e["args"].items():
            counters.setdefault((processes[e["pid"]], e["name"], title), []).append(
                (origin + round(e["ts"] * 1000), float(value)))
there = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
for line in open("schema"):
    table, *wanted = line.split()
    if table in there:
        found = [row[1] for row in database.execute("PRAGMA table_info(%s)" % table)]
        assert found == wanted, (table, found)
cpu = database.execute("SELECT min(cpuId) FROM CPU_USAGE").fetchone()[0] if "CPU_USAGE" in there else 0
checked = 0
# table, value in the units of the counter, name of the process, of the counter, of the value
MB = " / 1048576.0"
for table, value, process, name, title in (
        ("HBM WHERE hbmId = 1 AND word = 'read'", "bandwidth" + MB, "HBM", "HBM 1/Read", "MB/s"),
        ("HBM WHERE hbmId = 3 AND word = 'write'", "bandwidth" + MB, "HBM", "HBM 3/Write", "MB/s"),
        ("DDR WHERE 1", "write" + MB, "DDR", "DDR/Write", "MB/s"),
        ("LLC WHERE llcId = 1", "throughput" + MB, "LLC", "LLC 1 Read/Throughput", "MB/s"),
        ("LLC WHERE llcId = 0", "hitRate / 100", "LLC", "LLC 0 Read/Hit Rate", "%"),
        ("HCCS WHERE 1", "txThroughput" + MB, "HCCS", "Tx", "MB/s"),
        ("PCIE WHERE txPostMax >= txPostMin", "rxCplAvg" + MB, "PCIe", "PCIe_cpl", "Rx"),
        ("NPU_MEM WHERE word = 'device'", "hbm / 1024.0", "NPU MEM", "Device/HBM", "KB"),
        ("NIC WHERE funcId = 0", "rxPacketRate", "NIC", "Port 0/Rx", "Packets"),
        ("ROCE WHERE funcId = 1", "txPacketRate", "RoCE", "Port 1/Tx", "Packets"),
        ("ACC_PMU WHERE 1", "writeOstLevel", "Acc PMU", "write_ost", "value"),
        ("SOC_BANDWIDTH_LEVEL WHERE 1", "mataBwLevel", "Stars Soc Info", "Mata Bw Level", "value"),
        ("QOS WHERE word = 'QoS CCU'", "bandwidth" + MB, "QoS", "QoS CCU", "value"),
        ("SIO WHERE word = 'die 1'", "txDat" + MB, "SIO", "dat_tx", "die 1"),
        ("CPU_USAGE WHERE cpuId = %s" % cpu, "usage", "CPU Usage", "CPU %s" % cpu, "Usage(%)"),
        ("HOST_MEM_USAGE WHERE 1", "usage", "Memory Usage", "Memory Usage", "%"),
        ("HOST_DISK_USAGE WHERE 1", "usage", "Disk Usage", "Disk Usage", "%"),
        ("HOST_NETWORK_USAGE WHERE 1", "usage", "Network Usage", "Network Usage", "%"),
        ("SAMPLE_PMU_TIMELINE WHERE coreId = 2 AND word = 'AIC'", "usage", "AI Core Utilization", "Core 2",
         "Utilization(%)")):
    word = {"HBM": "type", "NPU_MEM": "type", "QOS": "eventName", "SIO": "name", "SAMPLE_PMU_TIMELINE": "coreType"}.get(
        table.split()[0])
    expected = counters.get((process, name, title))
    if expected is None:
        assert table.split()[0] not in there, (table, "no counter")
        continue
    text = ", (SELECT value FROM STRING_IDS WHERE id = %s) AS word" % word if word else ""
    found = sorted(database.execute("SELECT timestampNs, %s FROM (SELECT *%s FROM %s) WHERE %s ORDER BY timestampNs" % (
        value, text, table.split()[0], table.split(" WHERE ")[1])))
    expected.sort()
    assert len(found) == len(expected) and expected, (table, len(found), len(expected))
    for (time, a), (other_time, b) in zip(found, expected):
        assert abs(time - other_time) <= 300 and abs(a - b) <= 1e-4 * max(1, abs(b)), (table, time, a, other_time, b)
    checked += 1
assert checked >= 10, (checked, sorted(there))
END
}

@test "tables of samples have the columns of Ascend's schema, and the values of the timeline" {
    for name in system-910b system-910a; do
        rm -rf out PROF_1
        copy_family "$name" PROF_1
        compare PROF_1
    done
}

@test "so have those of sampled cores" {
    capture=$(python3 "$repository/testdata/generate/cann/make_system.py" made --chip 1 --seed 3 --sampled-cores)
    compare "$capture"
    # the means of cores are those of the table
    run_msprof export summary --stable-names --output out "$capture"
    python3 - <<'END'
import csv, glob, sqlite3
database = sqlite3.connect(glob.glob("out/**/msprof*.db", recursive=True)[0])
found = {(core, metric): value for core, metric, value in database.execute(
    "SELECT coreId, s.value, p.value FROM SAMPLE_PMU_SUMMARY p JOIN STRING_IDS s ON s.id = p.metric")}
checked = 0
for row in csv.DictReader(open("out/mindstudio_profiler_output/ai_core_utilization.csv")):
    if row["Core ID"].startswith("Core"):
        for metric in ("vec_ratio", "scalar_ratio", "icache_miss_rate"):
            assert abs(found[int(row["Core ID"][4:]), metric] - float(row[metric])) < 1e-9
            checked += 1
assert checked >= 9
END
}

@test "a capture without samples has no tables of samples" {
    copy_family prof-910b PROF_1
    run_msprof export db --output out PROF_1
    expect_status 0
    expect_equal "$(sqlite3 out/msprof_*.db "SELECT count(*) FROM sqlite_master WHERE name IN ('HBM', 'NIC', 'OSRT_API')")" 0
    [ ! -e "$(echo out/communication_analyzer*)" ]
}

# agree_with_files DIRECTORY NAME: the tables of communication_analyzer<NAME>.db are those of the JSON files beside the others.
agree_with_files() {
    python3 "$repository/tests/lib/communication_db.py" out/communication_analyzer"$2".db \
        "$1/communication$2.json" "$1/communication_matrix$2.json"
}

export_both() {
    for report in summary db; do
        run_msprof export "$report" --stable-names --output out PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
}

@test "communication_analyzer.db tells of each operator what communication.json and communication_matrix.json tell" {
    python3 "$BATS_TEST_DIRNAME/../cann/lib/make_outputs.py" PROF_1 1
    export_both
    agree_with_files out/mindstudio_profiler_output ""
}

@test "several devices have a communication_analyzer.db each, with every run of an operator by its name" {
    write_capture <<'END'
for device, copies in ((0, ((1000, 500), (3000, 700))), (3, ((9000, 40),))):
    for n, (size, remote) in enumerate((size, n + 1) for n, (size, _) in enumerate(copies)):
        begin = 1000 * device + 100 * n
        p.call(RUNTIME, 1, begin + 20, begin + 60)
        p.track(begin + 40, 1 + n, 1, task_type='SDMA', device=device)
        p.transfer(begin + 50, 'Memcpy', 'group', 2, ranks=(0, remote, 8), size=size, types=(3, 1, 0, 0))
        p.call(COMMUNICATION, MASTER, begin + 10, begin + 80, item=p.hash('hcom%d' % n))
        p.call(NODE, LAUNCH, begin, begin + 90, item=p.hash('hcom%d' % n))
        for start in (5000 + begin, 50000 + begin):
            p.ran(start, start + copies[n][1], 1 + n, 1, device=device)
END
    export_both
    for device in _0 _3; do
        agree_with_files out/mindstudio_profiler_output "$device"
    done
    expect_equal "$(ls out/communication_analyzer*)" $'out/communication_analyzer_0.db\nout/communication_analyzer_3.db'
    expect_equal "$(sqlite3 out/communication_analyzer_0.db "SELECT src_rank || '-' || dst_rank, transit_size, transit_time
        FROM CommAnalyzerMatrix WHERE hccl_op_name LIKE '%\_1' ESCAPE '\\' ORDER BY dst_rank")" \
        $'0-1|0.001|0.0005\n0-2|0.003|0.0007'
    expect_equal "$(sqlite3 out/communication_analyzer_0.db "SELECT hccl_op_name FROM CommAnalyzerTime ORDER BY 1")" \
        $'hcom0_003_0_1\nhcom0_003_0_2\nhcom1_003_1_1\nhcom1_003_1_2'
    expect_equal "$(sqlite3 out/communication_analyzer_3.db "SELECT DISTINCT transport_type, package_size, count, total_duration
        FROM CommAnalyzerBandwidth")" 'HCCS|0.009|1|4.0e-05'
}

@test "communication_analyzer.db is that of Ascend's tool" {
    needs_shared data/expected/system-chip5
    cp -r "$shared/data/generated/system-chip5"/PROF_* PROF_1
    chmod -R u+w PROF_1
    run_msprof export db --stable-names --output out PROF_1
    expect_status 0
    agree_with_files "$shared/data/expected/system-chip5" ""
}

@test "operators, tasks, calls, communication and texts join by their ids, as viewers ask" {
    python3 "$BATS_TEST_DIRNAME/../cann/lib/make_outputs.py" PROF_1 1
    run_msprof export db -dir PROF_1 --stable-names --output out
    run_msprof export summary -dir PROF_1 --stable-names --output out
    python3 - <<'END'
import csv, sqlite3
from collections import Counter
database = sqlite3.connect('out/msprof.db')
ask = lambda sql: database.execute(sql).fetchall()
ns = lambda text: int(text.strip().replace('.', ''))
rows = list(csv.DictReader(open('out/mindstudio_profiler_output/op_summary.csv')))
operators = Counter((r['Op Name'], r['OP Type'], ns(r['Task Start Time(us)']), int(r['Task ID'])) for r in rows if r['Task Type'] != 'COMMUNICATION')
assert operators and operators == Counter(ask("""SELECT n.value, k.value, t.startNs, t.taskId FROM COMPUTE_TASK_INFO c
    JOIN TASK t ON t.globalTaskId = c.globalTaskId JOIN STRING_IDS n ON n.id = c.name JOIN STRING_IDS k ON k.id = c.opType"""))
launched = ask("""SELECT c.globalTaskId, count(*) FROM COMPUTE_TASK_INFO c JOIN TASK t ON t.globalTaskId = c.globalTaskId
    JOIN CANN_API a ON a.connectionId = t.connectionId JOIN STRING_IDS s ON s.id = a.name JOIN ENUM_API_TYPE e ON e.id = a.type
    WHERE a.startNs <= t.startNs AND e.name = 'node' GROUP BY 1""")
assert launched and all(count == 1 for _, count in launched)
communication = Counter(r['Op Name'] for r in rows if r['Task Type'] == 'COMMUNICATION')
found = ask("""SELECT n.value, o.startNs, o.endNs, count(i.globalTaskId), min(iif(i.isMaster, t.startNs, NULL)),
    max(iif(i.isMaster, t.endNs, NULL)), max(a.startNs) FROM COMMUNICATION_OP o
    JOIN STRING_IDS n ON n.id = o.opName JOIN STRING_IDS g ON g.id = o.groupName JOIN COMMUNICATION_TASK_INFO i ON i.opId = o.opId
    JOIN TASK t ON t.globalTaskId = i.globalTaskId JOIN CANN_API a ON a.connectionId = o.connectionId GROUP BY o.opId""")
assert communication and communication == Counter(name for name, *_ in found)
for name, start, end, count, first, last, called in found:
    assert count > 0 and start == first and last == end and called <= start, (name, start, end, first, last)
assert ask('SELECT count(*) FROM TASK WHERE globalTaskId IN (SELECT globalTaskId FROM TASK GROUP BY 1 HAVING count(*) > 1)') == [(0,)]
for table, column in (('TASK', 'taskType'), ('COMPUTE_TASK_INFO', 'name'), ('COMMUNICATION_OP', 'opName'), ('CANN_API', 'name')):
    assert ask('SELECT count(*) FROM %s WHERE %s NOT IN (SELECT id FROM STRING_IDS)' % (table, column)) == [(0,)], table
END
}

@test "tensors that an operator does not have are N/A in the database for viewers, as in the table" {
    needs sqlite3
    write_capture <<'END'
p.launch(0, 1, 1, 'sink')
p.tensors(95, 'sink', [(0, 2, 0, (4, 8))])
p.ran(5000, 6500, 1, 1)
END
    run_msprof export db --stable-names --output out PROF_1
    expect_status 0
    expect_equal "$(sqlite3 "$(find out -name msprof.db)" "
        SELECT (SELECT value FROM STRING_IDS WHERE id = inputShapes), (SELECT value FROM STRING_IDS WHERE id = outputShapes),
            (SELECT value FROM STRING_IDS WHERE id = outputDataTypes), (SELECT value FROM STRING_IDS WHERE id = outputFormats)
        FROM COMPUTE_TASK_INFO")" '"4,8"|N/A|N/A|N/A'
}

@test "a call of communication is called by what it is of, in the timeline and in the database for viewers" {
    capture <<'END'
p.call(NODE, LAUNCH, 0, 100, item=p.hash('hcom'))
p.call(COMMUNICATION, MASTER, 10, 80, item=p.hash('Memcpy'))
p.ran(1000, 2000, 1, 1)
END
    run_msprof export timeline -dir PROF_1
    grep -o '"Communication@[^"]*"' PROF_1/mindstudio_profiler_output/msprof_*.json | sort >names
    expect_equal "$(<names)" '"Communication@Memcpy"'
    run_msprof export db -dir PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof_*.db "SELECT s.value FROM CANN_API c JOIN STRING_IDS s ON s.id = c.name
        WHERE c.type = 5500 ORDER BY c.startNs")" Memcpy
}
