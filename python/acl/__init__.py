# SPDX-License-Identifier: Apache-2.0
"""import acl where pyACL is not installed: acl.prof and what belongs to it, from msprof_acl beside this package."""

from msprof_acl import *  # noqa: F401,F403 - what it exports is what this package is
