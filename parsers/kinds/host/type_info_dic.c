/* SPDX-License-Identifier: Apache-2.0 */
/* The names of record types: *.additional.type_info_dic, a line "<level>_<type>:<name>" each. */
#include "base/suggest.h"
#include "parsers/join/association.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/dictionary.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(LEVEL, "level", "Level", NUMBER, "The layer of CANN.")                                                        \
    MADE(TYPE, "type", "Type", NUMBER, "The type within its level.")                                                   \
    MADE(NAME, "name", "Name", TEXT(PLAIN), "The name of the function, record or task type.")

MADE_COLUMNS;

static bool parse_key(const char *key, size_t length, uint64_t *ret_level, uint64_t *ret_type)
{
    const char *bar = memchr(key, '_', length);
    return bar != NULL && dictionary_parse_id(key, (size_t)(bar - key), ret_level) &&
           dictionary_parse_id(bar + 1, length - (size_t)(bar + 1 - key), ret_type) && *ret_level <= UINT16_MAX &&
           *ret_type <= UINT32_MAX;
}

/* Whether the name holds the key of a further line, because its own has lost its end. */
static bool holds_key(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *colon = memchr(text, ':', length); colon != NULL;
         colon = memchr(colon + 1, ':', (size_t)(end - colon - 1))) {
        const char *bar = colon;
        while (bar > text && bar[-1] >= '0' && bar[-1] <= '9')
            bar--;
        if (bar < colon && bar - text > 1 && bar[-1] == '_' && bar[-2] >= '0' && bar[-2] <= '9')
            return true;
    }
    return false;
}

/* The types of tasks that the joins know by name: one that is nearly such a name is one, damaged. */
static void check_name(struct decoder *decoder, const struct place *place, const char *text, size_t length)
{
    static const char *const known[] = {"KERNEL_AICORE",  "KERNEL_AICPU", "KERNEL_AIVEC", "KERNEL_MIX_AIC",
                                        "KERNEL_MIX_AIV", "KERNEL_SIMT",  "FFTS_PLUS",    "STARS_COMMON"};
    const char *meant = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t distance = suggestion_edit_distance(text, length, known[i], strlen(known[i]));
        if (distance == 0)
            return;
        if (distance == 1)
            meant = known[i];
    }
    if (meant != NULL)
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "the type '%.*s'; expected '%s'; it is kept",
                    (int)length, text, meant);
}

static int take_line(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    (void)file;
    uint64_t level, type;
    size_t key_length, text_length;
    struct association *association = decoder_association(decoder);
    const char *text = dictionary_split(line, length, &key_length, &text_length);
    if (text == NULL || !parse_key(line, key_length, &level, &type) || holds_key(text, text_length)) {
        dictionary_report(decoder, line, length, place, "<level>_<type>:<name>");
        return 0;
    }
    check_name(decoder, place, text, text_length);
    return association != NULL
               ? association_add_type(association, (uint32_t)level, (uint32_t)type, text, text_length, err)
               : 0;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    return dictionary_take(decoder, state, file, data, length, take_line, err);
}

const struct record_kind kind_type_info_dic = {
    .name = "type_info_dic",
    .families = FAMILY_CANN,
    .title = "Type dictionary",
    .doc = "The names of the types that other records carry as numbers. Lines \"<level>_<type>:<name>\". A type "
           "without a line is shown as its number.",
    .patterns = (const char *const[]){"{tag}.additional.type_info_dic.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.state_size = sizeof(struct dictionary), .text = take_text, .close = dictionary_close),
};
