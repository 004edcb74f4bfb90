/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_nfs.h"

#include "base/file/fsutil.h"

#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* Where the board reaches this machine. */
static int nfs_address(struct session *session, const char **ret, struct err *err)
{
    const char *given = session->plan->settings->collect.nfs_server;

    *ret = given != NULL ? given : ssh_local_address(session->connection);
    return collect_check_nfs_address(*ret, err);
}

/* With NFS the program reads this machine's acl.json, so the patched text is written here, until the end. */
static int write_acl_json(struct session *session, struct err *err)
{
    struct collect_plan *plan = session->plan;
    int result = 0;

    for (size_t i = 0; i < plan->project.count && result == 0; i++) {
        const struct project_file *file = &plan->project.files[i];
        char *path;

        if (file->content == NULL)
            continue;
        if (session->acl.target != NULL)
            return err_set(err, ERR_USAGE,
                           "with --transfer=nfs only one acl.json can be in the project; '%s' is one "
                           "more",
                           file->path);
        path = path_join(plan->root, file->path);
        result = path != NULL ? acl_file_replace(&session->acl, path, file->content, (size_t)file->size, err)
                              : out_of_memory(err);
        free(path);
    }
    return result;
}

void nfs_restore_acl_json(struct session *session)
{
    struct err err = ERR_INIT;
    enum acl_file_end end;

    if (acl_file_restore(&session->acl, &end, &err) != 0) {
        err_wrap(&err, "cannot put acl.json back as it was");
        session_fail(session, &err);
    } else if (end == ACL_FILE_EDITED) {
        session_warn(session, "acl.json was changed here during the run: it stays as it is now, and what it was before "
                              "the run is beside it, with '.before-msprof' behind its name");
    }
}

int nfs_mount(struct session *session, struct err *err)
{
    const char *address;
    struct strbuf source;
    int result = nfs_address(session, &address, err);

    if (result != 0)
        return result;
    result = write_acl_json(session, err);
    if (result != 0)
        return result;
    strbuf_init(&source, 8192);
    strbuf_addf(&source, strchr(address, ':') != NULL ? "[%s]:%s" : "%s:%s", address, session->plan->root);
    session->mounted = true; /* also when it fails half-way */
    result = source.failed ? out_of_memory(err)
                           : board_mount(&session->board, &session->lock, source.data, session->project, err);
    if (result != 0)
        session->mounted = false;
    else
        session_note(session, "mounted '%s' at '%s'", source.data, session->project);
    strbuf_release(&source);
    return result;
}
