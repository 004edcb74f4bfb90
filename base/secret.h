/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that are left in memory that nobody owns. */
#ifndef MSPROF_BASE_SECRET_H
#define MSPROF_BASE_SECRET_H

/* Overwrites what functions that have returned left on the stack below the caller: libraries copy secrets there, and
 * registers that held one are saved there. */
void secret_wipe_stack(void);

#endif
