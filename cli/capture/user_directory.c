/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/user_directory.h"

#include "base/file/fsutil.h"
#include "cli/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int user_directory(const char *below, char **ret, struct err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool by_config = config != NULL && config[0] == '/'; /* a relative one is to be ignored */

    *ret = NULL;
    if (!by_config && (home == NULL || home[0] == '\0'))
        return 0;
    char *place = by_config ? strdup(config) : path_join(home, ".config");
    *ret = place != NULL ? path_join(place, below) : NULL;
    free(place);
    return *ret != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

bool user_directory_is_readable(const char *path)
{
    if (access(path, R_OK | X_OK) == 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR)
        console_warning("'%s' cannot be read and is passed over: %s", path, strerror(errno));
    return false;
}
