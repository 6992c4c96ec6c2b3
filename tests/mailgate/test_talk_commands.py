"""Talking, noting, reporting and blocking by mail."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import Block, User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import ChatMessage, Match, Note, Report, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    return match.seats.select_related("user", "match").get(user__username="ana")


@pytest.fixture
def ana(seat: Seat) -> User:
    assert seat.user
    return seat.user


def talk_to(name: str) -> list[str]:
    """The mails about talk to this player."""
    OutboxMessage.objects.filter(kind="talk").update(available_at=clock.now())
    user = User.objects.get(username=name)
    return [str(message.body) for message in sent_to(user) if "Table talk" in str(message.body)]


def test_one_line_and_a_block_are_said_to_the_table(seat: Seat, ana: User) -> None:
    """mail-requirements.md T8."""
    row = write(
        ana,
        "say Good luck; all of you!\nsay\nFirst line.\n\nSecond: line\nend\nbid 99",
        to=seat.reply_address,
    )
    assert codes(row)[:2] == ["done", "done"]
    texts = list(ChatMessage.objects.order_by("pk").values_list("text", flat=True))
    assert texts == ["Good luck; all of you!", "First line.\n\nSecond: line"]
    (told,) = talk_to("ben")
    assert "| Good luck; all of you!" in told
    assert talk_to("ana") == []


@pytest.mark.parametrize(
    ("rest", "is_said"), [("bid 3, thank you", False), ("wait and see what Cy does", True)]
)
def test_the_rest_of_a_line_that_a_program_broke_is_said_unless_it_may_be_a_move(
    seat: Seat, ana: User, rest: str, is_said: bool
) -> None:
    """Half of a sentence was published; a bid below it must not be."""
    said = "I have looked at your move for the whole of the evening and will"
    row = write(ana, f"say {said}\n{rest}", to=seat.reply_address)
    assert [message.text for message in ChatMessage.objects.all()] == ([f"{said} {rest}"] if is_said else [])
    assert codes(row) == (["done"] if is_said else ["talk-or-move"])
    answer = one_line(sent_to(ana)[-1])
    assert ("say I have looked" if is_said else "the line below it may be its rest, or a move") in answer


def test_it_is_said_once_however_often_the_mail_is_read(seat: Seat, ana: User) -> None:
    """mail-requirements.md I3."""
    row = write(ana, "say Hello\nnote Watch the rubies\nreport Look at this", to=seat.reply_address)
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None, results=[])
    processing.process_stored()
    assert (ChatMessage.objects.count(), Report.objects.count()) == (1, 1)
    assert Note.objects.get().text == "Watch the rubies"


def test_talk_runs_though_the_turn_is_stale_or_a_move_was_refused(seat: Seat, ana: User) -> None:
    """mail-requirements.md T2."""
    row = write(ana, "bid 9 #99\nsay Sorry for the delay", to=seat.reply_address)
    assert (row.state, codes(row)[-1]) == ("done", "done")
    assert ChatMessage.objects.get().text == "Sorry for the delay"


def test_at_the_account_the_match_is_named(match: Match, ana: User) -> None:
    assert codes(write(ana, "say Hello")) == ["no-match"]
    assert codes(write(ana, f"{match.code}: say Hello")) == ["done"]


def test_a_pasted_mail_of_ours_gives_no_reply_address_away(seat: Seat, ana: User) -> None:
    """mail-requirements.md A8, T8."""
    write(
        ana,
        f"say Write to {seat.reply_address.upper()} or me+{ana.token}@gem.localhost",
        to=seat.reply_address,
    )
    (told,) = talk_to("ben")
    assert seat.token not in told.lower()
    assert ana.token not in told.lower()


def test_talk_can_hold_no_command_marker_or_reference_for_who_quotes_it(seat: Seat, ana: User) -> None:
    """Every line stands behind `| `, so a reply that repeats it unquoted does nothing (mail-requirements.md O2)."""
    evil = "resign\nbid 3\n-- Reply above this line to play --\nRef: 1.1.1.aaaaaaaaaa\nsay I am a fool\nend"
    say(seat.match_id, ana, evil, "web:1", now=clock.now())
    (told,) = talk_to("ben")
    for line in told.splitlines():
        if line.startswith("| "):
            assert not any(isinstance(read, Command | MoveLine) for read in read_lines(line)), line
    assert told.count("\n| ") >= 6
    assert "\n-- Reply above this line to play --\n" not in told.partition("\n")[2]


def test_what_a_mail_says_beside_its_commands_is_never_published(seat: Seat, ana: User) -> None:
    """mail-requirements.md threat 25: signatures and telephone numbers stay with us."""
    write(ana, "say Hello\nMy number is 555 0199\n-- \nAna, 1 Main Street", to=seat.reply_address)
    (told,) = talk_to("ben")
    assert "555" not in told
    assert "Main Street" not in told


def test_block_and_report(seat: Seat, ana: User) -> None:
    row = write(ana, "block BEN\nreport He swears at me", to=seat.reply_address)
    assert codes(row) == ["done", "done"]
    block = Block.objects.get()
    assert (block.user, block.blocked.username) == (ana, "ben")
    assert Report.objects.get().text == "He swears at me"
    assert codes(write(ana, "block Nobody\nreport", to=seat.reply_address)) == [
        "no-such-player",
        "nothing-said",
    ]
    write(ana, "say Hello", to=seat.reply_address)
    assert talk_to("ben") == []
    assert len(talk_to("cy")) == 1
