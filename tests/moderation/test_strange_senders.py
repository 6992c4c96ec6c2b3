"""Mails with no From, several, or unusual ones: each has its page, with a ban for every address it names."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from gemserver.accounts.models import Ban
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Seat
from tests.builders import make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

ENVELOPE = "Env/elope@example.net"
FORM = {"reason": "rude", "note": "Insults.", "request_key": "k"}


def received(seat: Seat, sender: str | None, envelope: str = ENVELOPE, number: int = 1) -> InboundEmail:
    fields = [] if sender is None else [f"From: {sender}"]
    fields += [f"To: {seat.reply_address}", "Subject: x", f"Message-ID: <{number}@example.net>", "", "bid 1"]
    row = ingest(
        "\r\n".join(fields).encode("utf-8", "surrogateescape"), envelope, seat.reply_address, "smtp", {}
    )
    processing.process_stored()
    row.refresh_from_db()
    return row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sender", "named"),
    [
        ("who/ever@example.net", ["who/ever@example.net"]),
        ("=?utf-8?q?who?= <a/b/../c@example.net>", ["a/b/../c@example.net"]),
        ("a%2Fb_2F?x#y&z=1+2@example.net", ["a%2fb_2f?x#y&z=1+2@example.net"]),
        ('"a b/c"@example.net', ['"a b/c"@example.net']),
        ("\u202etxt.\u00e9@example.net", None),
        ("A@example.net, b/c@example.net", ["a@example.net", "b/c@example.net"]),
        (None, [ENVELOPE.lower()]),
        ("nobody in particular", [ENVELOPE.lower()]),
        ("", [ENVELOPE.lower()]),
        (f"{'a' * 64}@{'b' * 190}", [f"{'a' * 64}@{'b' * 190}"]),
    ],
)
def test_whoever_a_mail_names_can_be_banned_from_its_page(asked: Seat, sender, named) -> None:
    row = received(asked, sender)
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    page = moderator.get(reverse("admin:inbox_inboundemail_change", args=[row.pk]))
    assert page.status_code == 200
    links = [link for link in read(page).links if "/ban-address/" in link]
    assert len(links) == len(named or [None])
    for number, link in enumerate(links):
        assert moderator.get(link).status_code == 200
        assert moderator.post(link, FORM | {"request_key": f"k{number}"}).status_code == 302
    banned = list(Ban.objects.order_by("pk").values_list("address", flat=True))
    assert banned == (named or banned)
    again = received(asked, sender, number=2)
    assert (again.state, again.code) == ("dropped", "banned")
    assert not asked.match.moves.exists()


def test_a_mail_that_names_nobody_says_so(asked: Seat) -> None:
    row = received(asked, None, envelope="")
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    page = moderator.get(reverse("admin:inbox_inboundemail_change", args=[row.pk]))
    assert page.status_code == 200
    assert "names no sender's address" in read(page).text
    assert not [link for link in read(page).links if "/ban-address/" in link]


def test_the_address_of_an_action_is_one_part_of_its_path(asked: Seat) -> None:
    row = received(asked, "a/b@example.net")
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    page = read(moderator.get(reverse("admin:inbox_inboundemail_change", args=[row.pk])))
    [link] = [link for link in page.links if "/ban-address/" in link]
    assert re.fullmatch(r"/admin/actions/ban-address/[^/]+/", link)
    assert moderator.get(f"/admin/actions/ban-address/{'a' * 400}@example.net/").status_code == 404


def test_an_envelope_with_what_no_database_keeps_is_stored_all_the_same(asked: Seat) -> None:
    row = received(asked, "a@example.net", envelope="a\0b\udcff@example.net")
    assert row.envelope_from == "a\ufffdb\ufffd@example.net"
