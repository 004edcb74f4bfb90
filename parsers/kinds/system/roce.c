/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the ports of RDMA over Ethernet: roce.data. */
#include "parsers/kinds/common/network_port.h"

const struct record_kind kind_roce = {
    OWN_TABLE("roce"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic of the ports of RDMA over Ethernet",
    .doc = "Packets, bytes and errors of a port. Text lines of a time and thirteen or fourteen numbers.",
    .patterns = (const char *const[]){"roce.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(network_port_columns),
    LINES_OF(network_port_lines),
    .sampling = &network_port_sampling,
    ONE_SERIES(.name = "roce", .title = "RDMA ports",
               .doc = "Traffic of each network port as a share of its bandwidth, and its errors.",
               .query = NETWORK_PORT_QUERY("roce"), .columns = network_port_table, .process = "RoCE",
               .number = LAYER_ROCE, .counters = network_port_counters),
    EXPORTED_TABLE(.name = "ROCE", .columns = network_port_exported, .query = {.order_by = "id"}),
};
