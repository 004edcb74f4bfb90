#include "frameworks/framework.h"
#include "frameworks/mindspore/mindspore.h"
#include "frameworks/pytorch/torch.h"

int framework_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err)
{
    return framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_load(framework, directory, clock, diag, err)
                                                       : pytorch_load(framework, directory, clock, diag, err);
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
