/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/infer.h"

#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/suggest.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_MOST 16      /* that are known of one form */
#define UNKNOWN_MOST 16   /* that are reported for one file */
#define NEAR_DISTANCE 0.5 /* of a word's letters: less is another spelling */

/* The forms of *.info, by the end of their names. */
static const struct info_form {
    const char *suffix;
    const char *kind; /* whose columns are its keys; NULL: see keys */
    const char *keys[4];
} forms[] = {
    {".layer.info", "layer", {NULL}},
    {".net.info", NULL, {"model_name", "model_id", "batch_num", NULL}},
    {".info", NULL, {NULL}},
};

struct keys {
    const char *known[KEYS_MOST];
    size_t known_count;
    char unknown[UNKNOWN_MOST][EDIT_DISTANCE_MAX_LENGTH + 1];
    size_t unknown_count;
};

static void take_known(const struct info_form *form, struct keys *keys)
{
    const struct record_kind *kind = form->kind != NULL ? record_kind_find(form->kind) : NULL;
    for (size_t i = 0; form->keys[i] != NULL; i++)
        keys->known[keys->known_count++] = form->keys[i];
    for (size_t i = 0; kind != NULL && i < kind->column_count && keys->known_count < KEYS_MOST; i++)
        if ((kind->columns[i].flags & (COLUMN_FILE | COLUMN_DERIVED)) == 0)
            keys->known[keys->known_count++] = kind->columns[i].name;
}

static bool is_known(const struct keys *keys, const char *key)
{
    for (size_t i = 0; i < keys->known_count; i++)
        if (strcmp(keys->known[i], key) == 0)
            return true;
    for (size_t i = 0; i < keys->unknown_count; i++)
        if (strcmp(keys->unknown[i], key) == 0)
            return true;
    return false;
}

static void take_object(const struct json *object, struct keys *keys)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        const char *key = json_key(member);
        if (key == NULL || strlen(key) > EDIT_DISTANCE_MAX_LENGTH || keys->unknown_count == UNKNOWN_MOST ||
            is_known(keys, key))
            continue;
        memcpy(keys->unknown[keys->unknown_count++], key, strlen(key) + 1);
    }
}

/* The known key that is spelt most like it; NULL: none is near. */
static const char *nearest(const struct keys *keys, const char *key)
{
    const char *found = NULL;
    size_t least = (size_t)((double)strlen(key) * NEAR_DISTANCE) + 1;
    for (size_t i = 0; i < keys->known_count; i++) {
        size_t distance = suggestion_edit_distance(keys->known[i], strlen(keys->known[i]), key, strlen(key));
        if (distance >= least)
            continue;
        found = keys->known[i];
        least = distance;
    }
    return found;
}

static void report_file(const struct capture *capture, const struct capture_file *file, const struct info_form *form,
                        struct strbuf *text)
{
    struct keys keys = {.known_count = 0};
    struct err mistake = ERR_INIT;
    size_t length;
    SCOPED_FREE char *content = NULL;
    if (capture_file_read(capture, file->name, TEXT_FILE_LIMIT, &content, &length, &mistake) < 0)
        return; /* import reports it */
    SCOPED_JSON struct json *root = json_parse(content, length, &mistake);
    take_known(form, &keys);
    if (root == NULL)
        (void)strbuf_addf(text, "%s: not JSON (%s); not used\n", file->name, err_message(&mistake));
    else if (json_is_object(root))
        take_object(root, &keys);
    for (const struct json *entry = json_is_array(root) ? json_first(root) : NULL; entry != NULL;
         entry = json_next(entry))
        if (json_is_object(entry))
            take_object(entry, &keys);
    for (size_t i = 0; i < keys.unknown_count; i++) {
        const char *meant = nearest(&keys, keys.unknown[i]);
        (void)strbuf_addf(text, "%s: unknown key '%s'%s%s%s\n", file->name, keys.unknown[i],
                          meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                          meant != NULL ? "'" : "");
    }
}

void info_keys_report(const struct capture *capture, struct strbuf *text)
{
    for (size_t f = 0; f < capture->file_count; f++) {
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            if (!words_end_in(capture->files[f].name, forms[i].suffix))
                continue;
            report_file(capture, &capture->files[f], &forms[i], text);
            break;
        }
    }
}
