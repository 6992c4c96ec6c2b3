"""The record of an honest match verifies, whatever was played for absent players."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import deal
from games.chance import Chance
from games.record import MoveLine, read_record
from games.replay import replay
from games.verify import verify
from gemserver.clocks.control import TimeControl
from gemserver.matches import records
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON, make_match, make_table, make_user, play_to_the_end, play_until
from tests.matches.test_proofs import _send
from tests.quick import first, some

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
SECRET = "5" * 64


def start(game: str, options: dict[str, str], absence: Match.Absence) -> Match:
    """A match whose deal can be checked."""
    table = make_table(
        game, seats=3, options=options, absence=absence, time_control=TimeControl.per_move(DAY)
    )
    commitment = deal.commitment(table.code, game, 1, table.options, SECRET)
    Match.objects.filter(pk=table.pk).update(server_part=SECRET, commitment=commitment)
    for name in ("ana", "ben", "cy"):
        join_table(table.pk, make_user(name), now=NOON)
    return start_match(table.pk, by=None, now=NOON)


OPTIONS = [
    ("gem", {"pace": "sealed"}),
    ("gemessengers", {}),
    ("jewellers", {"pace": "table"}),
    ("gem", {"pace": "table"}),
    ("jewellers", {"pace": "sealed"}),
]


@pytest.mark.slow
@pytest.mark.parametrize("absence", [Match.Absence.DEFAULT, Match.Absence.BOT])
@pytest.mark.parametrize(("game", "options"), first(1, some(OPTIONS, 2)))
def test_a_match_in_which_time_ran_out_verifies(
    game: str, options: dict[str, str], absence: Match.Absence
) -> None:
    match = start(game, options, absence)
    now, step, expired = NOON, 0, 0
    while asked := Seat.objects.select_related("match", "user").filter(match=match, is_waiting=True).first():
        step += 1
        if step % 7 == 3 and expired < 6:
            assert asked.due_at
            expired += 1
            now = asked.due_at
            assert expire_seat(asked.pk, now=now) is not None
        else:
            _send(asked.match, asked, f"{step}", Chance(f"{step}", "players"))
    record = read_record(records.record_text(Match.objects.get(pk=match.pk)))
    found = verify(record)
    assert found.is_complete
    assert Move.objects.filter(match=match, source=Move.Source.CLOCK).exists()
    played_by = {line.played_by for line in record.moves if isinstance(line, MoveLine)}
    assert ("bot" in played_by) == (absence == Match.Absence.BOT)
    if absence == Match.Absence.DEFAULT:
        assert "clock" in played_by


def test_a_substitute_who_resigns_before_the_first_move_leaves_a_record_that_replays() -> None:
    """The seat has resigned already, and every reader of the record would refuse a second resignation."""
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = play_until(
        make_match(players=players, absence=Match.Absence.REPLACE), lambda reached: reached.ply == 4
    )
    give_up(match, players[1], "one")
    dee = make_user("dee")
    take_seat(match.pk, 1, dee, now=NOON)
    give_up(match, dee, "two")
    assert match.seats.get(index=1).bot
    assert match.moves.filter(text="resign").count() == 1
    eve = make_user("eve")
    take_seat(match.pk, 1, eve, now=NOON)
    match = play_until(Match.objects.get(pk=match.pk), lambda reached: has_moved(reached, 1))
    give_up(match, eve, "three")
    assert match.moves.filter(text="resign").count() == 2
    match = play_to_the_end(Match.objects.get(pk=match.pk))
    assert replay(read_record(records.record_text(match))).refusal is None


def has_moved(match: Match, seat: int) -> bool:
    last = match.moves.filter(text="resign").order_by("ply").last()
    assert last
    own = match.moves.filter(seat=seat, ply__gt=last.ply, source__in=[Move.Source.WEB, Move.Source.MAIL])
    return own.exists()


def give_up(match: Match, user: object, request_id: str) -> None:
    resign(match.pk, user, source=Move.Source.WEB, request_id=request_id, now=NOON)  # type: ignore[arg-type]
