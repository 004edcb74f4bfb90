/* SPDX-License-Identifier: Apache-2.0 */
/* profiler_metadata.json: the groups of a rank, and how the ranks of a job are divided. */
#include "exporters/cluster/rank/rank_text.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define METADATA_LIMIT ((size_t)128 * 1024 * 1024)

static int take_group(struct rank_data *rank, const struct json *group, struct err *err)
{
    char number[NUMBER_MAX];
    uint32_t index;
    const char *id = json_key(group), *name = json_string(json_member(group, "group_name"));
    size_t length = (size_t)(number_put_unsigned(number, rank_group_number(id)) - number);
    int status = rank_group_of(rank, number, length, &index, err);
    if (status == 0)
        status = rank_text(rank, id, strlen(id), &rank->groups.items[index].id, err);
    if (status == 0 && name != NULL)
        status = rank_text(rank, name, strlen(name), &rank->groups.items[index].name, err);
    if (status < 0)
        return status;
    struct rank_group *known = &rank->groups.items[index];
    int64_t own;
    if (json_integer(json_member(group, "group_rank"), &own) && own >= 0 && own < CLUSTER_MOST_MEMBERS)
        known->told_number = (int32_t)own;
    known->first_run = (uint32_t)rank->runs.count;
    known->run_count = 0;
    const struct json *member = json_first(json_member(group, "global_ranks"));
    for (; status == 0 && member != NULL; member = json_next(member)) {
        int64_t global;
        status = rank_group_add_member(
            rank, known, json_integer(member, &global) && global >= 0 && global <= INT32_MAX ? global : -1, err);
    }
    return status;
}

static void take_division(struct rank_data *rank, const struct json *arguments)
{
    static const char *const keys[] = {"tensor_model_parallel_size", "pipeline_model_parallel_size",
                                       "data_parallel_size", "world_size"};
    int64_t context = 1;
    json_integer(json_member(arguments, "context_parallel_size"), &context);
    for (size_t i = 0; context == 1 && i < sizeof keys / sizeof *keys; i++)
        json_integer(json_member(arguments, keys[i]), &rank->parallel[i]);
}

int rank_metadata_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err)
{
    char *path = path_join(directory, "profiler_metadata.json"), *text = NULL;
    size_t length = 0;
    struct stat info;
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = lstat(path, &info) == 0 ? read_whole_file(path, METADATA_LIMIT, &text, &length, err) : 0;
    struct json *root = status == 0 && text != NULL ? json_parse(text, length, err) : NULL;
    if (text != NULL && root == NULL)
        status = -(int)err->code;
    const struct json *group = json_first(json_member(root, "parallel_group_info"));
    for (; status == 0 && group != NULL; group = json_next(group))
        status = take_group(rank, group, err);
    if (status == 0)
        take_division(rank, json_member(root, "distributed_args"));
    if (status < 0 && err->code != ERR_NO_MEMORY && err->code != ERR_INTERRUPTED) {
        const struct place place = {path, -1, -1, NULL};
        diag_report(diag, DIAG_CONFIG_INVALID, &place, "%s", err_message(err));
        *err = (struct err)ERR_INIT;
        status = 0;
    }
    json_free(root);
    free(text);
    free(path);
    return status;
}
