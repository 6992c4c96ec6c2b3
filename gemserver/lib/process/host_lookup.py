"""Bounds the look-up of a host's name, for which the C library may wait a minute, whatever timeout a socket has."""

from __future__ import annotations

import socket
from threading import Thread


def require_lookup(host: str, seconds: float) -> None:
    """Look the host up, to be called before it is connected to. Raises OSError where no answer comes in time.

    A name that does not exist is no matter of ours: connecting says so. The machine's own table of hosts counts.
    """
    thread = Thread(target=_look_up, args=(host,), name="host look-up", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"no name server has answered within {seconds:g} s for {host}")


def _look_up(host: str) -> None:
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # the latter for what can be no name of a host
        return
