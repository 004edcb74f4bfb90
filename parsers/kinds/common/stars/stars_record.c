/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/stars/stars_record.h"

const struct value_name stars_split_types[] = {{0, "AIC"}, {1, "AIV"}, {4, "FFTS+"}, {5, "MIX"}, {0, NULL}};
