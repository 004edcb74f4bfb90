/* The terminal report of captures of the layout of 2022. */
#ifndef MSPROF_EXPORTERS_LEGACY_SHOW_H
#define MSPROF_EXPORTERS_LEGACY_SHOW_H

#include "exporters/show_block.h"

/* Prints the blocks of each device, of the first iteration of its first model; see show_capture. */
int legacy_show(struct show *show, struct err *err);

#endif
