/* One board under way: what its steps share, and how they tell what happens. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_SESSION_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_SESSION_H

#include "cli/capture/collection_log.h"
#include "cli/collect/cmd_collect_plan.h"
#include "ssh/run.h"
#include "ssh/transfer/captures.h"

struct session {
    struct collect_plan *plan;
    struct ssh_connection *connection;
    struct board board;
    struct board_lock lock;
    struct collection_log log;
    char *base;                         /* on the board: remote_dir or the home directory */
    char *project;                      /* <base>/profiling */
    char *run_directory;                /* where the program runs */
    struct remote_captures before;      /* that were there before the program ran */
    char *acl_backup_path, *acl_backup; /* with NFS: a patched file of this machine; backup NULL: there was none */
    size_t acl_backup_length;
    bool project_existed; /* before this run */
    bool uploaded, mounted;
    bool ran;                    /* the program was started: what it captured may be on the board */
    struct words left;           /* captures of the run that have not come home, as far as they are known */
    bool all_home, fetch_failed; /* what was captured has come home; or it should have, and did not */
    struct collect_outcome outcome;
};

/* The name of the board when there are several, else NULL. */
const char *session_prefix(const struct session *session);
const struct progress *session_progress(const struct session *session);

/* Each tells people and the log. session_fail also remembers the worst status. */
void session_fail(struct session *session, const struct err *err);
void session_note(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void session_warn(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Connects, and looks at what the board has. */
int session_connect(struct session *session, struct err *err);

#endif
