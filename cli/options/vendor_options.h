/* SPDX-License-Identifier: Apache-2.0 */
/* The options of Ascend's collecting binary, which is called msprof, too: what people type at this one. */
#ifndef MSPROF_CLI_OPTIONS_VENDOR_OPTIONS_H
#define MSPROF_CLI_OPTIONS_VENDOR_OPTIONS_H

#include <stddef.h>

enum vendor_option_use {
    VENDOR_OPTION_NONE,      /* it has no such option */
    VENDOR_OPTION_COLLECTS,  /* it says how to collect from a device */
    VENDOR_OPTION_PROGRAM,   /* its value is the program to run */
    VENDOR_OPTION_SELECTS,   /* --export and its like: "on" or "off" */
    VENDOR_OPTION_OF_RESULTS /* it says which results are made, and how */
};

/* word: "--name" or "--name=value". Like the vendor's tool it takes a beginning that only one name has; '_' counts as
 * '-'. *ret_name, unless it is NULL: the whole name, or NULL where there is no such option. */
enum vendor_option_use vendor_option_find(const char *word, const char **ret_name);
enum vendor_option_use vendor_option_use(const char *word);

/* The i-th name; NULL behind the last. */
const char *vendor_option_name(size_t i);

/* What is said to those who collect with a program, and without one. */
#define VENDOR_COLLECTS_PROGRAM "collecting from a device needs CANN's own msprof; 'msprof run' records ACL calls alone"
#define VENDOR_COLLECTS_DEVICE "collecting from a device needs CANN's own msprof; this program reads its captures"

#endif
