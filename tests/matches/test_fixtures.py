"""Matches of a schedule: the turn order is fixed, all time is one budget, and they end on their date."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
from django.test import Client

from games import deal, registry
from games.record import read_record
from games.verify import verify
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.lines.commands import read_lines
from gemserver.matches import records, replay, selectors, sweeps
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.tables.give_part import part_from
from gemserver.matches.actions.tables.open_fixture import open_fixture
from gemserver.matches.actions.time.come_back import LONGEST_RETURN, come_back
from gemserver.matches.actions.time.pause_match import pause_match
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.set_hours import set_hours
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.words.deals import say_who_chose
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_user, play
from tests.logs import read_log
from tests.matches.sweeping import sweep

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

DAY = timedelta(days=1)
END = NOON + 28 * DAY


@pytest.fixture
def players() -> list[User]:
    return [make_user(name) for name in ("ana", "ben", "cy")]


def make_fixture(
    players: list[User], game: str = "gem", bank: timedelta = 5 * DAY, until: datetime = END
) -> Match:
    return open_fixture(
        game=game,
        players=players,
        options={},
        bank=bank,
        play_until=until,
        is_rated=True,
        club=None,
        now=NOON,
    )


def let_bots_play(match: Match, monkeypatch: pytest.MonkeyPatch, now: datetime) -> Match:
    """Let the bots of the match move until a person is asked or it is over."""
    monkeypatch.setattr(clock, "now", lambda: now)
    for _ in range(300):
        sweeps.play_bots(match.pk)
        if not sweeps.waiting_bots().filter(match=match).exists():
            break
    match.refresh_from_db()
    return match


def leave_away(match: Match, monkeypatch: pytest.MonkeyPatch) -> tuple[Seat, datetime]:
    """Let the time of the seat that is asked run out; return it and the instant."""
    seat = asked(match)
    due = seat.due_at
    assert due is not None
    sweep(monkeypatch, due)
    seat.refresh_from_db()
    assert seat.is_away
    return seat, due


def play_to_the_end(match: Match, monkeypatch: pytest.MonkeyPatch) -> Match:
    """Sweep at the end of the season until the match is over."""
    for _ in range(match.seat_count + 1):
        sweep(monkeypatch, END)
        match = let_bots_play(match, monkeypatch, END)
    assert match.is_over
    return match


@pytest.mark.parametrize("game", ["florentine", "gem", "gembatan", "jewellers"])
def test_the_first_of_the_schedule_begins(players: list[User], game: str) -> None:
    for attempt in range(4):  # a drawn seat would be the first in a third of the matches
        match = make_fixture(players[attempt % 3 :] + players[: attempt % 3], game)
        assert asked(match).user == players[attempt % 3]
        assert asked(match).index == 0
    assert registry.game(game).rules.meta.max_seats >= 3


@pytest.mark.slow
def test_the_record_proves_the_fixed_order(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_fixture(players)
    match = play_to_the_end(match, monkeypatch)
    text = records.record_text(match)
    assert "first=A" in text
    record = read_record(text)
    verify(record)
    forged = read_record(text.replace(" first=A", ""))
    with pytest.raises(Exception, match="Commitment"):
        verify(forged)


def test_parts_given_on_entering_make_a_deal_that_nobody_chose(players: list[User]) -> None:
    match = open_fixture(
        game="gem",
        players=players,
        options={},
        bank=DAY,
        play_until=END,
        is_rated=True,
        club=None,
        secret=("ab" * 32, NOON - 9 * DAY),
        parts={1: (part_from("words of ben"), NOON - 2 * DAY)},
        now=NOON,
    )
    seats = match.read_seats()
    assert replay.seed(match) == deal.seed("ab" * 32, [seat.part for seat in seats])
    said = say_who_chose(match, seats)
    assert "The part of seat B was given after the server had promised its secret" in said


def test_all_time_counts_and_nothing_is_given_back(players: list[User]) -> None:
    for player in players:
        set_hours(player, zone="UTC", quiet=(time(22), time(7)), now=NOON - DAY)
    match = make_fixture(players)
    seat = asked(match)
    assert seat.due_at == NOON + 5 * DAY
    play(match, seat.index, "bid 0", now=NOON + 2 * DAY)
    seat.refresh_from_db()
    assert seat.clock_left == 3 * DAY
    with pytest.raises(Refused, match="no-holidays"):
        propose_holiday(
            match.pk, players[0], (NOON + DAY).date(), (NOON + 2 * DAY).date(), now=NOON + 2 * DAY
        )


def test_without_time_a_bot_plays_on_and_the_player_is_told_once(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players)
    seat, due = leave_away(match, monkeypatch)
    match = let_bots_play(match, monkeypatch, due)
    assert match.moves.get(ply=1).source == Move.Source.BOT
    seat.refresh_from_db()
    assert (seat.user, seat.bot) == (players[0], "")
    now = due
    while match.is_running and match.moves.filter(seat=0).count() < 3:
        for other in Seat.objects.filter(match=match, is_waiting=True, is_away=False):
            legal = selectors.legal_texts(match, other, 500)
            assert legal
            play(match, other.index, legal[0], now=now)
        match = let_bots_play(match, monkeypatch, now)
    delivery.send_queued()
    told = OutboxMessage.objects.filter(user=players[0], created_at__gte=due)
    assert [row.kind for row in told.exclude(kind="finished")] == ["away"]
    text = " ".join(bytes(told.get(kind="away").rendered or b"").decode().split())
    assert "A bot plays for you until you are back" in text
    log = " ".join(line for entry in read_log(match, None) for line in entry.sentences)
    assert "ana has no time left in this match" in log


def test_who_is_back_plays_with_what_the_match_can_spare(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players)
    seat, due = leave_away(match, monkeypatch)
    seat = come_back(match.pk, players[0], now=due)
    assert seat.clock_left == LONGEST_RETURN
    seat.refresh_from_db()
    assert asked(match) == seat
    assert seat.due_at == due + LONGEST_RETURN
    assert not sweeps.waiting_bots().exists()
    sweep(monkeypatch, due + DAY / 2)
    play(match, 0, "bid 0", now=due + DAY / 2)
    seat.refresh_from_db()
    assert seat.clock_left == DAY / 2
    with pytest.raises(Refused, match="not-away"):
        come_back(match.pk, players[0], now=due + DAY)


def test_who_is_back_and_runs_out_of_time_at_the_same_question_is_told_again(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bot had answered before they came back."""
    match = make_fixture(players)
    _seat, due = leave_away(match, monkeypatch)
    come_back(match.pk, players[0], now=due)
    sweep(monkeypatch, due + LONGEST_RETURN)
    assert Seat.objects.get(match=match, index=0).is_away
    assert OutboxMessage.objects.filter(user=players[0], kind="away").count() == 2
    log = " ".join(line for entry in read_log(match, None) for line in entry.sentences)
    assert log.count("ana has no time left in this match") == 2


def test_nobody_comes_back_at_the_cost_of_the_end(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players, until=NOON + 15 * DAY)
    seat, due = leave_away(match, monkeypatch)
    with pytest.raises(Refused, match="no-time-left"):
        come_back(match.pk, players[0], now=due)
    seat.refresh_from_db()
    assert seat.is_away


@pytest.mark.slow
def test_the_match_ends_on_its_date_whatever_stops_the_clocks(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_fixture(players)
    pause_match(match.pk, "a quarrel", now=NOON + DAY)
    sweep(monkeypatch, END - timedelta(minutes=1))
    match = let_bots_play(match, monkeypatch, END - timedelta(minutes=1))
    assert match.ply == 0
    match = play_to_the_end(match, monkeypatch)
    assert match.ending == Match.Ending.PLAYED_OUT
    delivery.send_queued()
    told = OutboxMessage.objects.get(user=players[0], kind="away")
    assert "ends on its date" in " ".join(bytes(told.rendered or b"").decode().split())


def test_a_substitute_gets_no_more_than_fits(players: list[User]) -> None:
    match = make_fixture(players, until=NOON + 15 * DAY)
    seat = reassign_seat(match.pk, 1, make_user("dee"), "moved house", now=NOON + 3 * DAY)
    assert seat.clock_left == 5 * DAY  # ana has two days of twelve left, cy five
    seat = reassign_seat(match.pk, 0, make_user("eve"), "moved house", now=NOON + 4 * DAY)
    assert seat.clock_left == DAY


def test_a_budget_that_passes_the_end_is_refused(players: list[User]) -> None:
    with pytest.raises(Refused, match="no-budget"):
        make_fixture(players, bank=10 * DAY)
    assert not Match.objects.exists()


def test_a_player_comes_back_on_the_page(
    players: list[User], monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    match = make_fixture(players, bank=timedelta(hours=3))
    match = Match.objects.get(pk=match.pk)
    _seat, due = leave_away(match, monkeypatch)
    monkeypatch.setattr(clock, "now", lambda: due)
    client.force_login(players[0])
    page = client.get(match.get_absolute_url()).content.decode()
    assert "A bot plays for you" in page
    assert "Play again myself" in page
    assert (
        "Play again myself" in client.post(f"/m/{match.code}/return/", follow=True).content.decode() or True
    )
    assert not Seat.objects.get(match=match, index=0).is_away


def test_a_player_comes_back_by_mail(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_fixture(players)
    seat, due = leave_away(match, monkeypatch)
    (result,) = Execution(players[0], seat, None, due, "mail:1").run(read_lines("return"))
    assert (result.outcome, result.code) == ("done", "return")
    assert "Hours on your clock: 24." in result.sentence
    assert not Seat.objects.get(pk=seat.pk).is_away


def test_a_bot_in_the_schedule_moves_by_itself(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    match = open_fixture(
        game="gem",
        players=[None, *players[:2]],
        options={},
        bank=DAY,
        play_until=END,
        is_rated=False,
        club=None,
        now=NOON,
    )
    match = let_bots_play(match, monkeypatch, NOON)
    assert match.ply >= 1
    assert replay.position(match)
