"""Reports about moderators themselves: who is reported reads nothing of it, and closes nothing."""

from __future__ import annotations

import pytest
from django.urls import reverse

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.talk.report_abuse import close_report, report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match, Move, Report
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.action import require_no_party
from gemserver.notify.models import OutboxMessage
from gemserver.study.what_if import begin_what_if, report_what_if
from tests.builders import NOON, make_match, make_user
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> User:
    return make_user("judge", role=Role.MODERATOR)


@pytest.fixture
def other() -> User:
    return make_user("other", role=Role.MODERATOR)


def reported_message(judge: User, *others: str) -> Report:
    """A report of what the moderator says at a table, which they then leave."""
    players = [make_user(name) for name in others]
    match = make_match(players=[judge, *players])
    message = say(match.pk, judge, "you fool", "1", now=NOON)
    resign(match.pk, judge, source=Move.Source.WEB, request_id="1", now=NOON)
    return report_abuse(match.pk, players[0], "WORDS OF ANA", now=NOON, message_id=message.pk)


def reported_what_if(judge: User) -> Report:
    players = [make_user("cleo"), make_user("dan")]
    match = make_match(players=players)
    resign(match.pk, players[1], source=Move.Source.WEB, request_id="1", now=NOON)
    what_if = begin_what_if(Match.objects.get(pk=match.pk), judge, 0, None, "rude name", now=NOON)
    return report_what_if(what_if, players[0], "WORDS OF ANA", now=NOON)


def reported_bot(judge: User) -> Report:
    bot = make_user("robot")
    User.objects.filter(pk=bot.pk).update(owner=judge)
    match = make_match(players=[make_user("ana"), make_user("ben")])
    return report_abuse(
        match.pk,
        match.seats.get(index=0).user,
        "WORDS OF ANA",
        now=NOON,
        reported=User.objects.get(pk=bot.pk),
    )


REPORTS = {
    "the match is over": lambda judge: reported_message(judge, "ana"),
    "the match goes on without them": lambda judge: reported_message(judge, "ana", "ben"),
    "their what-if in others' match": reported_what_if,
    "their bot": reported_bot,
}


@pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)
def test_who_is_reported_reads_nothing_of_it_and_closes_nothing(make, judge: User, other: User) -> None:
    report = make(judge)
    one, every = (
        reverse("admin:matches_report_change", args=[report.pk]),
        reverse("admin:matches_report_changelist"),
    )
    start = reverse("admin:index")
    theirs, others = signed_in(judge), signed_in(other)
    assert theirs.get(one).status_code == 302
    assert all("WORDS OF ANA" not in theirs.get(page).content.decode() for page in (every, start))
    assert all("WORDS OF ANA" in others.get(page).content.decode() for page in (one, every, start))
    mailed = OutboxMessage.objects.filter(kind="report").values_list("user", flat=True)
    assert list(mailed) == [other.pk]
    with pytest.raises(Refused, match="own-match"):
        close_report(report.pk, judge, "nothing wrong", now=NOON)
    closing = ACTIONS["close-report"]
    with pytest.raises(Refused, match="party"):
        require_no_party(judge, closing, report)
    require_no_party(other, closing, report)


def test_a_moderator_does_not_take_away_their_own_words(judge: User, other: User) -> None:
    """They are what others have reported."""
    message = reported_message(judge, "ana").message
    what_if = reported_what_if(make_user("helper", role=Role.HELPER)).match.what_ifs.get()
    for action, subject in (("remove-message", message), ("clear-name", what_if)):
        require_no_party(other, ACTIONS[action], subject)
    with pytest.raises(Refused, match="party"):
        require_no_party(judge, ACTIONS["remove-message"], message)
    with pytest.raises(Refused, match="party"):
        require_no_party(what_if.user, ACTIONS["clear-name"], what_if)
