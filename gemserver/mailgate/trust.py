"""Decides whose verdicts on a sender count, for each way in by which mail comes: the one place that does.

See mail-requirements.md S2.

A sender writes the mail, and can write into it anything that a server would write about him. So a verdict counts only
if the sender cannot have written it; otherwise it is `none`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from gemserver.lib.text.mail_address import domain_of
from gemserver.mailgate.header import ParsedMail
from gemserver.mailgate.reading.authentication_results import read_verdicts

METHODS = ("dmarc", "dkim", "spf")


@dataclass(frozen=True, slots=True)
class Way:
    """One way in.

    `told`: methods whose verdict reaches the receiver apart from the mail: its own, or one beside the mail in a
    provider's post. `has_server`: the mail comes from a mail server that writes `Authentication-Results` on top of it,
    under the name `MAIL_AUTHSERV_ID`, and removes those that senders wrote under that name; the topmost field counts
    then, and no other, but for a fail.
    """

    told: frozenset[str] = frozenset()
    has_server: bool = False


ALL = frozenset(METHODS)
NOBODY = Way()

WAYS: Mapping[str, Way] = {
    "smtp": Way(told=ALL),  # `receivers.proof` has asked DNS, or nobody has
    "lmtp": Way(has_server=True),
    "pipe": Way(has_server=True),
    "imap": Way(has_server=True),
    "amazon_ses": Way(told=ALL),
    "sendgrid": Way(told=ALL),  # its DMARC follows from an aligned signature
    # Their verdicts are fields of the mail, which they do not remove if the sender wrote them, or there are none.
    "brevo": NOBODY,
    "mailersend": NOBODY,
    "mailgun": NOBODY,
    "mailjet": NOBODY,
    "mailtrap": NOBODY,
    "mandrill": NOBODY,
    "postal": NOBODY,
    "postmark": NOBODY,
    "resend": NOBODY,
    "sparkpost": NOBODY,
}
"""By the receiver's name; for webhooks, by the provider's."""


def verdicts(
    way_in: str, told: Mapping[str, str], envelope_from: str, mail: ParsedMail | None
) -> dict[str, str]:
    """The verdicts on the sender of a mail that came this way: `pass`, `fail` or `none` for each method.

    `told`: the receiver's own. `spf_aligned` is `pass` if SPF passed for the very domain in From: then the mail comes
    from its own servers, and was not forwarded by anybody else. That alone proves a mail of which a signature covers a
    part of the text (RFC 6376 §8.2).
    """
    found = _verdicts(way_in, told, envelope_from, mail)
    if mail and mail.is_partly_signed and found["dmarc"] == "pass" and found["spf_aligned"] != "pass":
        return {**found, "dmarc": "none"}
    return found


def _verdicts(
    way_in: str, told: Mapping[str, str], envelope_from: str, mail: ParsedMail | None
) -> dict[str, str]:
    way = WAYS.get(way_in, NOBODY)
    author = mail.from_addresses[0] if mail and len(mail.from_addresses) == 1 else ""
    if way.has_server and mail is not None:
        return read_verdicts(mail.authentication_results, settings.MAIL_AUTHSERV_ID, author)
    known = {method: _plain(told.get(method, "")) if method in way.told else "none" for method in METHODS}
    is_aligned = known["spf"] == "pass" and domain_of(author) == domain_of(envelope_from) != ""
    return {**known, "spf_aligned": "pass" if is_aligned else "none"}


def _plain(verdict: str) -> str:
    return verdict if verdict in {"pass", "fail"} else "none"
