/* SPDX-License-Identifier: Apache-2.0 */
/* The texts behind 64-bit ids before 2023: Framework.hash_dic, a line "<id>:<text>" each. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/dictionary.h"

const struct record_kind kind_framework_hash = {
    OWN_TABLE("framework_hash"),
    .families = FAMILY_2022,
    .title = "Hash dictionary of 2022",
    .doc = "The texts behind the 64-bit ids in other records. Lines \"<id>:<text>\".",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.hash_dic"),
                                      "AclModule.hash_dic.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(hash_columns),
    .hooks = &hash_hooks,
};
