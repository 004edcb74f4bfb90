# SPDX-License-Identifier: Apache-2.0
"""What msprof has for Python programs: msprof.mstx, marks and ranges of a program."""
