/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/rank_hosts.h"

#include "parsers/capture/capture.h"
#include "parsers/frameworks/directory.h"

#include <stdio.h>

static void take_parts(const struct capture *capture, struct cluster_database_rank *ret)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (!part->is_host && part->device_id >= 0 && ret->device_id < 0)
            ret->device_id = part->device_id;
        if (part->host_uid[0] == '\0' || ret->host_uid[0] != '\0')
            continue;
        snprintf(ret->host_uid, sizeof ret->host_uid, "%s", part->host_uid);
        snprintf(ret->host_name, sizeof ret->host_name, "%s", part->host_name);
    }
}

/* What is wrong with a capture is told where it is analysed. */
static void open_capture(const char *path, struct cluster_database_rank *ret)
{
    const struct capture_options options = {.layouts = NULL};
    struct capture capture;
    struct diagnostics diag;
    struct err err = ERR_INIT;
    diag_init(&diag, false);
    if (capture_open(&capture, path, &options, &diag, &err) == 0)
        take_parts(&capture, ret);
    capture_release(&capture);
    diag_release(&diag);
}

struct cluster_database_rank rank_host_of(const struct cluster_source *source)
{
    struct cluster_database_rank rank = {.path = source->path, .device_id = -1};
    struct framework_paths profs = {.count = 0};
    struct err err = ERR_INIT;
    if (source->kind == SOURCE_PROF)
        open_capture(source->path, &rank);
    else if (framework_find_prof(source->path, &profs, NULL, &err) == 0 && profs.count > 0)
        open_capture(profs.items[0], &rank);
    framework_paths_release(&profs);
    return rank;
}
