"""Table talk: its readers, its storage, its mails."""

from __future__ import annotations

from datetime import timedelta
from email import message_from_bytes, policy

import pytest

from gemserver.accounts.models import User
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.mailgate.reply import extract_html, extract_text
from gemserver.matches import talk
from gemserver.matches.actions.people.block_player import block_player, unblock_player
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.seats.hand_over import give_to_bot, reassign_seat, take_seat
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.actions.talk.say import LONGEST_MESSAGE, MOST_MESSAGES, say
from gemserver.matches.models import ChatMessage, Match, Seat
from gemserver.matches.notifications import Channel, Topic
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import held_seat
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_table, make_user

pytestmark = pytest.mark.django_db

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture
def cy() -> User:
    return make_user("cy")


@pytest.fixture
def match(ana: User, ben: User, cy: User) -> Match:
    match = make_match(players=[ana, ben, cy])
    OutboxMessage.objects.all().delete()
    return match


def read_by(match: Match, user: User) -> list[str]:
    seat = held_seat(match, user)
    assert seat is not None
    return [message.text for message in talk.messages_for(seat)]


def refusal_of(*args: object, **named: object) -> str:
    with pytest.raises(Refused) as refused:
        say(*args, **named)  # type: ignore[arg-type]
    return refused.value.code


def talk_mails(user: User) -> list[OutboxMessage]:
    return list(OutboxMessage.objects.filter(kind="talk", user=user).order_by("pk"))


def parts_of(row: OutboxMessage) -> tuple[str, str]:
    """The text and the HTML part of a mail as its reader gets them."""
    mail = delivery.write(row)
    assert mail is not None
    letter = message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    text, html = letter.get_body(("plain",)), letter.get_body(("html",))
    assert text is not None
    assert html is not None
    return str(text.get_content()), str(html.get_content())


def test_the_table_reads_what_one_of_its_players_says(match: Match, ana: User, ben: User, cy: User) -> None:
    message = say(match.pk, ana, "  Good luck\r\nto all!  ", "1", now=NOON)
    assert message.text == "  Good luck\nto all!"
    assert (message.seat, message.ply, message.created_at) == (0, 0, NOON)
    assert [read_by(match, user) for user in (ana, ben, cy)] == [[message.text]] * 3


def test_the_same_request_says_it_once(match: Match, ana: User) -> None:
    first = say(match.pk, ana, "hello", "1", now=NOON)
    assert say(match.pk, ana, "hello", "1", now=NOON + MINUTE) == first
    say(match.pk, ana, "hello", "2", now=NOON + MINUTE)
    assert ChatMessage.objects.count() == 2


def test_who_does_not_sit_there_says_nothing(match: Match) -> None:
    assert refusal_of(match.pk, make_user("dee"), "hello", "1", now=NOON) == "not-seated"
    assert not ChatMessage.objects.exists()


@pytest.mark.parametrize("text", ["", "  \n ", "\x00\x07"])
def test_nothing_is_not_said(match: Match, ana: User, text: str) -> None:
    assert refusal_of(match.pk, ana, text, "1", now=NOON) == "nothing-said"


def test_a_message_has_a_longest_length(match: Match, ana: User) -> None:
    assert refusal_of(match.pk, ana, "x" * (LONGEST_MESSAGE + 1), "1", now=NOON) == "too-long"
    assert say(match.pk, ana, "x" * LONGEST_MESSAGE, "2", now=NOON).text


def test_talk_goes_on_after_the_end_and_before_the_start_but_not_when_cancelled(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED)
    say(match.pk, ana, "thank you", "1", now=NOON)
    Match.objects.filter(pk=match.pk).update(status=Match.Status.CANCELLED)
    assert refusal_of(match.pk, ana, "hm", "2", now=NOON) == "cancelled"


def test_talk_at_a_table_that_waits_reaches_those_who_sit_there(ana: User, ben: User) -> None:
    table = make_table(seats=3)
    for index, user in enumerate((ana, ben)):
        Seat.objects.create(match=table, index=index, user=user, part="0" * 64)
    say(table.pk, ana, "we need a third", "1", now=NOON)
    text, _html = parts_of(talk_mails(ben)[0])
    assert "| we need a third" in text


@pytest.mark.slow
def test_a_lively_chat_is_never_refused_and_a_flood_is(match: Match, ana: User) -> None:
    """Somebody who types without a pause writes a message every ten seconds."""
    now = NOON
    for number in range(2 * MOST_MESSAGES):
        now += 10 * SECOND
        say(match.pk, ana, "yes", f"chat {number}", now=now)
    lately = ChatMessage.objects.filter(created_at__gt=now - 10 * MINUTE).count()
    for number in range(MOST_MESSAGES - lately):
        say(match.pk, ana, "spam", f"flood {number}", now=now)
    assert refusal_of(match.pk, ana, "spam", "flood", now=now) == "too-many-messages"
    assert say(match.pk, ana, "sorry", "later", now=now + 10 * MINUTE)


def test_who_takes_a_seat_over_reads_only_what_is_said_since(
    match: Match, ana: User, ben: User, cy: User
) -> None:
    """A substitute sees what the seat sees now, not the talk (docs/decisions/sitters.md)."""
    say(match.pk, ben, "between us three", "1", now=NOON)
    give_to_bot(match, match.seats.get(user=cy), now=NOON + MINUTE)
    dee = make_user("dee")
    take_seat(match.pk, 2, dee, now=NOON + 2 * MINUTE)
    say(match.pk, ana, "welcome", "2", now=NOON + 3 * MINUTE)
    assert read_by(match, dee) == ["welcome"]
    assert read_by(match, ben) == ["between us three", "welcome"]
    assert held_seat(match, cy) is None


def test_whom_a_moderator_seats_reads_only_what_is_said_since(match: Match, ben: User) -> None:
    say(match.pk, ben, "between us three", "1", now=NOON)
    dee = make_user("dee")
    reassign_seat(match.pk, 2, dee, "Cy is ill.", now=NOON + MINUTE)
    assert read_by(match, dee) == []


def test_what_was_said_before_is_not_mailed_to_who_came_after(
    match: Match, ana: User, ben: User, cy: User
) -> None:
    say(match.pk, ben, "between us three", "1", now=NOON)
    give_to_bot(match, match.seats.get(user=cy), now=NOON + SECOND)
    take_seat(match.pk, 2, make_user("dee"), now=NOON + 2 * SECOND)
    (row,) = talk_mails(cy)
    assert delivery.write(row) is None


def test_a_removed_message_is_shown_to_nobody(match: Match, ana: User, ben: User) -> None:
    message = say(match.pk, ana, "rude", "1", now=NOON)
    ChatMessage.objects.filter(pk=message.pk).update(removed_at=NOON)
    assert read_by(match, ben) == read_by(match, ana) == []
    assert delivery.write(talk_mails(ben)[0]) is None


def test_a_block_hides_both_from_each_other_and_from_nobody_else(
    match: Match, ana: User, ben: User, cy: User
) -> None:
    block_player(ben, "ANA", now=NOON)
    say(match.pk, ana, "from ana", "1", now=NOON)
    say(match.pk, ben, "from ben", "2", now=NOON)
    assert read_by(match, ana) == ["from ana"]
    assert read_by(match, ben) == ["from ben"]
    assert read_by(match, cy) == ["from ana", "from ben"]
    assert talk_mails(ana) == talk_mails(ben) == []
    assert len(talk_mails(cy)) == 1
    unblock_player(ben, "ana")
    assert read_by(match, ana) == ["from ana", "from ben"]


def test_a_block_that_is_set_before_the_mail_is_written_counts(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, "from ana", "1", now=NOON)
    block_player(ben, "ana", now=NOON + SECOND)
    assert delivery.write(talk_mails(ben)[0]) is None


@pytest.mark.parametrize(("name", "code"), [("ana", "not-yourself"), ("nobody", "no-such-player")])
def test_some_cannot_be_blocked(ana: User, name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        block_player(ana, name, now=NOON)
    assert refused.value.code == code


def test_who_leaves_a_table_before_the_mail_is_written_gets_none(ana: User, ben: User) -> None:
    table = make_table(seats=3, creator=ana)
    join_table(table.pk, ben, now=NOON)
    say(table.pk, ana, "Hello!", "k", now=NOON)
    leave_table(table.pk, ben, now=NOON)
    delivery.send_queued()
    (row,) = talk_mails(ben)
    assert (row.state, row.last_error) == ("skipped", "")


def test_who_mutes_a_table_gets_no_mail_and_reads_on(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, "one", "1", now=NOON)
    choose_channels(ben, match, {Topic.TALK: Channel.WEB}, now=NOON)
    assert [delivery.write(row) for row in talk_mails(ben)] == [None]
    say(match.pk, ana, "two", "2", now=NOON + 10 * MINUTE)
    assert len(talk_mails(ben)) == 1
    assert read_by(match, ben) == ["one", "two"]
    choose_channels(ben, match, {Topic.TALK: None}, now=NOON)
    assert delivery.write(talk_mails(ben)[0]) is not None


def test_several_lines_within_a_minute_come_in_one_mail(match: Match, ana: User, ben: User, cy: User) -> None:
    say(match.pk, ana, "one", "1", now=NOON)
    say(match.pk, ana, "two", "2", now=NOON + 20 * SECOND)
    say(match.pk, cy, "three", "3", now=NOON + 40 * SECOND)
    (row,) = talk_mails(ben)
    assert row.available_at == NOON + MINUTE
    text, html = parts_of(row)
    for body in (text, html):
        assert body.index("| one") < body.index("| two") < body.index("| three")
    assert text.count("ana says:") == 2
    text, _html = parts_of(talk_mails(ana)[0])
    assert "| three" in text
    assert "| one" not in text


def test_what_is_said_once_a_mail_is_being_sent_comes_in_the_next(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, "one", "1", now=NOON)
    assert delivery.claim(NOON + MINUTE)
    say(match.pk, ana, "two", "2", now=NOON + MINUTE)
    first, second = talk_mails(ben)
    assert "| two" not in parts_of(first)[0]
    assert "| one" not in parts_of(second)[0]
    assert "| two" in parts_of(second)[0]


def test_the_mail_is_one_of_the_thread_of_its_match(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, "hello", "1", now=NOON)
    (row,) = talk_mails(ben)
    assert row.thread == match.thread
    mail = delivery.write(row)
    assert mail is not None
    assert mail.subject == f"[Table talk] GEM {match.code}"
    assert mail.extra_headers["Auto-Submitted"] == "auto-generated"
    assert mail.reply_to == [match.seats.get(user=ben).reply_address]


def test_no_token_gets_into_the_talk(match: Match, ana: User, ben: User) -> None:
    """Players do paste whole mails (mail-requirements.md A8)."""
    seat = match.seats.get(user=ana)
    typed = (
        f"{seat.reply_address} {seat.token.upper()} {ana.token} {ana.feed_token} "
        f"mailto:{seat.reply_address.replace('+', '%2B')}"
    )
    stored = say(match.pk, ana, typed, "1", now=NOON).text
    for token in (seat.token, ana.token, ana.feed_token):
        assert token not in stored.lower()
    for body in parts_of(talk_mails(ben)[0]):
        assert seat.token not in body


HOSTILE = """\
bid 3
resign
-- Reply above this line --
On Mon, 3 Mar 2026 Ana wrote:
-----Original Message-----
From: play@gem.localhost
confirm abcd-efgh\u2028bid 6\x0bbid 5\x85bid 4
end
M17: bid 6
<script>alert(1)</script><img src="https://spy.example/x.png"><a href="javascript:alert(1)">x</a>
"""
LONG = "x" * 69 + " bid 3 " + "y" * 75 + "bid\u00a03\u00a0" + "z" * 90


@pytest.mark.parametrize("said", [HOSTILE, LONG, "\n".join(["bid 3", "", "bid 3"])])
def test_no_line_of_a_player_can_be_read_as_command_or_marker(
    match: Match, ana: User, ben: User, said: str
) -> None:
    """The mail comes back without quote marks, or as HTML, or bottom-posted (mail-requirements.md O2, threat 6)."""
    say(match.pk, ana, said, "1", now=NOON)
    text, html = parts_of(talk_mails(ben)[0])
    for line in text.splitlines():
        assert "bid" not in line or line.startswith("| ")
        assert len(line) <= 72 or "://" in line
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    bodies = [
        *(f"{typed}\n\n{text}" for typed in ("say thanks", "")),
        *(f"say thanks\n\nOn Mon, 3 Mar 2026 at 21:14, X <x@y.example> wrote:\n{quoted}",),
        *(f"{quoted}\n\nsay thanks", f"{text}\n\nsay thanks"),
    ]
    for body in [*(extract_text(body) for body in bodies), extract_html(f"<p>say thanks</p>{html}")]:
        lines = read_lines(body)
        assert not [line for line in lines if isinstance(line, MoveLine) and "bid" in line.text]
        assert all(line.name == "say" for line in lines if isinstance(line, Command))


def test_html_of_a_player_is_text(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ana, HOSTILE, "1", now=NOON)
    _text, html = parts_of(talk_mails(ben)[0])
    for tag in ("<script", "<img", "<a href=&quot;javascript", 'href="javascript'):
        assert tag not in html
    assert "&lt;script&gt;" in html


def test_signs_that_turn_the_writing_are_left_out(match: Match, ana: User) -> None:
    assert say(match.pk, ana, "a\u202ebc\u2066d\u200d", "1", now=NOON).text == "abcd\u200d"
