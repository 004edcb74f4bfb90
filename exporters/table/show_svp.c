/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/show_svp.h"

#include "base/interrupt.h"
#include "exporters/table/show_report.h"

#include <stdio.h>

struct frequency_block {
    struct show *show;
    bool any;
    int64_t device_id, core_khz; /* printed last */
};

static void print_frequency(struct show *show, int64_t device_id, int64_t core_khz)
{
    char number[NUMBER_MAX], text[NUMBER_MAX + 8];
    size_t length;
    const struct table_cell cell = cell_number(core_khz, 3);
    const char *frequency = cell_as_text(&cell, number, &length);
    snprintf(text, sizeof text, "%.*s%s", (int)length, frequency, core_khz == DB_NULL ? "" : " Mhz");
    show_title(show, "Frequency :");
    show_field(show, "", text);
    show_device(show, device_id);
    show_end_line(show);
}

static int take_frequency(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct frequency_block *block = arg;
    if (block->any && block->device_id == inference->device_id && block->core_khz == inference->core_khz)
        return 0;
    block->any = true;
    block->device_id = inference->device_id;
    block->core_khz = inference->core_khz;
    print_frequency(block->show, inference->device_id, inference->core_khz);
    return interrupted() ? interrupt_error(err) : 0;
}

static int show_frequency(struct show *show, struct err *err)
{
    struct frequency_block block = {.show = show};
    int status = svp_each_inference(show->db, NULL, take_frequency, &block, err);
    if (status == 0 && !block.any)
        print_frequency(show, 0, DB_NULL);
    return status;
}

int show_of_svp(struct show *show, struct err *err)
{
    struct report_show shows;
    int status = report_show_open(&shows, show, CAPTURE_SVP, err);
    if (status == 0)
        status = report_show_block(&shows, "AI Core Metrics :", "op_summary",
                                   "No device data: the model was loaded but never executed.", err);
    if (status == 0)
        status = report_show_block(&shows, "Op statistic :", "op_statistic", "No operators.", err);
    if (status == 0)
        status = report_show_block(&shows, "Acl statistic :", "acl_statistic", "No API calls.", err);
    report_show_close(&shows);
    return status == 0 ? show_frequency(show, err) : status;
}
