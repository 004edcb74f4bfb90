/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in which the recorder tells its user of its work. Needs no allocation: signal handlers tell too. */
#ifndef MSPROF_ACL_RECORDER_RECORDER_REPORT_H
#define MSPROF_ACL_RECORDER_RECORDER_REPORT_H

#include "acl/recorder/capture_writer.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define REPORT_SIZE 1000

/* "the capture 'X' is incomplete: 3 calls and 1 msproftx record lost: No space left on device". False when
 * nothing is lost. */
bool describe_losses(const struct capture_writer *writer, char text[REPORT_SIZE]);

/* "nothing is recorded: " and the causes. */
void describe_refusal(const struct err *err, char text[REPORT_SIZE]);

/* "msprof: " and the text, as a line. */
void report_on_stderr(const char *text);

#endif
