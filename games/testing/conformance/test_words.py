"""Sentences and drawings, for every reader at every ply."""

from __future__ import annotations

import gettext
import re
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec

from games.chance import Chance
from games.contract import Asked, GameError, Seat
from games.prose import COLUMNS, wrap
from games.registry import game
from games.testing.cases import AnyRules, Case, deal, list_cases, list_positions, play_match
from games.testing.readers import NAMES, TR, list_readers

TRANSLATED = "⟦"


class Marking(gettext.NullTranslations):
    """A translation that shows which sentences have gone through it."""

    def gettext(self, message: str) -> str:
        return TRANSLATED + message

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return TRANSLATED + (singular if n == 1 else plural)


def test_words_fit_in_72_columns_and_are_no_commands(case: Case) -> None:
    rules, words = case.rules, game(case.slug).words
    names = NAMES[: case.seats]
    for state in list_positions(case)[::3]:
        for reader in list_readers(case.seats):
            view = rules.view(state, reader)
            for text in (words.draw(view, TR, names), words.prompt(view, TR, names)):
                assert text.strip()
                assert text == text.rstrip()
                for line in text.splitlines():
                    assert len(line) <= COLUMNS, line
                    assert line == line.rstrip()
                    assert_is_no_command(rules, state, reader or 0, line)


def test_what_moves_do_has_a_name(case: Case) -> None:
    rules, words = case.rules, game(case.slug).words
    for played in play_match(case):
        for seat in rules.waiting_on(played.before):
            for move in islice(rules.legal_moves(played.before, seat), 20):
                name = words.name_verb(rules.write(move).split()[0], TR)
                assert name.strip() == name != ""
                assert "\n" not in name


def test_a_newcomer_is_told_in_a_few_sentences_what_matters(slug: str) -> None:
    text = game(slug).words.first_turn(TR)
    assert "\n" not in text
    assert 2 <= text.count(". ") + 1 <= 4
    case = next(case for case in list_cases() if case.slug == slug)
    for line in wrap(text).splitlines():
        assert_is_no_command(case.rules, deal(case), 0, line)


def assert_is_no_command(rules: AnyRules, state: Any, seat: Seat, line: str) -> None:
    try:
        move = rules.parse(state, seat, line)
    except GameError:
        return
    raise AssertionError(f"quoting {line!r} would play {rules.write(move)}")


def test_the_prompt_lists_what_can_be_written(case: Case) -> None:
    """A seat that is asked reads at least one legal move to write; a seat that is not asked reads none."""
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


def test_every_event_is_one_line(case: Case) -> None:
    words = game(case.slug).words
    for played in play_match(case):
        for event in played.events:
            sentence = words.describe(event, TR, NAMES[: case.seats])
            assert sentence
            assert "\n" not in sentence
            assert TRANSLATED in words.describe(event, Marking(), NAMES[: case.seats]), (
                f"{sentence!r} cannot be translated: hand its template to `tr.gettext`, then format it"
            )


def test_the_reader_is_addressed_and_not_named(case: Case) -> None:
    words, names = game(case.slug).words, NAMES[: case.seats]
    for played in play_match(case):
        for event in played.events:
            named = words.describe(event, TR, names)
            for you in range(case.seats):
                told = words.describe(event, TR, names, you)
                if event.seat == you:
                    assert names[you] not in told, told
                else:
                    assert told == named, "others are named as before"


def test_what_several_did_alike_is_told_in_one_line_or_not_at_all(case: Case) -> None:
    words, names = game(case.slug).words, NAMES[: case.seats]
    for played in play_match(case):
        for event in [event for event in played.events if event.seat is not None]:
            alike = [replace(event, seat=seat) for seat in range(case.seats)]
            told = words.describe_alike(alike, TR, names)
            if told is None:
                continue
            assert "\n" not in told
            assert all(name in told for name in names)
            addressed = words.describe_alike(alike, TR, names, 0)
            assert addressed
            assert [name in addressed for name in names] == [False, *[True] * (case.seats - 1)]


def test_the_log_survives_being_stored(case: Case) -> None:
    """Events are stored as JSON; words must say the same of the event that comes back."""
    words = game(case.slug).words
    for played in play_match(case):
        for event in played.events:
            stored = msgspec.json.encode(event.data)
            back = msgspec.json.decode(stored)
            again = type(event)(event.kind, event.seat, back, event.audience)
            names = NAMES[: case.seats]
            assert words.describe(again, TR, names) == words.describe(event, TR, names)


def test_nobody_is_marked_in_a_match_that_was_ended(case: Case) -> None:
    """Drawing and picture are those of a match that is over, whoever had the turn when it was ended."""
    entry = game(case.slug)
    names = NAMES[: case.seats]
    running = re.compile(r"\bto act\b|still to (pick|call)|to play\.")
    marked = 0
    for state in [state for state in list_positions(case) if case.rules.waiting_on(state)][::9]:
        for reader in list_readers(case.seats):
            view = case.rules.view(state, reader)
            text = entry.words.draw(view, TR, names, Asked())
            marked += entry.words.draw(view, TR, names) != text
            assert "The match was ended here." in text.splitlines()[:3]
            assert not running.search(text), text
            assert max(map(len, text.splitlines())) <= COLUMNS
            picture = str(entry.layout.layout(view, names, Asked()))
            assert "is_turn=True" not in picture
            assert "'to pick'" not in picture
    assert marked, "while it runs, they are"


def test_the_layout_places_every_view(case: Case) -> None:
    layout = game(case.slug).layout
    for state in list_positions(case)[::5]:
        for reader in list_readers(case.seats):
            board = layout.layout(case.rules.view(state, reader), NAMES[: case.seats])
            assert board.width > 0
            assert board.height > 0
