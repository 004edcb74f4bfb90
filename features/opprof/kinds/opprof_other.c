/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/kinds/common/opprof_other.h"
#include "features/opprof/kinds/common/metric_csv.h"
#include "features/opprof/kinds/common/opprof_tree.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(LAUNCH, "launch_id", "Launch", MADE_NUMBER, "Its launch (capture_part.id).")                                  \
    MADE(BLOCK, "block_id", "Block", NUMBER, "The block; NULL: of no block.")                                          \
    MADE(CORE, "core", "Core", NAMES(PLAIN, opprof_cores), "Kind of core; NULL: of none.")                             \
    MADE(SUB_CORE, "sub_core", "Core of the block", NUMBER, "Which of the block's cores of this kind.")                \
    MADE(NAME, "name", "Column", TEXT(PLAIN), "The column's name in the file.")                                        \
    MADE(VALUE, "value", "Value", TEXT(PLAIN), "The text in the file.")

MADE_COLUMNS;

const struct record_kind kind_opprof_other = {
    OWN_TABLE("opprof_other"),
    .families = FAMILY_OPPROF,
    .title = "Value of an unknown column",
    .doc = "A value of a column that this version does not know, of any file of msprof op. NA is left out.",
    COLUMNS_OF(columns),
};

int opprof_other_put(struct decoder *decoder, const struct block_key *key, const char *name, const char *value,
                     struct err *err)
{
    const struct record_kind *kind = &kind_opprof_other;
    struct row row;
    if (strcmp(value, "NA") == 0)
        return 0;
    if (decoder_emit(decoder, kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, LAUNCH, opprof_launch_id(decoder));
    if (key != NULL && key->block >= 0)
        row_set_integer(&row, BLOCK, key->block);
    if (key != NULL)
        row_set_integer(&row, CORE, key->core);
    if (key != NULL && key->sub_core >= 0)
        row_set_integer(&row, SUB_CORE, key->sub_core);
    decoder_set_text(decoder, kind, &row, NAME, name, strlen(name));
    decoder_set_text(decoder, kind, &row, VALUE, value, strlen(value));
    return 0;
}
