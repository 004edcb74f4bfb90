/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that include "acl/acl_prof.h" and are built where CANN is not installed. */
#include "msprof/acl_prof.h"
