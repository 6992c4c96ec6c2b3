"""The one file of settings: `NAME=value` lines that systemd, a shell and compose read alike."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

USUAL = Path("/etc/gemserver.env")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_.,:/@%+={}\[\]?-]*")
"""Values that are written without quotes."""
_UNQUOTED = re.compile(r"(?!~)(?:(?!:~)[^\s'\"\\$`;&|<>()])*")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"\\$`]*)\"")
"""Values that mean the same to all three without quotes, and with them."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


class WrongSettings(Exception):
    """The file cannot be read; the message says which line, and what to write."""


Section = tuple[str, Mapping[str, str]]
"""A comment, and the variables below it."""


def read_settings(path: Path) -> dict[str, str]:
    """The variables of the file. Raises WrongSettings."""
    found = {}
    for number, line in enumerate(_read_lines(path), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _CONTROL.search(line):
            raise WrongSettings(
                f"{path}, line {number}: it has a control character in it, such as the one with which Windows ends "
                f"lines, and a shell takes it for a part of the value. sed -i 's/\\r$//' {path} takes those away."
            )
        name, equals, value = line.strip().partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise WrongSettings(f"{path}, line {number}: write NAME=value, or # before a remark.")
        found[name] = _unquote(value, path, number)
    return found


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8").split("\n")
    except FileNotFoundError as error:
        raise WrongSettings(
            f"{path} is not there; make it with `gemctl init`, or name another with --settings."
        ) from error
    except PermissionError as error:
        raise WrongSettings(
            f"{path} cannot be read ({error.strerror}): run this as root, or as the server's user."
        ) from error
    except OSError as error:
        raise WrongSettings(
            f"{path} cannot be read ({error.strerror}); name a file with --settings."
        ) from error
    except UnicodeDecodeError as error:
        raise WrongSettings(f"{path} is not written in UTF-8; save it so.") from error


def _unquote(value: str, path: Path, number: int) -> str:
    if _UNQUOTED.fullmatch(value):
        return value
    if quoted := _QUOTED.fullmatch(value):
        return quoted[1] if quoted[1] is not None else quoted[2]
    raise WrongSettings(f"{path}, line {number}: put the value in single quotes, NAME='the value'.")


def write_settings(path: Path, sections: Sequence[Section], group: int | None = None) -> None:
    """Make the file, readable by its owner and this group alone. Raises FileExistsError, OSError."""
    lines = []
    for remark, values in sections:
        lines += [f"# {remark}", *(f"{name}={_quote(value)}" for name, value in values.items()), ""]
    write_new(path, "\n".join(lines).encode(), group)


def write_new(path: Path, content: bytes, group: int | None) -> None:
    """Make a file for its owner and this group alone; none where it cannot be whole. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            if group is not None:
                os.fchown(handle, -1, group)
                os.fchmod(handle, 0o640)
            _write_whole(file, content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def change_setting(path: Path, name: str, value: str) -> None:
    """Give one variable another value, where its line stands; nobody sees half a file. Raises OSError."""
    path = path.resolve()
    lines = path.read_text("utf-8").split("\n")
    line = f"{name}={_quote(value)}"
    places = [place for place, text in enumerate(lines) if text.startswith(f"{name}=")]
    for place in places:
        lines[place] = line
    while lines and not lines[-1]:
        lines.pop()
    state = path.stat()
    handle, new = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, state.st_mode & 0o777)
            if os.getuid() == 0:
                os.fchown(handle, state.st_uid, state.st_gid)
            _write_whole(file, "\n".join([*lines, *([] if places else [line]), ""]).encode())
        Path(new).replace(path)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise


def _write_whole(file: IO[bytes], content: bytes) -> None:
    """Write it so that it is there after a power cut, too: lost keys cannot be made again."""
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _quote(value: str) -> str:
    if "'" in value or _CONTROL.search(value):
        raise WrongSettings(
            "A value has a single quote or a line end in it, which no settings file can hold."
        )
    return value if _PLAIN.fullmatch(value) else f"'{value}'"
