"""Finds settings that others can read, and code that the server's own processes could change."""

from __future__ import annotations

import grp
import os
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gemserver.gemctl.access import (
    EVERYBODY,
    READ,
    SEARCH,
    WRITE,
    User,
    find_user,
    list_changeable,
    list_changeable_above,
    list_unreadable,
    may_reach,
)
from gemserver.gemctl.installed import Server, Who, is_user, whom
from gemserver.gemctl.settings_file import USUAL, WrongSettings
from gemserver.lib.process import units
from gemserver.lib.process.findings import Finding

CODE = ("games", "gemserver", "locale", "manage.py", "static", "templates", ".venv")
"""The files and folders that the processes read."""


@dataclass(frozen=True, slots=True)
class Processes:
    """The users as whom the server's processes run."""

    users: Sequence[User]
    is_one_persons: bool = False
    """True where whoever runs gemctl runs the server, too, with nobody else to own the files."""
    missing: Sequence[str] = ()
    """Users whom the units name, and whom there are not."""


def find_processes(server: Server) -> Processes:
    """As the units of systemd say; else `gem`, if there is such a user; else whoever asks. Raises OSError."""
    names = _users_of_units(server)
    if not names and is_user(Who.SERVER) and not _is_callers(server):
        names = [str(Who.SERVER)]
    if names:
        missing = [name for name in names if not name.isdecimal() and not is_user(name)]
        return Processes([find_user(name) for name in names if name not in missing], missing=missing)
    uid = os.getuid()
    caller = User(str(uid), uid, os.getgid(), frozenset([os.getgid(), *os.getgroups()]))
    return Processes([caller], is_one_persons=uid != 0)


def _users_of_units(server: Server) -> list[str]:
    """Of the units of this very code, without doubles; the user of one that names none is root."""
    if not units.SYSTEMD.exists() or not shutil.which("systemctl"):
        return []
    properties = ("LoadState", "User", "WorkingDirectory")
    done = subprocess.run(
        ["systemctl", "show", *(f"--property={name}" for name in properties), *units.UNITS],
        capture_output=True,
        text=True,
    )
    names = []
    for block in done.stdout.split("\n\n"):
        values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        folder = values.get("WorkingDirectory", "").lstrip("-!")
        is_ours = bool(folder) and Path(folder).resolve() == server.root.resolve()
        if is_ours and values.get("LoadState") == "loaded":
            names.append(values.get("User") or "root")
    return list(dict.fromkeys(names))


def _is_callers(server: Server) -> bool:
    """True for the code of somebody who is neither root nor the usual user of a server."""
    owner = server.root.stat().st_uid
    return owner == os.getuid() != 0 and find_user(str(owner)).name != Who.SERVER


def look_at_users(processes: Processes) -> Iterator[Finding]:
    """Say where the processes may do everything on the machine, or cannot even start."""
    for name in processes.missing:
        yield Finding(
            "user",
            f"there is no user {name}, whom the units of systemd name",
            f"adduser --system --group {name}",
        )
    if any(user.uid == 0 for user in processes.users):
        advice = f"Let systemd's units name User={Who.SERVER}, as those of deploy/systemd do."
        if not is_user(Who.SERVER):
            advice = f"adduser --system --group {Who.SERVER}; then gemctl doctor."
        yield Finding("user", "the server's processes run as root", advice)
    own = whom(Who.SERVER)
    for user in processes.users:
        if os.getuid() == 0 != user.uid and user.name != own:
            yield Finding(
                "user",
                f"a unit of systemd names {user.name}, and gemctl runs the server's commands as {own}",
                f"Let all units name User={Who.SERVER}: each would keep from the other what it writes.",
            )


def look_at_settings(server: Server, processes: Processes) -> Iterator[Finding]:
    """Say who can read or change the settings that should not, or cannot read them and should. Raises OSError."""
    path = server.settings_path
    if server.has_environment_alone or not server.has_file:
        return
    state = path.stat()
    users = [user for user in processes.users if user.uid != 0]
    strangers = _list_strangers(state, users)
    faults = _list_readers(state, users) + [
        f"can be read by {name}, who belongs to the group" for name in strangers
    ]
    if not processes.is_one_persons:
        faults += [f"cannot be read by {user.name}" for user in users if not may_reach(user, path, READ)]
    changers, above = _find_changers(path, state, [] if processes.is_one_persons else users)
    if not changers and state.st_mode & stat.S_IWGRP:
        faults.append(f"can be changed by the group {_name_group(state.st_gid)}")
    faults += [f"can be changed by {user.name}" for user in changers]
    if not faults:
        readers = f"the group {_name_group(state.st_gid)}" if state.st_mode & stat.S_IRGRP else "its owner"
        yield Finding("permissions", f"{path} is for {readers}")
        return
    is_roots = not processes.is_one_persons  # only root takes somebody out of a group
    advice = [f"gpasswd -d {name} {_name_group(state.st_gid)}" for name in strangers if is_roots]
    if not is_roots or len(faults) > len(strangers):
        advice += _protect_file(path, users, processes) + _protect_folders(above)
    yield Finding(
        "permissions",
        f"{path} {', '.join(faults)}",
        f"{'; '.join(advice)}: its keys open every match and account.",
    )


def _list_readers(state: os.stat_result, users: Sequence[User]) -> list[str]:
    """Say of the file's mode whether others than the server can read it."""
    if state.st_mode & stat.S_IRWXO:
        return ["can be read by others"]
    if state.st_mode & stat.S_IRWXG and not _is_own_group(state, users):
        return [f"can be read by the group {_name_group(state.st_gid)}"]
    return []


def _find_changers(path: Path, state: os.stat_result, users: Sequence[User]) -> tuple[list[User], list[Path]]:
    """Those of these users, and everybody, who can change or replace the file, and the folders above that let them."""
    changers, above = [user for user in users if user.may_change(state)], []
    for user in (EVERYBODY, *users):
        folders = list_changeable_above(user, path)
        above += folders
        if folders and user not in changers:
            changers.append(user)
    return changers, above


def _is_own_group(state: os.stat_result, users: Sequence[User]) -> bool:
    """True for the group of the server, root's, and one that is the owner's alone by its name."""
    if state.st_gid in {0, *(user.group for user in users)}:
        return True
    try:
        return find_user(str(state.st_uid)).name == _name_group(state.st_gid)
    except KeyError:
        return False


def _list_strangers(state: os.stat_result, users: Sequence[User]) -> list[str]:
    """Return the members of the group of the file who are no users of the server, where the group may read it."""
    if not state.st_mode & stat.S_IRGRP or not _is_own_group(state, users):
        return []
    try:
        members = grp.getgrgid(state.st_gid).gr_mem
    except KeyError:
        return []
    known = {0, state.st_uid, *(user.uid for user in users)}
    return [name for name in members if is_user(name) and find_user(name).uid not in known]


def _name_group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _protect_file(path: Path, users: Sequence[User], processes: Processes) -> list[str]:
    """The commands that let the server read the settings, and nobody else but their owner."""
    name = shlex.quote(str(path))
    if processes.is_one_persons or not users:
        return [f"chmod 600 {name}"]
    commands = []
    if not all(user.may(above.stat(), SEARCH) for user in users for above in path.resolve().parents):
        # Somebody's home, or root's: not a folder to be opened to others.
        commands.append(f"mv --no-clobber {name} {USUAL}")
        name = str(USUAL)
    group = _name_group(users[0].group)
    return [*commands, f"chown root:{group} {name}", f"chmod 640 {name}"]


def _protect_folders(folders: Sequence[Path]) -> list[str]:
    names = " ".join(shlex.quote(str(folder)) for folder in dict.fromkeys(folders))
    return [f"chown root:root {names}", f"chmod go-w {names}"] if names else []


def look_at_code(server: Server, processes: Processes) -> Iterator[Finding]:
    """Say which code those can change who are not to: root and all processes run it. Raises OSError."""
    users = [] if processes.is_one_persons else [user for user in processes.users if user.uid != 0]
    spared = [server.root / "staticfiles", server.root / "var", *_list_own_folders(server)]
    tops = list(dict.fromkeys([server.root, (server.root / ".venv").resolve()]))
    tops = [top for top in tops if top.exists() and (top == server.root or server.root not in top.parents)]
    for user in (EVERYBODY, *users):
        within = [path for top in tops for path in list_changeable(user, top, spared)]
        above = [folder for top in tops for folder in list_changeable_above(user, top)]
        if within or above:
            yield _say_code(server, user, tops, within, above, spared)
            break
    else:
        yield Finding("permissions", f"{server.root} is changed by its owner alone")
    for user in users:
        yield from _look_for_unreadable(server, user)


def _look_for_unreadable(server: Server, user: User) -> Iterator[Finding]:
    """Say what the processes need and cannot read, as where root has cloned the code for itself alone."""
    places = [path for name in CODE if (path := server.root / name).exists()]
    rights = {**dict.fromkeys(reversed(server.root.parents), SEARCH), server.root: READ | SEARCH}
    closed = [folder for folder, right in rights.items() if not user.may(folder.stat(), right)]
    if closed:
        names = " ".join(shlex.quote(str(folder)) for folder in closed)
        yield Finding(
            "permissions",
            f"the code cannot be reached by {user.name} through {_count(closed)}",
            f"chmod a+rx {names}, or move the code to a folder such as /srv.",
        )
        return
    unread = [
        path
        for place in places
        for path in list_unreadable(user, place.resolve())
        if "__pycache__" not in path.parts  # whose source does as well
    ]
    if unread:
        names = " ".join(shlex.quote(str(place.resolve())) for place in places)
        yield Finding(
            "permissions",
            f"{_count(unread)} cannot be read by {user.name}",
            f"chmod -R a+rX {names}",
        )


def look_at_pages(server: Server, processes: Processes) -> Iterator[Finding]:
    """Say where the server cannot collect the files of its pages, as `prepare` lets it do. Raises OSError."""
    try:
        folder = server.root / (server.settings.get("STATIC_ROOT") or "staticfiles")
    except WrongSettings:  # which are told by another check
        return
    if server.has_environment_alone or processes.is_one_persons or not folder.exists():
        return  # in a container they are in the image; where there are none, prepare says so
    for user in processes.users:
        state = folder.stat()
        others = [path for path in folder.rglob("*") if path.is_dir() and not user.may(path.stat(), WRITE)]
        if not user.may(state, WRITE | SEARCH) or others:
            yield Finding(
                "permissions",
                f"{folder} cannot be written by {user.name}",
                f"chown -R {user.name} {shlex.quote(str(folder))}: the files of the pages are collected there.",
            )


def _list_own_folders(server: Server) -> list[Path]:
    """The folders that the settings give to the server."""
    try:
        named = [server.settings.get(name) for name in ("STATIC_ROOT", "BACKUP_DIR")]
    except WrongSettings:  # which are told by another check
        named = []
    return [server.root / name for name in named if name]


def _say_code(
    server: Server,
    user: User,
    tops: Sequence[Path],
    within: Sequence[Path],
    above: Sequence[Path],
    spared: Sequence[Path],
) -> Finding:
    names = " ".join(shlex.quote(str(top)) for top in tops)
    advice = []
    if any(path.lstat().st_uid == user.uid for path in within):
        advice.append(f"chown -R root:root {names}")
        own = [shlex.quote(str(path)) for path in spared if path.exists() and server.root in path.parents]
        if own:
            advice.append(f"chown -R {user.name} {' '.join(own)}")
    if within:
        advice.append(f"chmod -R go-w {names}")
    return Finding(
        "permissions",
        f"{_count([*within, *above])} can be changed by {user.name}",
        f"{'; '.join([*advice, *_protect_folders(above)])}: whoever changes code or the folder above it does "
        "what root may.",
    )


def _count(paths: Sequence[Path]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
