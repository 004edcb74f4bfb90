/* SPDX-License-Identifier: Apache-2.0 */
/* The texts behind 64-bit ids before 2023: Framework.hash_dic, a line "<id>:<text>" each. */
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/dictionary.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(HASH_ID, "hash_id", "Id", NUMBER, "The id; of 2^63 and more as the negative number with the same bits.")      \
    MADE(NAME, "name", "Text", TEXT(PLAIN), "The text.")

MADE_COLUMNS;

extern const struct record_kind kind_framework_hash;

static int take_line(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    uint64_t id;
    size_t key_length, text_length;
    struct row row;
    const char *text = dictionary_split(line, length, &key_length, &text_length);
    if (text == NULL || !dictionary_parse_id(line, key_length, &id)) {
        dictionary_report(decoder, line, length, place, "<64-bit id>:<text>");
        return 0;
    }
    int status = decoder_emit(decoder, &kind_framework_hash, &row, err);
    if (status < 0)
        return status;
    row_set_integer(&row, FILE_ID, file->id);
    row_set_integer(&row, HASH_ID, (int64_t)id);
    decoder_set_text(decoder, &kind_framework_hash, &row, NAME, text, text_length);
    struct executions *executions = decoder_executions(decoder);
    return executions != NULL ? executions_add_name(executions, (int64_t)id, text, text_length, err) : 0;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    return dictionary_take(decoder, state, file, data, length, take_line, err);
}

const struct record_kind kind_framework_hash = {
    OWN_TABLE("framework_hash"),
    .families = FAMILY_2022,
    .title = "Hash dictionary of 2022",
    .doc = "The texts behind the 64-bit ids in other records. Lines \"<id>:<text>\".",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.hash_dic"),
                                      "AclModule.hash_dic.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.state_size = sizeof(struct dictionary), .text = take_text, .close = dictionary_close),
};
