"""Send a mail from the mail room: by SMTP to the server's own receiver, as any mail program would."""

from __future__ import annotations

import smtplib
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.utils import localtime, make_msgid

from django.conf import settings
from django.utils.translation import gettext as _

from gemserver.inbox.models import InboundEmail
from gemserver.site.mailroom.letters import Letter

TIMEOUT = 5
# One line for each header, up to the limit of RFC 5322 §2.1.1: Message-IDs must not be folded inside.
_POLICY = policy.SMTP.clone(max_line_length=998)


class NotPosted(Exception):
    """The receiver did not accept the mail; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class NewMail:
    """A mail to be sent; `answers` is the mail it replies to."""

    sender: str
    to: str
    subject: str
    body: str
    answers: Letter | None = None


def post(draft: NewMail) -> InboundEmail:
    """Send the mail and return the row in which the receiver stored it. Raises NotPosted."""
    mail = _assemble(draft)
    where = {"host": settings.SMTP_HOST, "port": settings.SMTP_PORT}
    try:
        with smtplib.SMTP(settings.SMTP_HOST, settings.SMTP_PORT, timeout=TIMEOUT) as smtp:
            smtp.send_message(mail, from_addr=draft.sender, to_addrs=[draft.to])
    except smtplib.SMTPRecipientsRefused as error:
        _code, answer = next(iter(error.recipients.values()))
        raise NotPosted(
            _("The server takes no mail for %(to)s. It answered: %(answer)s")
            % {"to": draft.to, "answer": answer.decode(errors="replace")}
        ) from error
    except smtplib.SMTPException as error:
        raise NotPosted(_("The mail receiver did not take it: %(error)s") % {"error": error}) from error
    except OSError as error:
        raise NotPosted(
            _(
                "The mail receiver at %(host)s:%(port)s does not answer. "
                "Stop the server, start it again and send this once more."
            )
            % where
        ) from error
    row = InboundEmail.objects.filter(message_id=mail["Message-ID"].strip("<>")).order_by("-pk").first()
    if row is None:
        raise NotPosted(
            _("Somebody else's mail receiver answered at %(host)s:%(port)s. Choose another SMTP_PORT.")
            % where
        )
    return row


def _assemble(draft: NewMail) -> EmailMessage:
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = draft.sender
    mail["To"] = draft.to
    mail["Subject"] = " ".join(draft.subject.split())
    mail["Date"] = localtime()
    mail["Message-ID"] = make_msgid(domain=draft.sender.rpartition("@")[2])
    if draft.answers:
        parent = draft.answers.header("Message-ID")
        mail["In-Reply-To"] = parent
        mail["References"] = f"{draft.answers.header('References')} {parent}".strip()
    mail.set_content(draft.body.replace("\r\n", "\n"))
    return mail
