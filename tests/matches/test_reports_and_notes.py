"""Private notes, and reports to the moderators."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches.actions.clubs.open_club import open_club
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.talk.report_abuse import MOST_REPORTS, close_report, report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import LONGEST_NOTE, append_to_note, write_note
from gemserver.matches.models import Match, Note, Report
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return make_match(players=[ana, ben])


@pytest.fixture
def moderator() -> User:
    return make_user("mod", role=Role.HELPER)


def mails(kind: str) -> list[OutboxMessage]:
    return list(OutboxMessage.objects.filter(kind=kind).order_by("pk"))


def body_of(row: OutboxMessage) -> str:
    mail = delivery.write(row)
    assert mail is not None
    return str(mail.body)


def test_a_note_is_kept_replaced_and_added_to(match: Match, ana: User) -> None:
    write_note(match.pk, ana, "Ben bluffs", now=NOON)
    assert append_to_note(match.pk, ana, "he has the ruby", now=LATER).text == "Ben bluffs\nhe has the ruby"
    assert append_to_note(match.pk, ana, "he has the ruby", now=LATER).text.count("ruby") == 1
    assert write_note(match.pk, ana, "", now=LATER).text == ""
    assert Note.objects.count() == 1


def test_notes_are_for_players_and_have_an_end(match: Match, ana: User) -> None:
    for write in (write_note, append_to_note):
        with pytest.raises(Refused, match="not-seated"):
            write(match.pk, make_user(f"dee-{write.__name__}"), "x", now=NOON)
    write_note(match.pk, ana, "x" * LONGEST_NOTE, now=NOON)
    with pytest.raises(Refused, match="too-long"):
        append_to_note(match.pk, ana, "y", now=LATER)


def test_a_report_of_a_message_reaches_the_moderators_who_do_not_play_there(
    match: Match, ana: User, ben: User, moderator: User
) -> None:
    User.objects.filter(pk=ben.pk).update(role=Role.HELPER)
    message = say(match.pk, ben, "resign\nor else", "1", now=NOON)
    report = report_abuse(match.pk, ana, "threats", now=LATER, message_id=message.pk)
    assert (report.message, report.reported, report.state) == (message, ben, Report.State.OPEN)
    (row,) = mails("report")
    assert row.user == moderator
    body = body_of(row)
    assert "ana asks the moderators" in body
    assert "| threats" in body
    assert "ben says:\n| resign\n| or else" in body


def test_the_same_report_is_taken_once(match: Match, ana: User, ben: User, moderator: User) -> None:
    message = say(match.pk, ben, "rude", "1", now=NOON)
    first = report_abuse(match.pk, ana, "", now=NOON, message_id=message.pk)
    assert report_abuse(match.pk, ana, "again", now=LATER, message_id=message.pk) == first
    whole = report_abuse(match.pk, ana, "the match", now=LATER)
    assert report_abuse(match.pk, ana, "the match", now=LATER + timedelta(seconds=2)) == whole
    assert len(mails("report")) == 2


def test_the_reporter_hears_what_came_of_it_and_nobody_else(match: Match, ana: User, moderator: User) -> None:
    report = report_abuse(match.pk, ana, "look at this", now=NOON)
    close_report(report.pk, moderator, "We spoke to Ben.", now=LATER)
    assert close_report(report.pk, moderator, "twice", now=LATER).answer == "We spoke to Ben."
    (row,) = mails("report-answer")
    assert row.user == ana
    assert "| We spoke to Ben." in body_of(row)
    assert delivery.write(mails("report")[0]) is None, "what is dealt with needs no moderator any more"


def test_only_a_moderator_of_no_seat_there_closes_a_report(match: Match, ana: User, ben: User) -> None:
    report = report_abuse(match.pk, ana, "look at this", now=NOON)
    for user, code in ((ben, "not-a-moderator"), (ben, "own-match")):
        with pytest.raises(Refused) as refused:
            close_report(report.pk, user, "nothing", now=LATER)
        assert refused.value.code == code
        ben.role = Role.HELPER
        ben.save()


def test_what_cannot_be_reported(match: Match, ana: User, ben: User) -> None:
    elsewhere = make_match(players=[ben, make_user("cy")])
    hidden = say(elsewhere.pk, ben, "secret", "1", now=NOON)
    for code, who, text, message_id in (
        ("not-seated", make_user("dee"), "x", None),
        ("nothing-said", ana, " ", None),
        ("too-long", ana, "x" * 2001, None),
        ("no-such-message", ana, "x", hidden.pk),
    ):
        with pytest.raises(Refused) as refused:
            report_abuse(match.pk, who, text, now=NOON, message_id=message_id)
        assert refused.value.code == code
    assert not Report.objects.exists()


def test_reports_have_a_daily_limit(match: Match, ana: User) -> None:
    for number in range(MOST_REPORTS):
        report_abuse(match.pk, ana, f"x {number}", now=NOON + timedelta(seconds=number))
    with pytest.raises(Refused, match="too-many-reports"):
        report_abuse(match.pk, ana, "x", now=LATER)
    club = open_club(make_user("dee"), name="Gems", now=NOON)
    with pytest.raises(Refused, match="too-many-reports"):
        report_club(club.pk, open_bot(ana, "anabot", now=NOON), "x", now=LATER)
    report_abuse(match.pk, ana, "x", now=NOON + timedelta(days=2))


def test_a_block_is_kept_once(ana: User, ben: User) -> None:
    assert block_player(ana, "ben", now=NOON) == block_player(ana, "ben", now=LATER)
