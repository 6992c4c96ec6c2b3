"""Reactions to mails of ours: a raised thumb answers the question it was put to, and nothing else does anything.

See mail-requirements.md T12.
"""

from __future__ import annotations

import pytest
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.reactions import read_reaction
from gemserver.matches.actions.play.propose_undo import propose_undo, refuse_undo
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import Holiday, Match, Undo
from gemserver.notify.models import OutboxMessage
from tests.builders import asked
from tests.mailgate.posting import codes, one_line, sent_to
from tests.mailgate.replying import gmail_reaction, match_with_open_undo, outlook_reaction, receive, reply
from tests.quick import crossed, one_in

pytestmark = pytest.mark.django_db

THUMB, DOWN, HEART, TICK, TONED = "👍", "👎", "❤️", "✅", "👍🏽"
SHAPES = [outlook_reaction, reply]
AGREEING = [
    *(THUMB, "[like] Tom Jones reacted to your message:", "👍 Tom Jones reacted to your message:"),
    *("Tom Jones liked your message", "Tom a aimé votre message", "Tom Jones gefällt deine Nachricht"),
    *("Liked “A move is to be taken back”", "A aimé « A move is to be taken back »", "👍 to “Your move”"),
    *(
        "Reacted 👍 to “A move is to be taken back”",
        "Gefällt „Ein Zug soll zurück“",
        "👍\n\nTom reacted via Gmail",
    ),
]
SAYING_NOTHING = [
    *(HEART, "🎉🎉", "Tom Jones reacted to your message:", "[heart] Tom Jones reacted to your message:"),
    *(
        "Loved “agree”",
        "Laughed at “bid 3”",
        "Removed a like from “agree”",
        "[laugh] Tom reacted to your message",
    ),
    *("Tom hat auf deine Nachricht reagiert", "A adoré « agree »", "Tom a réagi à votre message :"),
    "Emphasized “Reply with one of these words on a line of its own:\n\nagree\nbid 3\nresign”",
]


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy; the first of them to move has bid and wants the bid back."""
    return match_with_open_undo()


@pytest.fixture
def others(match: Match) -> list[User]:
    """Those who are asked to consent."""
    undo = Undo.objects.get()
    return [seat.user for seat in match.seats.select_related("user") if seat.index != undo.seat and seat.user]


def question(user: User) -> EmailMultiAlternatives:
    return next(mail for mail in sent_to(user) if "take back" in str(mail.subject))


def agreed() -> set[int]:
    return set(Undo.objects.latest("pk").agreed)


def nothing_said(user: User, before: int) -> bool:
    return len(sent_to(user)) == before and not OutboxMessage.objects.filter(kind="receipt").exists()


@pytest.mark.parametrize("emoji", [THUMB, TONED])
def test_a_thumb_agrees_to_the_question_it_was_put_to(emoji: str, match: Match, others: list[User]) -> None:
    for user in others:
        row = receive(gmail_reaction(question(user), user.email, emoji))
        assert (row.state, codes(row)) == ("done", ["done"])
    assert Undo.objects.get().outcome == "agreed"
    assert "All agree: the match goes back to before move 1." in one_line(sent_to(others[1])[-1])


def test_a_thumb_that_is_read_again_after_a_crash_has_the_same_answer(others: list[User]) -> None:
    row = receive(gmail_reaction(question(others[0]), others[0].email, DOWN))
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, codes(row), Undo.objects.get().outcome) == ("done", ["done"], "refused")


def test_a_thumb_down_turns_it_down(others: list[User]) -> None:
    receive(gmail_reaction(question(others[0]), others[0].email, DOWN))
    assert Undo.objects.get().outcome == "refused"


@pytest.mark.parametrize("emoji", one_in(3, [HEART, TICK, "🎉", "👏", "🙏", "🆗", "👍👎"]))
def test_no_other_emoji_says_yes_and_none_is_answered(emoji: str, others: list[User]) -> None:
    mail, before = question(others[0]), len(sent_to(others[0]))
    row = receive(gmail_reaction(mail, others[0].email, emoji))
    assert (row.state, row.code, row.user) == ("dropped", "reaction", others[0])
    assert len(agreed()) == 1
    assert nothing_said(others[0], before)


@pytest.mark.parametrize(
    "part",
    one_in(
        3,
        [
            "",
            "{",
            "[]",
            '"👍"',
            '{"emoji": "👍"}',
            '{"emoji": "👍", "version": 2}',
            '{"emoji": 1, "version": 1}',
            '{"emoji": "👍", "version": "1"}',
            '{"emoji": "👍", "version": true}',
            "[" * 900,
        ],
    ),
)
def test_a_malformed_reaction_is_one_that_says_nothing(part: str, others: list[User]) -> None:
    row = receive(gmail_reaction(question(others[0]), others[0].email, THUMB, part=part or " "))
    assert (row.state, row.code) == ("dropped", "reaction")
    assert len(agreed()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "line"), crossed(SHAPES, AGREEING))
def test_programs_that_write_a_line_instead(line: str, shape, others: list[User]) -> None:
    row = receive(shape(question(others[0]), others[0].email, line))
    assert (row.state, codes(row)) == ("done", ["done"])
    assert len(agreed()) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "line"), crossed(SHAPES, SAYING_NOTHING))
def test_other_lines_are_passed_over_in_silence(line: str, shape, others: list[User]) -> None:
    mail, before = question(others[0]), len(sent_to(others[0]))
    row = receive(shape(mail, others[0].email, line))
    assert (row.state, row.code) == ("dropped", "reaction")
    assert len(agreed()) == 1
    assert nothing_said(others[0], before)


def test_a_reaction_to_a_turn_is_no_move_and_no_error(match: Match) -> None:
    seat = asked(match)
    assert seat.user
    turn = next(mail for mail in sent_to(seat.user) if "Your turn" in str(mail.subject))
    before = len(sent_to(seat.user))
    for mail in (
        gmail_reaction(turn, seat.user.email, THUMB),
        outlook_reaction(turn, seat.user.email, "[like] Ana reacted to your message:"),
        reply(turn, seat.user.email, "Liked “To play, write:\nbid 3\npass”"),
        reply(turn, seat.user.email, HEART),
    ):
        assert receive(mail).code == "reaction"
    assert Match.objects.get().ply == match.ply
    assert nothing_said(seat.user, before)


def test_a_thumb_for_an_old_question_does_not_answer_a_newer_one(match: Match, others: list[User]) -> None:
    """It would take back, or give, what its sender never saw."""
    old = question(others[0])
    undo = Undo.objects.get()
    proposer = match.seats.get(index=undo.seat).user
    assert proposer
    refuse_undo(match.pk, proposer, now=clock.now())
    today = clock.now().date()
    propose_undo(match.pk, proposer, now=clock.now())
    propose_holiday(match.pk, proposer, today, today, now=clock.now())
    for letter in (gmail_reaction(old, others[0].email, THUMB), gmail_reaction(old, others[0].email, DOWN)):
        assert receive(letter).code == "reaction"
    assert (len(agreed()), Undo.objects.latest("pk").outcome) == (1, "open")
    assert len(Holiday.objects.get().agreed) == 1


def test_each_of_two_open_questions_gets_its_own_answer(match: Match, others: list[User]) -> None:
    proposer = match.seats.get(index=Undo.objects.get().seat).user
    assert proposer
    today = clock.now().date()
    propose_holiday(match.pk, proposer, today, today, now=clock.now())
    holiday = next(mail for mail in sent_to(others[0]) if "days off" in str(mail.subject))
    receive(gmail_reaction(holiday, others[0].email, THUMB))
    assert (len(Holiday.objects.get().agreed), len(agreed())) == (2, 1)


def test_another_player_of_the_table_cannot_answer_for_the_one_who_was_asked(others: list[User]) -> None:
    first, second = others
    letter = gmail_reaction(question(first), second.email, THUMB)
    assert receive(letter).code == "reaction", "to the address of the one who was asked"
    assert receive(letter, to=question(second).reply_to[0]).code == "several-seats"
    letter.replace_header("To", question(second).reply_to[0])
    letter.replace_header("Message-ID", "<another@mail.example.com>")
    assert receive(letter).code == "reaction", "to the address of their own"
    assert len(agreed()) == 1
    assert not InboundEmail.objects.filter(state="held").exists()


def test_a_forged_thumb_counts_for_nothing(settings, others: list[User]) -> None:
    settings.MAIL_AUTH = "normal"
    mail, before = question(others[0]), len(sent_to(others[0]))
    row = receive(gmail_reaction(mail, others[0].email, THUMB), dmarc="fail")
    assert (row.state, row.code) == ("dropped", "forged")
    settings.MAIL_AUTH = "strict"
    row = receive(gmail_reaction(mail, others[0].email, TONED))
    assert (row.state, row.code) == ("dropped", "unproved")
    assert len(agreed()) == 1
    assert nothing_said(others[0], before)


def test_a_forwarded_reaction_says_nothing(others: list[User]) -> None:
    mail = question(others[0])
    reaction = gmail_reaction(mail, others[0].email, THUMB)
    forwarded = reply(
        mail,
        others[0].email,
        "---------- Forwarded message ---------\nFrom: Tom <tom@example.net>\nDate: Tue, Jul 8, 2025\n"
        f"Subject: {mail.subject}\nTo: <{mail.reply_to[0]}>\n\n\n👍\n\nTom reacted via Gmail\n",
        quotes=False,
    )
    attached = reply(mail, others[0].email, "FYI", quotes=False)
    attached.add_attachment(reaction)
    for letter in (forwarded, attached):
        receive(letter)
    assert len(agreed()) == 1


def test_a_reaction_that_is_an_attachment_is_none(others: list[User]) -> None:
    """Gmail shows no such reaction either."""
    letter = reply(question(others[0]), others[0].email, "help", quotes=False)
    letter.add_attachment(
        '{"emoji": "👍", "version": 1}', subtype="vnd.google.email-reaction+json", filename="r.json"
    )
    assert receive(letter).state == "done"
    assert len(agreed()) == 1


def test_a_reaction_of_a_machine_is_none(others: list[User]) -> None:
    letter = gmail_reaction(question(others[0]), others[0].email, THUMB)
    letter["Auto-Submitted"] = "auto-replied"
    assert receive(letter).code == "automatic:auto-submitted"
    assert len(agreed()) == 1


def test_a_stranger_at_the_lobby_who_reacts_is_not_asked(others: list[User]) -> None:
    letter = gmail_reaction(question(others[0]), "dora@example.net", THUMB)
    letter.replace_header("Subject", "join gem")
    row = receive(letter, to="play@gem.localhost")
    assert (row.state, row.code) == ("dropped", "reaction")


@pytest.mark.parametrize(
    "typed",
    ["Ben liked your message, I think. bid 3", "bid 3", "👍 bid 3", "Tom reacted to your message:\nbid 3"],
)
def test_what_is_written_by_hand_is_no_reaction(typed: str) -> None:
    assert read_reaction(typed, typed) is None
