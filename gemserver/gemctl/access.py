"""Tells who may read and change a file, by its permissions and those of the folders above it."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

READ, WRITE, SEARCH = 4, 2, 1


@dataclass(frozen=True, slots=True)
class User:
    name: str
    uid: int
    group: int
    """The primary one."""
    groups: frozenset[int]

    def may(self, state: os.stat_result, rights: int) -> bool:
        """True if the permissions give these rights."""
        if self.uid == 0:
            return True
        shift = 6 if state.st_uid == self.uid else 3 if state.st_gid in self.groups else 0
        return state.st_mode >> shift & rights == rights

    def may_change(self, state: os.stat_result) -> bool:
        """True if this user may write it, or give themselves the right to."""
        return state.st_uid == self.uid or self.may(state, WRITE)


EVERYBODY = User("everybody", -1, -1, frozenset())


def find_user(name: str) -> User:
    """A user by name or number. Raises KeyError."""
    entry = pwd.getpwuid(int(name)) if name.isdecimal() else pwd.getpwnam(name)
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return User(entry.pw_name, entry.pw_uid, entry.pw_gid, frozenset(groups))


def may_reach(user: User, path: Path, rights: int) -> bool:
    """True if this user has these rights to a file, and may search all folders above it. Raises OSError."""
    path = path.resolve()
    return user.may(path.stat(), rights) and all(user.may(above.stat(), SEARCH) for above in path.parents)


def list_changeable_above(user: User, path: Path) -> list[Path]:
    """The folders above a file in which this user could put another one in its place. Raises OSError."""
    found = []
    for place in dict.fromkeys((Path(os.path.abspath(path)), path.resolve())):
        for above in place.parents:
            state = above.stat()
            # In a folder such as /tmp everybody takes away only what is their own.
            is_shared = state.st_mode & stat.S_ISVTX and state.st_uid != user.uid
            if user.may_change(state) and not is_shared and not _is_read_only(above):
                found.append(above)
    return list(dict.fromkeys(found))


def list_changeable(user: User, top: Path, spared: Container[Path] = ()) -> Iterator[Path]:
    """All files and folders below `top`, and itself, that this user may change. Raises OSError."""
    if _is_read_only(top):
        return
    for path, state in _walk(top, spared):
        if user.may_change(state):
            yield path


def list_unreadable(user: User, top: Path) -> Iterator[Path]:
    """All files and folders below `top`, and itself, that this user cannot read. Raises OSError."""
    for path, state in _walk(top):
        if not user.may(state, READ | SEARCH if stat.S_ISDIR(state.st_mode) else READ):
            yield path


def _walk(top: Path, spared: Container[Path] = ()) -> Iterator[tuple[Path, os.stat_result]]:
    """A file, or a folder and all below it but these. A link counts as the folder in which it lies."""
    yield top, top.stat()
    folders = [top] if top.is_dir() else []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.is_symlink() or path in spared:
                    continue
                with suppress(FileNotFoundError):  # what a process has just written and taken away
                    yield path, entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)


def _is_read_only(path: Path) -> bool:
    """True on a file system that nobody may write, as in a container."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
