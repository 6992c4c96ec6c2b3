"""`follow PLAYER`, `unfollow PLAYER` and `follow`: whose tables one wants to find, as on the page."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import Follow, User
from gemserver.matches.models import Match
from tests.builders import make_table, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


def test_a_player_is_followed_and_their_tables_are_found(ana: User) -> None:
    ben = make_user("ben")
    ana.receipts = User.Receipts.ALL
    ana.save()
    assert codes(write(ana, "follow")) == ["done"]
    assert "You follow nobody." in one_line(sent_to(ana)[-1])
    assert codes(write(ana, "follow BEN")) == ["done"]
    assert "You follow ben, and nobody else is told." in one_line(sent_to(ana)[-1])
    table = make_table(seats=2, creator=ben)
    hidden = make_table(seats=2, creator=ben, access=Match.Access.INVITED)
    write(ana, "follow")
    told = one_line(sent_to(ana)[-1])
    assert f"You follow: ben ({table.code})." in told
    assert hidden.code not in told
    assert not [mail for mail in sent_to(ben) if "ana" in one_line(mail)]
    assert codes(write(ana, "unfollow ben")) == ["done"]
    assert not Follow.objects.exists()


def test_who_cannot_be_followed_is_refused_with_a_reason(ana: User) -> None:
    assert codes(write(ana, "follow nobody\nfollow ana")) == ["no-such-player", "not-yourself"]
