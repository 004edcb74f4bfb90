/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "parsers/frameworks/framework.h"
#include "parsers/frameworks/mindspore/mindspore.h"
#include "parsers/frameworks/pytorch/torch.h"

#include <stdlib.h>

void framework_release(struct framework *framework)
{
    intern_release(&framework->texts);
    free(framework->ranges.items);
    free(framework->steps.items);
    free(framework->datasets.items);
    free(framework->dataset_runs.items);
    free(framework->launches);
    torch_free(framework->torch);
    *framework = (struct framework){.launch_count = 0};
}

#define SLACK_NS INT64_C(10000000000) /* a framework may have begun that much before its device's capture */

/* A counter that stood elsewhere than the capture says gives times long before it began. */
static void check_clock(const struct framework *framework, const char *directory, const struct framework_clock *clock,
                        struct diagnostics *diag)
{
    const struct torch *torch = framework->torch;
    size_t early = 0, count = torch != NULL ? torch->ops.count : framework->ranges.count;
    int64_t first_ns = INT64_MAX, begin_ns = number_add(clock->offset_ns, -SLACK_NS);
    for (size_t i = 0; clock->hz > 0 && i < count; i++) {
        int64_t start_ns = torch != NULL ? torch->ops.items[i].start_ns : framework->ranges.items[i].start_ns;
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        early += start_ns < begin_ns;
    }
    const struct place place = {directory, -1, -1, NULL};
    if (early > 0)
        diag_report(diag, DIAG_CLOCK_CONTRADICTION, &place,
                    "%zu of the framework's %zu ranges begin long before the capture, the first %.0f s", early, count,
                    ((double)clock->offset_ns - (double)first_ns) / 1e9);
}

int framework_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err)
{
    int status = framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_load(framework, directory, clock, diag, err)
                                                             : pytorch_load(framework, directory, clock, diag, err);
    if (status == 0)
        check_clock(framework, directory, clock, diag);
    return status;
}

int framework_clock_of(const struct framework_info *info, const char *prof, struct framework_clock *ret,
                       struct err *err)
{
    int status = 0;
    if (prof != NULL && info->with_npu)
        status = framework_clock_load(prof, ret, err);
    else
        *ret = info->has_clock ? info->clock : (struct framework_clock){0, 100000000, 0, 0};
    if (status == 0 && info->monotonic)
        *ret = (struct framework_clock){0, 0, ret->monotonic_offset_ns, 0};
    return status;
}
