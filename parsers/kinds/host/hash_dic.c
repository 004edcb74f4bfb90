/* SPDX-License-Identifier: Apache-2.0 */
/* The texts behind 64-bit ids: *.additional.hash_dic, a line "<id>:<text>" each. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/dictionary.h"

const struct record_kind kind_hash_dic = {
    .name = "hash_dic",
    .families = FAMILY_CANN,
    .title = "Hash dictionary",
    .doc = "The texts behind the 64-bit ids in other records. Lines \"<id>:<text>\". An id without a line is shown as "
           "its number.",
    .patterns = (const char *const[]){"{tag}.additional.hash_dic.slice_{slice}", NULL},
    COLUMNS_OF(hash_columns),
    .hooks = &hash_hooks,
};
