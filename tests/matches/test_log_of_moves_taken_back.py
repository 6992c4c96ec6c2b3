"""The log after moves were taken back: complete, and in the order of events."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.mailgate.answering.receipt_sections import sections
from gemserver.matches import records, replay, selectors
from gemserver.matches.actions.play.propose_undo import agree_to_undo, propose_undo
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Match, Move, Seat
from gemserver.moderation.timeline import read_timeline
from gemserver.site.feeds.news_feed import news_of
from gemserver.site.match.match_page import MatchPage
from tests.builders import NOON, asked, make_match, make_user, play, play_to_the_end, play_until
from tests.logs import read_log

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part="1" * 64)


def fresh(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def bid(match: Match, text: str, hour: int = 0) -> None:
    play(match, asked(match).index, text, now=NOON + hour * HOUR)


def void(match: Match, ply: int, hour: int = 0, why: str = "A wrong card.") -> None:
    void_moves(match.pk, from_ply=ply, why=why, now=NOON + hour * HOUR)


def told(match: Match, seat: Seat | None = None, **more: Any) -> list[str]:
    """The log, shortened: plies, with `-` after those taken back, and the first words of notices."""
    entries = read_log(fresh(match), seat, **more)
    return [
        f"{entry.ply}{'-' * entry.is_taken_back}"
        if entry.seat is not None
        else " ".join(entry.sentences[0].split()[:3])
        for entry in entries
    ]


VOIDED = "A moderator takes"


def test_void_moves_stand_where_they_happened_and_their_notice_behind_them(match: Match) -> None:
    for text in ("bid 1", "bid 2", "bid 3"):
        bid(match, text)
    void(match, 2)
    bid(match, "pass")
    assert told(match) == ["1", "2-", "3-", VOIDED, "2"]


def test_two_times_taken_back_and_once_twice_in_a_row(match: Match) -> None:
    for text in ("bid 1", "bid 2", "bid 3"):
        bid(match, text)
    void(match, 3)
    void(match, 2)
    bid(match, "bid 2")
    void(match, 1)
    for text in ("bid 0", "bid 2"):
        bid(match, text)
    expected = ["1-", "2-", "3-", VOIDED, VOIDED, "2-", VOIDED, "1", "2"]
    assert told(match) == expected


def test_a_mail_that_was_received_before_another_move_was_played_stays_in_its_place(match: Match) -> None:
    bid(match, "bid 1", hour=5)
    bid(match, "bid 2", hour=2)  # a mail that waited to be read counts by its receipt
    void(match, 2, hour=1)
    bid(match, "bid 3", hour=0)
    assert told(match) == ["1", "2-", VOIDED, "2"]


def test_an_undo_by_consent_shows_what_was_undone(match: Match) -> None:
    mover = asked(match)
    bid(match, "bid 1")
    assert mover.user
    propose_undo(match.pk, mover.user, now=NOON + HOUR)
    for seat in match.seats.select_related("user").exclude(pk=mover.pk):
        assert seat.user
        agree_to_undo(match.pk, seat.user, now=NOON + 2 * HOUR)
    bid(match, "bid 2")
    assert [line.split()[0] for line in told(match)] == ["1-", mover.name, "All", "1"]


def test_what_is_news_begins_behind_the_readers_own_move_of_the_present_line(match: Match) -> None:
    for text in ("bid 1", "bid 2", "bid 3"):
        bid(match, text)
    void(match, 2)
    bid(match, "pass")
    assert told(match, after_ply=1) == ["2-", "3-", VOIDED, "2"]
    bid(match, "bid 4")
    assert told(match, after_ply=2) == ["3"]
    seat = Seat.objects.select_related("user", "match").get(match=match, index=Move.objects.get(ply=1).seat)
    news = MatchMail.of(seat, seat.user, 4).news if seat.user else []
    assert sum(sentence.endswith("(taken back)") for sentence in news) == 2


def _page(match: Match, path: str = "") -> str:
    return Client().get(f"/m/{match.code}/{path}").content.decode()


def _lines(page: str) -> list[str]:
    log = re.search(r'<section id="log".*?</section>', page, re.DOTALL)
    assert log is not None
    return [re.sub(r"\s+", " ", line) for line in re.findall(r"<li.*?</li>", log[0], re.DOTALL)]


def test_the_page_strikes_them_out_says_so_in_words_and_links_to_no_board(match: Match) -> None:
    bid(match, "bid 1")
    bid(match, "bid 2")
    void(match, 2)
    bid(match, "bid 3")
    again, notice, gone, first = _lines(_page(match))
    assert "/ply/2/" in again
    assert "taken back" not in again + first
    assert "back to before move 2" in notice
    assert "<s>" in gone
    assert "(taken back)" in gone
    assert "/ply/" not in gone
    shown = re.search(r'<h2 id="move-title">.*?</section>', _page(match, "ply/2/"), re.DOTALL)
    assert shown
    assert "3" in shown[0]
    assert "2 silver" not in shown[0]


@pytest.mark.slow
def test_a_page_of_a_long_log_keeps_the_newest_lines_of_all(match: Match) -> None:
    match = play_until(match, lambda reached: reached.ply >= 60)
    for _ in range(2):
        void(match, 40)
        match = play_until(match, lambda reached: reached.ply >= 60)
    page = MatchPage(match)
    shown = [(line.entry.seat is None, line.entry.ply, line.entry.is_taken_back) for line in page.log_lines]
    whole = MatchPage(match, shows_whole_log=True)
    everything = [
        (line.entry.seat is None, line.entry.ply, line.entry.is_taken_back) for line in whole.log_lines
    ]
    assert page.whole_log
    assert 45 <= len(shown) <= 50
    assert shown == everything[: len(shown)]
    taken_back = [line.entry for line in whole.log_lines if line.entry.is_taken_back]
    plies = [entry.ply - (entry.first_ply or entry.ply) + 1 for entry in taken_back]
    assert sum(plies) == match.moves.exclude(voided_at=None).count()
    told = [line.entry for line in reversed(whole.log_lines) if line.entry.seat is not None]
    live = [
        ply
        for entry in told
        if not entry.is_taken_back
        for ply in range(entry.first_ply or entry.ply, entry.ply + 1)
    ]
    assert live == list(range(1, match.ply + 1))


def test_the_log_by_mail_has_them_in_order_and_in_words(match: Match) -> None:
    bid(match, "bid 1")
    bid(match, "bid 2")
    void(match, 2)
    bid(match, "bid 3")
    seat = Seat.objects.select_related("user", "match").get(match=match, index=0)
    assert seat.user
    [section] = sections(seat.user, seat, [LineResult("log", "shown", "log")])
    text = " ".join(section.text.split())
    assert text.index("1.") < text.index("(taken back)") < text.index("A moderator") < text.rindex("2.")
    assert text.count("(taken back)") == 1


def test_news_of_a_move_in_place_of_another_are_an_entry_of_their_own(match: Match) -> None:
    bid(match, "bid 1")
    user = match.seats.get(index=0).user
    assert user
    before = {entry.key: entry.text for entry in news_of(user, NOON + HOUR)}
    void(match, 1)
    bid(match, "bid 2")
    after = {entry.key: entry.text for entry in news_of(user, NOON + HOUR)}
    key = f"match/{match.pk}/ply/1"
    assert after[key] == f"{before[key]} (taken back)"
    [other] = [name for name in after if name.startswith(f"{key}/")]
    assert "taken back" not in after[other]


def test_the_record_holds_live_moves_only(match: Match) -> None:
    bid(match, "bid 1")
    void(match, 1)
    bid(match, "bid 2")
    text = records.record_text(fresh(match))
    assert "bid 2" in text
    assert "bid 1" not in text
    assert "taken back" not in text


def test_a_resignation_that_was_taken_back_says_so(match: Match) -> None:
    bid(match, "bid 1")
    leaver = asked(match)
    assert leaver.user
    resign(match.pk, leaver.user, source=Move.Source.WEB, request_id="r", now=NOON)
    void(match, 2)
    entries = read_log(fresh(match), None)
    gone = next(entry for entry in entries if "resigns" in entry.text)
    assert gone.is_taken_back
    assert gone.text.endswith("(taken back)")
    assert entries.index(gone) < next(at for at, entry in enumerate(entries) if VOIDED in entry.text)


@pytest.mark.slow
def test_a_pick_that_lay_face_down_when_it_was_taken_back_is_never_shown() -> None:
    """The pick that replaced it is turned over; the first one stays secret, even after the match."""
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part="1" * 64)
    rules = match.rules
    legal = [rules.write(move) for move in rules.legal_moves(replay.position(match), 0)]
    first, second = legal[0], legal[-1]
    play(match, 0, first)
    void(match, 1)
    play(match, 0, second)
    play(match, 1, rules.write(rules.default_move(replay.position(fresh(match)), 1)))
    pick = match.moves.exclude(voided_at=None).get()
    pick.match = fresh(match)
    assert not selectors.is_public(pick)
    own = [entry for entry in read_log(fresh(match), match.seats.get(index=0)) if entry.is_taken_back]
    assert len(own) == 1
    for reader in (None, match.seats.get(index=1)):
        assert own[0].text not in [entry.text for entry in read_log(fresh(match), reader)]
    assert not any(f" {first}" in entry.title for entry in read_timeline(fresh(match)) if entry.is_void)
    pick.match = play_to_the_end(match)
    assert not selectors.is_public(pick)
    assert not any(f" {first}" in entry.title for entry in read_timeline(pick.match) if entry.is_void)


def test_a_pick_that_had_been_turned_over_before_stays_public() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part="1" * 64)
    for index in (0, 1):
        state = replay.position(fresh(match))
        play(match, index, match.rules.write(match.rules.default_move(state, index)))
    void(match, 1)
    first = match.moves.exclude(voided_at=None).order_by("pk")[0]
    first.match = fresh(match)
    assert first.is_sealed
    assert selectors.is_public(first)
