# SPDX-License-Identifier: Apache-2.0
"""CANN's module mstx: see msprof.mstx, which this is."""

from msprof.mstx import *  # noqa: F401, F403
