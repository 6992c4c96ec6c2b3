"""Files that a command reads, standard input too."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from games.contract import GameError, Translator
from games.record import LONGEST_RECORD, Record, read_record
from games.record_headers import UnreadableRecord

LONGEST_FILE = 4 * LONGEST_RECORD
"""Bytes of a file with a record; of a longer one nothing is read into memory."""


def read_record_file(name: str, tr: Translator) -> Record:
    """Read the record in this file, `-` for standard input. Raises UnreadableRecord."""
    record = read_record(read_text(name, UnreadableRecord, LONGEST_FILE))
    for header in record.unknown:
        note = tr.gettext("note: the header {name}: is not known and was ignored")
        print(note.format(name=header), file=sys.stderr)
    return record


def read_text(name: str, unreadable: type[GameError], most: int | None = None) -> str:
    """Read this file, `-` for standard input, of so many bytes at most; a failure is raised as `unreadable`."""
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            raw = file.read(-1 if most is None else most + 1)
        if most is not None and len(raw) > most:
            raise unreadable("too-long", "{name} has more than {most} bytes.", name=name, most=most)
        return raw.decode("utf-8")
    except OSError as error:
        raise name_trouble(name, error, unreadable) from error
    except UnicodeDecodeError as error:
        raise unreadable(
            "not-utf-8", "{name} is not written in UTF-8. Save it in UTF-8 and try again.", name=name
        ) from error


def create(name: str) -> Path:
    """Create this file, so that it is refused before there is something to be lost.

    Raises GameError (`exists`, `no-file`).
    """
    try:
        Path(name).touch(exist_ok=False)
    except FileExistsError as error:
        raise GameError("exists", "{name} is there already. Name a new file.", name=name) from error
    except OSError as error:
        raise name_trouble(name, error, GameError) from error
    return Path(name)


def name_trouble(name: str, error: OSError, unreadable: type[GameError]) -> GameError:
    """The refusal of a file that the system does not hand over, with the system's reason."""
    return unreadable("no-file", "{name}: {reason}.", name=name, reason=error.strerror or "unreadable")
