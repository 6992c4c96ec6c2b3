"""Lists of more rows than anybody pages through: their counts, and the values of their filters."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.matches.models import Match, Move, Seat
from gemserver.moderation import attention, stuck_matches
from gemserver.moderation.lists import bounds
from gemserver.moderation.lists.read_only import ReadOnlyAdmin
from gemserver.moderation.models import StuckMatch
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, make_user, play
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

MAILS = "/admin/notify/outboxmessage/"
CUT = "These are the first 3; search or filter to find others."


@pytest.fixture
def panel() -> Client:
    return signed_in(make_user("mod", role=Role.MODERATOR))


@pytest.fixture
def matches(monkeypatch: pytest.MonkeyPatch) -> list[Match]:
    """Four matches, where a list holds three rows and a page two."""
    monkeypatch.setattr(bounds, "MOST_LISTED", 3)
    monkeypatch.setattr(ReadOnlyAdmin, "list_per_page", 2)
    players = [make_user("ana"), make_user("ben")]
    return [make_match("gem", players, now=clock.now()) for _ in range(4)]


def test_a_list_says_when_it_does_not_hold_all(panel: Client, matches: list[Match]) -> None:
    newest, last = (read(panel.get("/admin/matches/match/", {"p": number})).text for number in (1, 2))
    assert CUT in newest
    assert [match.code in newest for match in matches] == [False, False, True, True]
    assert [match.code in last for match in matches] == [False, True, False, False]


def test_what_is_behind_the_list_is_found_by_searching(panel: Client, matches: list[Match]) -> None:
    text = read(panel.get("/admin/matches/match/", {"q": matches[0].code})).text
    assert matches[0].code in text
    assert CUT not in text


def test_what_many_mails_have_in_common_is_looked_for_among_the_newest(
    panel: Client, matches: list[Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "NEWEST", 1)
    OutboxMessage.objects.filter(pk=OutboxMessage.objects.latest("pk").pk).update(kind="digest")
    kinds = _choices(panel.get(MAILS))
    assert "?kind=digest" in kinds
    assert "?kind=started" not in kinds
    chosen = _choices(panel.get(MAILS, {"kind": "started"}))
    assert "?kind=started" in chosen, "what is filtered by stays among them"


def _choices(page: HttpResponse) -> set[str]:
    return {link for link in read(page).links if link.startswith("?")}


def test_a_match_in_which_nothing_happens_is_shown(panel: Client) -> None:
    """Nobody has played for a month, or nobody is asked; not a match that waits for one player while others play."""
    now, players = clock.now(), [make_user("ana"), make_user("ben")]
    slow, mute, lively = (make_match("gem", players, now=now) for _ in range(3))
    play(lively, asked(lively).index, "bid 1", now=now)
    long_ago = now - timedelta(days=31)
    Match.objects.update(started_at=long_ago)
    Seat.objects.update(prompted_at=long_ago)
    Move.objects.filter(match=slow).update(created_at=long_ago)
    Seat.objects.filter(match=mute).update(is_waiting=False)
    stuck_matches.find_all(now)
    text = read(panel.get("/admin/")).text
    assert "Matches in which nothing happens (2)" in text
    assert [match.code in text for match in (slow, mute, lively)] == [True, True, False]


def test_an_own_match_in_which_nothing_happens_is_not_shown(panel: Client) -> None:
    moderator = User.objects.get(username="mod")
    match = make_match("gem", [moderator, make_user("ben")], now=clock.now())
    Seat.objects.filter(match=match).update(is_waiting=False)
    stuck_matches.find_all(clock.now())
    assert "Matches in which nothing happens" not in read(panel.get("/admin/")).text


def test_a_match_that_goes_on_is_no_longer_shown(panel: Client) -> None:
    """Even before the next look at all matches, which also forgets it."""
    match = make_match("gem", [make_user("ana"), make_user("ben")], now=clock.now())
    Seat.objects.filter(match=match).update(is_waiting=False)
    stuck_matches.find_all(clock.now())
    assert StuckMatch.objects.count() == 1
    Seat.objects.filter(match=match, index=0).update(is_waiting=True)
    assert "Matches in which nothing happens" not in read(panel.get("/admin/")).text
    stuck_matches.find_all(clock.now())
    assert not StuckMatch.objects.exists()


def test_more_than_fit_into_one_statement_are_found_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a fault in which nobody is asked any more."""
    monkeypatch.setattr(stuck_matches, "BATCH", 2)
    players = [make_user("ana"), make_user("ben")]
    stuck = {make_match("gem", players, now=clock.now()).pk for _ in range(5)}
    Seat.objects.update(is_waiting=False)
    stuck_matches.find_all(clock.now())
    assert set(StuckMatch.objects.values_list("pk", flat=True)) == stuck
    Seat.objects.update(is_waiting=True)
    Seat.objects.filter(match=min(stuck)).update(is_waiting=False)
    stuck_matches.find_all(clock.now())
    assert set(StuckMatch.objects.values_list("pk", flat=True)) == {min(stuck)}


def test_more_than_anybody_works_through_is_not_counted(
    panel: Client, matches: list[Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "MOST_COUNTED", 2)
    OutboxMessage.objects.update(state="failed")
    assert "Mail that could not be sent (2+)" in read(panel.get("/admin/")).text


@pytest.mark.parametrize("way", ["range", "regex", "in", "year", "startswith"])
def test_a_list_is_filtered_only_as_its_filters_write_it(panel: Client, way: str) -> None:
    """PostgreSQL refuses `verb ~ '('`, and no database takes one letter for the two ends of a range."""
    answer = panel.get("/admin/moderation/auditentry/", {f"verb__{way}": "("})
    assert answer.status_code == 400


@pytest.mark.parametrize("lookup", ["kind", "kind__exact", "kind__isnull"])
def test_a_list_is_filtered_as_its_filters_write_it(panel: Client, lookup: str) -> None:
    assert panel.get(MAILS, {lookup: "1"}).status_code == 200
