/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables there are. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "parsers/capture/capture.h"
#include "parsers/layouts/printed_form.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), wanted = strlen(suffix);
    return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

/* Whether a file of this name is a table of the form; the identity is what the name says. */
static bool is_of_form(const struct printed_form *form, const char *name, struct file_identity *identity)
{
    static const struct file_identity unknown = {
        .device_id = -1, .model_id = -1, .batch_num = -1, .input_pic_num = -1, .current_pic_count = -1, .slice = -1};
    for (size_t i = 0; form->patterns[i] != NULL; i++) {
        *identity = unknown;
        if (capture_match_name(form->patterns[i], name, identity))
            return true;
    }
    *identity = unknown;
    return form->prefix != NULL && strncmp(name, form->prefix, strlen(form->prefix)) == 0 &&
           (has_suffix(name, ".json") || (!form->events && has_suffix(name, ".csv")));
}

/* The rate in front of the frequency in "...{rate}.{frequency}.csv", in millionths; -1: it is none. */
static int64_t rate_of_name(const char *name)
{
    const char *dots[4], *at = name + strlen(name); /* the last four, from the end on */
    char text[32];
    int64_t rate;
    uint8_t decimals;
    for (size_t i = 0; i < sizeof dots / sizeof dots[0]; i++) {
        while (at > name && *--at != '.')
            ;
        dots[i] = at;
    }
    size_t length = (size_t)(dots[1] - dots[3]);
    if (*dots[3] != '.' || length == 0 || length > sizeof text)
        return -1;
    memcpy(text, dots[3] + 1, length - 1);
    text[length - 1] = '\0';
    return printed_number(text, 6, &rate, &decimals) && rate >= 0 ? rate : -1;
}

static int add_file(struct printed_files *files, const char *directory, const char *name, struct err *err)
{
    struct file_identity identity;
    if (!is_of_form(files->form, name, &identity))
        return 0;
    if (identity.out_of_memory || array_reserve(files, 1, err) < 0) {
        file_identity_release(&identity);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    struct printed_file *file = &files->items[files->count];
    bool says_frequency = !files->form->events && !files->form->sums && !files->form->by_layers;
    *file = (struct printed_file){
        .path = path_join(directory, name),
        .device_id = identity.device_id,
        .model_id = identity.model_id,
        .batch_num = identity.batch_num,
        .input_pic_num = identity.input_pic_num,
        .current_pic_count = identity.current_pic_count,
        .core_khz = says_frequency && identity.slice > 0 && identity.slice < 1000000 ? identity.slice * 1000 : -1,
        .miss_ppm = says_frequency && identity.slice >= 0 ? rate_of_name(name) : -1,
        .json = has_suffix(name, ".json")};
    file_identity_release(&identity);
    if (file->path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    files->count++;
    return 0;
}

static int find_in(struct printed_files *files, const char *directory, struct err *err)
{
    DIR *stream = opendir(directory);
    int status = 0;
    if (stream == NULL)
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_set_errno(err, errno, "cannot read '%s'", directory);
    for (struct dirent *entry; status == 0 && (entry = readdir(stream)) != NULL;)
        status = add_file(files, directory, entry->d_name, err);
    closedir(stream);
    return status;
}

static int compare_files(const void *left, const void *right)
{
    const struct printed_file *a = left, *b = right;
    const int64_t keys[][2] = {{a->device_id, b->device_id},
                               {a->batch_num, b->batch_num},
                               {a->input_pic_num, b->input_pic_num},
                               {a->current_pic_count, b->current_pic_count},
                               {a->model_id, b->model_id}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    if (a->json != b->json)
        return (int)a->json - (int)b->json;
    return strcmp(a->path, b->path);
}

/* Two files with the same identity: as CSV and as JSON, or with two frequencies. */
static bool say_the_same(const struct printed_file *a, const struct printed_file *b)
{
    return a->device_id >= 0 && a->device_id == b->device_id && a->model_id == b->model_id &&
           a->batch_num == b->batch_num && a->input_pic_num == b->input_pic_num &&
           a->current_pic_count == b->current_pic_count;
}

static void drop_duplicates(struct printed_files *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct printed_file *before = kept > 0 ? &files->items[kept - 1] : NULL, *file = &files->items[i];
        if (before != NULL && say_the_same(before, file)) {
            free(file->path);
            files->duplicates++;
        } else {
            files->items[kept++] = *file;
        }
    }
    files->count = kept;
}

static int find_form(struct printed_files *files, const char *directory, struct err *err)
{
    char *below = path_join(directory, files->form->directory);
    int status = below != NULL ? find_in(files, directory, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = find_in(files, below, err);
    free(below);
    return status;
}

int printed_find(struct printed_files *files, const char *kind, const char *directory, struct err *err)
{
    int status = 0;
    for (size_t i = 0; printed_forms[i] != NULL && status == 0 && files->count == 0; i++) {
        if (strcmp(printed_forms[i]->kind->kind, kind) != 0)
            continue;
        files->form = printed_forms[i];
        status = find_form(files, directory, err);
    }
    array_sort(files->items, files->count, sizeof *files->items, compare_files);
    drop_duplicates(files);
    return status;
}

void printed_release(struct printed_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
    *files = (struct printed_files){.items = NULL};
}

bool printed_knows(const char *kind)
{
    for (size_t i = 0; printed_forms[i] != NULL; i++)
        if (strcmp(printed_forms[i]->kind->kind, kind) == 0)
            return true;
    return false;
}
