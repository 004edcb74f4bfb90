#include "cli/collect/cmd_collect_nfs.h"

#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "ssh/acl_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* Where the board reaches this machine. */
static int nfs_address(struct session *session, const char **ret, struct err *err)
{
    const char *given = session->plan->settings->collect.nfs_server;

    *ret = given != NULL ? given : ssh_local_address(session->connection);
    if (strncmp(*ret, "127.", 4) != 0 && strcmp(*ret, "::1") != 0 && strcmp(*ret, "localhost") != 0)
        return 0;
    err_set(err, ERR_USAGE, "the board cannot mount from '%s': it is the board's own loopback address", *ret);
    return err_hint(err, "name this machine's address in the network with --nfs-server; when /etc/hosts maps the name "
                         "of this machine to 127.0.1.1, correct it");
}

/* With NFS the program reads this machine's acl.json, so the patched text is written here, until the end. */
static int write_acl_json(struct session *session, struct err *err)
{
    struct collect_plan *plan = session->plan;
    struct outfile out;
    int result = 0;

    for (size_t i = 0; i < plan->project.count; i++) {
        const struct project_file *file = &plan->project.files[i];

        if (file->content == NULL)
            continue;
        if (session->acl_backup_path != NULL)
            return err_set(err, ERR_USAGE,
                           "with --transfer=nfs only one acl.json can be in the project; '%s' is one "
                           "more",
                           file->path);
        session->acl_backup_path = path_join(plan->root, file->path);
        if (session->acl_backup_path == NULL)
            return out_of_memory(err);
        result = read_whole_file(session->acl_backup_path, ACL_JSON_LIMIT, &session->acl_backup,
                                 &session->acl_backup_length, err);
        if (result != 0 && err->code != ERR_NOT_FOUND)
            return result;
        result = outfile_open(&out, session->acl_backup_path, err);
        if (result != 0)
            return result;
        outfile_write(&out, file->content, (size_t)file->size);
        result = outfile_commit(&out, err);
    }
    return result;
}

void nfs_restore_acl_json(struct session *session)
{
    struct err err = ERR_INIT;
    struct outfile out;
    int result;

    if (session->acl_backup_path == NULL)
        return;
    if (session->acl_backup == NULL) {
        unlink(session->acl_backup_path);
        return;
    }
    result = outfile_open(&out, session->acl_backup_path, &err);
    if (result == 0) {
        outfile_write(&out, session->acl_backup, session->acl_backup_length);
        result = outfile_commit(&out, &err);
    }
    if (result != 0) {
        err_wrap(&err, "cannot put acl.json back as it was");
        session_fail(session, &err);
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
    result = source.failed ? out_of_memory(err) : board_mount(&session->board, source.data, session->project, err);
    if (result != 0)
        session->mounted = false;
    else
        session_note(session, "mounted '%s' at '%s'", source.data, session->project);
    strbuf_release(&source);
    return result;
}
