/* The file of -reports: which layers a timeline of a new CANN capture has. */
#ifndef MSPROF_CLI_REPORTS_H
#define MSPROF_CLI_REPORTS_H

#include "base/err.h"

/* Reads the JSON file {"json_process": {"<layer>": true|false, ...}}; *ret_hidden gets the enum timeline_layer of those
 * that are false or not there. -ERR_FORMAT when it says something else; the file's own errors. */
int reports_load(const char *path, unsigned *ret_hidden, struct err *err);

#endif
