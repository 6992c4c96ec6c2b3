"""Nim in plain text."""

from collections.abc import Iterator

from games.contract import Translator
from games.simple import SimpleWords

from nim.rules import State


class Words(SimpleWords):
    """Sentences are literals handed to `tr.gettext`, so that they can be translated."""

    # TODO: two to four sentences for somebody who has never played it.
    def first_turn(self, tr: Translator) -> str:
        return tr.gettext(
            "In your turn you take as many stones as you like, but from one heap only. Whoever takes the last stone of "
            "all wins."
        )

    # TODO: the board in words, complete for readers without the picture, in lines of at most 72 columns.
    def list_position(self, state: State, tr: Translator) -> Iterator[str]:
        for heap, size in enumerate(state.heaps):
            stones = " ".join("o" * size) or "-"
            yield tr.gettext("Heap {number}: {stones}").format(number=heap + 1, stones=stones)
