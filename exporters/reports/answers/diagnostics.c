/* SPDX-License-Identifier: Apache-2.0 */
/* What was lost or refused. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Severity", "severity", .doc = "Error, warning or note."},
    {"Code", "code", .doc = "Which problem it is."},
    {"Occurrences", "occurrences", .flags = REPORT_NUMBER, .doc = "How often it was met."},
    {"File", "file", .doc = "The file of the capture."},
    {"Record", "record", .flags = REPORT_NUMBER, .doc = "The first record of it, from 0."},
    {"Offset(B)", "byte_offset", .flags = REPORT_NUMBER, .doc = "Where that begins."},
    {"Message", "message", .flags = REPORT_SENTENCES, .doc = "What was found, and what was expected."},
    {.title = NULL},
};

const struct report report_diagnostics = {
    .name = "diagnostics",
    .title = "Problems of the data",
    .doc = "What the import lost or refused, and why: records rejected, files that are cut, times that are none.",
    .needs = "data problems, of which there are none",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .query = {.from = "diagnostics", .order_by = "id"},
    .columns = columns,
};
