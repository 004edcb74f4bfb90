/* SPDX-License-Identifier: Apache-2.0 */
/* Text of tables as mdoc(7). */
#ifndef MSPROF_CLI_MANUAL_MDOC_H
#define MSPROF_CLI_MANUAL_MDOC_H

#include <stdio.h>

/* With what mdoc would take for itself escaped; fits a text line and a macro's argument. */
void mdoc_put_text(FILE *stream, const char *text);
/* Each sentence on a line of its own, as mdoc wants it. */
void mdoc_put_sentences(FILE *stream, const char *text);

#endif
