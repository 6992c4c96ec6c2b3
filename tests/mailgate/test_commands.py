"""Reading typed lines: moves, commands, and unread lines (notation, *Reading a line*)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.mailgate.lines.commands import (
    MAX_COMMANDS,
    MAX_READ_LINES,
    Command,
    Line,
    MoveLine,
    Unread,
    fold_line,
    read_lines,
    read_subject,
)


def read_one(text: str) -> Line:
    (line,) = read_lines(text)
    return line


def codes(text: str) -> list[str]:
    return [line.code for line in read_lines(text) if isinstance(line, Unread)]


class TestFolding:
    """mail-requirements.md T10, threat 24."""

    @pytest.mark.parametrize(
        ("typed", "read"),
        [
            ("  bid   3 ", "bid 3"),
            ("bid\u00a03\u200b", "bid 3"),
            ("\ufeffbid 3", "bid 3"),
            ("\u202abid 3\u202c", "bid 3"),
            ("ｂｉｄ\u3000３", "bid 3"),
            ("play RB—", "play RB--"),
            ("play R–B–", "play R-B-"),
            ("“x” y’s", '"x" y\'s'),
            ("ﬁx", "fix"),
            ("bid ³", "bid ³"),
            ("bid ½", "bid ½"),
            ("cafe\u0301", "café"),
        ],
    )
    def test_what_phones_and_keyboards_do_to_a_line(self, typed: str, read: str) -> None:
        assert fold_line(typed) == read

    @given(st.text(max_size=80))
    def test_folding_twice_is_folding_once(self, line: str) -> None:
        once = fold_line(line)
        assert fold_line(once) == once


FULL = "I have looked at your move for the whole of the evening, and"
"""A text that leaves no room behind `say` for what its writer went on with."""


class TestTexts:
    """mail-requirements.md M5: programs that wrap plain text at 72 columns do not say where a line went on."""

    @pytest.mark.parametrize(
        ("typed", "read"),
        [
            (
                f"say {FULL} whatever\nI try, there is nothing that I can do.",
                [Command("say", f"{FULL} whatever I try, there is nothing that I can do.")],
            ),
            (
                f"M17: say {FULL}\n"
                "whatever I try, there is nothing that I can do; so that is that for now,\nI wait\nbid 3",
                [
                    Command(
                        "say",
                        f"{FULL} whatever I try, there is nothing that I can do; so that is that for now, I wait",
                        "M17",
                    ),
                    MoveLine("bid 3"),
                ],
            ),
            (f"say {FULL} den\nAbend davor auch", [Command("say", f"{FULL} den Abend davor auch")]),
            (
                f"say {FULL} so on\nAna Novak",
                [Command("say", f"{FULL} so on"), MoveLine("Ana Novak")],
            ),
            (
                f"say {FULL} so on\nBest regards",
                [Command("say", f"{FULL} so on"), MoveLine("Best regards")],
            ),
            (
                f"note {FULL} thought\nstart again with ‘rubies’ tomorrow.",
                [Command("note", f"{FULL} thought start again with ‘rubies’ tomorrow.")],
            ),
            (f"report {FULL} what\nBen said", [Command("report", f"{FULL} what Ben said")]),
            (f"say {FULL} now what\n\nBen", [Command("say", f"{FULL} now what"), MoveLine("Ben")]),
            (f"say {FULL} so I wait.\nbid 3", [Command("say", f"{FULL} so I wait."), MoveLine("bid 3")]),
            ("say I have looked\nat it", [Command("say", "I have looked"), MoveLine("at it")]),
        ],
    )
    def test_a_text_that_a_program_broke_is_read_whole(self, typed: str, read: list[Line]) -> None:
        assert read_lines(typed) == read

    @pytest.mark.parametrize("below", ["status", "Ben", "say more"])
    def test_what_may_be_something_else_is_neither_said_nor_done(self, below: str) -> None:
        first, second = read_lines(f"say {FULL} now what\n{below}")
        assert first == Command("say", f"{FULL} now what")
        assert isinstance(second, Unread)
        assert second.code == "cut-off"

    def test_nor_what_stands_below_the_rest_of_a_text(self) -> None:
        rest = "whatever I try, there is nothing that I can do about it at all, and"
        *_, last = read_lines(f"say {FULL}\n{rest}\nPass")
        assert isinstance(last, Unread)

    def test_below_prose_that_begins_like_a_command_each_line_is_told(self) -> None:
        first, second = read_lines(f"Say that {FULL}\nwhatever I try it goes on")
        assert isinstance(first, Unread)
        assert isinstance(second, Unread)

    @pytest.mark.parametrize(
        "said", ["-- hello", "— hello —", "👨\u200d👩\u200d👧 well played", "می\u200cخواهم"]
    )
    def test_what_is_said_on_one_line_is_kept(self, said: str) -> None:
        assert read_one(f"say {said}") == Command("say", said)

    @pytest.mark.parametrize("comment", ["# sealed day 1 A 1 2f3a bid 3", "# my answer", "#first"])
    def test_a_comment_says_nothing(self, comment: str) -> None:
        """As in the record of a match, from which people copy lines."""
        first, second = read_lines(f"{comment}\npass")
        assert isinstance(first, Unread)
        assert first.code == "comment"
        assert second == MoveLine("pass")
        assert isinstance(second, MoveLine)
        assert not second.runs_on
        assert second.stands_alone


class TestMoves:
    @pytest.mark.parametrize(
        ("typed", "move"),
        [
            ("bid 3", MoveLine("bid 3")),
            ("Bid 3.", MoveLine("Bid 3.")),
            ("bid 3 #7", MoveLine("bid 3", 7)),
            ("bid 3 #7.", MoveLine("bid 3", 7)),
            ("M17: bid 3", MoveLine("bid 3", None, "M17")),
            ("m17 : bid 3 #9", MoveLine("bid 3", 9, "M17")),
            ("preview take SR pay 1 2", MoveLine("take SR pay 1 2", preview=True)),
            ("Preview bid 3 #7", MoveLine("bid 3", 7, preview=True)),
            ("M17: preview bid 3", MoveLine("bid 3", None, "M17", preview=True)),
            ("up to 17 else pass", MoveLine("up to 17 else pass")),
            ("Hello Ben,", MoveLine("Hello Ben,")),
            ("- bid 3", MoveLine("- bid 3")),
            ("To play, write: bid 3", MoveLine("To play, write: bid 3")),
        ],
    )
    def test_every_line_that_is_no_command_is_offered_to_the_game(self, typed: str, move: MoveLine) -> None:
        assert read_one(typed) == move

    def test_a_semicolon_separates_moves(self) -> None:
        """mail-requirements.md T4: one command on a line; moves alone may share one."""
        assert read_lines("M17: bid 3; pass #8 ;") == [
            MoveLine("bid 3", None, "M17"),
            MoveLine("pass", 8, "M17"),
        ]

    @pytest.mark.parametrize(
        "line", ["bid 3; say hi", "status; board", "bid 3; resign", "bid 3; preview pass"]
    )
    def test_a_semicolon_separates_nothing_else(self, line: str) -> None:
        """mail-requirements.md T4."""
        assert codes(line) == ["one-per-line"]

    @pytest.mark.parametrize(
        "typed",
        [
            "play RBR- 1,0 E gem RB W\n+ gem RG 0,0 N",
            "play RBR- 1,0 E gem RB W +\ngem RG 0,0 N",
            "play RBR- 1,0 E gem RB W +\n\ngem RG 0,0 N",
            "play RBR- 1,0 E gem RB W\n\n+\ngem RG 0,0 N",
        ],
    )
    def test_a_long_move_may_be_wrapped(self, typed: str) -> None:
        assert read_one(typed) == MoveLine("play RBR- 1,0 E gem RB W + gem RG 0,0 N")

    def test_a_move_may_be_wrapped_before_pay_and_else_and_its_number(self) -> None:
        assert read_one("take SR\npay 1 2\n#7") == MoveLine("take SR pay 1 2", 7)
        assert read_one("up to 17 else\npass") == MoveLine("up to 17 else pass")
        assert read_one("up to 17\nElse pass") == MoveLine("up to 17 else pass".replace("else", "Else"))

    def test_a_word_that_only_begins_like_a_continuation_is_none(self) -> None:
        assert read_lines("bid 3\npayday") == [MoveLine("bid 3"), MoveLine("payday")]

    def test_what_is_said_is_continued_by_nothing(self) -> None:
        assert read_lines("say what else\nbid 3") == [Command("say", "what else"), MoveLine("bid 3")]

    def test_a_number_without_a_move(self) -> None:
        assert codes("#7") == ["no-move"]


class TestCommands:
    @pytest.mark.parametrize(
        ("typed", "command"),
        [
            ("status", Command("status")),
            ("Status.", Command("status")),
            ("HELP", Command("help")),
            ("resign", Command("resign")),
            ("resign AB12-cd34", Command("resign", "ab12-cd34")),
            ("join gem", Command("join", "gem")),
            ("Join M17.", Command("join", "m17")),
            ("new gem", Command("new", "gem")),
            ("new gem seats 3 pace sealed", Command("new", "gem seats 3 pace sealed")),
            ("invite a@b.c<mailto:a@b.c>", Command("invite", "a@b.c")),
            ("invite Ben Pebble.", Command("invite", "Ben Pebble")),
            ("Invite Ben, please!", Command("invite", "Ben")),
            ("part Three Blind Mice", Command("part", "Three Blind Mice")),
            ("vacation 2026-03-01 2026-03-09", Command("vacation", "2026-03-01 2026-03-09")),
            ("vacation 1.3. 9.3.", Command("vacation", "1.3. 9.3")),
            ("vacation off", Command("vacation", "off")),
            ("holiday 2026-03-01 2026-03-09", Command("holiday", "2026-03-01 2026-03-09")),
            ("mail turns", Command("mail", "turns")),
            ("mail digest 08:00", Command("mail", "digest 08:00")),
            ("mail off", Command("mail", "off")),
            ("snooze 3h", Command("snooze", "3h")),
            ("quiet 22–07 Europe/Paris", Command("quiet", "22-07 Europe/Paris")),
            ("leads 24h 4h", Command("leads", "24h 4h")),
            ("address new", Command("address", "new")),
            ("confirm ABC123", Command("confirm", "abc123")),
            ("block Ben", Command("block", "Ben")),
            ("report", Command("report")),
            ("unsubscribe", Command("unsubscribe")),
            ("undo", Command("undo")),
            ("agree", Command("agree")),
            ("refuse", Command("refuse")),
            ("plan show", Command("plan", "show")),
            ("Plan clear.", Command("plan", "clear")),
            ("say Nice; one.", Command("say", "Nice; one.")),
            ("SAY “hi” — you", Command("say", "“hi” — you")),
            ("note bid 3 next", Command("note", "bid 3 next")),
            ("M17: say hi", Command("say", "hi", "M17")),
        ],
    )
    def test_the_list(self, typed: str, command: Command) -> None:
        assert read_one(typed) == command

    @pytest.mark.parametrize(
        "chat",
        [
            "Help me please",
            "Start when you like",
            "Leave me alone",
            "resign now please",
            "Undo that, please",
            "Mail me tomorrow",
            "Holiday was great",
            "Vacation is over",
            "Join us tomorrow",
            "New game tomorrow?",
            "Invite Ben: he plays well",
            "plan bid 3",
            "Note: hi",
            "Snooze a little",
            "preview",
        ],
    )
    def test_a_command_word_in_a_sentence_is_explained_and_not_executed(self, chat: str) -> None:
        """mail-requirements.md T6: the right usage is shown, and nothing is done."""
        line = read_one(chat)
        line = line.misused if isinstance(line, MoveLine) else line  # may be a move, such as `leave it there`
        assert isinstance(line, Unread)
        assert line.code == "usage"
        assert line.why.params["usage"]

    @pytest.mark.parametrize("word", ["resi", "stat", "unsub", "resigns", "Aufgeben"])
    def test_command_words_are_written_in_full(self, word: str) -> None:
        """mail-requirements.md T6: a line that only resembles a command is offered to the game, never taken for one."""
        assert read_one(word) == MoveLine(word)

    def test_stop_alone_ends_the_mails(self) -> None:
        assert read_lines("\n Stop. \n\n-- \nAna") == [Command("unsubscribe")]

    def test_stop_among_other_lines_does_not(self) -> None:
        assert codes("bid 3\nstop") == ["not-alone"]


class TestBlocks:
    def test_say_alone_takes_the_lines_up_to_end(self) -> None:
        assert read_lines("say\nbid 3\n\n“two”; words\nEnd.\npass") == [
            Command("say", "bid 3\n\n“two”; words"),
            MoveLine("pass"),
        ]

    @pytest.mark.parametrize("above", ["I bid two", "Hello Ben", "bid 3"])
    def test_a_text_with_its_colon_is_one_whatever_stands_above(self, above: str) -> None:
        first, said = read_lines(f"{above}\nsay: Hello everybody, *good luck*!")
        assert isinstance(first, MoveLine)
        assert first.stands_alone
        assert isinstance(said, Command)
        assert (said.name, said.argument, said.runs_on) == ("say", "Hello everybody, *good luck*!", False)

    def test_a_plan_keeps_its_lines_with_wrapped_ones_joined(self) -> None:
        assert read_one("plan\nup to 17\nelse pass\n\nbid 3\nend") == Command(
            "plan", "up to 17 else pass\nbid 3"
        )

    def test_a_plan_may_be_for_always(self) -> None:
        assert read_one("plan always\npass\nend") == Command("plan", "always\npass")

    @pytest.mark.parametrize("word", ["say", "note", "plan"])
    def test_a_text_that_is_not_closed_is_neither_published_nor_executed(self, word: str) -> None:
        assert codes(f"{word}\nbid 3\nresign") == ["block-open"]
        assert len(read_lines(f"{word}\nbid 3\nresign")) == 1

    def test_an_empty_text_is_explained(self) -> None:
        assert codes("say\nend") == ["usage"]


class TestEnds:
    @pytest.mark.parametrize("end", ["end", "END.", "--", "-- ", "—"])
    def test_nothing_below_the_end_is_read(self, end: str) -> None:
        """mail-requirements.md T5."""
        assert read_lines(f"bid 3\n{end}\nresign") == [MoveLine("bid 3")]

    def test_quoted_lines_are_reported(self) -> None:
        assert read_lines("> bid 3\npass") == [read_one("> bid 3"), MoveLine("pass")]
        assert codes("> bid 3") == ["quoted"]

    def test_at_most_fifty_commands(self) -> None:
        """mail-requirements.md T5."""
        lines = read_lines("status\n" * (MAX_COMMANDS + 5))
        assert lines[:MAX_COMMANDS] == [Command("status")] * MAX_COMMANDS
        assert [line.code for line in lines[MAX_COMMANDS:] if isinstance(line, Unread)] == ["too-many"]

    def test_at_most_two_hundred_lines(self) -> None:
        """mail-requirements.md T5."""
        assert codes("\n" * MAX_READ_LINES + "resign") == ["too-far"]
        assert len(read_lines("\n" * MAX_READ_LINES + "resign")) == 1

    def test_a_move_is_bounded(self) -> None:
        assert codes("play " + "x\n+ " * 150 + "y" * 1900) == ["too-long"]

    def test_an_empty_text_has_no_lines(self) -> None:
        assert read_lines(" \n\n") == []


class TestSubject:
    """mail-requirements.md T7."""

    def test_a_command_in_the_subject_of_a_new_mail(self) -> None:
        assert read_subject("Bid 3") == [MoveLine("Bid 3")]
        assert read_subject("unsubscribe") == [Command("unsubscribe")]
        assert read_subject("M17: bid 3") == [MoveLine("bid 3", None, "M17")]

    @pytest.mark.parametrize(
        "subject",
        [
            "[GEM M17] Ana, Ben",
            "[Your turn: bid (day 2 of 6)] GEM M17",
            "Re: [Your turn: bid 3] GEM M17",
            "Re: [GEM M17] Ana, Ben",
            "Re: bid 3",
            "AW: pass",
            "Fwd: resign",
            "RE[2]: pass",
            "",
        ],
    )
    def test_answers_and_our_own_subjects_command_nothing(self, subject: str) -> None:
        assert read_subject(subject) == []


@given(st.text(max_size=400))
def test_no_text_raises(text: str) -> None:
    for line in read_lines(text):
        assert not isinstance(line, Unread) or line.why.template.format(**line.why.params)


PIECES = [
    "bid 3",
    "+ x",
    "else",
    "pay 1",
    "say",
    "note",
    "plan",
    "end",
    "stop",
    ";",
    "M1:",
    "#7",
    "",
    "> q",
    "-- ",
]


@given(st.lists(st.sampled_from([*PIECES, "resign", "M1: say hi"]), max_size=12))
def test_irreversible_commands_are_read_only_where_they_stand_alone_on_a_line(lines: list[str]) -> None:
    asked = [line for line in read_lines("\n".join(lines)) if line == Command("resign")]
    assert len(asked) <= lines.count("resign")


class TestPlease:
    """A please or thanks behind a command says nothing."""

    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ("help please", Command("help")),
            ("Help, please!", Command("help")),
            ("rules bitte", Command("rules")),
            ("hint s'il vous plaît", Command("hint")),
            ("puzzle svp", Command("puzzle")),
            ("tutorial gem please, thanks", Command("tutorial", "gem")),
            ("ratings please", Command("ratings")),
            ("player Ben, danke", Command("player", "Ben")),
            ("M17: status please", Command("status", match="M17")),
            ("resign please", Command("resign")),
            ("return, thanks", Command("return")),
            ("say thanks", Command("say", "thanks")),
            ("club chess news many thanks", Command("club", "chess news many thanks")),
            ("rename Merci", Command("rename", "Merci")),
            ("puzzle on", Command("puzzle", "on")),
        ],
    )
    def test_is_passed_over(self, text: str, read: Command) -> None:
        assert read_one(text) == read

    @pytest.mark.parametrize("text", ["agree please", "Leave, please", "start bitte", "return, please"])
    def test_may_ask_somebody_else(self, text: str) -> None:
        assert not isinstance(read_one(text), Command)
