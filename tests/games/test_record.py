"""Match records: reading, writing, and refusals with their lines."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import deal
from games.chance import NO_SEED
from games.record import (
    MoveLine,
    Record,
    SealedLine,
    read_record,
    write_move_line,
    write_options,
    write_record,
)
from games.record_headers import UnreadableRecord, read_options
from games.registry import game
from games.replay import replay, summarise
from games.verify import NotVerified, verify
from tests.games.gem.positions import DEAL

HEAD = f"Game: gem 1\nPlayers: Ana | Bob | Cy | Dee\nOptions: pace=table\nDeal: {DEAL}\n"
WORKED = f"{HEAD}\n1 A bid 0\n2 B bid 2\n3 C pass\n4 D bid 3\n5 D take SR pay 1 2\n"


def refuse(text: str) -> str:
    """Return the code with which the text is refused as a record."""
    with pytest.raises(UnreadableRecord) as refusal:
        replay(read_record(text))
    return refusal.value.code


def test_the_worked_example() -> None:
    played = replay(read_record(WORKED))
    assert played.refusal is None
    assert summarise(played) == {
        "game": "gem",
        "ply": 5,
        "to_act": ["A"],
        "context": "day 1 auction 2",
        "over": False,
        "scores": [0, 0, 0, 0],
        "ranks": [1, 1, 1, 1],
        "legal": {"A": [f"bid {amount}" for amount in range(7)]},
    }


def test_first_names_the_first_seat() -> None:
    played = replay(read_record(f"{HEAD}First: C\n\n1 C bid 0\n"))
    assert played.to_act == (3,)


def test_comments_blank_lines_and_wrapped_moves() -> None:
    text = WORKED.replace("Game:", "# a comment\n\n# more\nGame:").replace("3 C", "# why?\n\n3 C")
    wrapped = text.replace("take SR pay 1 2", "take SR\n  pay 1 2").replace("\n", "\r\n")
    assert replay(read_record("\ufeff" + wrapped)).ply == 5


def test_who_played_a_move_is_read_but_not_checked() -> None:
    record = read_record(WORKED.replace("3 C pass", "3 C pass ; clock"))
    assert [line.played_by for line in record.moves if isinstance(line, MoveLine)] == [
        "",
        "",
        "clock",
        "",
        "",
    ]
    assert replay(record).ply == 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3 C pass", "3 C bid 9", "line 8: illegal (too-high): 9 is more"),
        ("3 C pass", "3 C bit 9", "line 8: invalid (unknown-word): "),
        ("3 C pass", "3 D pass", "line 8: illegal (not-your-turn): "),
        ("3 C pass", "4 C pass", "line 8: invalid (wrong-number): This should be ply 3, not 4."),
        ("3 C pass", "C pass", "line 8: invalid (bad-line): "),
        ("3 C pass", "3 E pass", "line 8: invalid (bad-line): "),
        ("3 C pass", "3 C", "line 8: invalid (bad-line): "),
    ],
)
def test_the_first_line_that_fails_is_named_and_the_valid_prefix_kept(
    old: str, new: str, message: str
) -> None:
    played = replay(read_record(WORKED.replace(old, new)))
    assert str(played.refusal).startswith(message)
    assert played.ply == 2
    assert played.to_act == (2,)


def test_an_ambiguous_line_is_refused_as_ambiguous() -> None:
    played = replay(read_record(WORKED.replace("take SR pay", "take ruby pay")))
    assert str(played.refusal).startswith("line 10: ambiguous (ambiguous-card): ")


def test_a_resignation_ends_a_match_of_two() -> None:
    text = f"Game: gem 1\nPlayers: Ana | Bob\nSeed: {NO_SEED}\nEnding: resigned\n\n1 A resign\n"
    played = replay(read_record(text))
    assert played.refusal is None
    assert (played.ended, played.to_act, list(played.ranks)) == (True, (), [2, 1])
    more = replay(read_record(text + "2 B bid 0\n"))
    assert str(more.refusal).startswith("line 7: illegal (over)")


def test_a_resignation_in_a_larger_match_is_a_ply_and_the_match_goes_on() -> None:
    played = replay(
        read_record(WORKED.replace("4 D bid 3", "4 A resign\n5 D bid 3").replace("5 D take", "6 D take"))
    )
    assert played.refusal is None
    assert (played.ply, played.to_act, played.ended) == (6, (0,), False)
    assert played.resigned == {0}


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ("Ending: played out\n", "line 5: illegal (ending-differs)"),
        ("Ending: resigned\n", "line 5: illegal (ending-differs)"),
        ("Ending: adjudicated\nResult: A 0, B 0, C 0, D 1\n", "line 6: illegal (result-differs)"),
    ],
)
def test_result_and_ending_must_be_borne_out(headers: str, message: str) -> None:
    played = replay(read_record(WORKED.replace("\n\n", f"\n{headers}\n", 1)))
    assert str(played.refusal).startswith(message)
    assert played.ply == 5


@pytest.mark.parametrize(("resigning", "is_over"), [("A", False), ("AB", False), ("ABD", True)])
def test_a_larger_match_has_ended_by_resignation_only_if_one_player_is_left(
    resigning: str, is_over: bool
) -> None:
    """Otherwise whoever cuts a record off behind a resignation could have it verified as whole."""
    lines = "".join(f"{ply} {seat} resign\n" for ply, seat in enumerate(resigning, start=1))
    head = f"Game: gem 1\nPlayers: Ana | Bob | Cy | Dee\nSeed: {NO_SEED}\nEnding: resigned\n\n"
    played = replay(read_record(head + lines))
    assert (played.refusal is None) == played.ended == is_over
    if not is_over:
        assert "Put back what is missing" in str(played.refusal)


def test_a_deal_that_cannot_be_is_named_by_its_line() -> None:
    with pytest.raises(UnreadableRecord, match="bad-deal") as refusal:
        replay(read_record("Game: gem 1\nPlayers: A | B\nDeal: SR SR\n"))
    assert "line 3: A deal of GEM" in str(refusal.value)


def test_case_and_line_ends_make_no_difference() -> None:
    text = WORKED.replace("\n\n", "\nResult: A 0, B 0, C 0, D 0\nEnding: adjudicated\n\n", 1)
    other = (
        text.replace("Game: gem", "GAME: GEM")
        .replace("adjudicated", "Adjudicated")
        .replace("A 0, B", "a 0, b")
    )
    for line_end in ("\n", "\r\n", "\r"):
        assert replay(read_record(other.replace("\n", line_end))) == replay(read_record(text))


def test_an_adjudicated_match_is_over() -> None:
    headers = "Result: A 0, B 0, C 0, D 0\nEnding: adjudicated\n"
    played = replay(read_record(WORKED.replace("\n\n", f"\n{headers}\n", 1)))
    assert played.refusal is None
    assert (played.ended, played.to_act, summarise(played)["context"]) == (True, (), None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "missing-header"),
        ("hello", "bad-header"),
        ("Game: chess 1\nPlayers: A | B\n", "unknown-game"),
        ("Game: gem\nPlayers: A | B\n", "unknown-game"),
        (f"Game: gem 2\nPlayers: A | B\nSeed: {NO_SEED}\n", "unknown-version"),
        (f"Game: gem 1\nPlayers: A\nSeed: {NO_SEED}\n", "bad-seats"),
        (f"Game: gem 1\nPlayers: A | B | C | D | E\nSeed: {NO_SEED}\n", "bad-seats"),
        ("Game: gem 1\nPlayers: A | B\n", "no-seed"),
        ("Game: gem 1\nPlayers: A | B\nSeed: 12\n", "not-hex"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {'AB' * 32}\n", "not-hex"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nDeal: {DEAL}\n", "seed-and-deal"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nSeed: {NO_SEED}\n", "twice"),
        ("Game: gem 1\nPlayers: A | B\nDeal: SR SR\n", "bad-deal"),
        (f"Game: gem 1\nPlayers: A | B\nDeal: {DEAL}\nFirst: C\n", "bad-first"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nOptions: speed=5\n", "unknown-option"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nOptions: pace=fast\n", "bad-option"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nOptions: pace\n", "bad-option"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nResult: A 1\n", "bad-result"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nResult: B 1, A 2\n", "bad-result"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nResult: A 1, B\n", "bad-result"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nEnding: bored\n", "bad-ending"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nAges: 31\n", "bad-ages"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\nParts: {NO_SEED}\n", "bad-parts"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\n\n# sealed x\n", "bad-sealed"),
        (f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\n" + "\n" * 20_000, "too-long"),
        (f"Game: gem 1\nPlayers: A | B\nCommitment: {NO_SEED}\n\n1 A bid 0\n", "running"),
    ],
)
def test_what_is_no_record(text: str, code: str) -> None:
    assert refuse(text) == code


def test_a_running_match_says_that_its_seed_is_not_revealed() -> None:
    record = read_record(f"Game: gem 1\nPlayers: A | B\nCommitment: {NO_SEED}\n")
    with pytest.raises(UnreadableRecord, match="running") as refusal:
        replay(record)
    assert "the seed is not revealed yet" in str(refusal.value)


def test_unknown_headers_are_kept_in_mind() -> None:
    for name in ("Date", "Elo2", "X_Foo", "X-Site"):
        assert read_record(f"{HEAD}{name}: today\n").unknown == (name,)


@given(st.text(max_size=200))
def test_any_text_is_a_record_or_refused(text: str) -> None:
    for candidate in (text, f"{HEAD}\n{text}", f"Game: gem 1\nPlayers: A | B\nSeed: {NO_SEED}\n{text}"):
        with suppress(UnreadableRecord):
            assert replay(read_record(candidate)).ply >= 0


def make_record() -> Record:
    server_part = "c0" * 32
    parts = (deal.given_part("mine"), deal.default_part(server_part, 1))
    salt = "0f" * 16
    return Record(
        game="gem",
        version=1,
        players=("Ana", "Bob"),
        options="pace=sealed",
        seed=deal.seed(server_part, parts),
        match="M17",
        commitment=deal.commitment("M17", "gem", 1, "pace=sealed", server_part),
        server_part=server_part,
        parts=parts,
        moves=(MoveLine(0, "bid 0", "plan"), MoveLine(1, "pass", "auto")),
        sealed=(
            SealedLine(
                "day 1 auction 1",
                1,
                2,
                deal.sealed_hash("M17", "day 1 auction 1", 1, 2, salt, "pass"),
                salt,
                "pass",
            ),
        ),
    )


def find_opener(record: Record) -> Record:
    """Return the record with two moves that fit: the seat that the seed lets begin bids, the other passes."""
    opener = replay(replace(record, moves=())).to_act[0]
    return replace(record, moves=(MoveLine(opener, "bid 0", "plan"), MoveLine(1 - opener, "pass", "auto")))


def test_what_is_written_is_read_again() -> None:
    record = find_opener(make_record())
    text = write_record(record)
    assert write_record(read_record(text)) == text
    again = read_record(text)
    assert (again.match, again.parts, again.options) == (record.match, record.parts, record.options)
    assert [line.played_by for line in again.moves if isinstance(line, MoveLine)] == ["plan", "auto"]
    assert replace(again.sealed[0], line=0) == record.sealed[0]


def test_an_honest_record_is_verified() -> None:
    assert verify(read_record(write_record(find_opener(make_record())))).ply == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"match": "M18"}, "commitment"),
        ({"options": "pace=table"}, "commitment"),
        ({"server_part": "c1" * 32}, "commitment"),
        ({"parts": (deal.given_part("other"), deal.given_part("part"))}, "seed"),
        ({"seed": "ab" * 32}, "seed"),
        ({"moves": (MoveLine(0, "keep"),)}, "line"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, object], code: str) -> None:
    with pytest.raises(NotVerified) as refusal:
        verify(replace(find_opener(make_record()), **change))  # type: ignore[arg-type]
    assert refusal.value.code == code


def test_a_changed_sealed_order_does_not_verify() -> None:
    record = find_opener(make_record())
    changed = replace(record, sealed=(replace(record.sealed[0], text="bid 3"),))
    with pytest.raises(NotVerified, match="sealed"):
        verify(changed)


def test_a_record_without_commitment_has_nothing_to_verify() -> None:
    with pytest.raises(UnreadableRecord, match="nothing-to-verify"):
        verify(read_record(WORKED))
    with pytest.raises(UnreadableRecord, match="running"):
        verify(replace(make_record(), seed=None))


def test_long_moves_are_broken_before_a_plus() -> None:
    steps = " + ".join(f"play RBR- {place},0 E gem RB W" for place in range(4))
    lines = write_move_line(7, MoveLine(2, steps, "bot"))
    assert all(len(line) <= 72 for line in lines)
    assert all(line.startswith("+ ") for line in lines[1:])
    assert " ".join(lines) == f"7 C {steps} ; bot"


def test_options_are_written_in_the_games_order_with_defaults() -> None:
    meta = game("gem").rules.meta
    assert write_options(meta, {}, 2) == "pace=table"
    assert read_options(meta, "pace=sealed", 2) == {"pace": "sealed"}
    assert read_options(meta, "", 2) == {"pace": "table"}
