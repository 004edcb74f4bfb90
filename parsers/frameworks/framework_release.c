/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/framework.h"
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
