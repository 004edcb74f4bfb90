/* SPDX-License-Identifier: Apache-2.0 */
/* Layer tables of SVP models: <model>.<model id>.layer.info, a JSON array with an object a layer. */
#include "base/format/json_in.h"
#include "parsers/capture/config_keys.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(MODEL_NAME, "model_name", "Model name", TEXT(DERIVED), "The model, from the file name.")                      \
    MADE(MODEL_ID, "model_id", "Model ID", MADE_NUMBER, "The model's number, from the file name.")                     \
    MADE(LAYER_ID, "layer_id", "Layer ID", NUMBER, "The layer's number in the model.")                                 \
    MADE(NAME, "name", "Layer name", TEXT(PLAIN), "The layer's name on the device.")                                   \
    MADE(TYPE, "type", "Layer type", TEXT(PLAIN), "The layer's operator type.")                                        \
    MADE(ORI_NAME, "ori_name", "Original layer name", TEXT(PLAIN), "The layer's name in the user's network.")          \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The layer group it runs in; several layers of one task are fused.")   \
    MADE(ENGINE, "engine", "Engine", TEXT(PLAIN), "AI_CORE or AI_CPU.")

MADE_COLUMNS;

extern const struct record_kind kind_layer;

static void set_text(struct decoder *decoder, struct row *row, size_t column, const struct json *entry,
                     const char *name)
{
    const char *text = json_string(json_member(entry, name));
    if (text != NULL)
        decoder_set_text(decoder, &kind_layer, row, column, text, strlen(text));
}

/* The board writes AI_CORE and AI_CPU, the guide AA_CORE and AA_CPU. NULL: neither. */
static const char *engine_name(const struct json *value)
{
    const char *text = json_string(value);
    if (text == NULL || strcmp(text, "AI_CORE") == 0 || strcmp(text, "AA_CORE") == 0)
        return "AI_CORE";
    if (strcmp(text, "AI_CPU") == 0 || strcmp(text, "AA_CPU") == 0)
        return "AI_CPU";
    return NULL;
}

static int take_layer(struct decoder *decoder, const struct capture_file *file, const struct json *entry, int64_t index,
                      struct err *err)
{
    struct place place = {file->name, index, -1, NULL};
    struct diagnostics *diag = decoder_diag(decoder);
    int64_t layer_id, task_id;
    place.field = "layer_id";
    if (!json_is_object(entry) || !json_integer(json_member(entry, "layer_id"), &layer_id) || layer_id < 0) {
        decoder_reject(decoder, DIAG_TEXT_LINE);
        diag_report(diag, DIAG_TEXT_LINE, &place, "no layer_id; expected an object with a whole number \"layer_id\"");
        return 0;
    }
    place.field = "task_id";
    if (!json_integer(json_member(entry, "task_id"), &task_id) || task_id < 0) {
        decoder_reject(decoder, DIAG_TEXT_LINE);
        diag_report(diag, DIAG_TEXT_LINE, &place, "layer %lld has no task_id; expected a whole number",
                    (long long)layer_id);
        return 0;
    }
    const char *engine = engine_name(json_member(entry, "engine"));
    if (engine == NULL) {
        place.field = "engine";
        diag_report(diag, DIAG_TEXT_LINE, &place,
                    "layer %lld has an unknown engine; expected AI_CORE or AI_CPU; taken as AI_CORE",
                    (long long)layer_id);
        engine = "AI_CORE";
    }
    config_keys_check(file->name, entry, false, diag);
    struct row row;
    if (decoder_emit(decoder, &kind_layer, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, file->id);
    decoder_set_text(decoder, &kind_layer, &row, MODEL_NAME, file->identity.model, strlen(file->identity.model));
    row_set_integer(&row, MODEL_ID, file->identity.model_id);
    row_set_integer(&row, LAYER_ID, layer_id);
    set_text(decoder, &row, NAME, entry, "name");
    set_text(decoder, &row, TYPE, entry, "type");
    set_text(decoder, &row, ORI_NAME, entry, "ori_name");
    row_set_integer(&row, TASK_ID, task_id);
    decoder_set_text(decoder, &kind_layer, &row, ENGINE, engine, strlen(engine));
    return capture_note_layer(decoder_capture(decoder), &file->identity, task_id, err);
}

/* The next element of an array, an object or array itself, at or after *at; false: there is no complete one. */
static bool next_element(const char *text, size_t length, size_t *at, size_t *ret_start)
{
    size_t depth = 0;
    bool quoted = false;
    *ret_start = *at;
    for (size_t i = *at; i < length; i++) {
        char c = text[i];
        if (quoted && c == '\\') {
            i++;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '[' || c == '{')) {
            if (depth++ == 0)
                *ret_start = i;
        } else if (!quoted && (c == ']' || c == '}') && depth > 0 && --depth == 0) {
            *at = i + 1;
            return true;
        }
    }
    return false;
}

/* A table that is no JSON as a whole, because it is cut off or broken somewhere: its layers one by one. */
static int take_sound_layers(struct decoder *decoder, const struct capture_file *file, const char *data, size_t length,
                             struct err *err)
{
    const char *bracket = memchr(data, '[', length);
    size_t at = bracket != NULL ? (size_t)(bracket - data) + 1 : length, start;
    int status = 0;
    uint64_t broken = 0;
    for (int64_t index = 0; status == 0 && next_element(data, length, &at, &start); index++) {
        struct place place = {file->name, index, (int64_t)start, NULL};
        struct err mistake = ERR_INIT;
        struct json *entry = json_parse(data + start, at - start, &mistake);
        if (entry != NULL) {
            status = take_layer(decoder, file, entry, index, err);
        } else if (mistake.code == ERR_NO_MEMORY) {
            *err = mistake;
            status = -ERR_NO_MEMORY;
        } else {
            broken++;
            decoder_reject(decoder, DIAG_TEXT_LINE);
            diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, &place, "a layer that is %s", err_message(&mistake));
        }
        json_free(entry);
    }
    if (broken == 0) /* what is cut off at the end */
        decoder_reject(decoder, DIAG_TEXT_LINE);
    return status;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    (void)state;
    struct place place = {file->name, -1, -1, NULL};
    struct err mistake = ERR_INIT;
    SCOPED_JSON struct json *root = json_parse(data, length, &mistake);
    if (root == NULL && mistake.code == ERR_NO_MEMORY) {
        *err = mistake;
        return -ERR_NO_MEMORY;
    }
    if (root == NULL) {
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, &place,
                    "%s; expected a JSON array of layers; the layers that can be read are kept", err_message(&mistake));
        return take_sound_layers(decoder, file, data, length, err);
    }
    if (!json_is_array(root)) {
        decoder_reject(decoder, DIAG_TEXT_LINE);
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, &place, "not an array; expected a JSON array of layers");
    }
    int status = 0;
    int64_t index = 0;
    for (const struct json *entry = json_is_array(root) ? json_first(root) : NULL; entry != NULL && status == 0;
         entry = json_next(entry))
        status = take_layer(decoder, file, entry, index++, err);
    return status;
}

const struct record_kind kind_layer = {
    OWN_TABLE("layer"),
    .families = FAMILY_SVP,
    .title = "Layer table entry",
    .doc =
        "One layer of a model and the task that runs it. A JSON array of objects with the keys layer_id, name, type, "
        "ori_name, task_id and engine.",
    .patterns = (const char *const[]){"{model}.{model_id}.layer.info", NULL},
    COLUMNS_OF(columns),
    HOOKS(.text = take_text),
};
