/* SPDX-License-Identifier: Apache-2.0 */
/* A capture directory made sense of: which file is what, and what the small files beside the data say. */
#include "parsers/capture/capture.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "parsers/capture/capture_files.h"
#include "parsers/capture/done_texts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- marks ---- */

/* Marks are found without their model's name: a record has only its number. */
static int compare_marks(const void *a, const void *b)
{
    const struct file_identity *x = &((const struct inference_mark *)a)->identity,
                               *y = &((const struct inference_mark *)b)->identity;
    struct file_identity p = *x, q = *y;
    p.model = q.model = NULL;
    return file_identity_compare(&p, &q, false);
}

ARRAY_COMPARE(compare_marks_and_names, struct inference_mark, compare_marks(left, right), ARRAY_BY_TEXT(name))

const struct inference_mark *capture_mark(const struct capture *capture, int64_t device_id, int64_t model_id,
                                          int64_t batch_num, int64_t input_pic_num, int64_t current_pic_count)
{
    struct inference_mark key = {.identity = {device_id, model_id, batch_num, input_pic_num, current_pic_count, -1,
                                              NULL, NULL, -1, false, -1, -1}};
    if (model_id < 0) /* the layout does not give it: the only model's */
        key.identity.model_id = capture->model_count == 1 ? capture->models[0].model_id : -1;
    return capture->mark_count > 0 ? bsearch(&key, capture->marks, capture->mark_count, sizeof key, compare_marks)
                                   : NULL;
}

/* ---- one entry after the other ---- */

static const char *const mark_patterns[] = {
    "aicore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.done",
    "AIcore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.done",
    "AAcore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.done",
};

/* Orders the name of a .done file, without that end, before or behind a file's. */
static int compare_with_done(const void *done_name, const void *file)
{
    const char *done = done_name, *name = ((const struct capture_file *)file)->name;
    const size_t length = strlen(done) - strlen(".done");
    int order = strncmp(done, name, length);
    return order != 0 ? order : -(name[length] != '\0');
}

static int add_mark(struct capture *capture, const struct entry *entry, struct file_identity *identity, struct err *err)
{
    struct capture_model *model = capture_add_model(capture, identity->model, identity->model_id, err);
    file_identity_release(identity);
    if (model == NULL)
        return err->code != ERR_NONE ? err_status(err) : 0;
    if (capture->mark_count == capture->mark_capacity &&
        array_grow(&capture->marks, &capture->mark_capacity, capture->mark_count, 1, sizeof *capture->marks, err) < 0)
        return err_status(err);
    struct inference_mark *mark = &capture->marks[capture->mark_count];
    *mark = (struct inference_mark){.name = entry->name, .identity = *identity};
    mark->identity.model = model->name;
    capture->mark_count++;
    /* what names a data file too has been read for it: names are in order */
    const struct capture_file *file = capture->file_count > 0 ? &capture->files[capture->file_count - 1] : NULL;
    if (file != NULL && compare_with_done(entry->name, file) != 0) /* as it mostly is */
        file = bsearch(entry->name, capture->files, capture->file_count, sizeof *capture->files, compare_with_done);
    if (file == NULL)
        return capture_read_done(capture, entry->name, &mark->done, err);
    mark->done = file->done;
    return 0;
}

/* A .done file: of one inference, or of the data file of the same name (which reads it itself). */
static int take_done(struct capture *capture, const struct entry_list *list, const struct entry *entry, struct err *err)
{
    struct file_identity identity;
    for (size_t i = 0; i < sizeof mark_patterns / sizeof *mark_patterns; i++) {
        if (capture_match_name(mark_patterns[i], capture_base_name(entry->name), &identity))
            return identity.out_of_memory ? err_no_memory(err) : add_mark(capture, entry, &identity, err);
    }
    SCOPED_FREE char *data_name = scoped_text(entry->name, strlen(entry->name) - strlen(".done"));
    if (data_name == NULL)
        return err_no_memory(err);
    if (entry_list_find(list, data_name) == NULL)
        diag_report(capture->diag, DIAG_FILE_MISSING, FILE_PLACE(entry->name, NULL), "the data file '%s' is missing",
                    data_name);
    return 0;
}

/* entry: the file's. */
static int read_done_of(struct capture *capture, const struct entry_list *list, const struct entry *entry,
                        struct capture_file *file, struct err *err)
{
    size_t length = strlen(file->name);
    SCOPED_FREE char *done_name = scoped_memory(length + sizeof ".done", 1);
    if (done_name == NULL)
        return err_no_memory(err);
    memcpy(done_name, file->name, length);
    memcpy(done_name + length, ".done", sizeof ".done");
    bool follows =
        entry + 1 < list->entries + list->count && strcmp(entry[1].name, done_name) == 0; /* as it mostly does */
    const struct entry *done = follows ? entry + 1 : entry_list_find(list, done_name);
    int status = 0;
    if (done != NULL && S_ISREG(done->mode) && !done->leaves) /* what is no file is reported by itself */
        status = capture_read_done(capture, done_name, &file->done, err);
    if (status == 0 && file->done.file_size >= 0 && (uint64_t)file->done.file_size != file->size)
        diag_report(capture->diag, DIAG_FILE_SIZE, FILE_PLACE(file->name, "filesize"),
                    "%llu bytes; the .done file expects %lld", (unsigned long long)file->size,
                    (long long)file->done.file_size);
    return status;
}

/* Claim of a name about its file. */
struct claim {
    const struct record_kind *kind;
    unsigned families;
    struct file_identity identity;
};

/* A recorder makes its files at the start, and says itself whether records are missing. */
static bool is_recording(const struct entry_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(capture_base_name(list->entries[i].name), "losses.json", strlen("losses.json")) == 0)
            return true;
    }
    return false;
}

static int take_data(struct capture *capture, const struct entry_list *list, const struct entry *entry,
                     struct claim *claim, struct err *err)
{
    struct file_identity *identity = &claim->identity;
    struct place place = {entry->name, -1, -1, NULL};
    struct capture_file *file = capture_add_file(capture, entry);
    if (file == NULL) {
        file_identity_release(identity);
        return err_no_memory(err);
    }
    file->identity = *identity;
    file->kind = claim->kind;
    file->families = claim->families;
    if (identity->model != NULL && capture_add_model(capture, identity->model, identity->model_id, err) == NULL &&
        err->code != ERR_NONE)
        return err_status(err);
    if (identity->device_id >= 0 && capture_add_device(capture, identity->device_id, err) == NULL &&
        err->code != ERR_NONE)
        return err_status(err);
    if (entry->size == 0) {
        /* a sampled stream that was switched on may have had nothing to say */
        bool samples = claim->kind->sampling != NULL || claim->kind->lines != NULL || claim->kind->parts != NULL;
        if (!samples && !is_recording(list))
            diag_report(capture->diag, DIAG_FILE_EMPTY, &place, "0 bytes; expected %s records", claim->kind->name);
        if (identity->slice < 0) /* else it has its place between the other slices */
            file->kind = NULL;
    }
    return read_done_of(capture, list, entry, file, err);
}

/* Whether it is no file of the capture's own, which is reported. */
static bool is_irregular(struct capture *capture, const struct entry *entry)
{
    const struct place place = {entry->name, -1, -1, NULL};
    const bool irregular = entry->leaves || !S_ISREG(entry->mode);
    if (irregular)
        diag_report(capture->diag, DIAG_FILE_TYPE, &place,
                    entry->leaves ? "a symbolic link that leaves the capture or is broken; expected a regular file"
                                  : "a device, pipe or socket; expected a regular file");
    return irregular;
}

/* An entry of a tree: a file that no kind claims is listed, and reported unless the tree knows it. */
static int take_leaf(struct capture *capture, const struct entry *entry, struct err *err)
{
    struct place place = {entry->name, -1, -1, NULL};
    struct file_identity identity;
    if (S_ISDIR(entry->mode) || capture->tree->ignores(entry->name) || is_irregular(capture, entry))
        return 0;
    struct capture_file *file = capture_add_file(capture, entry);
    if (file == NULL)
        return err_no_memory(err);
    file->kind = capture_recognise_in_tree(capture->tree, capture_base_name(entry->name), &identity);
    if (file->kind == NULL) {
        diag_report(capture->diag, DIAG_FILE_UNKNOWN, &place, "%llu bytes, not decoded",
                    (unsigned long long)entry->size);
        return 0;
    }
    file->identity = identity;
    file->families = FAMILY_OF(capture->tree->family);
    if (entry->size == 0) {
        diag_report(capture->diag, DIAG_FILE_EMPTY, &place, "0 bytes; expected %s records", file->kind->name);
        file->kind = NULL;
    }
    return 0;
}

static int take_entry(struct capture *capture, const struct entry_list *list, const struct entry *entry,
                      struct err *err)
{
    const char *name = capture_base_name(entry->name);
    size_t length = strlen(name);
    struct place place = {entry->name, -1, -1, NULL};
    struct claim claim;
    if (S_ISDIR(entry->mode)) {
        size_t prefix = part_prefix(entry->name);
        if (!capture_is_part_directory(entry->name) && strcmp(entry->name + (prefix > 0 ? prefix + 1 : 0), "data") != 0)
            diag_report(capture->diag, DIAG_FILE_UNKNOWN, &place, "a directory; expected the capture's files");
        return 0;
    }
    if (is_irregular(capture, entry))
        return 0;
    if (entry->beside) {
        diag_report(capture->diag, DIAG_FILE_BESIDE, &place, "%llu bytes", (unsigned long long)entry->size);
        return 0;
    }
    if (length > 5 && strcmp(name + length - 5, ".done") == 0)
        return take_done(capture, list, entry, err);
    if (capture_is_config_name(name))
        return capture_read_config(capture, entry, err);
    claim.kind = capture_recognise(name, &claim.identity, &claim.families);
    if (claim.kind != NULL && claim.identity.out_of_memory) {
        file_identity_release(&claim.identity);
        return err_no_memory(err);
    }
    if (claim.kind != NULL)
        return take_data(capture, list, entry, &claim, err);
    struct capture_file *file = capture_add_file(capture, entry);
    if (file == NULL)
        return err_no_memory(err);
    if (read_done_of(capture, list, entry, file, err) < 0)
        return err_status(err);
    if (capture_is_tool_name(name) || (entry->size == 0 && capture_is_known_stream(name)))
        return 0; /* or a stream that was switched on and had nothing to say */
    if (capture_is_board_content(name)) {
        place.file = "data/cont.*"; /* one of each inference: reported together */
        diag_report(capture->diag, DIAG_FILE_UNSUPPORTED, &place,
                    "%s, %llu bytes: inference in an unknown format; kept, not decoded", name,
                    (unsigned long long)entry->size);
        return 0;
    }
    diag_report(capture->diag, capture_is_known_stream(name) ? DIAG_FILE_UNSUPPORTED : DIAG_FILE_UNKNOWN, &place,
                "%llu bytes, not decoded", (unsigned long long)entry->size);
    return 0;
}

/* ---- the whole ---- */

static int kind_order(const struct record_kind *kind)
{
    if (kind == NULL)
        return -2;
    if (kind_is_text(kind))
        return -1; /* tables and descriptions come first: records refer to them */
    for (int i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i] == kind)
            return i;
    }
    return 0;
}

static int stage_of(const struct record_kind *kind)
{
    return kind != NULL ? kind->stage : 0;
}

static int compare_kinds(const struct record_kind *a, const struct record_kind *b)
{
    const int x = kind_order(a), y = kind_order(b);
    int order = x < 0 || y < 0 ? x - y : 0;
    if (order == 0)
        order = stage_of(a) - stage_of(b);
    if (order == 0)
        order = x - y;
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int compare_files(const void *a, const void *b)
{
    const struct capture_file *x = a, *y = b;
    int order = (x->part > y->part) - (x->part < y->part);
    if (order == 0 && x->kind != y->kind)
        order = compare_kinds(x->kind, y->kind);
    if (order == 0 && x->kind != NULL)
        order = file_identity_compare(&x->identity, &y->identity, true);
    return order != 0 ? order : strcmp(x->name, y->name);
}

ARRAY_COMPARE(compare_models, struct capture_model, ARRAY_BY(model_id), ARRAY_BY_TEXT(name))

ARRAY_COMPARE(compare_devices, struct device_info, ARRAY_BY(device_id))

static void sort(struct capture *capture)
{
    if (capture->file_count > 0)
        qsort(capture->files, capture->file_count, sizeof *capture->files, compare_files);
    if (capture->mark_count > 0)
        qsort(capture->marks, capture->mark_count, sizeof *capture->marks, compare_marks_and_names);
    if (capture->model_count > 0)
        qsort(capture->models, capture->model_count, sizeof *capture->models, compare_models);
    if (capture->device_count > 0)
        qsort(capture->devices, capture->device_count, sizeof *capture->devices, compare_devices);
}

/* Marks that contradict each other: the first by name stays. */
static void reject_duplicate_marks(struct capture *capture)
{
    size_t kept = 0;
    for (size_t i = 0; i < capture->mark_count; i++) {
        struct inference_mark *mark = &capture->marks[i], *before = kept > 0 ? &capture->marks[kept - 1] : NULL;
        if (before != NULL && compare_marks(before, mark) == 0) {
            diag_report(capture->diag, DIAG_FILE_DUPLICATE, FILE_PLACE(mark->name, NULL),
                        "the same inference as '%s', which is used", before->name);
        } else {
            capture->marks[kept++] = *mark;
        }
    }
    capture->mark_count = kept;
}

static void reject_duplicates(struct capture *capture)
{
    const struct capture_file *before = NULL;
    for (size_t i = 0; i < capture->file_count; i++) {
        struct capture_file *file = &capture->files[i];
        if (file->kind == NULL)
            continue;
        if (before != NULL && before->kind == file->kind && before->part == file->part &&
            file_identity_compare(&before->identity, &file->identity, true) == 0) {
            diag_report(capture->diag, DIAG_FILE_DUPLICATE, FILE_PLACE(file->name, NULL),
                        "the same stream as '%s', which is decoded", before->name);
            file->kind = NULL;
        } else {
            before = file;
        }
    }
}

static bool part_has_kind(const struct capture *capture, size_t part, const char *name)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->part == part && file->kind != NULL && strcmp(file->kind->name, name) == 0)
            return true;
    }
    return false;
}

/* Files that another kind's say already. */
static void reject_repetitions(struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        struct capture_file *file = &capture->files[i];
        const char *other = file->kind != NULL ? file->kind->instead_of : NULL;
        if (other == NULL || !part_has_kind(capture, file->part, other))
            continue;
        diag_report(capture->diag, DIAG_FILE_DUPLICATE, FILE_PLACE(file->name, NULL),
                    "duplicates the records of %s, which are decoded", other);
        file->kind = NULL;
    }
}

static int check_anything(const struct capture *capture, const struct entry_list *list, struct err *err)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        if (capture->files[i].kind != NULL)
            return 0;
    }
    if (capture->tree != NULL) {
        err_set(err, ERR_NOT_FOUND, "'%s' contains no data; expected %s", capture->directory, capture->tree->expects);
        return err_hint(err, "check that the collection ended and that the copy of the directory is complete");
    }
    if (!list->has_data) {
        err_set(err, ERR_NOT_FOUND, "'%s' is not a capture: it has no data/ directory", capture->directory);
        return err_hint(err, "pass the JOB directory, or a directory that contains JOB* directories");
    }
    if (list->count > 1)
        return 0; /* the diagnostics name what is there */
    err_set(err, ERR_NOT_FOUND,
            "'%s' contains no data: nothing was recorded, because no model was executed, the program ended early, or "
            "profiling was off",
            capture->directory);
    return err_hint(err, "data/ is empty: check that profiling was on and that the transfer was complete");
}

/* Chips that write other records under the same names. */
static void settle_kinds(struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        struct capture_file *file = &capture->files[i];
        const struct record_kind *kind =
            file->kind != NULL ? capture_kind_on_chip(capture_base_name(file->name), capture->parts[file->part].chip)
                               : NULL;
        if (kind != NULL)
            file->kind = kind;
    }
}

static int become_tree(struct capture *capture, const struct capture_tree *tree, struct err *err)
{
    capture->tree = tree;
    if (tree == NULL || tree->state_size == 0)
        return 0;
    capture->tree_state = calloc(1, tree->state_size);
    return capture->tree_state != NULL ? 0 : err_no_memory(err);
}

int capture_open(struct capture *capture, const char *directory, const struct capture_options *options,
                 struct diagnostics *diag, struct err *err)
{
    SCOPED(entry_list_release) struct entry_list list = {.entries = NULL};
    *capture = (struct capture){.diag = diag, .options = *options};
    capture->directory = path_absolute(directory, err);
    capture->at = -1;
    int status = capture->directory != NULL ? entry_list_gather(&list, capture->directory, err) : err_status(err);
    if (status == 0 && (capture->at = open(capture->directory, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
        status = err_set_errno(err, errno, "cannot open '%s'", capture->directory);
    entry_list_sort(&list);
    if (status == 0)
        status = entry_list_fingerprint(&list, capture->fingerprint, err);
    capture->sum = entry_list_sum(&list);
    capture->done_texts = status == 0 ? done_texts_open(capture, &list) : NULL;
    status = status < 0 ? status : become_tree(capture, list.tree, err);
    for (size_t i = 0; status == 0 && i < list.count; i++)
        status = list.tree != NULL ? take_leaf(capture, &list.entries[i], err)
                                   : take_entry(capture, &list, &list.entries[i], err);
    done_texts_close(capture->done_texts);
    capture->done_texts = NULL;
    if (status == 0)
        status = capture_settle_parts(capture, err);
    if (status == 0) {
        settle_kinds(capture);
        sort(capture);
        reject_duplicate_marks(capture);
        reject_duplicates(capture);
        reject_repetitions(capture);
        for (size_t i = 0; i < capture->file_count; i++)
            capture->files[i].id = (int64_t)i + 1;
        capture_settle_family(capture);
        status = check_anything(capture, &list, err);
    }
    if (status == 0)
        status = capture_report_absent(capture, err);
    capture->names = list.names;
    list.names.newest = NULL;
    return status;
}

void capture_release(struct capture *capture)
{
    for (size_t i = 0; i < capture->file_count; i++)
        file_identity_release(&capture->files[i].identity);
    for (size_t i = 0; i < capture->model_count; i++) {
        free(capture->models[i].name);
        free(capture->models[i].layer_tasks);
    }
    for (size_t i = 0; i < capture->part_count; i++) {
        free(capture->parts[i].directory);
        capture_settings_release(&capture->parts[i].settings);
    }
    texts_release(&capture->names);
    free(capture->rejections);
    free(capture->parts);
    free(capture->files);
    free(capture->marks);
    free(capture->models);
    free(capture->devices);
    if (capture->tree_state != NULL && capture->tree->release != NULL)
        capture->tree->release(capture->tree_state);
    free(capture->tree_state);
    if (capture->directory != NULL && capture->at >= 0)
        close(capture->at);
    free(capture->directory);
    *capture = (struct capture){.directory = NULL};
}

uint64_t capture_record_bytes(const struct capture *capture)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < capture->file_count; i++)
        bytes += capture->files[i].kind != NULL ? capture->files[i].size : 0;
    return bytes;
}
