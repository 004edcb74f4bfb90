/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the two generations of captured streams: everything but where the bytes are. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CAPTURE_STREAM_H
#define MSPROF_PARSERS_KINDS_COMMON_CAPTURE_STREAM_H

#include "parsers/record.h"

#define CAPTURE_STREAM_COLUMNS 12

extern const struct column capture_stream_columns[CAPTURE_STREAM_COLUMNS];
extern const struct kind_hooks capture_stream_hooks;
extern const struct record_kind kind_capture_stream_info;

#endif
