"""Long moves come back in several lines: mail programs wrap what people write."""

from __future__ import annotations

from textwrap import wrap

import pytest

from games.chance import Chance
from gemserver.lib import clock
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.matches import replay
from gemserver.matches.models import Match, Move
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive

pytestmark = pytest.mark.django_db

SEED = "b" * 64
TRIES = 12


def long_move(match: Match, seat: int) -> str:
    """The longest of some legal moves, so that as much as possible has to be wrapped."""
    state = replay.position(match)
    chance = Chance("0" * 64, f"long {match.ply}")
    moves = [match.rules.random_move(state, seat, chance) for _ in range(TRIES)]
    return max(map(match.rules.write, moves), key=len)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [72, 76, 78])
def test_a_whole_match_of_gembatan_by_mail(columns: int) -> None:
    """Every move is played as it was written, wherever the mail program broke it."""
    match = make_match("gembatan", [make_user("ana"), make_user("ben")], server_part=SEED, now=clock.now())
    most_lines = 0
    while match.is_running:
        seat = match.seats.select_related("user", "match").get(is_waiting=True)
        text = long_move(match, seat.index)
        lines = wrap(text, columns, break_long_words=False, break_on_hyphens=False)
        most_lines = max(most_lines, len(lines))
        number = f"<{columns}.{match.ply}@client.example.org>"
        row = receive(seat, letter(seat, "\n".join(lines), Message_ID=number))
        assert [(result["outcome"], result["line"]) for result in row.results] == [("done", text)]
        match = Match.objects.get(pk=match.pk)
    assert most_lines >= 2
    sources = match.moves.exclude(source=Move.Source.FORCED).values_list("source", flat=True)
    assert set(sources) == {"mail"}


@pytest.mark.parametrize(
    ("below", "move"),
    [
        ("\n\n+49 170 1234567", "bid 3"),
        ("\n\n+1 (555) 010-9999 ext. 7", "bid 3"),
        ("\n+49 (0)170 / 12 34 567", "bid 3"),
        ("\nPay attention to the deadline, Ben", "bid 3"),
        ("\n\nElse I would have passed.", "bid 3"),
        ("\n\nelse everybody gets angry", "bid 3"),
        ("\nElse pass", "bid 3 Else pass"),
        ("\n\nelse take SR pay 1 2", "bid 3 else take SR pay 1 2"),
        ("\npay with the ruby", "bid 3 pay with the ruby"),
        ("\n\nPay 1 2.", "bid 3 Pay 1 2."),
        ("\n\n+ play RB-- 0,0 N", "bid 3 + play RB-- 0,0 N"),
        ("\n\n#7", "bid 3"),
    ],
)
def test_what_a_signature_or_a_sentence_below_a_move_begins_with_is_no_part_of_it(
    below: str, move: str
) -> None:
    """`bid 3 +49 170 1234567` could not be read, and the bid was not played."""
    first = read_lines(f"bid 3{below}")[0]
    assert isinstance(first, MoveLine)
    assert first.text == move


@pytest.mark.parametrize(
    "body",
    [
        "What a long sentence this is + nothing but words, as people write them, do they\nstatus",
        "play RB-- 0,0 N\nstatus",
    ],
)
def test_a_command_below_a_long_line_is_a_command(body: str) -> None:
    lines = read_lines(body)
    assert lines[-1] == Command("status")
