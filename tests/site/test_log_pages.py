"""The log of a long match: its newest lines are on the page, and a link shows all."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from gemserver.matches import selectors
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match
from gemserver.site.match.match_page import LOG_SHOWN
from tests.builders import make_match, make_user, play_until
from tests.site.pages import read

pytestmark = pytest.mark.django_db

LONG = LOG_SHOWN + 15


@pytest.fixture
def match() -> Match:
    """A match in which Ana and Ben have made more moves than a page shows."""
    players = [make_user("ana"), make_user("ben")]
    return play_until(make_match(players=players, server_part="7" * 64), lambda reached: reached.ply >= LONG)


def _plies(path: str) -> list[int]:
    """The plies in the log of this page, in its order; of several that are told in one line, the last."""
    log = re.search(r'<section id="log".*?</section>', Client().get(path).content.decode(), re.DOTALL)
    assert log is not None
    return [int(ply) for ply in re.findall(r"<li.*?/ply/(\d+)/", log[0])]


def _lines(match: Match) -> list[int]:
    """The plies that the whole log links to."""
    entries = log_story.tell_story(match, None, match_log.LogRows.read(match))
    covered = [ply for line in entries for ply in range(line.first_ply or line.ply, line.ply + 1)]
    assert covered == list(range(1, match.ply + 1)), "every ply is told in one line"
    return [line.ply for line in reversed(entries)]


def _whole_log(path: str) -> list[str]:
    return [link for link in read(Client().get(path)).links if link.endswith("?log=all#log")]


def test_the_page_tells_the_newest_and_links_to_the_whole_log(match: Match) -> None:
    page = match.get_absolute_url()
    newest = _plies(page)
    assert newest[0] == match.ply
    assert LOG_SHOWN - 10 < len(newest) <= LOG_SHOWN
    [link] = _whole_log(page)
    everything = _plies(link)
    assert everything == _lines(match)
    assert newest == everything[: len(newest)]
    assert not _whole_log(link)


def test_a_page_that_shows_the_whole_log_goes_on_showing_it(match: Match) -> None:
    page = Client().get(match.get_absolute_url(), {"log": "all"}).content.decode()
    assert f'hx-get="{match.get_absolute_url()}?log=all"' in page


@pytest.mark.slow
@pytest.mark.parametrize("ply", [1, 20, LONG])
def test_a_replayed_ply_stands_in_its_log_with_what_came_before_and_after(match: Match, ply: int) -> None:
    page = f"{match.get_absolute_url()}ply/{ply}/"
    told = _plies(page)
    everything = _lines(match)
    assert told == everything[everything.index(told[0]) :][: len(told)]
    assert told[-1] <= max(ply - 20, 1) + 3
    assert told[0] >= min(ply + 20, match.ply)
    assert len(told) <= LOG_SHOWN
    assert 'aria-current="true"' in Client().get(page).content.decode()
    [link] = _whole_log(page)
    assert _plies(link) == everything


def test_a_short_log_stands_there_whole() -> None:
    players = [make_user("ana"), make_user("ben")]
    short = play_until(make_match(players=players), lambda reached: reached.ply >= 5)
    for page in (short.get_absolute_url(), f"{short.get_absolute_url()}ply/2/"):
        assert _plies(page) == _lines(short)
        assert not _whole_log(page)


def test_what_is_news_to_a_player_is_known_though_the_own_move_is_left_out(match: Match) -> None:
    """Otherwise the whole log would be marked as news for a player who has not moved for fifty plies."""
    rows = match_log.LogRows.read(match, newest=1)
    for seat in match.read_seats():
        assert rows.last_ply_of(seat) == selectors.last_ply_of(match, seat) > 0
