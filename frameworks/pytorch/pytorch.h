/* FRAMEWORK/ of PyTorch's *_ascend_pt directories. */
#ifndef MSPROF_FRAMEWORKS_PYTORCH_PYTORCH_H
#define MSPROF_FRAMEWORKS_PYTORCH_PYTORCH_H

#include "frameworks/framework.h"

int pytorch_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                 struct diagnostics *diag, struct err *err);

#endif
