/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that include "svp_acl_prof.h" and are built without the board's software. */
#include "msprof/svp_acl_prof.h"
