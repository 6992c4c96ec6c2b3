"""Reports this process's state to systemd (sd_notify(3)): one datagram to the socket that NOTIFY_SOCKET names."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> None:
    """Send a state such as `READY=1` or `WATCHDOG=1` to the service manager; does nothing where none listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.setblocking(False)
        try:
            channel.sendto(state.encode(), address)
        except OSError:
            return  # it is restarting, or its queue is full; the next message comes soon
