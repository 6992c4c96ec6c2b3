"""Sealed pace on the server: prompts, secrecy, settling a contest, proofs."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.matches import playing, prompts, replay, selectors
from gemserver.matches.actions.play.play_bot import play_bot
from gemserver.matches.actions.play.preview import preview
from gemserver.matches.actions.play.store_plan import plan_of, store_plan
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.models import Match, Move, Notice, SealedOrder, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from gemserver.site.match.deal_page import DealPage
from tests.builders import NOON, make_match, make_user, play
from tests.logs import read_log
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

SEALED = {"pace": "sealed"}
DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, options=SEALED, server_part=DEAL)


def oya_of(match: Match) -> int:
    return int(replay.position(match).oya)


def order(match: Match, seat: int, text: str, *, now: datetime = NOON, request_id: str = "") -> Accepted:
    holder = Seat.objects.select_related("user").get(match=match, index=seat)
    actor = Actor.player(holder.user) if holder.user else Actor.bot(seat)
    request_id = request_id or f"order:{SealedOrder.objects.count()}:{match.moves.count()}"
    return submit(Request(match.code, actor, text, Move.Source.WEB, request_id), now=now)


def waiting(match: Match) -> set[int]:
    return set(match.seats.filter(is_waiting=True).values_list("index", flat=True))


def texts(match: Match) -> list[tuple[int, str, str]]:
    rows = match.moves.filter(voided_at=None).order_by("ply")
    return [(move.seat, move.text, move.source) for move in rows]


def fresh(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def test_all_bidders_are_asked_at_once_each_on_a_clock_of_its_own(match: Match) -> None:
    assert waiting(match) == {0, 1, 2}
    assert {seat.due_at for seat in match.seats.all()} == {NOON + timedelta(days=3)}
    assert OutboxMessage.objects.filter(kind="turn").count() == 3


def test_orders_are_settled_at_the_table_when_all_are_in(match: Match) -> None:
    oya = oya_of(match)
    second, third = (oya + 1) % 3, (oya + 2) % 3
    order(match, third, "bid 2")
    order(match, oya, "bid 1")
    assert match.moves.count() == 0
    assert waiting(match) == {second}
    accepted = order(match, second, "bid 2")
    assert texts(match) == [
        (oya, "bid 1", "web"),
        (second, "bid 2", "web"),
        (third, "pass", "auto"),
    ], "the later bid of 2 does not beat the first and becomes a pass"
    assert [move.text for move in accepted.moves] == ["bid 1", "bid 2", "pass"]
    assert waiting(fresh(match)) == {second}, "the winner takes a card as usual"
    card = replay.position(fresh(match)).open[0]
    order(match, second, f"take {card} pay 2")
    assert waiting(fresh(match)) == {0, 1, 2}, "the next auction"


def test_an_order_may_be_replaced_until_all_are_in_and_each_version_has_a_number(match: Match) -> None:
    oya = oya_of(match)
    versions = [order(match, oya, text).order for text in ("bid 1", "bid 3", "pass")]
    assert [version.version for version in versions if version] == [1, 2, 3]
    assert [version.text for version in versions if version] == ["bid 1", "bid 3", "bid 0"]
    assert waiting(match) == {0, 1, 2} - {oya}
    order(match, (oya + 1) % 3, "pass")
    order(match, (oya + 2) % 3, "pass")
    assert texts(match)[0] == (oya, "bid 0", "web")
    with pytest.raises(Refused, match="wrong-phase"):
        order(match, oya, "bid 1")


def test_each_order_has_its_hash_on_the_page_of_the_deal_from_its_acceptance(match: Match) -> None:
    oya = oya_of(match)
    accepted = order(match, oya, "BID  3.").order
    assert accepted is not None
    covered = f"{match.code}|day 1 auction 1|{'ABC'[oya]}|1|{accepted.salt}|bid 3"
    assert accepted.hash == sha256(covered.encode()).hexdigest()
    assert len(bytes.fromhex(accepted.salt)) == 16
    notice = Notice.objects.get(match=match, kind="sealed")
    assert notice.data == {
        "player": oya,
        "context": "day 1 auction 1",
        "version": 1,
        "hash": accepted.hash,
    }
    lines = [sentence for entry in read_log(match, None) for sentence in entry.sentences]
    assert not any(accepted.hash in line for line in lines), "proofs are on the page of the deal"
    assert [found.hash for found in DealPage(match).fingerprints] == [accepted.hash]


def test_the_same_request_lays_one_order(match: Match) -> None:
    oya = oya_of(match)
    first = order(match, oya, "bid 1", request_id="same").order
    again = order(match, oya, "bid 1", request_id="same")
    assert again.is_repeat
    assert again.order == first
    assert SealedOrder.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "code"), [("bid 7", "too-high"), ("take SR", "wrong-phase"), ("x", "unknown")]
)
def test_an_order_that_cannot_be_legal_is_refused_and_nothing_is_kept(
    match: Match, text: str, code: str
) -> None:
    with pytest.raises(Refused, match=code):
        order(match, oya_of(match), text)
    assert not SealedOrder.objects.exists()
    assert waiting(match) == {0, 1, 2}


def test_when_time_runs_out_the_default_is_played_for_who_has_no_order(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    oya = oya_of(match)
    second, third = (oya + 1) % 3, (oya + 2) % 3
    order(match, second, "bid 2")
    sweep(monkeypatch, NOON + timedelta(days=3, seconds=1))
    assert texts(match) == [(oya, "bid 0", "clock"), (second, "bid 2", "web"), (third, "pass", "clock")]
    assert match.seats.get(index=third).misses == 1
    mail = OutboxMessage.objects.filter(kind="timeout").first()
    assert mail is not None
    assert mail.data["text"] == ""
    assert waiting(fresh(match)) == {second}


def test_an_order_after_the_time_counts_as_long_as_others_are_asked(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    oya = oya_of(match)
    late = match.seats.get(index=oya)
    Seat.objects.filter(match=match).exclude(pk=late.pk).update(prompted_at=NOON + timedelta(days=2))
    sweep(monkeypatch, NOON + timedelta(days=3, seconds=1))
    assert waiting(match) == {0, 1, 2} - {oya}
    assert order(match, oya, "bid 3").order is not None
    for other in {0, 1, 2} - {oya}:
        order(match, other, "pass")
    assert texts(match)[0] == (oya, "bid 3", "web")


def test_who_cannot_decide_anything_is_not_asked(match: Match) -> None:
    oya = oya_of(match)
    second, third = (oya + 1) % 3, (oya + 2) % 3
    for seat, text in ((oya, "bid 6"), (second, "pass"), (third, "pass")):
        order(match, seat, text)
    card = replay.position(fresh(match)).open[0]
    order(match, oya, f"take {card} pay 1 2 3")
    assert waiting(fresh(match)) == {second, third}, "all the coins of the first are spent"
    with pytest.raises(Refused, match="not-your-turn"):
        order(match, oya, "pass")


def test_investments_are_asked_of_all_at_once_and_played_in_turn(players: list[User]) -> None:
    match = make_match(players=players, options=SEALED, server_part=DEAL)
    while replay.position(match).phase != "invest":
        position = replay.position(match)
        for seat in sorted(waiting(match)):
            if position.phase == "take":
                order(match, seat, f"take {position.open[0]} pay 1")
            else:
                order(match, seat, "bid 1" if seat == position.oya else "pass")
        match = fresh(match)
    assert len(waiting(match)) == 3
    before = match.ply
    for seat in sorted(waiting(match)):
        card = next(piece for piece in replay.position(match).inactive[seat] if not piece.isdigit())
        order(match, seat, f"invest {card} pay 3")
    contest = [text.split()[0] for _, text, _ in texts(match)[before : before + 3]]
    assert contest == ["invest"] * 3


def test_a_proxy_bid_in_jewellers_holds_for_the_whole_auction() -> None:
    users = [make_user("ana"), make_user("ben")]
    match = make_match("jewellers", players=users, options=SEALED, server_part=DEAL)
    (starter,) = waiting(match)
    order(match, starter, "draw medium")
    assert waiting(match) == {0, 1}
    order(match, starter, "up to 20 else pass")
    order(match, 1 - starter, "up to 9 else pass")
    auction = texts(match)[1:]
    assert [text for seat, text, _ in auction if seat == starter][-1] != "pass"
    assert auction[-1][:2] == (1 - starter, "pass")
    assert sum(text.startswith("bid") for _, text, _ in auction) >= 4


def test_nobody_else_is_told_what_was_ordered_before_the_match_is_over(match: Match) -> None:
    oya = oya_of(match)
    order(match, oya, "bid 5")
    position = replay.position(match)
    for seat in match.seats.select_related("user").exclude(index=oya):
        told = [line for entry in read_log(match, seat) for line in entry.sentences]
        assert not [line for line in told if "bids" in line]
        view = match.rules.view(position, seat.index)
        assert "5" not in prompts.prompt_text(match, view, ["Ana", "Ben", "Cy"]).replace("bid 5", "")
    assert str(SealedOrder.objects.get()) == f"{match.pk} {'ABC'[oya]} day 1 auction 1 1"


def test_a_plan_answers_when_its_seat_is_asked_and_is_hashed_like_any_order(match: Match) -> None:
    oya = oya_of(match)
    second, third = (oya + 1) % 3, (oya + 2) % 3
    user = match.seats.get(index=second).user
    assert user is not None
    store_plan(match.pk, user, "bid 9 else bid 3\ntake D1 pay 3 else take D2 pay 3 else take D3 pay 3", **WEB)
    laid = SealedOrder.objects.get()
    assert (laid.source, laid.version, laid.text.split(";")[0]) == ("plan", 1, "bid 9 else bid 3")
    assert laid.hash
    order(match, oya, "bid 1")
    order(match, third, "bid 2")
    assert texts(match)[1] == (second, "bid 3", "plan")
    row = match.plans.get()
    assert (row.used, row.end) in {(1, ""), (1, "dropped"), (2, "")}


WEB: dict[str, Any] = {"source": Move.Source.WEB, "request_id": "plan", "now": NOON}


def test_a_plan_for_always_orders_in_every_contest(match: Match) -> None:
    oya = oya_of(match)
    second, third = (oya + 1) % 3, (oya + 2) % 3
    user = match.seats.get(index=third).user
    assert user is not None
    store_plan(match.pk, user, "always\npass else bid 0 else keep", **WEB)
    order(match, oya, "bid 1")
    order(match, second, "bid 2")
    card = replay.position(fresh(match)).open[0]
    order(match, second, f"take {card} pay 2")
    assert third not in waiting(fresh(match))
    assert set(match.sealed_orders.filter(seat=third).values_list("source", flat=True)) == {"plan"}
    assert plan_of(match, user) is not None


def test_bots_lay_orders_like_anybody() -> None:
    match = make_match(players=[make_user("ana")], bots=2, options=SEALED, server_part=DEAL)
    for seat in match.seats.exclude(bot="").filter(is_waiting=True):
        assert play_bot(seat.pk)
    assert waiting(match) == {0}
    assert match.moves.count() == 0
    order(match, 0, "pass")
    assert match.moves.count() >= 3


@pytest.mark.slow
def test_a_whole_match_against_bots_is_played_out() -> None:
    match = make_match("jewellers", players=[], bots=3, options=SEALED, server_part=DEAL)
    for _ in range(400):
        asked = match.seats.filter(is_waiting=True).first()
        if asked is None:
            break
        assert play_bot(asked.pk)
    assert fresh(match).is_over
    assert not SealedOrder.objects.filter(resolved_ply=None).exists()


def test_what_may_be_ordered_is_offered_and_previewed(match: Match) -> None:
    oya = oya_of(match)
    seat = match.seats.select_related("user").get(index=(oya + 1) % 3)
    assert seat.user is not None
    offered = selectors.legal_texts(match, seat, 20)
    assert offered == ["pass", *[f"bid {amount}" for amount in range(1, 7)]]
    shown = preview(match, Actor.player(seat.user), "bid 4", now=NOON)
    assert match.rules.view(shown, None).calls[-1] == 4
    assert not SealedOrder.objects.exists()


def test_an_order_is_changed_so_often_at_most(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_VERSIONS", 2)
    match = make_match(players=players, options={"pace": "sealed"})
    seat = match.seats.filter(is_waiting=True)[0]
    for text in ("bid 1", "bid 2"):
        play(match, seat.index, text)
    with pytest.raises(Refused, match="too-many-versions"):
        play(match, seat.index, "bid 1")
    assert match.sealed_orders.filter(seat=seat.index).count() == 2
