"""`manage.py receive_mail < file.eml`: takes one mail from a pipe (`/etc/aliases`, sieve, procmail)."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from gemserver.lib.database import patience
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.reading.header_fields import HeaderFields
from gemserver.mailgate.receivers.recipients import envelope_sender, header_of, own_addresses


class Command(BaseCommand):
    help = (
        "Store one mail from standard input. Exit status as in sysexits.h: 0 stored, 65 no mail or too "
        "large, 67 for none of our addresses, 75 try again later."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to", help="envelope recipient; without it the header is searched for an address of ours"
        )
        parser.add_argument("--from", dest="sender", help="envelope sender; without it Return-Path or From")

    def handle(self, *, to: str | None, sender: str | None, **options: Any) -> None:
        patience.serve_as(patience.MAIL)
        raw = sys.stdin.buffer.read(settings.MAIL_SIZE_LIMIT + 1)
        fields = _fields(raw)
        try:
            recipient = _own_address(to, fields)
            row = ingest(raw, envelope_sender(fields) if sender is None else sender, recipient, "pipe", {})
        except DatabaseError as error:
            raise CommandError(
                f"The mail could not be stored now: {error}", returncode=os.EX_TEMPFAIL
            ) from error
        self.stdout.write(f"Stored as mail {row.pk}." if row else "The same mail came long ago.")


def _fields(raw: bytes) -> HeaderFields:
    if len(raw) > settings.MAIL_SIZE_LIMIT:
        raise CommandError(
            f"The mail is larger than {settings.MAIL_SIZE_LIMIT} bytes; send a shorter one.",
            returncode=os.EX_DATAERR,
        )
    fields = header_of(raw)
    if not fields.fields:
        raise CommandError("This is no mail: it has no header.", returncode=os.EX_DATAERR)
    return fields


def _own_address(to: str | None, fields: HeaderFields) -> str:
    """The address named, if it is ours; if none is named, the first of ours in the header."""
    ours = own_addresses([to] if to else [], HeaderFields(()) if to else fields)
    if not ours:
        raise CommandError("The mail is for none of our addresses.", returncode=os.EX_NOUSER)
    return ours[0]
