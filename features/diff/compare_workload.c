/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/compare_workload.h"

#include "features/answers/load/load.h"

int compare_workload(sqlite3 *db, const struct workload *workload, const char *name, const struct side *base,
                     struct profile *ret_profile, struct comparison *ret, struct err *err)
{
    const struct compare_options options = COMPARE_DEFAULTS;
    const struct profile_choice choice = {.subjects = comparison_subjects(&options, NULL, 0)};
    const struct profile *own = ret_profile;
    const struct side side = {&own, 1};

    if (profile_make(workload, name, &choice, ret_profile, err) != 0)
        return err_status(err);
    int status = workload_load_calls(db, ret_profile, err);
    if (status >= 0)
        status = comparison_make(base, &side, &options, NULL, 0, ret, err);
    if (status < 0)
        profile_release(ret_profile);
    return status;
}
