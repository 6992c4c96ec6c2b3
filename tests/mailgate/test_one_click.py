"""The mail that a program sends when its user presses *Unsubscribe* (mail-requirements.md U3)."""

from __future__ import annotations

from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match
from gemserver.matches.notifications import Wishes
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.mailgate.posting import sent_to

pytestmark = pytest.mark.django_db

PROGRAM = "Apple Mail sent this email to unsubscribe from the message “Your turn”."


@pytest.fixture
def ana() -> User:
    make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    return User.objects.get(username="ana")


def find_mailto(user: User) -> tuple[str, str]:
    """The address and the subject in List-Unsubscribe of the player's first mail."""
    _, _, described = sent_to(user)[0].extra_headers["List-Unsubscribe"].partition("<mailto:")
    asked = urlsplit(f"mailto:{described.rstrip('>')}")
    return asked.path, unquote(asked.query.removeprefix("subject="))


def press(
    user: User,
    *,
    sender: str = "",
    envelope_from: str | None = None,
    subject: str = "",
    fields: dict[str, str] | None = None,
) -> InboundEmail:
    """Send the mail that List-Unsubscribe of the player's last mail describes."""
    address, described = find_mailto(user)
    letter = EmailMessage()
    letter["From"], letter["To"] = sender or user.email, address
    letter["Subject"] = subject or described
    letter["Message-ID"] = f"<{InboundEmail.objects.count()}@mail.example.net>"
    for name, value in (fields or {"Auto-Submitted": "auto-generated"}).items():
        letter[name] = value
    letter.set_content(PROGRAM)
    from_ = user.email if envelope_from is None else envelope_from
    row = ingest(letter.as_bytes(), from_, address, "smtp", {"dmarc": "none"})
    processing.process_stored()
    row.refresh_from_db()
    return row


def is_mailed(user: User, topic: str = "") -> bool:
    """True if mail of this kind is sent, by default of the kind that that first mail is of."""
    topic = topic or find_mailto(user)[1].removeprefix("unsubscribe ")
    user.refresh_from_db()
    return Wishes.of(user).channel(topic, None) == "mail"


@pytest.mark.parametrize(
    "fields",
    [
        {"Auto-Submitted": "auto-generated"},
        {"Auto-Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"X-Autoreply": "yes"},
    ],
)
def test_it_counts_though_it_says_that_a_machine_wrote_it(ana: User, fields: dict[str, str]) -> None:
    row = press(ana, fields=fields)
    assert row.state == "done"
    assert not is_mailed(ana)
    assert not OutboxMessage.objects.filter(kind="receipt").exists(), "the link answers nobody either"


def test_it_counts_whoever_sends_it_and_without_a_sender(ana: User) -> None:
    """Mail that is sent on to another account is stopped from there."""
    assert press(ana, sender="ana@elsewhere.example", envelope_from="").state == "done"
    assert not is_mailed(ana)


def test_it_stops_the_kind_of_mail_that_its_subject_names(ana: User) -> None:
    assert press(ana, subject="unsubscribe talk").state == "done"
    assert is_mailed(ana)
    assert not is_mailed(ana, "talk")


def test_without_a_kind_it_stops_all(ana: User) -> None:
    press(ana, subject="Unsubscribe")
    ana.refresh_from_db()
    assert ana.mail_mode == "off"


@pytest.mark.parametrize(
    "subject", ["Unsubscribe me", "unsubscribe all the rest", "Re: unsubscribe", "mail off"]
)
def test_any_other_mail_of_a_machine_is_dropped(ana: User, subject: str) -> None:
    assert press(ana, subject=subject).state == "dropped"
    assert is_mailed(ana)


def test_our_own_mail_that_comes_back_stops_nothing(ana: User) -> None:
    assert press(ana, fields={"X-Gemserver-Loop": "gem.localhost"}).state == "dropped"
    assert press(ana, sender="play@gem.localhost").state == "dropped"
    assert is_mailed(ana)


def test_at_the_address_of_a_match_it_is_no_command(ana: User) -> None:
    seat = Match.objects.get().seats.select_related("match").get(user=ana)
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = ana.email, seat.reply_address, "unsubscribe"
    letter["Auto-Submitted"] = "auto-replied"
    letter.set_content("I am away.")
    row = ingest(letter.as_bytes(), ana.email, seat.reply_address, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert row.state == "dropped"
