/* SPDX-License-Identifier: Apache-2.0 */
/* The options of Ascend's collecting binary, which is called msprof, too: what people type at this one. */
#ifndef MSPROF_CLI_OPTIONS_VENDOR_OPTIONS_H
#define MSPROF_CLI_OPTIONS_VENDOR_OPTIONS_H

#include <stdbool.h>

enum vendor_option_use {
    VENDOR_OPTION_NONE,      /* it has no such option */
    VENDOR_OPTION_COLLECTS,  /* it says how to collect from a device */
    VENDOR_OPTION_PROGRAM,   /* its value is the program to run */
    VENDOR_OPTION_SELECTS,   /* --export and its like: "on" or "off" */
    VENDOR_OPTION_OF_RESULTS /* it says which results are made, and how */
};

/* word: "--name" or "--name=value". */
enum vendor_option_use vendor_option_use(const char *word);

#endif
