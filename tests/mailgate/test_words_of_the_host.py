"""Authors of games are told to keep off the words that mails read as commands."""

from __future__ import annotations

from games.testing.host_words import HOST_WORDS
from gemserver.mailgate.lines.command_words import COMMAND_WORDS


def test_every_command_is_a_word_that_no_move_may_begin_with() -> None:
    assert COMMAND_WORDS | {"else", "always"} == HOST_WORDS
