/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/stars/soc_profile.h"

const struct sampling soc_profile_sampling = {.stamps = {{"tick", CLOCK_DEVICE_TICK}}};
