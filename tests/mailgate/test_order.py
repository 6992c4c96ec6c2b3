"""Mails count in the order in which this server received them, never by what their `Date:` says (I4)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.models import InboundEmail
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db


def test_the_mail_that_was_received_first_is_read_first() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    seat = match.seats.select_related("user", "match").get(is_waiting=True)
    assert seat.user
    now = clock.now()
    later = letter(seat, "bid 2", Date="Fri, 06 Mar 2026 09:00:00 +0000")
    earlier = letter(seat, "bid 1", Date="Fri, 06 Mar 2026 12:00:00 +0000")
    for raw, received_at in ((later, now), (earlier, now - timedelta(seconds=5))):
        ingest(raw, seat.user.email, seat.reply_address, "imap", {}, received_at=received_at)
    processing.process_stored()
    assert match.moves.get(ply=1).text == "bid 1"
    states = InboundEmail.objects.order_by("received_at").values_list("state", flat=True)
    assert list(states) == ["done", "refused"]


def test_a_worker_makes_room_after_a_while_and_the_rest_is_read_next() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    for seat in match.seats.select_related("user", "match"):
        assert seat.user
        ingest(letter(seat, "bid 1"), seat.user.email, seat.reply_address, "smtp", {})
    assert processing.process_stored(longest=-1) == 1
    assert InboundEmail.objects.filter(state="stored").count() == 1
    assert processing.process_stored() == 1
