"""A sitter, another name, and the channel of each kind of news, chosen by mail."""

from __future__ import annotations

from datetime import time

import pytest

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.models import Match, NotificationChoice, Sitting
from gemserver.matches.notifications import Wishes
from tests.builders import NOON, make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db

Topic, Channel = NotificationChoice.Topic, NotificationChoice.Channel


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def match(ana: User, monkeypatch: pytest.MonkeyPatch) -> Match:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    return make_match(players=[ana, make_user("ben")])


def _seat_address(match: Match, user: User) -> str:
    return match.seats.select_related("match").get(user=user).reply_address


def test_a_sitter_is_asked_and_taken_back_by_mail(ana: User, match: Match) -> None:
    cy = make_user("cy")
    rename(cy, "cy von Bern")
    assert codes(write(ana, "sitter CY VON BERN 2026-04-01 5.4.", to=_seat_address(match, ana))) == ["done"]
    told = f"cy von Bern has been asked to play for you in {match.code} from 1 Apr 2026 to 5 Apr 2026"
    assert told in one_line(sent_to(ana)[-1])
    sitting = Sitting.objects.get()
    assert (sitting.player, sitting.sitter) == (ana, cy)
    (asked,) = sent_to(cy)
    assert asked.reply_to == [sitting.reply_address]
    html = str(asked.alternatives[0][0])
    assert f"mailto:{sitting.reply_address}?" in html
    assert "body=agree" in html
    assert codes(write(cy, "agree", to=sitting.reply_address)) == ["done"]
    assert codes(write(ana, f"{match.code}: sitter off")) == ["done"]
    assert Sitting.objects.get().ended_at is not None
    assert codes(write(ana, f"{match.code}: sitter off")) == ["nobody-asked"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("sitter nobody 2026-04-01 2026-04-05", "no-such-player"),
        ("sitter ben 2026-04-01 2026-04-05", "already-seated"),
        ("sitter ben 2026-02-30 2026-04-05", "no-such-day"),
        ("sitter ben", "usage"),
        ("rename admin", "bad-name"),
        ("rename BEN", "name-taken"),
        ("notify talk digest", "no-hour"),
        ("notify reminder digest 08:00", "not-in-digest"),
        ("notify talk pigeon", "usage"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(ana: User, match: Match, line: str, code: str) -> None:
    assert codes(write(ana, line, to=_seat_address(match, ana)))[0] == code


def test_a_name_is_taken_as_it_is_typed_and_shown_to_the_others(ana: User, match: Match) -> None:
    assert codes(write(ana, "rename Ana de la Vega")) == ["done"]
    assert "know you as Ana de la Vega now" in one_line(sent_to(ana)[-1])
    assert match.seats.get(user=ana).name == "Ana de la Vega"


def test_each_kind_of_news_has_its_channel_everywhere_or_in_one_match(ana: User, match: Match) -> None:
    write(ana, "notify talk web\nnotify turn digest 8:00")
    write(ana, "notify talk mail here", to=_seat_address(match, ana))
    user = User.objects.get(pk=ana.pk)
    wishes = Wishes.of(user)
    assert wishes.channel(Topic.TALK, None) == Channel.WEB
    assert wishes.channel(Topic.TALK, match.pk) == Channel.MAIL
    assert wishes.channel(Topic.TURN, match.pk) == Channel.DIGEST
    assert user.digest_at == time(8)
    assert codes(write(ana, "notify talk mail here")) == ["no-match"]
