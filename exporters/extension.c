/* SPDX-License-Identifier: Apache-2.0 */
/* The extensions that the build found, asked in turn. */
#include "exporters/extension.h"

#define EXTENSION(name) extern const struct export_extension name;
#include "export_extension_list.h"
#undef EXTENSION

#define EXTENSION(name) &name,
static const struct export_extension *const extensions[] = {
#include "export_extension_list.h"
};
#undef EXTENSION

/* Calls a member of each extension that has it, until one fails. */
#define EXTENSION_EACH(member, ...)                                                                                    \
    do {                                                                                                               \
        for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)                                            \
            if (extensions[i]->member != NULL && extensions[i]->member(__VA_ARGS__) < 0)                               \
                return err_status(err);                                                                                \
        return 0;                                                                                                      \
    } while (0)

int extension_tell_absence(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err)
{
    EXTENSION_EACH(tell_absence, db, report, ret, err);
}

int extension_tell_emptiness(sqlite3 *db, struct strbuf *ret, struct err *err)
{
    EXTENSION_EACH(tell_emptiness, db, ret, err);
}

int extension_summary_files(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                            struct err *err)
{
    EXTENSION_EACH(summary_files, db, options, ret, err);
}

int extension_communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                                     struct err *err)
{
    EXTENSION_EACH(communication_database, db, options, ret, err);
}

int extension_complete(const char *path, sqlite3 *db, struct err *err)
{
    EXTENSION_EACH(complete, path, db, err);
}

int extension_query_begin(sqlite3 *db, const char *sql, struct err *err)
{
    EXTENSION_EACH(query_begin, db, sql, err);
}

int extension_put_rows(struct report_run *run, struct err *err)
{
    EXTENSION_EACH(put_rows, run, err);
}

int extension_session_begin(struct report_session *session, struct err *err)
{
    EXTENSION_EACH(session_begin, session, err);
}

void extension_session_end(struct report_session *session)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (extensions[i]->session_end != NULL)
            extensions[i]->session_end(session);
}
