/* SPDX-License-Identifier: Apache-2.0 */
/* The database of a capture for who reads it: as it is where it is up to date, else made anew.
 *     struct import_request request = {.directory = ..., .database = ..., .parameters = ...};
 *     int pin = -1;
 *     db_use(&request, &pin, make, arg, &db, err);     // make: db_import(request, ...)
 *     database_close(db);
 *     pin_close(pin); */
#ifndef MSPROF_DB_USE_H
#define MSPROF_DB_USE_H

#include "db/import.h"

#include <stdbool.h>

/* Pins the database of a path (db/pin.h) unless *pin holds one already; whether it is pinned. */
bool pin_database(const char *path, int *pin);

/* Opens the database of a request for reports (db/warm_up.h). make is called where there is none, or it is out of date;
 * it makes request->database, and may say another path there before. *pin (-1 at first): pin_close() it behind the
 * database. */
int db_use(struct import_request *request, int *pin,
           int (*make)(void *arg, struct import_request *request, struct err *err), void *arg, sqlite3 **ret,
           struct err *err);

#endif
