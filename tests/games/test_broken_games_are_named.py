"""The shared tests find what is wrong with a game and say it: the example (`examples/quay`) is broken in small ways."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polib
import pytest

from games import registry
from games.testing import cases, patience
from games.testing.conformance import test_any_text as any_text
from games.testing.conformance import test_bots as bot_tests
from games.testing.conformance import test_moves as moves
from games.testing.conformance import test_package as package
from games.testing.conformance import test_picks as picks
from games.testing.conformance import test_pictures as pictures
from games.testing.conformance import test_play as play
from games.testing.conformance import test_processes as processes
from games.testing.conformance import test_records as records
from games.testing.conformance import test_views as views
from games.testing.conformance import test_words as words
from tests.strangers import copy_example, installed

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Break:
    """A piece of the example's code, what stands there instead, the shared test that fails, and what it says."""

    file: str
    old: str
    new: str
    test: object
    said: str


BREAKS = {
    "a move takes for ever": Break(
        "rules.py",
        "        expect_running(is_over=_is_over(state))\n",
        "        while state.round == 2: pass\n",
        play.test_random_play_ends_within_max_plies,
        "`apply` takes longer than",
    ),
    "a view takes long": Break(
        "rules.py",
        "        return View(\n",
        "        __import__('time').sleep(1)\n        return View(\n",
        play.test_no_call_takes_longer_than_a_server_waits,
        "`view` takes longer than",
    ),
    "a view takes long, and no other test waits for it": Break(
        "rules.py",
        "        return View(\n",
        "        __import__('time').sleep(1)\n        return View(\n",
        views.test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown,
        "`view` takes longer than",
    ),
    "a position is huge": Break(
        "state.py",
        "    points: tuple[int, ...]\n\n\n@dataclass(frozen=True, slots=True)\nclass View",
        "    points: tuple[int, ...]\n    past: tuple[int, ...] = tuple(range(99999))\n\n\n"
        "@dataclass(frozen=True, slots=True)\nclass View",
        moves.test_the_written_move_reads_as_the_same_move,
        "a position takes .* bytes as JSON",
    ),
    "the view shows the pile": Break(
        "rules.py",
        "market=state.market,\n            shown",
        "market=state.market + state.bag[:1],\n            shown",
        views.test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown,
        r"is shown something else: View\.market",
    ),
    "what the end has shown is drawn anew": Break(
        "rules.py",
        "market=state.market,\n            shown",
        "market=state.bag if _is_over(state) else state.market,\n            shown",
        views.test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown,
        r"when the match is over: .* is shown something else: View\.market",
    ),
    "a drawing shows what no comparison sees": Break(
        "state.py",
        "    waiting: tuple[Seat, ...]\n",
        "    waiting: tuple[Seat, ...]\n    next: str = __import__('dataclasses').field(default='', compare=False)\n",
        views.test_drawings_show_nothing_that_the_view_does_not,
        "tells (a spectator|seat .) what it cannot know",
    ),
    "a refusal tells who holds a card": Break(
        "rules.py",
        '"You do not hold {card}. Lay a card of your hand.", card=move.card)',
        '"{card}: {held}.", card=move.card, held=any(move.card in hand for hand in state.hands))',
        views.test_a_refusal_says_nothing_that_the_reader_cannot_know,
        "is refused to seat . by what it cannot know",
    ),
    "the default move depends on another hand": Break(
        "rules.py",
        "        return next(self.legal_moves(state, seat))",
        "        return list(self.legal_moves(state, seat))[-(state.hands[seat - 1] > state.hands[seat])]",
        views.test_redrawing_what_a_reader_cannot_know_changes_nothing_it_is_shown,
        "has another default move",
    ),
    "a redraw keeps the pile": Break(
        "rules.py",
        "unused=tuple(cards)",
        "unused=state.unused",
        views.test_deals_that_look_alike_are_redrawn_alike,
        r"resample` keeps something of each: State\.",
    ),
    "a redraw keeps the bag": Break(
        "rules.py",
        "bag = sorted(state.bag)\n        chance.shuffle(bag)",
        "bag = state.bag",
        views.test_deals_that_look_alike_are_redrawn_alike,
        r"resample` keeps something of each: State\.bag",
    ),
    "a redraw keeps the picks": Break(
        "rules.py",
        "pick if pick is None or holder == seat else hands[holder][chance.below(len(hands[holder]))]",
        "pick",
        picks.test_nobody_else_can_tell_a_sealed_move_from_another,
        r"keeps the pick instead of redrawing it: State\.picks",
    ),
    "an event tells the pick": Break(
        "rules.py",
        ", audience=frozenset((seat,))",
        "",
        picks.test_nobody_else_can_tell_a_sealed_move_from_another,
        "by an event that needs an `audience`",
    ),
    "a pick is not sealed": Break(
        "rules.py",
        "tuple(told), sealed=True)",
        "tuple(told))",
        picks.test_a_move_that_others_see_nothing_of_is_sealed,
        "is not `sealed`, so that all read its text",
    ),
    "the last pick is sealed": Break(
        "rules.py",
        "for seat in order]))",
        "for seat in order]), sealed=True)",
        picks.test_a_sealed_move_is_a_pick_of_a_contest,
        "the last pick shows them all",
    ),
    "picks are not claimed": Break(
        "rules.py",
        "        has_sealed_picks=True,\n",
        "",
        picks.test_a_sealed_move_is_a_pick_of_a_contest,
        "does not claim `has_sealed_picks`",
    ),
    "a contest changes its name with each pick": Break(
        "rules.py",
        'else f"round {state.round}"',
        'else f"round {state.round + sum(map(bool, state.picks))}"',
        picks.test_a_sealed_move_is_a_pick_of_a_contest,
        "its picks belong to one contest",
    ),
    "a contest has a name that is listed nowhere": Break(
        "rules.py",
        'else f"round {state.round}"',
        'else f"round\\n{state.round}"',
        play.test_a_contest_is_called_by_one_of_its_names,
        "`GameMeta.contests` does not list",
    ),
    "a score is no whole number": Break(
        "rules.py",
        "        return state.points",
        "        return [points / 2 for points in state.points]",
        play.test_scores_are_whole_numbers_that_a_server_can_keep,
        r"gives 0\.0: a score is a whole number",
    ),
    "a score is too high": Break(
        "rules.py",
        "        return state.points",
        "        return [40_000 for points in state.points]",
        play.test_scores_are_whole_numbers_that_a_server_can_keep,
        "gives 40000: a score is a whole number of at most 32767",
    ),
    "a line of phrases has no word": Break(
        "phrases/en.txt",
        "load: ",
        "load ",
        package.test_phrases_can_be_read,
        "phrases/en.txt: “load load; put",
    ),
    "a contest has no name": Break(
        "rules.py",
        'else f"round {state.round}"',
        "else None",
        picks.test_bidders_have_a_contest,
        "`context` names no contest",
    ),
    "a move is played that is not offered": Break(
        "rules.py",
        "    if state.quay[place]:",
        "    if state.quay[place] not in ('', WATER):",
        moves.test_a_slip_of_the_pen_plays_nothing_that_is_not_listed,
        "which `legal_moves` does not list",
    ),
    "a move means a place in the hand": Break(
        "rules.py",
        "return Offer(read_number(rest[0]))",
        "return Offer(next((card for card in state.hands[seat] if card >= read_number(rest[0])), 0))",
        moves.test_a_written_move_means_the_same_in_every_position,
        "at ply . it is|at ply .. it is",
    ),
    "only moves of this half are read": Break(
        "rules.py",
        ', known=["load", "offer"])',
        ")",
        moves.test_a_written_move_means_the_same_in_every_position,
        "a plan may hold moves of every phase",
    ),
    "reading a move asks whether it is legal": Break(
        "rules.py",
        "        return Load(good, field)",
        '        if field in "f5 f6":\n            raise IllegalMove("no", "No.")\n        return Load(good, field)',
        moves.test_a_written_move_means_the_same_in_every_position,
        "only `apply` knows what is legal",
    ),
    "two moves have one text": Break(
        "rules.py",
        'f"load {move.good} {move.field}"',
        'f"load {move.good} {move.field[0]}1"',
        moves.test_the_written_move_reads_as_the_same_move,
        "written for several legal moves each",
    ),
    "a move begins like a command": Break(
        "rules.py",
        'f"offer {move.card}" if',
        'f"say {move.card}" if',
        moves.test_no_move_begins_with_a_word_of_the_host,
        "a mail that begins with “say” is a command",
    ),
    "steps leave a move out": Break(
        "rules.py",
        "if self.write(move).startswith(begun)]",
        "if self.write(move).startswith(begun) and move != Load('tea', 'f6')]",
        moves.test_steps_reach_exactly_the_legal_moves,
        "do not reach .*load tea f6",
    ),
    "the position can be changed": Break(
        "rules.py",
        "quay=(*state.quay[:place], move.good, *state.quay[place + 1 :]),",
        "quay=[*state.quay[:place], move.good, *state.quay[place + 1 :]],",
        play.test_a_position_survives_being_stored,
        "a position can be changed",
    ),
    "the order of a set decides": Break(
        "rules.py",
        "order=state.order[1:],",
        "order=state.order[1:], bag=tuple(sorted(state.bag, key=[*set(GOODS)].index)),",
        processes.test_every_process_plays_the_same,
        "processes disagree, as where the order of a set decides",
    ),
    "a good is lost": Break(
        "rules.py",
        "quay=(*state.quay[:place], move.good, ",
        'quay=(*state.quay[:place], "tea", ',
        play.test_every_component_is_accounted_for_at_every_ply,
        r"lost \{'",
    ),
    "the match has no end": Break(
        "rules.py",
        "max_plies=ROUNDS * 2 * 5",
        "max_plies=2",
        play.test_random_play_ends_within_max_plies,
        "no end|are the most",
    ),
    "an evaluation is no number": Break(
        "game.py",
        "    return state.points[seat] - rival",
        "    return float('nan') + state.points[seat] - rival",
        bot_tests.test_an_evaluation_is_a_number,
        "`evaluate` gives nan",
    ),
    "a touch of nothing": Break(
        "layout.py",
        "if field.name == name]",
        "if field.name == name[::-1]]",
        pictures.test_what_can_be_touched_lies_on_the_picture,
        "is made by a touch of nothing",
    ),
    "a mark beside the picture": Break(
        "layout.py",
        'return _find_field(board, last) if verb == "load" else ()',
        'return [Box(500, 0, 9, 9)] if verb == "load" else ()',
        pictures.test_what_is_marked_lies_on_the_picture,
        "lies outside the picture",
    ),
    "a sentence that cannot be translated": Break(
        "words.py",
        'tr.gettext("{name} shows {card}.")',
        '"{name} shows {card}."',
        words.test_every_event_is_one_line,
        "cannot be translated",
    ),
    "a record ends before the match does": Break(
        "records/calm.match",
        "Result: ",
        "# ",
        records.test_recorded_matches_end_as_they_say,
        r"calm\.match has no `Result:`: play its match to the end",
    ),
    "the deal is not written whole": Break(
        "rules.py",
        "water {water or '-'}",
        "water a1,b1,c1,d1,{'e1' if water else '-'}",
        package.test_an_explicit_deal_gives_the_same_first_position,
        "State|A deal of Quay",
    ),
}


OF_A_GAME = (
    processes.test_every_process_plays_the_same,
    records.test_recorded_matches_end_as_they_say,
    package.test_phrases_can_be_read,
)
"""Tests that are handed the slug of the game, not a way to set it up."""


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.slow
def test_a_broken_game_is_told_what_is_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = BREAKS[name]
    if found.said.endswith("takes longer than"):
        monkeypatch.setattr(patience, "LONGEST_CALL", 0.3)
    folder = copy_example(tmp_path)
    _replace(folder / "quay" / found.file, found.old, found.new)
    if "no comparison" in name:
        _replace(
            folder / "quay/rules.py", "ranks=_rank(state),", "ranks=_rank(state), next=''.join(state.bag),"
        )
        _replace(folder / "quay/words.py", "lines = [where,", "lines = [where + view.next[:1],")
    said = []
    with installed(folder) as slug:
        registry.admit([slug])
        cases._play_once.cache_clear()
        for case in [case for case in cases.list_cases() if case.seats == 2]:
            try:
                found.test(slug if found.test in OF_A_GAME else case)  # type: ignore[operator]
            except Exception as error:
                said.append(str(error))
        cases._play_once.cache_clear()
    assert said, "the shared test does not see it"
    assert re.search(found.said, said[0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tuple(FLOODED)", "()", "Option 'harbour' needs a name and values"),
        ("tuple(FLOODED)", '("a storm",)', "without blanks"),
        ('"harbour"', '"first"', "other than first, ages"),
        ("max_seats=5", "max_seats=1", "min_seats <= max_seats"),
        ("max_seats=5", "max_seats=27", "every seat has a letter"),
        ('weight="light"', 'weight="easy"', "light, medium, heavy"),
        ('title="Quay"', 'title="Quay\\n"', "title: one line of text"),
        ('designer="the gemserver project"', 'designer=" "', "designer: one line of text"),
    ],
)
def test_facts_that_no_host_could_use_are_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    """To whoever starts a server with the game, and to whoever runs the shared tests."""
    folder = copy_example(tmp_path)
    _replace(folder / "quay/rules.py", old, new)
    with installed(folder) as slug, pytest.raises(registry.UnknownGame, match=said):
        registry.load(slug)


def test_a_game_that_cannot_be_imported_ends_its_tests_with_the_reason(tmp_path: Path) -> None:
    folder = copy_example(tmp_path)
    _replace(folder / "quay/rules.py", "max_seats=5", "max_seats=1 // 0")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "games.testing.plugin"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert "INTERNALERROR" not in ran.stdout + ran.stderr
    assert "rules.py" in ran.stderr, "where it stands"
    assert "ZeroDivisionError" in ran.stderr


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) >= 1, f"{old!r} is not in {file.name} any more"
    file.write_text(text.replace(old, new))


@pytest.mark.slow
def test_the_example_passes_the_shared_tests(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "games.testing.plugin", "--tb=line"],
        cwd=copy_example(tmp_path),
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert any_text.__name__.rpartition(".")[2] in ran.stdout


def test_a_translation_with_another_place_is_named(tmp_path: Path) -> None:
    folder = copy_example(tmp_path)
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    catalogue.append(polib.POEntry(msgid="You show {card}.", msgstr="Vous montrez {carte}."))
    place = folder / "quay" / "locale" / "fr" / "LC_MESSAGES"
    place.mkdir(parents=True)
    catalogue.save_as_mofile(str(place / "django.mo"))
    with installed(folder) as slug:
        registry.admit([slug])
        with pytest.raises(AssertionError, match=r"has \['carte'\]"):
            package.test_translations_ask_for_nothing_that_the_sentence_has_not(slug)
