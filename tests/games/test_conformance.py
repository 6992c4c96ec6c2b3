"""What every game of the registry must do (one random match for each number of seats and option)."""

from __future__ import annotations

import gettext
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.chance import Chance
from games.contract import Asked, GameError, IllegalMove, InvalidMove, Seat
from games.prose import COLUMNS, wrap
from games.registry import GAMES, UnknownGame, game
from tests.games.pieces import LIST_PIECES
from tests.games.playing import (
    CASES,
    AnyRules,
    Case,
    Played,
    deal,
    list_moves,
    list_positions,
    may_change,
    play_match,
)

TR = gettext.NullTranslations()
NAMES = ("Ana", "Benedikt von und zu Hohenfels-Schwarzenberg", "陈", "D’Arcy", "Eve", "Frøydis", "Guy", "Hal")
PROJECT = Path(__file__).resolve().parents[2]

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_game = pytest.mark.parametrize("slug", GAMES)


def list_readers(case: Case) -> list[Seat | None]:
    return [None, *range(case.seats)]


@each_case
def test_random_play_ends_within_max_plies(case: Case) -> None:
    rules = case.rules
    match = play_match(case)
    asked = [played for played in match if played.seat in rules.waiting_on(played.before)]
    assert rules.waiting_on(match[-1].after) == frozenset()
    assert len(asked) <= rules.meta.max_plies


@each_case
def test_whoever_is_waited_for_has_a_legal_move(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in rules.waiting_on(played.before):
            assert next(rules.legal_moves(played.before, seat), None) is not None


@each_case
def test_every_component_is_accounted_for_at_every_ply(case: Case) -> None:
    list_pieces = LIST_PIECES[case.slug]
    first = list_pieces(deal(case))
    assert first.total() > 0
    for played in play_match(case):
        assert list_pieces(played.after) == first, f"ply {played.ply}"


@each_case
def test_seed_and_texts_rebuild_identical_positions(case: Case) -> None:
    rules = case.rules
    state = deal(case)
    for played in play_match(case):
        move = rules.parse(state, played.seat, rules.write(played.move))
        step = rules.apply(state, played.seat, move, Chance(*played.chance))
        assert step.state == played.after, f"ply {played.ply}"
        assert step.events == played.events, f"ply {played.ply}"
        state = step.state


@each_case
def test_a_position_survives_being_stored(case: Case) -> None:
    for state in list_positions(case):
        stored = msgspec.json.encode(state)
        assert msgspec.json.decode(stored, type=case.rules.state_type) == state


@each_case
def test_the_written_move_reads_as_the_same_move(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        moves = list_moves(rules, played.before, played.seat) or [played.move]
        texts = [rules.write(move) for move in moves]
        assert len(set(texts)) == len(texts)
        for move, text in zip(moves, texts, strict=True):
            assert rules.parse(played.before, played.seat, text) == move
            assert rules.parse(played.before, played.seat, f"  {text.upper()}. ".replace(" ", "  ")) == move
            assert text == " ".join(text.split())
            assert ";" not in text


@each_case
def test_legal_moves_apply_and_leave_the_position_untouched(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        stored = msgspec.json.encode(played.before)
        for move in (list_moves(rules, played.before, played.seat) or [played.move])[:40]:
            step = rules.apply(played.before, played.seat, move, Chance(*played.chance))
            assert step.state != played.before or may_change(rules, step.state, played.seat)
        assert msgspec.json.encode(played.before) == stored


@each_case
def test_moves_outside_the_legal_list_are_refused(case: Case) -> None:
    """Every move played in this match is tried in other positions, by every seat."""
    rules = case.rules
    match = play_match(case)
    others = list(dict.fromkeys(played.move for played in match))
    for played in match[::5]:
        for seat in range(case.seats):
            legal = list_moves(rules, played.before, seat)
            if legal is None:
                continue
            for move in others[played.ply % 3 :: 3]:
                if move not in legal:
                    with pytest.raises(IllegalMove):
                        rules.apply(played.before, seat, move, Chance(*played.chance))


@each_case
def test_random_default_and_forced_moves_are_legal(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in rules.waiting_on(played.before):
            default = rules.default_move(played.before, seat)
            rules.apply(played.before, seat, default, Chance(*played.chance))
            legal = list_moves(rules, played.before, seat)
            if legal is not None:
                assert default in legal
                assert rules.random_move(played.before, seat, Chance(case.seed, "any")) in legal
        forced = rules.forced_move(played.before)
        if forced is not None:
            seat, move = forced
            assert seat in rules.waiting_on(played.before)
            assert list(rules.legal_moves(played.before, seat)) == [move]


@each_case
def test_over_means_over(case: Case) -> None:
    rules = case.rules
    match = play_match(case)
    for played in match:
        assert rules.outcome(played.before) is None
        assert len(rules.standing(played.before)) == len(rules.ranks(played.before)) == case.seats
    over = match[-1].after
    outcome = rules.outcome(over)
    assert outcome is not None
    assert tuple(rules.standing(over)) == outcome.scores
    assert tuple(rules.ranks(over)) == outcome.ranks
    assert min(outcome.ranks) == 1
    for rank in outcome.ranks:
        assert sum(other < rank for other in outcome.ranks) == rank - 1
    assert rules.context(over) is None
    assert rules.bidders(over) == frozenset()
    assert rules.forced_move(over) is None
    for seat in range(case.seats):
        assert list(rules.legal_moves(over, seat)) == []
        assert list(rules.steps(over, seat, "")) == []
        with pytest.raises(IllegalMove):
            rules.apply(over, seat, match[-1].move, Chance(case.seed, "late"))


@each_case
def test_a_better_score_never_has_a_worse_rank(case: Case) -> None:
    rules = case.rules
    for state in list_positions(case):
        scores, ranks = rules.standing(state), rules.ranks(state)
        for one in range(case.seats):
            for other in range(case.seats):
                assert scores[one] <= scores[other] or ranks[one] < ranks[other]


# No leak: what a seat cannot know may be redrawn, and nothing that it is shown changes.


@each_case
def test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            assert rules.view(redrawn, reader) == rules.view(played.before, reader)
            assert rules.waiting_on(redrawn) == rules.waiting_on(played.before)
            assert rules.context(redrawn) == rules.context(played.before)
            assert rules.bidders(redrawn) == rules.bidders(played.before)
            assert rules.standing(redrawn) == rules.standing(played.before)
            assert rules.ranks(redrawn) == rules.ranks(played.before)
            assert LIST_PIECES[case.slug](redrawn) == LIST_PIECES[case.slug](played.before)
            if reader is not None:
                assert list_moves(rules, redrawn, reader) == list_moves(rules, played.before, reader)
                assert list(rules.steps(redrawn, reader, "")) == list(rules.steps(played.before, reader, ""))


@each_case
def test_the_log_says_nothing_that_the_view_does_not_show(case: Case) -> None:
    """After the same move, a reader whose view is the same has read the same log, whatever is hidden."""
    rules = case.rules
    compared = 0
    for played in play_match(case):
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, f"redraw {played.ply}"))
            try:
                step = rules.apply(redrawn, played.seat, played.move, Chance(*played.chance))
            except IllegalMove:
                assert reader != played.seat
                continue
            if rules.view(step.state, reader) == rules.view(played.after, reader):
                compared += 1
                seen = [event for event in step.events if event.visible_to(reader)]
                assert seen == [event for event in played.events if event.visible_to(reader)]
    assert compared > 0


@each_case
def test_redrawing_follows_from_what_the_reader_knows_alone(case: Case) -> None:
    """Redrawing twice is redrawing once: nothing of what was really hidden comes through."""
    rules = case.rules
    for played in play_match(case)[::3]:
        for reader in list_readers(case):
            redrawn = rules.resample(played.before, reader, Chance(case.seed, "once"))
            again = rules.resample(redrawn, reader, Chance(case.seed, "twice"))
            assert again == rules.resample(played.before, reader, Chance(case.seed, "twice"))


@each_case
def test_redrawing_reaches_other_positions(case: Case) -> None:
    first = deal(case)
    redrawn = [case.rules.resample(first, None, Chance(case.seed, str(n))) for n in range(5)]
    assert any(state != first for state in redrawn)


# Building moves piece by piece.


@each_case
def test_steps_reach_exactly_the_legal_moves(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in range(case.seats):
            legal = list_moves(rules, played.before, seat)
            if legal is None:
                continue
            assert collect_steps(rules, played.before, seat) == {rules.write(move) for move in legal}


def collect_steps(rules: AnyRules, state: Any, seat: Seat) -> set[str]:
    """The canonical texts of all moves that can be built; no choice may lead nowhere."""
    complete: set[str] = set()
    seen: set[str] = set()
    waiting = [""]
    while waiting:
        partial = waiting.pop()
        for choice in rules.steps(state, seat, partial):
            assert choice.label.text(TR)
            if choice.text in seen:
                continue
            seen.add(choice.text)
            if choice.complete:
                complete.add(rules.write(rules.parse(state, seat, choice.text)))
            else:
                assert rules.steps(state, seat, choice.text), f"{choice.text} leads nowhere"
            waiting.append(choice.text)
    return complete


# Words, for every reader at every ply.


@each_case
def test_words_fit_in_72_columns_and_are_no_commands(case: Case) -> None:
    rules, words = case.rules, game(case.slug).words
    names = NAMES[: case.seats]
    for state in list_positions(case)[::3]:
        for reader in list_readers(case):
            view = rules.view(state, reader)
            for text in (words.draw(view, TR, names), words.prompt(view, TR, names)):
                assert text.strip()
                assert text == text.rstrip()
                for line in text.splitlines():
                    assert len(line) <= COLUMNS, line
                    assert line == line.rstrip()
                    assert_is_no_command(rules, state, reader or 0, line)


@each_game
def test_a_newcomer_is_told_in_a_few_sentences_what_matters(slug: str) -> None:
    text = game(slug).words.first_turn(TR)
    assert "\n" not in text
    assert 2 <= text.count(". ") + 1 <= 4
    case = next(case for case in CASES if case.slug == slug)
    for line in wrap(text).splitlines():
        assert_is_no_command(case.rules, list_positions(case)[0], 0, line)


def assert_is_no_command(rules: AnyRules, state: Any, seat: Seat, line: str) -> None:
    try:
        move = rules.parse(state, seat, line)
    except GameError:
        return
    raise AssertionError(f"quoting {line!r} would play {rules.write(move)}")


@each_case
def test_the_prompt_lists_what_can_be_written(case: Case) -> None:
    """A seat that is asked is told at least one legal move to write; one that is not, none."""
    rules, words = case.rules, game(case.slug).words
    for played in play_match(case)[::3]:
        for seat in range(case.seats):
            prompt = words.prompt(rules.view(played.before, seat), TR, NAMES[: case.seats])
            offered = [
                line.partition(":")[2] for line in prompt.splitlines() if line.startswith("To play, write:")
            ]
            if seat in rules.waiting_on(played.before):
                assert offered
            for text in offered:
                move = rules.parse(played.before, seat, text)
                rules.apply(played.before, seat, move, Chance(*played.chance))


@each_case
def test_every_event_is_one_line(case: Case) -> None:
    words = game(case.slug).words
    for played in play_match(case):
        for event in played.events:
            sentence = words.describe(event, TR, NAMES[: case.seats])
            assert sentence
            assert "\n" not in sentence


@each_case
def test_the_log_survives_being_stored(case: Case) -> None:
    """Events are stored as JSON; words must say the same of what comes back."""
    words = game(case.slug).words
    for played in play_match(case):
        for event in played.events:
            stored = msgspec.json.encode(event.data)
            back = msgspec.json.decode(stored)
            again = type(event)(event.kind, event.seat, back, event.audience)
            names = NAMES[: case.seats]
            assert words.describe(again, TR, names) == words.describe(event, TR, names)


@each_case
def test_nobody_is_marked_in_a_match_that_was_ended(case: Case) -> None:
    """Whoever had the turn when it was ended, drawing and picture are those of a match that is over."""
    entry = game(case.slug)
    names = NAMES[: case.seats]
    running = re.compile(r"\bto act\b|still to (pick|call)|to play\.")
    for state in [state for state in list_positions(case) if case.rules.waiting_on(state)][::9]:
        for reader in list_readers(case):
            view = case.rules.view(state, reader)
            text = entry.words.draw(view, TR, names, Asked())
            assert "The match was ended here." in text.splitlines()[:3]
            assert not running.search(text), text
            assert max(map(len, text.splitlines())) <= COLUMNS
            picture = str(entry.layout.layout(view, names, Asked()))
            assert "is_turn=True" not in picture
            assert "'to pick'" not in picture


@each_case
def test_the_layout_places_every_view(case: Case) -> None:
    layout = game(case.slug).layout
    for state in list_positions(case)[::5]:
        for reader in list_readers(case):
            board = layout.layout(case.rules.view(state, reader), NAMES[: case.seats])
            assert board.width > 0
            assert board.height > 0


# Texts and deals.


@each_case
def test_an_explicit_deal_gives_the_same_first_position(case: Case) -> None:
    rules = case.rules
    first = deal(case)
    waiting = rules.waiting_on(first)
    starter = min(waiting) if len(waiting) == 1 else 0
    text = rules.write_deal(first)
    assert "\n" not in text
    again = rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=text, first=starter)
    assert again == first
    assert rules.write_deal(again) == text


@each_case
@pytest.mark.parametrize("damage", ["", "nonsense", "half"])
def test_a_damaged_deal_is_refused(case: Case, damage: str) -> None:
    text = case.rules.write_deal(deal(case))
    broken = text[: len(text) // 2] if damage == "half" else damage
    with pytest.raises(InvalidMove):
        case.rules.deal_explicit(seats=case.seats, options=dict(case.options), deal=broken, first=0)


def mix_words(case: Case) -> st.SearchStrategy[str]:
    """Arbitrary text, and sentences made of the words of real moves."""
    match = play_match(case)
    words = sorted({word for played in match for word in case.rules.write(played.move).split()})
    typed = st.lists(st.sampled_from([*words, "+", "-", ".", "0", "99999999999", "²", "—"]), max_size=12)
    return st.one_of(st.text(max_size=60), typed.map(" ".join))


@each_case
@settings(max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_any_text_is_a_move_or_a_game_error(case: Case, data: st.DataObject) -> None:
    rules = case.rules
    match = play_match(case)
    played: Played = data.draw(st.sampled_from(match))
    seat: Seat = data.draw(st.integers(0, case.seats - 1))
    text = data.draw(mix_words(case))
    try:
        move = rules.parse(played.before, seat, text)
    except GameError as refusal:
        assert_says_something(refusal)
        return
    written = rules.write(move)
    assert rules.parse(played.before, seat, written) == move
    legal = list_moves(rules, played.before, seat)
    try:
        rules.apply(played.before, seat, move, Chance(*played.chance))
    except IllegalMove as refusal:
        assert_says_something(refusal)
        assert_is_unlisted(move, legal)
    else:
        assert legal is None or move in legal


def assert_says_something(refusal: GameError) -> None:
    """A refusal has a code of plain words and a sentence."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", refusal.code)
    assert refusal.message.text(TR).strip()


def assert_is_unlisted(move: Any, legal: list[Any] | None) -> None:
    assert legal is None or move not in legal


@each_case
@settings(max_examples=30, deadline=None, database=None)
@given(data=st.data())
def test_any_partial_move_has_steps_or_is_a_game_error(case: Case, data: st.DataObject) -> None:
    played: Played = data.draw(st.sampled_from(play_match(case)))
    try:
        choices = case.rules.steps(played.before, played.seat, data.draw(mix_words(case)))
    except GameError:
        return
    for choice in choices:
        if choice.complete:
            case.rules.parse(played.before, played.seat, choice.text)
        else:
            assert case.rules.steps(played.before, played.seat, choice.text)


# The registry, and what a registered game may not lack.


@each_game
def test_the_slug_is_the_registered_one(slug: str) -> None:
    meta = game(slug).rules.meta
    assert meta.slug == slug
    assert 1 < meta.min_seats <= meta.max_seats
    assert meta.designer
    assert meta.version >= 1


def test_an_unknown_game_is_refused_with_the_list_of_games() -> None:
    with pytest.raises(UnknownGame) as refusal:
        game("chess")
    assert "gem" in refusal.value.message.text(TR)


@each_game
def test_nothing_is_missing(slug: str) -> None:
    assert slug in LIST_PIECES
    assert (PROJECT / "games" / slug / "RULES.md").read_text().startswith("# ")
    assert (PROJECT / "templates" / "games" / slug / "board.svg").exists()
    assert len(list((PROJECT / "tests" / "games" / "records" / slug).glob("*.match"))) >= 4
    assert len(list((PROJECT / "tests" / "games" / "playthroughs" / slug).glob("*.txt"))) >= 2


@each_game
def test_the_rules_page_names_designer_and_reconstructed_parts(slug: str) -> None:
    meta = game(slug).rules.meta
    page = (PROJECT / "games" / slug / "RULES.md").read_text()
    assert meta.designer in page
    if meta.year is not None:
        assert str(meta.year) in page
    if meta.reconstructed:
        assert "econstruct" in page
