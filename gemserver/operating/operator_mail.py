"""Mail to the operators, sent past the outbox, which may be what is in trouble."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import EmailMessage

from gemserver.lib import signing


def mail_operators(subject: str, body: str, *, about: tuple[str, int]) -> None:
    """Send it to all of `OPERATORS`; does nothing if there are none. Raises whatever the relay raises.

    `about`: a kind and a number that the Message-ID is made from, so that a duplicate can be recognised.
    """
    if not settings.OPERATORS:
        return
    kind, number = about
    EmailMessage(
        subject=f"{settings.SITE_URL.partition('://')[2]}: {subject}",
        body=body,
        to=settings.OPERATORS,
        headers={
            "Message-ID": f"<o.{number}.{signing.mac(kind, number)}@{settings.MAIL_DOMAIN}>",
            "Auto-Submitted": "auto-generated",
            "X-Auto-Response-Suppress": "OOF, AutoReply, DR, RN, NRN",
        },
    ).send()
