"""Colons of plain text stand in its sentences, for French writes a space before each."""

from __future__ import annotations

import re

from games.registry import game
from tests.games.playing import Case, each_case, list_positions

NAMES = ("Ana", "Ben", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")
BARE = re.compile(r"\S:")


class French:
    """Puts a space before every colon of a sentence, and says nothing in French."""

    def gettext(self, message: str, /) -> str:
        return message.replace(":", "\N{NO-BREAK SPACE}:")

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        return self.gettext(singular if number == 1 else plural)


@each_case
def test_every_colon_of_a_board_in_words_is_the_readers(case: Case) -> None:
    words, names = game(case.slug).words, NAMES[: case.seats]
    for state in list_positions(case)[::7]:
        drawn = words.draw(case.rules.view(state, 0), French(), names)
        assert not BARE.search(drawn), BARE.search(drawn)
