"""The secret key of a machine that was given none: made once, and kept in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.core.exceptions import ImproperlyConfigured


def stored_secret(path: Path) -> str:
    """Return the key in the file, writing a new one if there is none. Two processes that start at once agree.

    Raises ImproperlyConfigured where the file can neither be read nor made.
    """
    try:
        return _read_or_make(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"{path} cannot be read or made ({error.strerror}): run this as the user whose folder that is, or name a "
            "folder of your own as GEMSERVER_VAR."
        ) from error


def _read_or_make(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent) as file:  # created with mode 0600
            file.write(secrets.token_hex(32))
            file.flush()
            with suppress(FileExistsError):  # another process was first
                os.link(file.name, path)
    return path.read_text().strip()
