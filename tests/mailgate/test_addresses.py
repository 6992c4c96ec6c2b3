"""Our addresses, and the traces of them in texts that others read."""

from __future__ import annotations

import pytest

from gemserver.lib import signing
from gemserver.lib.text.redaction import redact
from gemserver.mailgate.addresses import find_recipient, own_domains
from tests.builders import make_match, make_user

TOKEN = "abcdefghijklmnopqrstuvwx27"


@pytest.fixture
def seat(db):
    match = make_match(players=[make_user("ana"), make_user("ben")])
    return match.seats.get(index=1)


def test_a_seat_is_found_by_its_address_in_any_case(seat) -> None:
    for address in (seat.reply_address, seat.reply_address.upper(), f" <{seat.reply_address}> "):
        recipient = find_recipient(address)
        assert recipient is not None
        assert (recipient.kind, recipient.seat, recipient.user) == ("seat", seat, seat.user)


def test_an_account_is_found_by_its_address(seat, settings) -> None:
    """mail-requirements.md A5: the account has an address of its own, for commands about no match."""
    recipient = find_recipient(settings.ACCOUNT_REPLY.format(token=seat.user.token))
    assert recipient is not None
    assert (recipient.kind, recipient.seat, recipient.user) == ("account", None, seat.user)


def test_seat_and_account_tokens_are_not_exchangeable(seat, settings) -> None:
    """mail-requirements.md A5: a token's purpose follows from the way it was made."""
    assert find_recipient(settings.ACCOUNT_REPLY.format(token=seat.token)) is None
    assert find_recipient(settings.PLAY_REPLY.format(token=seat.user.token)) is None


def test_both_kinds_may_share_one_form_of_address(seat, settings) -> None:
    settings.PLAY_REPLY = settings.ACCOUNT_REPLY = "{token}@reply.example.org"
    found = [find_recipient(f"{token}@reply.example.org") for token in (seat.token, seat.user.token)]
    assert [recipient.kind for recipient in found if recipient] == ["seat", "account"]


def test_a_token_that_was_renewed_is_unknown(seat) -> None:
    old = seat.reply_address
    seat.token_generation += 1
    seat.token_hash = seat.current_token_hash()
    seat.save()
    assert find_recipient(old) is None
    assert find_recipient(seat.reply_address) is not None


def test_lobby_and_postmaster_are_ours(db, settings) -> None:
    settings.PLAY_ADDRESS = "Lobby@Example.org"
    settings.PLAY_REPLY = "play+{token}@reply.example.org"
    assert own_domains() == {"example.org", "reply.example.org", settings.MAIL_DOMAIN}
    kinds = {
        "lobby@example.org": "lobby",
        "postmaster@example.org": "postmaster",
        "Postmaster@REPLY.example.org": "postmaster",
        "Postmaster": "postmaster",
    }
    for address, kind in kinds.items():
        recipient = find_recipient(address)
        assert recipient is not None, address
        assert recipient.kind == kind


@pytest.mark.parametrize(
    "address",
    [
        "",
        "@",
        "<>",
        "play",
        "ana@example.org",
        "postmaster@elsewhere.example",
        f"play+{TOKEN}@gem.localhost",
        f"play+{TOKEN}@elsewhere.example",
        "play+@gem.localhost",
        "play+short@gem.localhost",
        f"play+{TOKEN}{TOKEN}{TOKEN}@gem.localhost",
        f"play+{TOKEN[:-1]}8@gem.localhost",
        f"play+{'é' * 26}@gem.localhost",
        f"play@gem.localhost{'.x' * 200}",
        "play+%s@gem.localhost" % ("a" * 100_000),
    ],
)
def test_what_is_not_ours(db, address: str) -> None:
    assert find_recipient(address) is None


def test_an_address_over_the_limits_of_smtp_is_not_ours_even_with_a_good_token(seat, settings) -> None:
    """mail-requirements.md A3: RFC 5321 §4.5.3.1."""
    settings.PLAY_REPLY = f"{'p' * 40}+{{token}}@example.org"
    assert find_recipient(seat.reply_address) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"write to play+{TOKEN}@gem.localhost now", "write to play+…@gem.localhost now"),
        (f"PLAY+{TOKEN.upper()}@GEM.localhost", "PLAY+…@GEM.localhost"),
        (f"me+{TOKEN}@gem.localhost,play+{TOKEN}@gem.localhost", "me+…@gem.localhost,play+…@gem.localhost"),
        (f"mailto:play%2B{TOKEN}%40gem.localhost?body=x", "mailto:play%2B…%40gem.localhost?body=x"),
        (f"http://localhost:8000/u/{TOKEN}/", "http://localhost:8000/u/…/"),
        (f"play+{TOKEN[:9]}=\r\n{TOKEN[9:]}@gem.localhost", "play+…@gem.localhost"),
        (f"play+{TOKEN}@elsewhere.example", f"play+{TOKEN}@elsewhere.example"),
        (f"a long word {TOKEN}", f"a long word {TOKEN}"),
        ("play@gem.localhost", "play@gem.localhost"),
    ],
)
def test_tokens_are_taken_out_of_texts(text: str, shown: str) -> None:
    """mail-requirements.md A8."""
    assert redact(text) == shown


def test_bare_tokens_are_taken_out_where_the_address_is_nothing_else(settings) -> None:
    settings.PLAY_REPLY = "{token}@reply.example.org"
    assert redact(f"to {TOKEN}@reply.example.org") == "to …@reply.example.org"
    assert redact(f"x{TOKEN}@reply.example.org") == f"x{TOKEN}@reply.example.org"


def test_a_real_address_leaves_no_token(seat) -> None:
    """mail-requirements.md A8."""
    assert len(seat.token) == signing.TOKEN_LENGTH
    assert seat.token not in redact(f"> To: {seat.reply_address}\n> bid 3")
