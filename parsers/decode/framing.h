/* SPDX-License-Identifier: Apache-2.0 */
/* Where records begin in a run of bytes: how well a layout fits, and the way back to sound records after a damaged
 * place. Inside of the decoder; plain functions of bytes. */
#ifndef MSPROF_PARSERS_DECODE_FRAMING_H
#define MSPROF_PARSERS_DECODE_FRAMING_H

#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How well a layout fits the first bytes of a stream of total_size bytes: 4 size and first record, 3 first record,
 * 2 most records; 0 not where records are looked for at first. */
int framing_fit(const struct layout *layout, const unsigned char *data, size_t length, uint64_t total_size);

/* Whether two records stand one behind the other anywhere after the first byte; false too when the magics do not say
 * enough to find one. Looks at every byte. */
bool framing_occurs(const struct layout *layout, const unsigned char *data, size_t length);

/* How many of the bytes are in records that stand one behind the other by their magics, whatever stands between them; 0
 * when the magics do not say enough to find a record, or when the first one is not where a record can begin: after
 * whole records from the front, or from the front of a stream of total_size bytes that ends with a whole record. A
 * record that nothing follows counts when there is no room for another. Records may be of any of the layouts. */
size_t framing_cover(const struct layout *const *layouts, size_t count, const unsigned char *data, size_t length,
                     uint64_t total_size);

/* Whether the magics say enough to find a record at any offset: 16 bits or more that are not all 0. */
bool framing_can_search(const struct layout *layout);

/* Whether a record may begin at data, of which only length bytes are there: the magics inside them stand. */
bool framing_may_begin(const struct layout *layout, const unsigned char *data, size_t length);

/* The first offset at or after from where a record begins: its magics stand, and another record follows, or the data
 * end with it, or it lies on the grid: whole records after the offset grid (>= from). True and *ret set to it; false
 * and *ret set to the first offset that is not ruled out. at_end: no bytes will follow data. */
bool framing_search(const struct layout *layout, const unsigned char *data, size_t length, size_t from, size_t grid,
                    bool at_end, size_t *ret);

#endif
