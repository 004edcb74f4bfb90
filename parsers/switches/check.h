/* SPDX-License-Identifier: Apache-2.0 */
/* A file of options, checked and understood. */
#ifndef MSPROF_PARSERS_SWITCHES_CHECK_H
#define MSPROF_PARSERS_SWITCHES_CHECK_H

#include "base/format/json_in.h"
#include "parsers/switches/finding.h"

/* root: the object of the file: profiling options as they are, or acl.json with its "profiler", or the arguments of
 * MindSpore's or PyTorch's profiler (also inside of their profiler_info files). -ERR_FORMAT when it is no object;
 * problems are no errors. Needs switch_finding_release whatever the result. */
int switch_check(const struct json *root, struct switch_finding *ret, struct err *err);

/* "acl.json" and so on. */
const char *switch_writer_name(unsigned writer);

#endif
