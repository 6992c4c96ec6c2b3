"""`player NAME`: what the player's page says, as a mail."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.matches.models import Match
from gemserver.ratings import counting
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.ratings.rated import rate

pytestmark = pytest.mark.django_db


def test_a_mail_tells_of_a_player_and_of_both(ana: User) -> None:
    ana.receipts = User.Receipts.NONE
    ana.save()
    ben = make_user("ben")
    match = play_to_the_end(make_match(players=[ana, ben]))
    counting.count_finished()
    rate(ben, match)
    assert codes(write(ana, "player BEN")) == ["done"]
    told = one_line(sent_to(ana)[-1])
    won = int(match.seats.get(user=ben).rank == 1)
    assert f"GEM: {won} of 1 match won rating 1548 ± 96" in told
    assert "You and this player, matches in which you were ahead, level, behind:" in told
    assert "Punctuality in the last match" in told
    assert "/players/ben/" in told


def test_a_name_that_nobody_has_is_answered_with_those_that_are_alike(ana: User) -> None:
    make_user("Marguerite")
    assert codes(write(ana, "player margue")) == ["no-such-player"]
    assert "Perhaps you mean one of these: Marguerite." in one_line(sent_to(ana)[-1])
    assert codes(write(ana, "player xyz")) == ["no-such-player"]
    assert "check how the name is spelt" in one_line(sent_to(ana)[-1])
    User.objects.create_user("guest-99", is_guest=True)
    assert codes(write(ana, "player guest-99")) == ["no-such-player"]


def test_a_private_clubs_match_is_told_to_nobody(ana: User) -> None:
    ben = make_user("ben")
    match = play_to_the_end(make_match(players=[ana, ben]))
    club = Club.objects.create(slug="den", name="Den", is_private=True, created_at=NOON)
    Match.objects.filter(pk=match.pk).update(club=club)
    counting.count_finished()
    write(ana, "player ben")
    assert "ben has finished no match yet." in one_line(sent_to(ana)[-1])
