/* SPDX-License-Identifier: Apache-2.0 */
/* The texts behind 64-bit ids: *.additional.hash_dic, a line "<id>:<text>" each. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/dictionary.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(HASH_ID, "hash_id", "Id", NUMBER, "The id; of 2^63 and more as the negative number with the same bits.")      \
    MADE(NAME, "name", "Text", TEXT(PLAIN), "The text.")

MADE_COLUMNS;

static int take_line(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    (void)file;
    uint64_t id;
    size_t key_length, text_length;
    struct association *association = decoder_association(decoder);
    const char *text = dictionary_split(line, length, &key_length, &text_length);
    if (text == NULL || !dictionary_parse_id(line, key_length, &id)) {
        dictionary_report(decoder, line, length, place, "<64-bit id>:<text>");
        return 0;
    }
    return association != NULL ? association_add_name(association, (int64_t)id, text, text_length, err) : 0;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    return dictionary_take(decoder, state, file, data, length, take_line, err);
}

const struct record_kind kind_hash_dic = {
    .name = "hash_dic",
    .families = FAMILY_CANN,
    .title = "Hash dictionary",
    .doc = "The texts behind the 64-bit ids in other records. Lines \"<id>:<text>\". An id without a line is shown as "
           "its number.",
    .patterns = (const char *const[]){"{tag}.additional.hash_dic.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.state_size = sizeof(struct dictionary), .text = take_text, .close = dictionary_close),
};
