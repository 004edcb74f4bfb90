# SPDX-License-Identifier: Apache-2.0
"""What msprof has for Python programs: captures, read by libmsprof (msprof.open, see msprof.reading), and msprof.mstx, marks and
ranges of a program."""

from .reading import Capture, Error, NotFoundError, Table, UsageError, cluster, find, open, version

__all__ = ["Capture", "Error", "NotFoundError", "Table", "UsageError", "cluster", "find", "open", "version"]
