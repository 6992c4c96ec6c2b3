"""Sentences of ordinary mail that begin with the word of a command carry nothing out."""

from __future__ import annotations

import pytest

from gemserver.mailgate.lines.commands import Command, MoveLine, Unread, read_lines
from tests.mailgate.ordinary.trying import has_effect
from tests.mailgate.phrasing_sets import ask_ana, play_by_mail
from tests.mailgate.test_ordinary_mail import sentences

PROSE = (
    "Say that's in operation.c",
    "Say you have two of them.",
    "Say, did you see the game?",
    "say that it is late",
    "Note that I will be away",
    "Note: I will be away",
    "note that the server was down",
    "Note how it flickers",
    "NOTE: I think I understand why",
    "Note : la mise à jour est faite",
    "Report (although this was years ago)",
    "block makes the flow much clearer.",
    "Say hello to Tom.",
    "Notez que je serai absent",
    "Note que je serai absent",
    "Part of the trouble is the cable",
    "Report back to me",
    "Report any problems to the list",
    "Rename the file to operation.h",
    "Leave it to me",
    "Leave me alone",
    "Help is on the way",
    "Join us on Friday",
    "Undo is my favourite",
    "Start with the second one",
    "New versions are out",
    "Agree with Ben",
    "Refuse to pay",
    "Mail me tomorrow",
    "Invite them all to the party",
    "Follow us on the web",
    "follow the link below",
    "Follow up on this tomorrow",
    "follow me and you will see",
)
MEANT = {
    "say hello all": Command("say", "hello all"),
    "Say hello all": Command("say", "hello all"),
    "say Good luck!": Command("say", "Good luck!"),
    "Say well played, Ben!": Command("say", "well played, Ben!"),
    "Say I'm late, sorry": Command("say", "I'm late, sorry"),
    "Say we should pause at Christmas": Command("say", "we should pause at Christmas"),
    "say the next one is mine": Command("say", "the next one is mine"),
    "say: that was close": Command("say", "that was close"),
    "Say: that was close": Command("say", "that was close"),
    "note Ben likes rubies": Command("note", "Ben likes rubies"),
    "note: that Ben likes rubies": Command("note", "that Ben likes rubies"),
    "report Look at this": Command("report", "Look at this"),
    "rename Anna": Command("rename", "Anna"),
    "follow Anna": Command("follow", "Anna"),
    "Follow Anna": Command("follow", "Anna"),
    "follow": Command("follow"),
    "unfollow Anna": Command("unfollow", "Anna"),
    "leave": Command("leave"),
    "new gem": Command("new", "gem"),
}


@pytest.mark.parametrize("text", PROSE)
def test_a_sentence_is_no_command(text: str) -> None:
    assert not has_effect(text)


@pytest.mark.parametrize(("text", "command"), MEANT.items())
def test_a_command_as_it_is_documented_is_one(text: str, command: Command) -> None:
    assert read_lines(text) == [command]


def test_below_a_long_line_of_prose_a_capital_begins_a_sentence() -> None:
    prose = "I wonder what the others will make of this position on Friday evening"
    assert not has_effect(f"{prose},\nSay hello to them")
    assert has_effect("say hello to them")


def test_it_is_said_how_to_write_what_may_be_prose() -> None:
    (line,) = read_lines("Say that was close")
    assert isinstance(line, Unread)
    assert line.code == "sentence"
    assert line.why.params == {"word": "say", "words": "that was close"}


@pytest.mark.slow
def test_no_sentence_of_ordinary_mail_is_a_command_with_an_effect() -> None:
    found = [text for _, text in sentences() if has_effect(text)]
    assert found == []


@pytest.mark.django_db
def test_moves_that_begin_with_the_word_of_a_command_are_played() -> None:
    """`leave`, `start` and `new` were commands, so that `leave it where it is` was refused."""
    assert play_by_mail(ask_ana("jewellers", "move"), "Leave the silver where it is.") == ["silver stay"]
    assert isinstance(read_lines("leave it there")[0], MoveLine)
