"""`gemctl restore`: a server made again from a backup, on this machine or a new one."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from gemserver.gemctl.init import Unusable, read_database
from gemserver.gemctl.installed import Server, StepFailed, Who, become, call, group_of_server, is_user
from gemserver.gemctl.prepare import collect_files, compile_code, grant, split_password
from gemserver.gemctl.settings_file import change_setting, write_new

SETTINGS = "settings.env"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, help="written by gemctl backup; - for standard input, which must be a file"
    )
    parser.add_argument(
        "--database", help="an empty database, or one to be made; default: that of the settings"
    )
    parser.add_argument(
        "--switch", action="store_true", help="write this database into the settings when all is verified"
    )


def restore(server: Server, options: argparse.Namespace) -> int:
    """Restore, verify and get the pages ready; the exit status. Settings that are missing come from the backup, too.

    Raises StepFailed where the database is whole, and something else was not done.
    """
    if not _is_usable(options):
        return 2
    path = Path("/dev/stdin") if str(options.file) == "-" else options.file
    try:
        source = path.open("rb")
    except OSError as error:
        print(f"{options.file} cannot be read: {error.strerror}. Name a backup.", file=sys.stderr)
        return 1
    with source:
        if not source.seekable():
            print(
                f"{options.file} is a pipe, and a restore reads its file twice: write it to a disk first.",
                file=sys.stderr,
            )
            return 2
        if not (server.has_file or server.has_environment_alone or _take_settings(server, path)):
            return 1
        address = (
            options.database or server.settings.get("OWNER_DATABASE_URL") or server.settings["DATABASE_URL"]
        )
        _make_database(address)
        status = call(
            [*become(Who.OWNER), server.python, "manage.py", "restore", "-"],
            cwd=server.root,
            env={**server.environment(Who.OWNER), "DATABASE_URL": address},
            stdin=source,
        )
    if status:
        return status
    if server.has_two_roles:
        grant(server, address)
    compile_code(server)
    collect_files(server)
    if options.switch:
        _switch(server, address)
    print(
        "Next: start the processes, then gemctl doctor. They send what was to be sent, and act on deadlines."
    )
    return 0


def _is_usable(options: argparse.Namespace) -> bool:
    """Return whether `--switch` and `--database` go together and can be read; say so if not."""
    if options.switch and not options.database:
        print("--switch goes with --database: it writes that one into the settings.", file=sys.stderr)
        return False
    if options.database:
        try:
            read_database(options.database)
        except Unusable as error:
            print(f"--database: {error}", file=sys.stderr)
            return False
    return True


def _switch(server: Server, address: str) -> None:
    """Write the database into the settings, for the owner of its tables and for the server. Raises StepFailed."""
    for name, value in switched(server.settings, address).items():
        if server.has_environment_alone:
            print(f"Give the containers {name}={split_password(value)[0]}, with its password.")
            continue
        try:
            change_setting(server.settings_path, name, value)
        except OSError as error:
            raise StepFailed(
                "switch", f"{server.settings_path}: {error.strerror}. Write {name} into it yourself."
            ) from error
        print(f"{name} in {server.settings_path} is {split_password(value)[0]} now.")


def switched(settings: Mapping[str, str], address: str) -> dict[str, str]:
    """The variables by which all go on with the database at this address of its owner."""
    owners = settings.get("OWNER_DATABASE_URL")
    if not owners:
        return {"DATABASE_URL": address}
    own, former, new = urlsplit(settings["DATABASE_URL"]), urlsplit(owners), urlsplit(address)
    user, at, place = own.netloc.rpartition("@")
    if _place(former) != _place(new):  # else the server may have a way of its own, such as a pooler
        place = _place(new)
    query = f"?{own.query}" if own.query else ""
    return {
        "OWNER_DATABASE_URL": address,
        "DATABASE_URL": f"{own.scheme}://{user}{at}{place}{new.path}{query}",
    }


def _place(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _take_settings(server: Server, backup: Path) -> bool:
    """Write the settings of the backup where they belong; False where it has none."""
    try:
        with zipfile.ZipFile(backup) as archive:
            content = archive.read(SETTINGS)
    except (zipfile.BadZipFile, KeyError, OSError):
        print(
            f"{server.settings_path} is missing, and no settings can be read in the backup. Put the file there that "
            "was kept; without its keys nobody could answer the mails in their mailboxes.",
            file=sys.stderr,
        )
        return False
    try:
        write_new(server.settings_path, content, group_of_server())
    except OSError as error:
        print(
            f"{server.settings_path} cannot be written ({error.strerror}); name another with --settings.",
            file=sys.stderr,
        )
        return False
    print(f"{server.settings_path} is written from the backup; look whether its addresses fit this machine.")
    return True


def _make_database(address: str) -> None:
    """Make it on this machine where root may, unless it is there; elsewhere its owner has made it."""
    parts = urlsplit(address)
    if os.getuid() == 0 and not parts.hostname and "host=" not in parts.query and is_user("postgres"):
        subprocess.call(
            ["runuser", "-u", "postgres", "--", "createdb", "--owner", Who.OWNER, parts.path.strip("/")],
            stderr=subprocess.DEVNULL,
        )
