/* SPDX-License-Identifier: Apache-2.0 */
/* Graph descriptions of MindSpore: Framework.host.vm.graph_desc_info.*, a line an operator:
 * "op_name:N op_type:T input_id:0 input_format:F input_data_type:40 input_shape:"1,2" ... output_id:0 ...". */
#include "base/number.h"
#include "base/strbuf.h"
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(NAME, "name", "Operator", TEXT(PLAIN), "The operator's full name.")                                           \
    MADE(TYPE, "type", "Operator type", TEXT(PLAIN), "The operator's type.")                                           \
    MADE(INPUT_SHAPES, "input_shapes", "Input shapes", TEXT(PLAIN), "One shape an input, joined with ';'.")            \
    MADE(INPUT_TYPES, "input_data_types", "Input data types", TEXT(PLAIN),                                             \
         "One data type an input, joined with ';'; unknown codes as numbers.")                                         \
    MADE(INPUT_FORMATS, "input_formats", "Input formats", TEXT(PLAIN), "One format an input, joined with ';'.")        \
    MADE(OUTPUT_SHAPES, "output_shapes", "Output shapes", TEXT(PLAIN), "One shape an output, joined with ';'.")        \
    MADE(OUTPUT_TYPES, "output_data_types", "Output data types", TEXT(PLAIN),                                          \
         "One data type an output, joined with ';'; unknown codes as numbers.")                                        \
    MADE(OUTPUT_FORMATS, "output_formats", "Output formats", TEXT(PLAIN), "One format an output, joined with ';'.")

MADE_COLUMNS;

/* MindSpore's codes, those seen in real captures. */
static const struct value_name data_types[] = {{31, "INT32"}, {39, "FLOAT16"}, {40, "FLOAT32"}, {0, NULL}};

extern const struct record_kind kind_graph_desc;

/* The keys of a tensor, for inputs (prefix "input_") and outputs alike. */
static const struct {
    const char *key;
    int column; /* for inputs; outputs are OUTPUT_SHAPES - INPUT_SHAPES further; -1: starts a tensor */
} tensor_keys[] = {
    {"_id:", -1},
    {"_format:", INPUT_FORMATS},
    {"_data_type:", INPUT_TYPES},
    {"_shape:", INPUT_SHAPES},
};

struct lists {
    struct strbuf texts[OUTPUT_FORMATS + 1]; /* failed: the next values have no room */
    int64_t separators[OUTPUT_FORMATS + 1];  /* in each */
    int64_t tensors[2];                      /* inputs, outputs so far */
};

static const char *data_type_name(const char *code, size_t length)
{
    int64_t value;
    if (number_parse_integer(code, length, &value) != 0)
        return NULL;
    for (const struct value_name *type = data_types; type->text != NULL; type++) {
        if (type->value == value)
            return type->text;
    }
    return NULL;
}

/* Puts a value into its list; values of tensors after the first are preceded by ';' (also when one before had none). */
static void add_value(struct lists *lists, int column, bool output, const char *value, size_t length)
{
    if (column == INPUT_TYPES) {
        const char *name = data_type_name(value, length);
        if (name != NULL) {
            value = name;
            length = strlen(name);
        }
    }
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
        value++;
        length -= 2;
    }
    const int list = column + (output ? OUTPUT_SHAPES - INPUT_SHAPES : 0);
    struct strbuf *text = &lists->texts[list];
    int64_t *separators = &lists->separators[list];
    const size_t whole = text->length;
    if (text->failed)
        return;
    for (; *separators < lists->tensors[output] - 1 && !text->failed; ++*separators)
        strbuf_addc(text, ';');
    strbuf_add(text, value, length);
    if (text->failed)
        strbuf_cut(text, whole);
    for (size_t i = 0; i < length; i++)
        *separators += value[i] == ';';
}

/* One "key:value" word; false when it is none of the known. */
static bool take_word(struct lists *lists, const char *word, size_t length)
{
    bool output = length > 7 && memcmp(word, "output_", 7) == 0;
    size_t prefix = output ? 6 : 5;
    if (!output && (length < 6 || memcmp(word, "input_", 6) != 0))
        return false;
    for (size_t i = 0; i < sizeof tensor_keys / sizeof *tensor_keys; i++) {
        size_t key = strlen(tensor_keys[i].key);
        if (length < prefix + key || memcmp(word + prefix, tensor_keys[i].key, key) != 0)
            continue;
        if (tensor_keys[i].column < 0)
            lists->tensors[output]++;
        else
            add_value(lists, tensor_keys[i].column, output, word + prefix + key, length - prefix - key);
        return true;
    }
    return false;
}

/* All words after the operator's type; false when one is not understood. */
static bool take_words(struct lists *lists, const char *text, const char *end)
{
    while (text < end) {
        const char *blank = text;
        bool quoted = false;
        while (blank < end && (quoted || *blank != ' ')) {
            quoted ^= *blank == '"';
            blank++;
        }
        if (blank > text && !take_word(lists, text, (size_t)(blank - text)))
            return false;
        text = blank + 1;
    }
    return true;
}

static int emit_operator(struct decoder *decoder, const struct capture_file *file, const char *name, size_t name_length,
                         const char *type, size_t type_length, const struct lists *lists, struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, &kind_graph_desc, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, file->id);
    decoder_set_text(decoder, &kind_graph_desc, &row, NAME, name, name_length);
    decoder_set_text(decoder, &kind_graph_desc, &row, TYPE, type, type_length);
    for (size_t column = INPUT_SHAPES; column <= OUTPUT_FORMATS; column++) {
        if (lists->tensors[column >= OUTPUT_SHAPES] > 0)
            decoder_set_text(decoder, &kind_graph_desc, &row, column, lists->texts[column].data,
                             lists->texts[column].length);
    }
    struct named_operator operator_ = {
        .name = name, .name_length = name_length, .type = type, .type_length = type_length};
    for (size_t i = 0; i < OPERATOR_TEXTS; i++)
        operator_.texts[i] =
            lists->tensors[INPUT_SHAPES + i >= OUTPUT_SHAPES] > 0 ? lists->texts[INPUT_SHAPES + i].data : NULL;
    struct executions *executions = decoder_executions(decoder);
    return executions != NULL ? executions_add_operator(executions, &operator_, err) : 0;
}

static int take_line(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    static const char name_key[] = "op_name:", type_key[] = " op_type:";
    const char *end = line + length;
    const char *type = length > strlen(name_key) && memcmp(line, name_key, strlen(name_key)) == 0
                           ? memmem(line, length, type_key, strlen(type_key))
                           : NULL;
    if (type == NULL) {
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place, "'%.*s'; expected op_name:<name> op_type:<type> ...",
                    (int)(length < 80 ? length : 80), line);
        return 0;
    }
    const char *name = line + strlen(name_key);
    const char *type_text = type + strlen(type_key);
    const char *type_end = memchr(type_text, ' ', (size_t)(end - type_text));
    if (type_end == NULL)
        type_end = end;
    struct lists lists = {.tensors = {0, 0}};
    for (size_t i = INPUT_SHAPES; i <= OUTPUT_FORMATS; i++)
        strbuf_init(&lists.texts[i], DECODED_TEXT_MAX);
    bool understood = take_words(&lists, type_end < end ? type_end + 1 : end, end);
    bool failed = false;
    for (size_t i = INPUT_SHAPES; i <= OUTPUT_FORMATS; i++)
        failed |= lists.texts[i].failed;
    struct diagnostics *diag = decoder_capture(decoder)->diag; /* the line is a row all the same */
    if (!understood)
        diag_report(diag, DIAG_TEXT_LINE, place,
                    "a word that is neither input_* nor output_*; the rest of the line is dropped");
    if (failed)
        diag_report(diag, DIAG_TEXT_CUT, place,
                    "a list of tensors has more than %d bytes; it is cut behind its last whole item", DECODED_TEXT_MAX);
    int status = emit_operator(decoder, file, name, (size_t)(type - name), type_text, (size_t)(type_end - type_text),
                               &lists, err);
    for (size_t i = INPUT_SHAPES; i <= OUTPUT_FORMATS; i++)
        strbuf_release(&lists.texts[i]);
    return status;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    (void)state;
    return decoder_each_line(decoder, file, data, length, take_line, err);
}

const struct record_kind kind_graph_desc = {
    .name = "graph_desc",
    .table = "operator_description",
    .families = FAMILY_JOB,
    .title = "Graph description",
    .doc = "Type, shapes, data types and formats of one operator. Text lines of blank-separated key:value words, "
           "beginning with op_name and op_type, then input_id, input_format, input_data_type and input_shape for each "
           "input, and the same with output_ for each output.",
    .patterns = (const char *const[]){"Framework.host.vm.graph_desc_info.{device_id}.slice_{slice}",
                                      "Framework.host.graph_desc_info.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.text = take_text),
};
