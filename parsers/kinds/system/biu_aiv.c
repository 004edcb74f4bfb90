/* SPDX-License-Identifier: Apache-2.0 */
/* Work of single vector cores from interval to interval: instr.group_<group>_aiv<n>. */
#include "parsers/kinds/common/core_pipes.h"

static const struct column columns[] = {CORE_PIPES_COLUMNS};

static const struct field fields[] = {CORE_PIPES_FIELDS(40)};

/* The series of biu_aic draws both. */
const struct record_kind kind_biu_aiv = {
    OWN_TABLE("biu_aiv"),
    .families = FAMILY_CANN,
    .title = "Pipes of a vector core",
    .doc = "How long each pipe of a vector core worked since the sample before.",
    .patterns = (const char *const[]){"instr.group_{group_id}_aiv{core_id}.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("biu-aiv-64", 64, fields, "docs/formats/system.md 10: 64 bytes, a vector core")),
    .hooks = &core_pipes_hooks,
};
