/* SPDX-License-Identifier: Apache-2.0 */
/* libms_tools_ext: the functions of mstx for programs that load or link a library of this name instead of including the
 * header. */
#define MSTX_DECLSPEC __attribute__((visibility("default")))
#include "mstx/ms_tools_ext.h"
