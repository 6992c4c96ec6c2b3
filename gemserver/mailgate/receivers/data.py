"""Reads the data of a mail in SMTP and LMTP (RFC 5321 §4.5.2)."""

from __future__ import annotations

import asyncio

END = b"\r\n.\r\n"
"""Only this ends the data: a lone LF or CR is part of a line, or two mails could be hidden in one (SMTP smuggling)."""
PIECE = 1 << 20
"""More than the reader holds at a time."""


async def read_data(reader: asyncio.StreamReader, most: int) -> bytes | None:
    """Read to the end of the data; return it without the dots that stand for the protocol, None if it is over `most`.

    In pieces as they come, not in lines: a megabyte of empty lines takes half a million steps, and as many objects.
    What the sender says behind the end is left to be read. Raises ConnectionResetError if the connection is lost.
    """
    # As if a line had ended, so that a dot at once is the end of a mail without a line.
    read = bytearray(b"\r\n")
    is_whole = True
    while True:
        searched = max(0, len(read) - len(END) + 1)
        piece = await reader.read(PIECE)
        if not piece:
            raise ConnectionResetError("the connection was lost in the data of a mail")
        read += piece
        end = read.find(END, searched)
        if end >= 0:
            break
        if len(read) > most + len(END):
            is_whole = False
            del read[: 1 - len(END)]
    if behind := bytes(read[end + len(END) :]):
        reader.feed_data(behind)  # nothing else is in it: the last piece was all that it held
    del read[end + 2 :]
    return bytes(read.replace(b"\r\n.", b"\r\n")[2:]) if is_whole and len(read) - 2 <= most else None
