/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the points of training_trace that MindSpore set: Framework.host.vm.point.*, a line "<point> <operator>". */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NUMBER_COLUMN("point", "Point", "Its number, as training_trace has it."),
    TEXT_COLUMN_OF("name", "Operator", "Full name of the operator that it begins or ends."),
};

const struct record_kind kind_step_point = {
    OWN_TABLE("step_point"),
    .families = FAMILY_JOB,
    .title = "Point of an iteration",
    .doc = "Which operator a point of training_trace is about: 1 where forward propagation begins, 2 where backward "
           "propagation ends, 3 and 4, 5 and 6 and so on the begin and end of what runs beside them.",
    .patterns = (const char *const[]){"Framework.host.vm.point.{device_id}.slice_{slice}",
                                      "Framework.host.point.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"{point} {name}", LINE_ROW}),
};
