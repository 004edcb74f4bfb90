/* SPDX-License-Identifier: Apache-2.0 */
#include "db/use.h"

#include "db/pin.h"
#include "db/warm_up.h"

#include <unistd.h>

bool pin_database(const char *path, int *pin)
{
    if (*pin < 0)
        *pin = pin_open(path);
    return *pin >= 0;
}

int db_use(struct import_request *request, int *pin,
           int (*make)(void *arg, struct import_request *request, struct err *err), void *arg, sqlite3 **ret,
           struct err *err)
{
    enum { TRIES = 5 }; /* when others remove what was made before it is opened */
    sqlite3 *db = pin_database(request->database, pin) ? db_open_current(request) : NULL;
    for (int tries = 1; db == NULL && tries <= TRIES; tries++) {
        /* who removed the one before this was made may take this one, too */
        *err = (struct err)ERR_INIT;
        if (make(arg, request, err) < 0)
            return err_status(err);
        if ((pin_database(request->database, pin) || tries == TRIES) && warm_up_open(request->database, &db, err) < 0 &&
            (tries == TRIES || access(request->database, F_OK) == 0))
            return err_status(err);
    }
    *ret = db;
    return 0;
}
