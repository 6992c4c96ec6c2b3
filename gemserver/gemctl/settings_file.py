"""The one file of settings: `NAME=value` lines that systemd, a shell and compose read alike."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

USUAL = Path("/etc/gemserver.env")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_.,:;/@%+={}\[\]?~-]*")
"""Values that mean the same to all three without quotes."""


class WrongSettings(Exception):
    """The file cannot be read; the message says which line, and what to write."""


Section = tuple[str, Mapping[str, str]]
"""A comment, and the variables below it."""


def read_settings(path: Path) -> dict[str, str]:
    """The variables of the file. Raises WrongSettings."""
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise WrongSettings(
            f"{path} cannot be read ({error.strerror}); make it with `gemctl init`."
        ) from error
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.strip().partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise WrongSettings(f"{path}, line {number}: write NAME=value, or # before a remark.")
        found[name] = _unquote(value, path, number)
    return found


def _unquote(value: str, path: Path, number: int) -> str:
    if _PLAIN.fullmatch(value):
        return value
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    if len(words) != 1 or ("$" in value and not value.startswith("'")):
        raise WrongSettings(f"{path}, line {number}: put the value in single quotes, NAME='the value'.")
    return words[0]


def write_settings(path: Path, sections: Sequence[Section], group: int | None = None) -> None:
    """Make the file, readable by its owner and this group alone. Raises FileExistsError, OSError."""
    lines = []
    for remark, values in sections:
        lines += [f"# {remark}", *(f"{name}={_quote(value)}" for name, value in values.items()), ""]
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w") as file:
        file.write("\n".join(lines))
        if group is not None:
            os.fchown(handle, -1, group)
            os.fchmod(handle, 0o640)


def change_setting(path: Path, name: str, value: str) -> None:
    """Give one variable another value, where its line stands; nobody sees half a file."""
    lines = path.read_text().splitlines()
    line = f"{name}={_quote(value)}"
    places = [place for place, text in enumerate(lines) if text.startswith(f"{name}=")]
    for place in places:
        lines[place] = line
    new = path.with_name(f"{path.name}.new")
    state = path.stat()
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "w") as file:
        file.write("\n".join([*lines, *([] if places else [line]), ""]))
        os.fchmod(handle, state.st_mode & 0o777)
        if os.getuid() == 0:
            os.fchown(handle, state.st_uid, state.st_gid)
    new.replace(path)


def _quote(value: str) -> str:
    if "'" in value or "\n" in value:
        raise WrongSettings(
            "A value has a single quote or a line end in it, which no settings file can hold."
        )
    return value if _PLAIN.fullmatch(value) else f"'{value}'"
