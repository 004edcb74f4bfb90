/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the engines for pictures and video: dvpp.data. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct value_name engine_types[] = {{0, "VDEC"}, {1, "JPEGD"}, {2, "PNGD"}, {3, "JPEGE"},
                                                 {4, "VPC"},  {5, "VENC"},  {6, "SCD"},  {0, NULL}};

static const struct column columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    NUMBER_COLUMN("dvpp_id", "DVPP ID", "Which of the device's DVPP units; NULL: it has one."),
    NAMED_COLUMN("engine_type", "Engine type", engine_types, "Work of the engine."),
    NUMBER_COLUMN("engine_id", "Engine ID", "Which of its kind."),
    NUMBER_COLUMN("all_time_us", "Time", "Microseconds that it worked so far."),
    NUMBER_COLUMN("all_frames", "Frames", "Frames that it finished so far."),
    NUMBER_COLUMN("all_utilization", "Utilization", "Per cent of the time that it worked."),
    NUMBER_COLUMN("process_time_us", "Time of the process", "Microseconds that it worked for the process."),
    NUMBER_COLUMN("process_frames", "Frames of the process", "Frames that it finished for the process."),
    NUMBER_COLUMN("process_utilization", "Utilization by the process", "Per cent of the time that it worked for it."),
    NUMBER_COLUMN("last_time_us", "Last time", "Microseconds of the last work."),
    NUMBER_COLUMN("last_frames", "Last frames", "Frames of the last work."),
};

#define WORK                                                                                                           \
    "{engine_type} {engine_id} {all_time_us} {all_frames} {all_utilization}% {process_time_us} {process_frames}"       \
    " {process_utilization}% {last_time_us} {last_frames}"

const struct record_kind kind_dvpp = {
    OWN_TABLE("dvpp"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Work of the engines for pictures and video",
    .doc = "Time, frames and utilization of an engine for pictures and video. Text lines of a time and numbers.",
    .patterns = (const char *const[]){"dvpp.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"{device_ns}: {dvpp_id} " WORK, LINE_ROW | LINE_ALIKE}, {"{device_ns}: " WORK, LINE_ROW | LINE_ALIKE},
          {"{*}engine_type{*}", LINE_HEADING}),
    SAMPLED_BY(.stamps = {{"device_ns", CLOCK_DEVICE_NS}}),
    ONE_SERIES(
            .name = "dvpp", .title = "Engines for pictures and video",
            .doc = "How long each engine worked, and how many frames it finished.",
            .query =
                {
                    .from =
                        "(SELECT device_id, dvpp_id, engine_type, engine_id, min(id) AS first_id, max(id) AS last_id,"
                        " max(all_time_us) - min(all_time_us) AS work, max(all_frames) - min(all_frames) AS frames"
                        " FROM dvpp GROUP BY device_id, dvpp_id, engine_type, engine_id)",
                    .order_by = "first_id",
                },
            .columns =
                VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                           {"Dvpp Id", "dvpp_id", .doc = "Which of the device's DVPP units."},
                           {"Engine Type",
                            "CASE engine_type WHEN 0 THEN 'VDEC' WHEN 1 THEN 'JPEGD' WHEN 2 THEN 'PNGD' WHEN 3 THEN "
                            "'JPEGE' WHEN 4 THEN 'VPC'"
                            " WHEN 5 THEN 'VENC' WHEN 6 THEN 'SCD' ELSE engine_type END",
                            .doc = "Work of the engine."},
                           {"Engine ID", "engine_id", .doc = "Which of its kind."},
                           {"All Time(us)", "work * 1.0", .form = FORM_FLOAT,
                            .doc = "How long it worked between the first and the last sample."},
                           {"All Frame", "frames * 1.0", .form = FORM_FLOAT, .doc = "Frames between them."},
                           {"All Utilization(%)", "(SELECT all_utilization FROM dvpp WHERE id = last_id)",
                            .doc = "Value of the last sample."})),
};
