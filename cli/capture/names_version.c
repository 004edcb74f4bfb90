/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/names_version.h"

#include "cli/console.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"

static void tell(const struct cann_version_said *said, const char *directory)
{
    if (said->contradicted != NULL)
        console_note("'%s': it says CANN %s, but has %s, which are newer; names are those of the newest version "
                     "(--cann-version asks for others)",
                     directory, said->text, said->contradicted);
    else if (cann_version_has(said->version, NAMING_BLOCK_DIM))
        console_note("'%s': names are those of CANN %s, as it says (--cann-version newest: of the newest)", directory,
                     said->text);
}

int names_version(const struct settings *settings, sqlite3 *db, const char *framework, const char *directory, int *ret,
                  struct err *err)
{
    struct cann_version_said said;
    struct db_facts facts;
    *ret = settings->cann_version;
    if (settings->cann_version != CANN_VERSION_OF_CAPTURE)
        return 0;
    *ret = CANN_VERSION_NEWEST;
    int status = framework == NULL ? db_read_facts(db, &facts, err) : 0;
    if (status < 0 || (framework == NULL && facts.family != CAPTURE_CANN))
        return status;
    status = cann_version_said(db, framework, &said, err);
    if (status < 0)
        return status;
    tell(&said, directory);
    *ret = said.version;
    return 0;
}
