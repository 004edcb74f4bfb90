/* Timelines of captures of the layout of 2022. */
#ifndef MSPROF_EXPORTERS_TIMELINE_2022_H
#define MSPROF_EXPORTERS_TIMELINE_2022_H

#include "exporters/trace/document.h"

/* Writes <timeline>_<device>[_<model>]_<iteration>.json for each that the capture has something for: with compat as
 * Ascend's tool of 2022 wrote them. */
int timeline_of_2022(struct timeline_run *run, struct err *err);

#endif
