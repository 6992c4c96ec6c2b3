"""The record of a finished match can be verified, and any change in it is found and named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

import pytest

from games import deal
from games.chance import Chance
from games.contract import GameError
from games.record import read_record
from games.verify import NotVerified, verify
from gemserver.matches import prompts, records, replay
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, Notice, SealedOrder, Seat
from tests.builders import NOON, make_match, make_table, make_user

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Kept:
    """A record, the hashes from the log, and the deal in plain text."""

    record: str
    hashes: frozenset[str]
    deal: str


@lru_cache
def play_out(game: str, seats: int, pace: str | None) -> Kept:
    """Play a whole match of players who gave parts of their own; orders are replaced now and then."""
    table = make_table(game, seats=seats, options={"pace": pace} if pace else {})
    secret = "5" * 64
    commitment = deal.commitment(table.code, game, 1, table.options, secret)
    Match.objects.filter(pk=table.pk).update(server_part=secret, commitment=commitment)
    for number in range(seats):
        join_table(table.pk, make_user(f"player{number}"), words=f"words of {number}", now=NOON)
    match = start_match(table.pk, by=None, now=NOON)
    step = 0
    while asked := Seat.objects.select_related("match", "user").filter(match=match, is_waiting=True).first():
        step += 1
        _send(match, asked, f"{step}", Chance(f"{step}", "players"))
        if step % 5 == 0 and match.sealed_orders.filter(seat=asked.index, resolved_ply=None).exists():
            _send(match, asked, f"{step} again", Chance(f"{step} again", "players"))
        match = Match.objects.get(pk=match.pk)
    assert match.is_over
    hashes = frozenset(notice.data["hash"] for notice in Notice.objects.filter(match=match, kind="sealed"))
    dealt = match.rules.write_deal(replay.first_position(match))
    return Kept(records.record_text(match), hashes, dealt)


def _send(match: Match, seat: Seat, request_id: str, chance: Chance) -> None:
    assert seat.user
    position = prompts.position_to_answer(match, replay.position(match), seat.index)
    text = match.rules.write(match.rules.random_move(position, seat.index, chance))
    submit(Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, request_id), now=NOON)


@pytest.fixture(
    params=[("gem", 3, "sealed"), ("jewellers", 3, "sealed"), ("gemessengers", 2, None)],
    ids=["gem", "jewellers", "gemessengers"],
)
def kept(request: pytest.FixtureRequest, db: None) -> Kept:
    return play_out(*request.param)


@pytest.fixture
def record(kept: Kept) -> str:
    return kept.record


def refusal(text: str) -> str:
    """The error with which `verify` refuses this record."""
    with pytest.raises(GameError) as caught:
        verify(read_record(text))
    return str(caught.value)


def change(record: str, pattern: str, alter: Callable[[str], str]) -> str:
    """Change the first match of the pattern's group in the record."""
    found = re.search(pattern, record, re.MULTILINE)
    assert found, pattern
    start, end = found.span(1)
    return record[:start] + alter(record[start:end]) + record[end:]


def flip(text: str) -> str:
    """A different hex text of the same length."""
    return ("1" if text[0] == "0" else "0") + text[1:]


@pytest.mark.slow
def test_the_record_is_verified_with_all_its_sealed_orders(record: str) -> None:
    read = read_record(record)
    assert verify(read).ended
    assert len(read.sealed) >= 20
    assert any(order.version > 1 for order in read.sealed)
    assert "# sealed " in record


def test_every_hash_of_the_log_is_in_the_record_and_the_other_way_round(kept: Kept) -> None:
    assert kept.hashes == {order.hash for order in read_record(kept.record).sealed}


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("Match", "commitment"),
        ("Options", "commitment"),
        ("Commitment", "commitment"),
        ("Server-Part", "commitment"),
        ("Parts", "seed"),
        ("Seed", "seed"),
        ("Result", "result-differs"),
        ("Ending", "ending-differs"),
    ],
)
def test_a_changed_header_is_named(record: str, header: str, named: str) -> None:
    others: dict[str, Callable[[str], str]] = {
        "Match": lambda text: f"{text}9",
        "Options": lambda text: "pace=table" if "sealed" in text else "x=y",
        "Result": lambda text: text.replace("A ", "A 1", 1),
        "Ending": lambda text: "resigned",
    }
    if f"{header}: " not in record:
        pytest.skip("this game has no options")
    assert named in refusal(change(record, rf"^{header}: (.*)$", others.get(header, flip)))


def test_a_changed_part_of_any_seat_is_noticed(record: str) -> None:
    parts = re.search(r"^Parts: (.*)$", record, re.MULTILINE)
    assert parts
    for part in parts[1].split():
        assert "not verified (seed)" in refusal(record.replace(part, flip(part)))


def test_another_deal_is_noticed(kept: Kept) -> None:
    """Neither another seed nor an explicit deal is the promised one."""
    other = sha256(b"another").hexdigest()
    assert "(seed)" in refusal(change(kept.record, r"^Seed: (.*)$", lambda _: other))
    written = re.sub(r"^Seed: .*$", f"Deal: {kept.deal}", kept.record, flags=re.MULTILINE)
    assert "(seed)" in refusal(written)


@pytest.mark.slow
def test_any_changed_hash_salt_text_version_or_seat_of_a_sealed_order_is_named(record: str) -> None:
    read = read_record(record)
    assert read.sealed
    for order in read.sealed[:: max(1, len(read.sealed) // 6)]:
        lines = record.split("\n")
        line = lines[order.line - 1]
        for old, new in (
            (order.hash, flip(order.hash)),
            (order.salt, flip(order.salt)),
            (order.text, f"{order.text} else pass"),
            (f" {order.version} {order.hash}", f" {order.version + 7} {order.hash}"),
            (f" {'ABC'[order.seat]} {order.version} ", f" {'BCA'[order.seat]} {order.version} "),
            (order.context, order.context + "0"),
        ):
            lines[order.line - 1] = line.replace(old, new, 1)
            assert f"line {order.line}:" in refusal("\n".join(lines))


def test_a_changed_dropped_or_added_move_is_named(record: str) -> None:
    read = read_record(record)
    assert read.moves
    for move in read.moves[:: max(1, len(read.moves) // 15)]:
        lines = record.split("\n")
        kept = lines[move.line - 1]
        for changed in ("", f"{kept}\n{kept}", change_seat(kept)):
            lines[move.line - 1] = changed
            assert "line" in refusal("\n".join(lines)), kept


def change_seat(line: str) -> str:
    number, seat, move = line.split(" ", 2)
    return f"{number} {'B' if seat == 'A' else 'A'} {move}"


@pytest.mark.slow
def test_a_legal_move_that_was_not_ordered_is_named() -> None:
    """The contests follow from the orders, so a different legal bid does not fit."""
    record = play_out("gem", 3, "sealed").record
    read = read_record(record)
    noticed = 0
    for move in read.moves:
        lines = record.split("\n")
        kept = lines[move.line - 1]
        if " bid " not in kept or "auto" in kept:
            continue
        amount = int(kept.split(" bid ")[1].split()[0])
        lines[move.line - 1] = kept.replace(f"bid {amount}", f"bid {amount + 1}")
        with pytest.raises(NotVerified) as caught:
            verify(read_record("\n".join(lines)))
        assert re.search(r"line \d+", str(caught.value))
        noticed += 1
    assert noticed > 8


def test_nothing_of_a_sealed_order_is_in_the_record_of_a_running_match() -> None:
    players = [make_user("ana"), make_user("ben")]
    match = make_match(players=players, options={"pace": "sealed"})
    seat = match.seats.select_related("user").get(index=0)
    _send(match, seat, "one", Chance("x", "y"))
    laid = SealedOrder.objects.get()
    text = records.record_text(match)
    assert laid.salt not in text
    assert laid.hash not in text
    assert "# sealed" not in text


@pytest.mark.slow
def test_a_contest_of_which_a_moderator_takes_back_a_move_is_asked_anew_and_still_verifies() -> None:
    secret = "5" * 64
    table = make_table("gem", seats=3, options={"pace": "sealed"})
    commitment = deal.commitment(table.code, "gem", 1, table.options, secret)
    Match.objects.filter(pk=table.pk).update(server_part=secret, commitment=commitment)
    for name in ("ana", "ben", "cy"):
        join_table(table.pk, make_user(name), now=NOON)
    match = start_match(table.pk, by=None, now=NOON)
    oya = replay.position(match).oya
    for behind, bid in enumerate(("bid 1", "bid 2", "bid 3")):
        index = (oya + behind) % 3
        player = Actor.player(match.seats.select_related("user").get(index=index).user)
        submit(Request(match.code, player, bid, Move.Source.WEB, f"order:{index}"), now=NOON)
    assert [move.text for move in replay.moves(match)] == ["bid 1", "bid 2", "bid 3"]
    voided = void_moves(match.pk, from_ply=2, why="A mistake.", now=NOON)
    assert [move.ply for move in voided] == [1, 2, 3], "a contest is settled at once, and taken back whole"
    assert "back to before move 1" in notices.sentence(match.notices.get(kind="voided"), ["ana", "ben", "cy"])
    assert match.seats.filter(is_waiting=True).count() == 3
    _play_on(match, "anew", lambda reached: reached.is_over)
    assert verify(read_record(records.record_text(Match.objects.get(pk=match.pk)))).ended


def _play_on(match: Match, label: str, is_reached: Callable[[Match], bool]) -> None:
    step = 0
    while not is_reached(Match.objects.get(pk=match.pk)):
        seat = Seat.objects.select_related("match", "user").filter(match=match, is_waiting=True)[0]
        step += 1
        _send(seat.match, seat, f"{label} {step}", Chance(f"{label} {step}", "players"))
