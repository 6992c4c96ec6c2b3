"""An address that only looks like a player's, or equals it in some database's upper case, is somebody else's."""

from __future__ import annotations

from email.utils import format_datetime
from typing import Any

import pytest
from django.test import Client

from gemserver.accounts import bans
from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.newcomers import create_account
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_table, make_user

LOBBY = "play@gem.localhost"
NEARLY_KIM = ["\u212aim@example.org", "k\u0131m@example.org", "\uff4bim@example.org", "kim@\uff45xample.org"]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    settings.MAIL_AUTH = "normal"


@pytest.fixture
def kim() -> User:
    return make_user("kim")


def write(author: str, to: str, text: str) -> InboundEmail:
    fields = [
        f"From: {author}",
        f"To: {to}",
        f"Date: {format_datetime(clock.now())}",
        f"Message-ID: <{author}.{text}>",
    ]
    raw = "\n".join([*fields, "", text, ""])
    row = ingest(raw.encode(), author, to, "smtp", {"dmarc": "pass"})
    processing.process_stored()
    row.refresh_from_db()
    return row


@pytest.mark.parametrize("author", NEARLY_KIM)
def test_no_letter_of_another_alphabet_passes_for_a_players(author: str, kim: User) -> None:
    """mail-requirements.md S1: U+212A in From passed as k."""
    match = make_match(players=[kim, make_user("ben")], now=clock.now())
    seat = next(seat for seat in match.seats.select_related("user", "match") if seat.user == kim)
    assert write(author, seat.reply_address, "say hello").code == "foreign-sender"
    assert write(author, LOBBY, "mail off").state == "dropped"
    kim.refresh_from_db()
    assert kim.mail_mode != "off"
    assert owner_of(author) is None


def test_a_players_address_is_known_in_any_case_and_by_both_forms_of_its_domain() -> None:
    rosa = create_account("Rosa@Bücher.example")
    for author in ("rosa@xn--bcher-kva.example", "ROSA@bücher.EXAMPLE"):
        assert owner_of(author) == rosa
        assert write(author, LOBBY, "games").user == rosa
    assert create_account("rosa@XN--bcher-kva.example") == rosa


@pytest.mark.parametrize("address", ["\u212aim@example.org", "k\u0131m@example.org"])
def test_nothing_is_ever_sent_to_such_an_address(address: str, kim: User) -> None:
    form = {"email": address, "username": "newcomer", "password1": "a-long-one-1"}
    Client().post("/accounts/signup/", form)
    Client().post("/accounts/login/code/", {"email": address})
    Client().post("/accounts/password/reset/", {"email": address})
    table: Match = make_table(seats=3, creator=kim, now=clock.now())
    with pytest.raises(Refused, match="no mail address"):
        invite(table.pk, kim, address, now=clock.now())
    write(address, LOBBY, "help")
    assert all(to.isascii() for to in OutboxMessage.objects.values_list("to", flat=True))
    assert not User.objects.exclude(pk=kim.pk).filter(is_active=True, emailaddress__verified=True).exists()


def test_a_ban_holds_in_any_form_of_the_address() -> None:
    bans.ban_address("Troll@Bücher.example", "no", now=clock.now())
    assert bans.ban_of_address("troll@xn--bcher-kva.example")
    assert write("troll@BÜCHER.example".replace("Ü", "ü"), LOBBY, "join gem").code == "banned"


def test_an_address_that_mail_comes_back_from_is_one_in_any_form() -> None:
    from gemserver.notify.bounces import TrustedReport, note
    from gemserver.notify.models import DeliveryEvent

    create_account("rosa@bücher.example")
    hard = DeliveryEvent.Kind.HARD_BOUNCE
    note(TrustedReport(hard, "ROSA@Bücher.example", clock.now(), "dsn", "1"), now=clock.now())
    assert UnreachableAddress.objects.get().address == "rosa@xn--bcher-kva.example"
    assert owner_of("rosa@bücher.example").mail_address() is None  # type: ignore[union-attr]
