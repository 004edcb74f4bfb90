# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of OPPROF directories: load it behind ../cli/common.

# plant: runs the Python on standard input with plant.py's names.
plant() {
    PYTHONPATH=$BATS_TEST_DIRNAME/lib python3 -c "import sys; from plant import *; exec(sys.stdin.read())"
}

# Two operators, of vector cores and of both kinds, with every table.
plant_vector() {
    plant <<END
Op('add_custom', 'vector', 12.5, blocks=4).write('${1:-OPPROF_1}', [
    Row(b, 'vector0', cycles=18000 + 900 * b, vec=5400, scalar=3600 + b, mte2=9000, mte3=4500, icache=0.01, fops=65536,
        vec_fp32=5000, vec_misc=400, gm_to_ub=262144 * (b + 1), ub_to_gm=131072, read=266240, write=135168,
        mte2_instructions=8, mte3_instructions=4, ub=1.5, write_hit=100, write_miss=4, r0_read_hit=900, r0_read_miss=100,
        r1_read_hit=800, r1_read_miss=200, bankgroup_cflt=18 * b, bank_cflt=9, vec_wait=3600, mte3_wait=100)
    for b in range(4)])
END
}

plant_mix() {
    plant <<END
rows = []
for b in range(3):
    rows.append(Row(b, 'cube0', cycles=30000 + 100 * b, cube=12000, cube_cycles=12000, scalar=5000, mte1=6000, mte2=15000,
                    mte3=10, fixpipe=3000, fops=8192 * 12000, gm_to_l1=1 << 20, l0c_to_gm=1 << 18, l1_to_gm=1024, read=1 << 20,
                    write=1 << 18, l0a=50.5, write_hit=2048, r0_read_hit=8000, r0_read_miss=192, cube_wait=3000, icache=0.02))
    for v in range(2):
        rows.append(Row(b, f'vector{v}', cycles=26000 + 50 * b + v, vec=4000, scalar=9000, mte2=6000, mte3=5000, fops=40000,
                        vec_fp32=3500, gm_to_ub=1 << 17, ub_to_gm=1 << 16, read=1 << 17, write=1 << 16, ub=2.25,
                        write_miss=512, r1_read_hit=500, r1_read_miss=524, vec_wait=700, bank_cflt=400))
Op('matmul_mix_aic', 'mix', 21.34, blocks=3, mix=6, mhz=1650).write('${1:-OPPROF_2}', rows)
END
}
