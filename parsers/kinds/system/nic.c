/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the network ports: nic.data. */
#include "parsers/kinds/common/network_port.h"

const struct record_kind kind_nic = {
    OWN_TABLE("nic"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic of the network ports",
    .doc = "Packets, bytes and errors of a port. Text lines of a time and thirteen or fourteen numbers.",
    .patterns = (const char *const[]){"nic.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(network_port_columns),
    LINES_OF(network_port_lines),
    .sampling = &network_port_sampling,
    ONE_SERIES(.name = "nic", .title = "Network ports",
               .doc = "Traffic of each network port as a share of its bandwidth, and its errors.",
               .query = NETWORK_PORT_QUERY("nic"), .columns = network_port_table, .process = "NIC", .number = LAYER_NIC,
               .counters = network_port_counters),
    EXPORTED_TABLE(.name = "NIC", .columns = network_port_exported, .query = {.order_by = "id"}),
};
