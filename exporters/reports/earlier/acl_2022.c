/* SPDX-License-Identifier: Apache-2.0 */
/* acl: every call of a function of ACL, as Ascend's tool of 2022 has it. */
#include "exporters/reports/earlier/device_2022.h"

static const struct report_column columns[] = {
    {"Name", "c.name", .doc = "The function."},
    {"Type", "c.api_type", .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
    {"Start Time", "c.start_ns", .flags = REPORT_NUMBER, .unit = UNIT_NS, .doc = "When it was called, in ns."},
    {"Duration(us)", "c.end_ns - c.start_ns", FORM_SCALED, 3, .doc = "How long it took."},
    {"Process ID", "c.process_id", .flags = REPORT_NUMBER, .doc = "The process."},
    {"Thread ID", "c.thread_id", .flags = REPORT_NUMBER, .doc = "The thread."},
    {.title = NULL},
};

const struct report report_acl_2022 = {
    .name = "acl",
    .title = "Calls of ACL",
    .doc = "When every function of ACL was called, and how long it took.",
    .families = FAMILY_2022,
    .of_device = true,
    .query = {.from = "acl_call c JOIN source_file f ON f.id = c.file_id",
              .where = "f.device_id = :device",
              .order_by = "c.start_ns, c.id"},
    .columns = columns,
};
