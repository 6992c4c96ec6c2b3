"""Taking moves back: players if all agree and nothing hidden was shown, moderators any."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.matches import codec, prompts, records, replay, selectors
from gemserver.matches.actions.play import answer_proposal
from gemserver.matches.actions.play.play_bot import play_bot
from gemserver.matches.actions.play.propose_undo import (
    agree_to_undo,
    may_ask_for_undo,
    open_undo,
    propose_undo,
    refuse_undo,
)
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.store_plan import store_plan
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import Holiday, Match, Move, SealedOrder, Seat, StoredPlan, Undo
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.logs import read_log

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part=DEAL)


def seat(match: Match, index: int) -> Seat:
    return Seat.objects.select_related("user").get(match=match, index=index % match.seat_count)


def user_of(seat: Seat) -> User:
    assert seat.user
    return seat.user


def fresh(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def take_back(match: Match, proposer: Seat, when: int = 5) -> Undo:
    """Propose an undo, and let everybody else agree."""
    undo = propose_undo(match.pk, user_of(proposer), now=NOON + when * HOUR)
    for other in match.seats.select_related("user").exclude(pk=proposer.pk):
        undo = agree_to_undo(match.pk, user_of(other), now=NOON + (when + 1) * HOUR)
    return undo


def test_a_move_is_taken_back_when_all_others_agree(match: Match) -> None:
    oya = asked(match)
    before = fresh(match).position
    play(match, oya.index, "bid 5", now=NOON + HOUR)
    undo = propose_undo(match.pk, user_of(oya), now=NOON + 2 * HOUR)
    assert open_undo(fresh(match)) == undo
    agree_to_undo(match.pk, user_of(seat(match, oya.index + 1)), now=NOON + 3 * HOUR)
    assert fresh(match).ply == 1, "one more has to agree"
    agree_to_undo(match.pk, user_of(seat(match, oya.index + 2)), now=NOON + 4 * HOUR)
    match = fresh(match)
    assert (match.ply, match.position) == (0, before)
    assert asked(match) == oya
    assert match.moves.get().voided_at is not None
    play(match, oya.index, "bid 1", now=NOON + 5 * HOUR)
    assert [move.text for move in match.moves.filter(voided_at=None)] == ["bid 1"]
    assert "bid 5" not in records.record_text(fresh(match))


def test_clocks_are_what_they_were_before_and_run_anew(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 5", now=NOON + 30 * HOUR)
    play(match, (oya.index + 1) % 3, "pass", now=NOON + 40 * HOUR)
    Seat.objects.filter(match=match).update(clock_left=timedelta(hours=1))
    take_back(match, oya, when=50)
    again = seat(match, oya.index)
    assert again.clock_left == timedelta(days=3)
    assert again.due_at == NOON + 51 * HOUR + timedelta(days=3)
    assert seat(match, oya.index + 1).clock_left == timedelta(days=3)
    assert seat(match, oya.index + 2).clock_left == timedelta(hours=1), "took no part"


def test_who_is_asked_again_gets_a_mail_again(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 5")
    take_back(match, oya)
    turns = OutboxMessage.objects.filter(kind="turn", user=oya.user)
    assert turns.count() == 2
    assert len(set(turns.values_list("message_id", flat=True))) == 2


@pytest.mark.parametrize("is_rated", [True, False])
def test_where_it_counts_nobody_takes_back_alone(players: list[User], is_rated: bool) -> None:
    """The others have resigned, and bots play on for them."""
    match = make_match(players=players, server_part=DEAL, is_rated=is_rated)
    first = asked(match)
    play(match, first.index, "bid 1", now=NOON)
    Seat.objects.filter(match=match).exclude(pk=first.pk).update(user=None, bot=Seat.Bot.EASY)
    if not is_rated:
        assert propose_undo(match.pk, user_of(first), now=NOON + HOUR).outcome == Undo.Outcome.AGREED
        return
    with pytest.raises(Refused, match="nobody-to-ask"):
        propose_undo(match.pk, user_of(first), now=NOON + HOUR)
    assert fresh(match).ply == 1


def test_one_refusal_is_enough_and_one_may_take_ones_own_proposal_back(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 5")
    propose_undo(match.pk, user_of(oya), now=NOON + HOUR)
    refuse_undo(match.pk, user_of(seat(match, oya.index + 2)), now=NOON + 2 * HOUR)
    with pytest.raises(Refused, match="no-proposal"):
        agree_to_undo(match.pk, user_of(seat(match, oya.index + 1)), now=NOON + 3 * HOUR)
    propose_undo(match.pk, user_of(oya), now=NOON + 4 * HOUR)
    assert refuse_undo(match.pk, user_of(oya), now=NOON + 5 * HOUR).outcome == Undo.Outcome.REFUSED
    assert fresh(match).ply == 1


def test_a_proposal_lapses_when_the_match_goes_on(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 1")
    propose_undo(match.pk, user_of(oya), now=NOON + HOUR)
    play(match, (oya.index + 1) % 3, "pass")
    assert open_undo(fresh(match)) is None
    with pytest.raises(Refused, match="no-proposal"):
        agree_to_undo(match.pk, user_of(seat(match, oya.index + 1)), now=NOON + 2 * HOUR)
    propose_undo(match.pk, user_of(oya), now=NOON + 3 * HOUR)
    assert set(match.undos.values_list("outcome", flat=True)) == {"open", "lapsed"}


def test_what_others_have_played_since_is_taken_back_too(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 1")
    play(match, (oya.index + 1) % 3, "bid 2")
    undo = take_back(match, oya)
    assert (undo.first_ply, undo.last_ply) == (1, 2)
    assert fresh(match).ply == 0


def test_bots_agree_to_everything() -> None:
    ana = make_user("ana")
    match = make_match(players=[ana], bots=1, server_part=DEAL)
    if asked(match).index == 0:
        play(match, 0, "bid 0")
    else:
        play(match, 1, "bid 0")
        play(match, 0, "pass")
    assert propose_undo(match.pk, ana, now=NOON + HOUR).outcome == Undo.Outcome.AGREED
    assert asked(match).index == 0


def test_nothing_is_taken_back_once_hidden_cards_were_shown(match: Match) -> None:
    """The first card of the next day is open, so everything before it stands."""
    last = asked(match)
    while replay.position(fresh(match)).day == 1:
        last = asked(match)
        text = (selectors.legal_texts(fresh(match), last, 100) or ["keep"])[0]
        play(match, last.index, text)
    with pytest.raises(Refused, match="hidden-shown"):
        propose_undo(match.pk, user_of(last), now=NOON + HOUR)
    play(match, asked(match).index, "bid 0")
    assert propose_undo(match.pk, user_of(seat(match, _mover(match))), now=NOON + HOUR)


def _mover(match: Match) -> int:
    move = match.moves.filter(voided_at=None).order_by("-ply").first()
    assert move
    return move.seat


@pytest.mark.parametrize(
    ("game", "first"), [("jewellers", "draw small"), ("gembatan", "trade"), ("florentine", "discard")]
)
def test_a_draw_cannot_be_taken_back(game: str, first: str) -> None:
    match = make_match(game, players=[make_user("ana"), make_user("ben")], server_part=DEAL)
    for _ in range(2):
        mover = asked(match)
        legal = [
            match.rules.write(move)
            for move in match.rules.legal_moves(replay.position(fresh(match)), mover.index)
        ]
        play(match, mover.index, next((text for text in legal if text.startswith(first)), legal[0]))
        if legal and any(text.startswith(first) for text in legal):
            break
    with pytest.raises(Refused, match="hidden-shown"):
        propose_undo(match.pk, user_of(mover), now=NOON + HOUR)


def test_a_pick_that_lies_face_down_is_simply_changed() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part=DEAL)
    pick = match.rules.default_move(replay.position(match), 0)
    play(match, 0, match.rules.write(pick))
    with pytest.raises(Refused, match="change-it"):
        propose_undo(match.pk, user_of(seat(match, 0)), now=NOON + HOUR)
    play(match, 1, match.rules.write(match.rules.default_move(replay.position(fresh(match)), 1)))
    with pytest.raises(Refused, match="hidden-shown"):
        propose_undo(match.pk, user_of(seat(match, 0)), now=NOON + HOUR)


def test_nothing_is_taken_back_past_a_resignation(match: Match) -> None:
    oya = asked(match)
    play(match, oya.index, "bid 1")
    second = seat(match, oya.index + 1)
    resign(match.pk, user_of(second), source=Move.Source.WEB, request_id="r", now=NOON + HOUR)
    with pytest.raises(Refused, match="resigned-since"):
        propose_undo(match.pk, user_of(oya), now=NOON + 2 * HOUR)


def test_settled_sealed_orders_cannot_be_taken_back_by_consent_but_what_came_after_can() -> None:
    match, _oya = sealed_contest()
    winner = asked(match)
    with pytest.raises(Refused, match="hidden-shown"):
        propose_undo(match.pk, user_of(winner), now=NOON + HOUR)
    card = replay.position(fresh(match)).open[0]
    play(match, winner.index, f"take {card} pay 2")
    submit_order(match, (winner.index + 1) % 3, "bid 1")
    take_back(match, winner)
    assert asked(match) == winner
    assert match.sealed_orders.filter(context="day 1 auction 2", voided_at__isnull=False).count() == 1
    assert match.sealed_orders.filter(context="day 1 auction 1", voided_at=None).count() == 3


def sealed_contest() -> tuple[Match, int]:
    """A match whose first auction was settled from sealed orders; the seat after the Oya has won it at 2."""
    users = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=users, options={"pace": "sealed"}, server_part=DEAL)
    oya = replay.position(match).oya
    for step, text in enumerate(("bid 1", "bid 2", "pass")):
        submit_order(match, (oya + step) % 3, text)
    return fresh(match), oya


def submit_order(match: Match, index: int, text: str) -> Accepted:
    holder = seat(match, index)
    request_id = f"{SealedOrder.objects.count()}:{match.moves.count()}"
    request = Request(match.code, Actor.player(user_of(holder)), text, Move.Source.WEB, request_id)
    return submit(request, now=NOON)


def test_a_moderator_takes_sealed_contests_back_and_orders_are_asked_anew() -> None:
    match, oya = sealed_contest()
    voided = void_moves(match.pk, from_ply=1, why="A wrong card was shown.", now=NOON + HOUR)
    assert len(voided) == 3
    assert set(match.seats.filter(is_waiting=True).values_list("index", flat=True)) == {0, 1, 2}
    for step, text in enumerate(("bid 3", "pass", "pass")):
        submit_order(match, (oya + step) % 3, text)
    assert [move.text for move in match.moves.filter(voided_at=None)] == ["bid 3", "pass", "pass"]
    live = match.sealed_orders.filter(voided_at=None)
    assert list(live.values_list("version", flat=True)) == [2, 2, 2], "versions are counted on"
    told = [line for entry in read_log(fresh(match), None) for line in entry.sentences]
    assert any("A wrong card was shown. What has been shown since then stays known" in line for line in told)


def test_a_moderator_takes_picks_back_and_the_others_lie_face_down_again() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part=DEAL)
    for index in (0, 1):
        state = replay.position(fresh(match))
        play(match, index, match.rules.write(match.rules.default_move(state, index)))
    void_moves(match.pk, from_ply=2, why="x", now=NOON + HOUR)
    match = fresh(match)
    assert match.rules.view(replay.position(match), None).has_picked == (True, False)
    assert asked(match).index == 1
    first = match.sealed_orders.get(seat=0)
    assert (first.resolved_ply, first.voided_at) == (None, None)
    assert first.text not in records.record_text(match)
    play(
        match, 1, match.rules.write(match.rules.default_move(replay.position(match), 1)), now=NOON + 2 * HOUR
    )
    assert not match.sealed_orders.filter(resolved_ply=None, voided_at=None).exists()


def test_new_moves_take_the_same_plies_and_the_same_chance() -> None:
    match = make_match("jewellers", players=[make_user("ana"), make_user("ben")], server_part=DEAL)
    starter = asked(match)
    play(match, starter.index, "draw medium")
    position = fresh(match).position
    void_moves(match.pk, from_ply=1, why="x", now=NOON + HOUR)
    play(match, starter.index, "draw medium", now=NOON + 2 * HOUR)
    assert fresh(match).position == position
    rebuilt = list(replay.steps(fresh(match)))[-1][1].state
    assert codec.dump(rebuilt) == position


def test_a_turn_is_mailed_again_when_the_move_before_it_was_taken_back_and_played_anew(match: Match) -> None:
    """Its mail had the same key as the first one, and never went out."""
    for text in ("bid 1", "bid 2"):
        play(match, asked(match).index, text)
    third = asked(match)
    mails = OutboxMessage.objects.filter(user=third.user, kind="turn")
    assert mails.count() == 1
    void_moves(match.pk, from_ply=2, why="x", now=NOON + HOUR)
    play(match, asked(match).index, "bid 3", now=NOON + 2 * HOUR)
    assert asked(match) == third
    assert mails.count() == 2


def test_a_bot_whose_move_was_taken_back_moves_again() -> None:
    match = make_match(players=[make_user("ana")], bots=1, server_part=DEAL)
    while not match.seats.get(index=1).is_waiting:
        play(match, 0, "bid 0")
    assert play_bot(match.seats.get(index=1).pk)
    ply = match.moves.get(source=Move.Source.BOT).ply
    void_moves(match.pk, from_ply=ply, why="x", now=NOON + HOUR)
    assert play_bot(match.seats.get(index=1).pk)
    assert match.moves.filter(voided_at=None, ply=ply).exists()


def test_a_plan_that_played_what_is_taken_back_is_gone(match: Match) -> None:
    oya = asked(match)
    second = seat(match, oya.index + 1)
    store_plan(match.pk, user_of(second), "bid 2\nbid 9", source=Move.Source.WEB, request_id="p", now=NOON)
    play(match, oya.index, "bid 1")
    take_back(match, oya)
    assert match.plans.get().end == StoredPlan.End.UNDONE
    play(match, oya.index, "bid 0", now=NOON + 9 * HOUR)
    assert asked(match) == second


def test_agree_and_refuse_are_about_an_undo_first_and_else_about_a_holiday(match: Match) -> None:
    oya = asked(match)
    others = [seat(match, oya.index + step) for step in (1, 2)]
    day = NOON.date()
    propose_holiday(match.pk, user_of(oya), day, day, now=NOON)
    play(match, oya.index, "bid 1")
    propose_undo(match.pk, user_of(oya), now=NOON + HOUR)
    for number, other in enumerate(others):
        answer_proposal.agree(match.pk, user_of(other), now=NOON + (2 + number) * HOUR)
    assert fresh(match).ply == 0
    assert match.holidays.get().outcome == Holiday.Outcome.OPEN
    answer_proposal.refuse(match.pk, user_of(others[0]), now=NOON + 5 * HOUR)
    assert match.holidays.get().outcome == Holiday.Outcome.REFUSED


@pytest.mark.parametrize("ply", [0, 4])
def test_moves_that_were_not_played_cannot_be_taken_back(match: Match, ply: int) -> None:
    with pytest.raises(Refused, match="nothing-to-void"):
        void_moves(match.pk, from_ply=ply, why="x", now=NOON)
    with pytest.raises(Refused, match="nothing-to-undo"):
        propose_undo(match.pk, user_of(asked(match)), now=NOON)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("gem", {}),
        ("gem", {"pace": "sealed"}),
        ("jewellers", {"pace": "sealed"}),
        ("florentine", {}),
        ("gembatan", {}),
        ("gemessengers", {}),
    ],
    ids=str,
)
def test_an_undo_is_offered_just_when_it_is_not_refused(game: str, options: dict[str, str]) -> None:
    """Regression: it was offered in Florentine and after a sealed auction, where it was always refused."""
    players = [make_user("ana"), make_user("ben")]
    match = make_match(game, players=players, options=options, server_part=DEAL)
    compared = set()
    for _ in range(14):
        seat_asked = match.seats.filter(is_waiting=True).order_by("index")[0]
        state = prompts.position_to_answer(match, replay.position(match), seat_asked.index)
        chance = Chance("0" * 64, f"undo {match.ply} {seat_asked.index}")
        move = match.rules.random_move(state, seat_asked.index, chance)
        play(match, seat_asked.index, match.rules.write(move))
        match = fresh(match)
        for each in match.read_seats():
            offered = may_ask_for_undo(match, each)
            compared.add(offered)
            with transaction.atomic():
                try:
                    propose_undo(match.pk, user_of(each), now=NOON)
                    refused = ""
                except Refused as refusal:
                    refused = refusal.code
                transaction.set_rollback(True)
            assert offered == (not refused), (match.ply, each.letter, refused)
    assert False in compared
