"""Plans: stored, used, dropped, and readable by their owner alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin import site

from gemserver.accounts.models import User
from gemserver.matches import records, replay
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.store_plan import clear_plan, plan_of, store_plan
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.seats.hand_over import give_to_bot
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan, Undo
from gemserver.matches.refusal import Refused
from gemserver.matches.words.plans import explain_doubts, find_example, say_ended, say_kept
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play, play_until
from tests.logs import read_log
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)
GEM_DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part=GEM_DEAL)


def next_to(seat: Seat, step: int = 1) -> Seat:
    return Seat.objects.select_related("user").get(match=seat.match_id, index=(seat.index + step) % 3)


def plan(seat: Seat, text: str, request_id: str = "plan", **more: int) -> Accepted:
    assert seat.user
    return store_plan(
        seat.match_id, seat.user, text, source=Move.Source.WEB, request_id=request_id, now=LATER, **more
    )


def texts(match: Match) -> list[tuple[int, str, str]]:
    rows = match.moves.filter(voided_at=None).order_by("ply")
    return [(move.seat, move.text, move.source) for move in rows]


def test_a_plan_plays_when_its_seat_is_to_act_and_is_logged_as_by_plan(match: Match) -> None:
    oya = asked(match)
    second, third = next_to(oya), next_to(oya, 2)
    assert plan(second, "bid 2 else pass").moves == ()
    assert match.moves.count() == 0
    play(match, oya.index, "bid 1")
    assert texts(match) == [(oya.index, "bid 1", "web"), (second.index, "bid 2", "plan")]
    assert asked(match) == third
    assert not OutboxMessage.objects.filter(dedup_key__startswith=f"turn:{match.pk}:{second.index}:").exists()


def test_a_plan_plays_at_once_when_the_seat_is_to_act_now(match: Match) -> None:
    oya = asked(match)
    accepted = plan(oya, "bid 9 else bid 2")
    assert [(move.text, move.source) for move in accepted.moves] == [("bid 2", "plan")]
    assert asked(match) == next_to(oya)
    assert match.moves.get().actor == oya.user


def test_a_line_with_else_is_a_plan_by_the_same_door(match: Match) -> None:
    oya = asked(match)
    second = next_to(oya)
    request = Request(match.code, Actor.player(second.user), "bid 3 else pass", Move.Source.WEB, "line")
    accepted = submit(request, now=LATER)
    assert accepted.moves == ()
    assert accepted.plan is not None
    assert accepted.plan.lines == [["bid 3", "pass"]]
    play(match, oya.index, "bid 4")
    assert texts(match)[-1] == (second.index, "pass", "plan")
    assert submit(request, now=LATER).is_repeat


def test_the_lines_are_used_one_after_the_other_and_the_last_repeats_until_the_contest_ends() -> None:
    users = [make_user("ana"), make_user("ben")]
    match = make_match("jewellers", players=users, server_part=GEM_DEAL)
    starter = asked(match)
    other = Seat.objects.select_related("user").get(match=match, index=1 - starter.index)
    play(match, starter.index, "draw medium")
    plan(other, "bid 4\nup to 30 else pass")
    play(match, starter.index, "bid 2")
    play(match, starter.index, "bid 7")
    play(match, starter.index, "bid 10")
    by_plan = [text for seat, text, source in texts(match) if source == "plan"]
    assert by_plan[0] == "bid 4"
    assert len(by_plan) >= 3
    assert plan_of(match, users[other.index]) is not None
    play(match, starter.index, "pass")
    assert plan_of(match, users[other.index]) is None
    assert match.plans.get().end == StoredPlan.End.OVER


def test_always_outlives_the_contest(match: Match) -> None:
    oya = asked(match)
    second = next_to(oya)
    plan(second, "always\npass else bid 0 else keep")
    match = play_until(match, lambda reached: "day 1 auction 3" in str(selectors_context(reached)))
    by_plan = [text for seat, text, source in texts(match) if seat == second.index and source == "plan"]
    assert len(by_plan) >= 2
    assert plan_of(match, second.user) is not None  # type: ignore[arg-type]


def selectors_context(match: Match) -> str | None:
    return match.rules.context(replay.position(match))


def test_a_plan_in_whose_line_nothing_is_legal_is_dropped_and_its_owner_is_asked_with_a_note(
    match: Match,
) -> None:
    oya = asked(match)
    second = next_to(oya)
    plan(second, "bid 1 else bid 2")
    play(match, oya.index, "bid 2")
    assert asked(match) == second
    row = match.plans.get()
    assert (row.end, row.ended_ply) == (StoredPlan.End.DROPPED, 1)
    assert row.lines == [["bid 1", "bid 2"]], "it does not skip to a later line"


def test_where_there_is_no_contest_a_plan_is_for_the_next_turn_only() -> None:
    match = make_match("gembatan", players=[make_user("ana"), make_user("ben")], server_part=GEM_DEAL)
    first = asked(match)
    second = Seat.objects.select_related("user").get(match=match, index=1 - first.index)
    hands = replay.position(match).gem_hands
    plan(second, f"trade gems {hands[second.index][0]}\npass")
    play(match, first.index, f"trade gems {hands[first.index][0]}")
    assert texts(match)[-1][::2] == (second.index, "plan")
    assert match.plans.get().end == StoredPlan.End.USED
    assert asked(match) == first


@pytest.mark.parametrize(
    ("text", "code"),
    [("frobnicate", "unknown-word"), ("bid 1 else bid", "no-number"), ("", "empty"), ("always", "empty")],
)
def test_a_plan_that_cannot_be_read_is_refused_whole(match: Match, text: str, code: str) -> None:
    with pytest.raises(Refused, match=code):
        plan(next_to(asked(match)), text)
    assert not match.plans.exists()


def test_a_plan_of_which_nothing_answers_what_is_asked_now_is_refused(match: Match) -> None:
    oya = asked(match)
    due = oya.due_at
    with pytest.raises(Refused, match="too-high"):
        plan(oya, "bid 9 else bid 8")
    assert asked(match).due_at == due
    assert not match.plans.exists()


def test_a_plan_that_answers_an_older_contest_is_refused(match: Match) -> None:
    match = play_until(match, lambda reached: "auction 2" in str(selectors_context(reached)))
    waiting = next_to(asked(match))
    with pytest.raises(Refused, match="stale"):
        plan(waiting, "pass", seen_ply=1)
    plan(waiting, "always\npass", seen_ply=1)
    plan(waiting, "pass", "again", seen_ply=match.ply)


def test_a_plan_is_replaced_and_cleared_until_it_is_used(match: Match) -> None:
    oya = asked(match)
    second = next_to(oya)
    assert second.user
    plan(second, "bid 3", "one")
    plan(second, "bid 4", "two")
    assert [row.end for row in match.plans.order_by("pk")] == [StoredPlan.End.REPLACED, ""]
    assert clear_plan(match.pk, second.user, now=LATER)
    assert not clear_plan(match.pk, second.user, now=LATER)
    play(match, oya.index, "bid 1")
    assert asked(match) == second


def test_a_player_stores_no_plans_without_end(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of those that were replaced stay: a program could fill the database with them."""
    monkeypatch.setattr("gemserver.matches.playing.MOST_PLANS_A_DAY", 2)
    second = next_to(asked(match))
    plan(second, "bid 3", "one")
    plan(second, "bid 4", "two")
    with pytest.raises(Refused, match="too-many-plans"):
        plan(second, "bid 5", "three")
    assert second.user
    standing = plan_of(match, second.user)
    assert standing is not None
    assert standing.lines == [["bid 4"]]


def test_the_same_request_stores_a_plan_once_even_when_it_has_been_used(match: Match) -> None:
    oya = asked(match)
    assert [move.text for move in plan(oya, "bid 1").moves] == ["bid 1"]
    play(match, next_to(oya).index, "pass")
    again = plan(oya, "bid 1")
    assert again.is_repeat
    assert match.moves.count() == 2


def test_a_plan_dies_when_the_seat_changes_hands(match: Match) -> None:
    oya = asked(match)
    second = next_to(oya)
    plan(second, "bid 3")
    give_to_bot(match, second, now=LATER)
    assert match.plans.get().end == StoredPlan.End.HANDED_OVER
    play(match, oya.index, "bid 1")
    assert asked(match).index == second.index


def test_a_plan_is_in_no_record_log_or_admin_page_and_nobody_else_can_read_it(
    match: Match, players: list[User]
) -> None:
    second = next_to(asked(match))
    plan(second, "bid 3 else pass")
    assert "bid 3" not in records.record_text(match)
    for user in players:
        seat = match.seats.get(user=user)
        told = [sentence for entry in read_log(match, seat) for sentence in entry.sentences]
        assert not [sentence for sentence in told if "3" in sentence]
        assert (plan_of(match, user) is not None) == (user == second.user)
    for model in (StoredPlan, SealedOrder, Undo):
        assert not site.is_registered(model), "no admin page shows it"
    assert "bid" not in str(StoredPlan.objects.get())


def test_a_preview_of_a_line_with_else_shows_its_first_legal_alternative(match: Match) -> None:
    oya = asked(match)
    state = preview(match, Actor.player(oya.user), "bid 9 else bid 2", now=NOON)  # type: ignore[arg-type]
    assert match.rules.view(state, None).calls == (2,)


def test_a_pick_that_lies_face_down_is_replaced_by_a_line_with_else_too() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part=GEM_DEAL)
    legal = [match.rules.write(move) for move in match.rules.legal_moves(replay.position(match), 0)]
    play(match, 0, legal[0])
    missing = next(text for text in ("play ruby", "play topaz", "play amethyst") if text not in legal)
    play(match, 0, f"{missing} else {legal[-1]}")
    match = Match.objects.get(pk=match.pk)
    assert match.rules.view(replay.position(match), 0).pick == match.rules.parse(
        replay.position(match), 0, legal[-1]
    )
    assert not match.plans.exists()


def told_of(plan_row: StoredPlan) -> str:
    return say_ended(plan_row)


@pytest.mark.parametrize("pace", ["table", "sealed"])
def test_a_plan_that_has_won_the_auction_is_used_up_and_not_called_a_failure(
    pace: str, players: list[User]
) -> None:
    """Its bid was played and only the payment is left, so the message must not say that nothing was possible."""
    match = make_match(players=players, options={"pace": pace}, server_part=GEM_DEAL)
    first = int(replay.position(match).oya)
    oya, second, third = (
        Seat.objects.select_related("user").get(match=match, index=(first + step) % 3) for step in range(3)
    )
    plan(second, "bid 2 else bid 3 else pass")
    for seat, text in ((oya, "bid 2"), (third, "pass")):
        submit(Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, text), now=LATER)  # type: ignore[arg-type]
    assert asked(match) == second
    row = match.plans.get()
    assert (row.end, row.lines) == (StoredPlan.End.USED, [["bid 2", "bid 3", "pass"]])
    assert "bid 3" in {move.text for move in match.moves.all()}
    assert "dropped" not in told_of(row)
    assert "used up" in told_of(row)


def test_a_plan_whose_contest_is_over_or_whose_one_turn_is_played_says_nothing(match: Match) -> None:
    oya = asked(match)
    plan(next_to(oya), "bid 2 else pass")
    for text in ("bid 2", "pass"):
        play(match, asked(match).index, text)
    assert match.plans.get().end == ""
    card = replay.position(Match.objects.get(pk=match.pk)).open[0]
    play(match, oya.index, f"take {card} pay 2")
    row = match.plans.get()
    assert (row.end, told_of(row)) == (StoredPlan.End.OVER, "")


def test_a_plan_whose_next_line_was_never_possible_is_still_called_dropped(match: Match) -> None:
    oya = asked(match)
    second, third = next_to(oya), next_to(oya, 2)
    shut = replay.position(match).piles[0][0]
    plan(second, f"bid 3\ntake {shut} pay 3")
    play(match, oya.index, "bid 0")
    play(match, third.index, "pass")
    row = match.plans.get()
    assert row.end == StoredPlan.End.DROPPED
    assert f"Nothing in the next line of your plan (take {shut} pay 3) was possible" in told_of(row)


def test_a_plan_for_always_that_finds_nothing_is_dropped_and_says_so(match: Match) -> None:
    oya = asked(match)
    second, third = next_to(oya), next_to(oya, 2)
    plan(second, "always\nbid 3 else pass")
    play(match, oya.index, "bid 0")
    play(match, third.index, "pass")
    row = match.plans.get()
    assert row.end == StoredPlan.End.DROPPED
    assert "Nothing in the next line of your plan (bid 3 else pass) was possible" in told_of(row)


def test_a_plan_with_a_bid_beyond_all_pieces_is_kept_and_its_player_told(match: Match) -> None:
    row = plan(next_to(asked(match)), "bid 99").plan
    assert row is not None
    [doubt] = explain_doubts(row)
    assert (doubt.text, doubt.words) == ("bid 99", "")
    assert doubt.reason == "99 is more than you can pay: your active coins and cards are worth 6."


def test_what_of_a_plan_is_in_doubt_is_told_in_words() -> None:
    match = make_match("gembatan", players=[make_user("ana"), make_user("ben")], server_part=GEM_DEAL)
    seat = Seat.objects.select_related("user").get(match=match, index=1 - asked(match).index)
    assert seat.user is not None
    first, second = find_example(match, seat.index).split(" else ")
    row = plan(seat, f"{first}\n{second}").plan
    assert row is not None
    [doubt] = explain_doubts(row)
    assert doubt.text == second
    assert doubt.words not in ("", second)
    assert f"cannot be played: “{doubt.words}” ({second})." in say_kept(row)
    page = signed_in(seat.user).get(f"/m/{match.code}/").content.decode()
    assert f"<kbd>{second}</kbd> {doubt.words}. A plan holds for one turn here" in page
