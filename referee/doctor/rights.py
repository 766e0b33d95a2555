"""Whether a user may use a device file, and whom it belongs to.

Belongs here: the arithmetic of Unix permissions, and names of groups. Does not belong here: opening anything.
"""

from __future__ import annotations

import grp
import os
from collections.abc import Iterable
from pathlib import Path

ROOT = 0


def may_use(mode: int, owner: int, group: int, user: int, groups: Iterable[int]) -> bool:
    """Whether `user` with `groups` may read and write a file of this mode, owner and group (POSIX: the first that fits
    decides)."""
    if user == ROOT:
        return True
    shift = 6 if user == owner else 3 if group in set(groups) else 0
    return mode >> shift & 0o6 == 0o6


def group_to_join(path: Path) -> str | None:
    """The group whose device this user may not use; None when it may, or when the file is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    if may_use(status.st_mode, status.st_uid, status.st_gid, os.geteuid(), {os.getegid(), *os.getgroups()}):
        return None
    try:
        return grp.getgrgid(status.st_gid).gr_name
    except KeyError:
        return str(status.st_gid)
