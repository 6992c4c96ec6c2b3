"""`verify` names any forgery in the record of a sealed match, or says what it could not check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import pytest

from games.__main__ import main
from games.chance import NO_SEED
from games.contract import GameError, Seat
from games.record import MoveLine, Record, SealedLine, write_record
from games.replay import Replay, begin, play_line
from games.terminal.status import FINE, INCOMPLETE, REFUSED
from games.verify import NotVerified, Verified, verify
from tests.games.sealed.proved import prove, seal
from tests.quick import crossed

MATCHES = [("gem", 3, 1), ("jewellers", 3, 1), ("gemessengers", 2, 1)]
Match = tuple[str, int, int]


def name_of(value: Match | str) -> str:
    return value if isinstance(value, str) else "-".join(map(str, value))


each_match = pytest.mark.parametrize("match", MATCHES, ids=name_of)


Decision = tuple[int, MoveLine, Replay, str]
"""Place among the moves, line, position before it, contest."""
KEPT: dict[str | None, tuple[Decision, ...]] = {}


def decisions(record: Record) -> tuple[Decision, ...]:
    """The moves of the sealed contests of an honest record, but for those that were forced."""
    if record.seed not in KEPT:
        KEPT[record.seed] = tuple(_decisions(record))
    return KEPT[record.seed]


def _decisions(record: Record) -> Iterator[Decision]:
    current = begin(record)
    for place, line in enumerate(record.moves):
        assert isinstance(line, MoveLine)
        rules = current.game.rules
        if rules.bidders(current.state) and not rules.forced_move(current.state):
            yield place, line, current, rules.context(current.state) or ""
        current = play_line(current, line, record.seed or NO_SEED)


def others(before: Replay, line: MoveLine, most: int = 2) -> Iterator[str]:
    """Legal moves that the seat did not play."""
    rules = before.game.rules
    texts = map(rules.write, rules.legal_moves(before.state, line.seat))
    return islice((text for text in texts if text != line.text), most)


def cut(record: Record, place: int, line: MoveLine) -> Record:
    """Cut the record at this place, put another line there, and keep the orders of the contests that were reached.

    Nothing that follows can then betray the forger.
    """
    contests = {contest for found, _, _, contest in decisions(record) if found <= place}
    return replace(
        record,
        moves=(*record.moves[:place], line),
        ending=None,
        result=None,
        sealed=tuple(order for order in record.sealed if order.context in contests),
    )


def is_named(record: Record) -> bool:
    try:
        verify(record)
    except NotVerified:
        return True
    return False


@each_match
def test_an_honest_record_fits(match: Match) -> None:
    record = prove(*match)
    found = verify(record)
    assert found.ended
    assert not any(gap.lines for gap in found.gaps), (
        "of a changed order the clock's empty version may be missing"
    )
    clock = {line.line for _, line, _, _ in decisions(record) if line.played_by == "clock"}
    is_pick = found.game.rules.meta.has_sealed_picks
    assert set(found.by_clock) == (set() if is_pick else clock)
    assert len(clock) > 0, "somebody ran out of time"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("match", "tag"), crossed(MATCHES, ["", "auto", "plan", "bot", "clock", "moderator"]), ids=name_of
)
def test_another_move_is_named_whoever_is_said_to_have_played_it(match: Match, tag: str) -> None:
    record = prove(*match)
    tried = 0
    for place, line, before, contest in decisions(record):
        laid = [order for order in record.sealed if (order.context, order.seat) == (contest, line.seat)]
        for text in others(before, line) if laid else ():
            forged = cut(record, place, replace(line, text=text, played_by=tag))
            with pytest.raises(NotVerified) as caught:
                verify(forged)
            assert caught.value.code in {"order", "clock"}
            assert f"line {line.line}:" in str(caught.value) or "pick" in str(caught.value)
            tried += 1
    assert tried > 40


@each_match
def test_a_move_where_no_order_lay_is_never_believed_to_be_anything_but_the_default(match: Match) -> None:
    """A seat that ran out of time has no order: another move there is named, or listed as having no order."""
    record = prove(*match)
    tried = 0
    for place, line, before, contest in decisions(record):
        if any((order.context, order.seat) == (contest, line.seat) for order in record.sealed):
            continue
        for text in others(before, line):
            for tag in ("", "auto", "plan", "bot", "moderator"):
                found = verify(cut(record, place, replace(line, text=text, played_by=tag)))
                assert [gap.lines[-1] for gap in found.gaps if gap.lines] == [line.line]
                assert (line.line in found.by_moderator) == (tag == "moderator")
            assert is_named(cut(record, place, replace(line, text=text, played_by="clock")))
            tried += 1
    assert tried or record.game == "gemessengers"


@pytest.mark.slow
@each_match
def test_a_line_said_to_be_the_clocks_is_named_where_an_order_lies(match: Match) -> None:
    """A pick that the clock made has an order too, which must be the default move."""
    record = prove(*match)
    tried = 0
    for place, line, before, contest in decisions(record):
        rules = before.game.rules
        laid = any((order.context, order.seat) == (contest, line.seat) for order in record.sealed)
        is_default = line.text == rules.write(rules.default_move(before.state, line.seat))
        if not laid or (rules.meta.has_sealed_picks and is_default):
            continue
        moves = (*record.moves[:place], replace(line, played_by="clock"), *record.moves[place + 1 :])
        with pytest.raises(NotVerified, match=rf"\(clock\): line {line.line}:"):
            verify(replace(record, moves=moves))
        tried += 1
    assert tried > 20


@each_match
def test_every_line_said_to_be_a_moderators_is_listed(match: Match) -> None:
    record = prove(*match)
    for place, line in list(enumerate(record.moves))[::4]:
        assert isinstance(line, MoveLine)
        moves = (*record.moves[:place], replace(line, played_by="moderator"), *record.moves[place + 1 :])
        assert verify(replace(record, moves=moves)).by_moderator == (line.line,)


@pytest.mark.slow
@each_match
def test_a_sealed_order_that_is_taken_away_is_noticed_whichever_it_is(match: Match) -> None:
    record = prove(*match)
    for place, order in enumerate(record.sealed):
        less = replace(record, sealed=(*record.sealed[:place], *record.sealed[place + 1 :]))
        versions = [other for other in record.sealed if key_of(other) == key_of(order)]
        if order != versions[-1]:
            assert is_named(less) or not verify(less).is_complete
        alone = versions == [order]
        played = [line for _, line, _, contest in decisions(record) if (contest, line.seat) == key_of(order)]
        if alone and played:
            gaps = [gap for gap in verify(less).gaps if gap.lines]
            assert [(gap.context, gap.seat) for gap in gaps] == [key_of(order)]
            assert gaps[0].lines == tuple(line.line for line in played)


def key_of(order: SealedLine) -> tuple[str, Seat]:
    return order.context, order.seat


@pytest.mark.slow
@each_match
def test_without_one_order_the_moves_of_all_the_others_are_still_checked(match: Match) -> None:
    record = prove(*match)
    found = list(decisions(record))
    gone = record.sealed[0]
    tried = 0
    for place, line, before, contest in found:
        laid = {key_of(order) for order in record.sealed if key_of(order) != key_of(gone)}
        for text in others(before, line, most=1) if (contest, line.seat) in laid else ():
            forged = cut(record, place, replace(line, text=text))
            sealed = tuple(order for order in forged.sealed if order != gone)
            assert is_named(replace(forged, sealed=sealed))
            tried += 1
    assert tried > 20


@each_match
def test_without_any_order_every_contest_is_told_to_be_unchecked(match: Match) -> None:
    record = replace(prove(*match), sealed=())
    expected = {line.line for _, line, _, _ in decisions(record)}
    found = verify(record)
    told = {line for gap in found.gaps for line in gap.lines} | set(found.by_clock)
    assert told == expected
    assert not found.is_complete


@pytest.mark.slow
@each_match
def test_orders_that_change_places_are_named(match: Match) -> None:
    """Texts, salts or hashes of two neighbours are exchanged; the order of the lines does not matter."""
    record = prove(*match)
    for place in range(0, len(record.sealed) - 1, 3):
        one, other = record.sealed[place : place + 2]
        for name in ("text", "hash", "context", "seat"):
            if getattr(one, name) == getattr(other, name):
                continue
            swapped = (
                replace(one, **{name: getattr(other, name)}),
                replace(other, **{name: getattr(one, name)}),
            )
            assert is_named(
                replace(record, sealed=(*record.sealed[:place], *swapped, *record.sealed[place + 2 :]))
            )
    assert set(verify(replace(record, sealed=record.sealed[::-1])).gaps) == set(verify(record).gaps)


@each_match
def test_an_order_that_stands_twice_or_for_nothing_is_named(match: Match) -> None:
    record = prove(*match)
    one = record.sealed[len(record.sealed) // 2]
    strange = [
        one,
        seal(one.context, one.seat, one.version, "pass"),
        seal("day 9 auction 9", 0, 1, "pass"),
        seal("gem 99", 0, 1, "pass"),
        seal(one.context, one.seat, 99, "no move at all"),
    ]
    for order in strange:
        assert is_named(replace(record, sealed=(*record.sealed, order))), order


@each_match
def test_a_record_that_stops_early_is_no_whole_one(match: Match) -> None:
    record = prove(*match)
    ends = [one for one, later in pairwise(decisions(record)) if one[3] != later[3]]
    place, line, *_ = ends[2]
    found: Verified = verify(cut(record, place, line))
    assert not found.ended
    assert not found.is_complete


def test_the_exit_status_tells_forged_from_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = next(whole for number in range(2, 20) if verify(whole := prove("gem", 3, number)).is_complete)
    file = tmp_path / "a.match"

    def status(text: str) -> int:
        file.write_text(text, encoding="utf-8")
        return main(["verify", str(file)])

    text = write_record(record)
    assert status(text) == FINE
    assert capsys.readouterr().out.startswith("Everything fits: ")
    played = {(contest, line.seat) for _, line, _, contest in decisions(record) if line.played_by != "clock"}
    alone = next(
        order
        for order in record.sealed
        if key_of(order) in played and list(map(key_of, record.sealed)).count(key_of(order)) == 1
    )
    less = replace(record, sealed=tuple(order for order in record.sealed if order != alone))
    assert status(write_record(less)) == INCOMPLETE
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith("What could be checked fits: ")
    assert "without a sealed order in this record" in printed
    place, line, before, _ = next(
        found for found in decisions(record) if not found[1].played_by and any(others(*found[2:0:-1]))
    )
    forged = replace(line, text=next(others(before, line)), played_by="clock")
    assert status(write_record(cut(record, place, forged))) == REFUSED
    assert "(clock): line " in capsys.readouterr().err
    moderated = (*record.moves[:place], replace(line, played_by="moderator"), *record.moves[place + 1 :])
    assert status(write_record(replace(record, moves=moderated))) == FINE
    printed = " ".join(capsys.readouterr().out.split())
    assert f"nothing proves them: lines {line.line} (by a moderator)" in printed


def test_the_command_tells_its_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert "3, nothing contradicts the rest" in printed


@pytest.mark.parametrize("header", ["Match", "Commitment", "Server-Part", "Parts", "Seed"])
def test_a_record_without_its_proofs_is_not_verified(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = write_record(prove("gem", 3, 1)).splitlines()
    file = tmp_path / "a.match"
    file.write_text("\n".join(line for line in lines if not line.startswith(f"{header}: ")) + "\n")
    assert main(["verify", str(file)]) == 2
    assert capsys.readouterr().out == ""


def test_ages_that_nobody_was_promised_are_named() -> None:
    with pytest.raises(GameError, match=r"\(ages\)"):
        verify(replace(prove("jewellers", 3, 1), ages=(1, 2, 3)))
