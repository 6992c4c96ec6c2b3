"""A notice leaves once, by the channel that its reader chose."""

from __future__ import annotations

import json

import pytest
from django.core import mail

from gemserver.accounts.bans import ban_user
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import (
    remove_channel,
    switch_channel,
    tell_by,
    try_channel,
)
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, play
from tests.channels.receivers import Receiver
from tests.channels.telling import Kind, begin, begin_again, deliver, hook, mails_to

pytestmark = pytest.mark.django_db


def test_without_a_choice_everything_comes_by_mail(ana: User, there: Receiver) -> None:
    add_hook(ana, Kind.WEBHOOK, "bot", url=there.url, now=clock.now())
    begin(ana)
    deliver()
    assert (len(mails_to(ana)), there.got) == (1, [])


def test_a_notice_comes_once_by_the_channel_and_not_by_mail(ana: User, there: Receiver) -> None:
    hook(ana, there)
    match = begin(ana)
    for _ in range(3):
        deliver()
    assert (len(mails_to(ana)), len(there.got)) == (0, 1)
    sent = json.loads(there.got[0].body)
    assert sent["data"]["match"] == match.code
    assert sent["data"]["url"].endswith(match.get_absolute_url())
    row = OutboxMessage.objects.get(user=ana)
    assert (row.state, row.route) == ("sent", "channel")


def test_a_first_turn_that_is_answered_meanwhile_tells_of_the_start_alone(
    ana: User, ben: User, there: Receiver
) -> None:
    """A program that is told of a turn would go and play it."""
    match = make_match(players=[ana, ben], now=clock.now())
    seat = asked(match)
    assert seat.user
    hook(seat.user, there)
    play(match, seat.index, "bid 0", now=clock.now())
    deliver()
    (news,) = [json.loads(each.body) for each in there.got]
    assert news["type"] == "started"
    assert news["data"]["title"] == f"The match begins: GEM {match.code}"


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_no_hook_is_told_of_an_account_that_is_shut(is_handed_over: bool, ana: User, there: Receiver) -> None:
    hook(ana, there)
    begin(ana)
    try_channel(ana, "bot", now=clock.now())
    if is_handed_over:
        delivery.send_queued()
    ban_user(ana, "Insults.", now=clock.now())
    deliver()
    assert (mails_to(ana), there.got) == ([], [])


def test_back_to_mail_is_back_to_mail(ana: User, there: Receiver) -> None:
    hook(ana, there)
    begin(ana)
    tell_by(ana, "mail")
    deliver()
    assert (len(mails_to(ana)), there.got) == (1, [])


def test_what_is_switched_off_or_removed_while_it_waits_comes_by_mail(
    ana: User, ben: User, there: Receiver
) -> None:
    hook(ana, there)
    hook(ben, there)
    begin(ana, ben)
    delivery.send_queued()
    switch_channel(ana, "bot", on=False, now=clock.now())
    remove_channel(ben, "BOT")
    deliver()
    assert (len(mails_to(ana)), len(mails_to(ben)), there.got) == (1, 1, [])
    assert all("switched off" not in each.body for each in mail.outbox), "they did it themselves"


def test_a_notice_whose_matter_has_passed_is_skipped(ana: User, there: Receiver) -> None:
    hook(ana, there)
    match = begin(ana)
    delivery.send_queued()
    Match.objects.filter(pk=match.pk).update(status="finished")
    OutboxMessage.objects.filter(user=ana).update(kind="turn", data={"match": match.pk, "seat": 0, "turn": 1})
    deliver()
    assert there.got == []
    assert OutboxMessage.objects.get(user=ana).state == "skipped"


def test_who_gets_no_mail_any_more_is_told_by_their_channel(ana: User, there: Receiver) -> None:
    hook(ana, there)
    UnreachableAddress.objects.create(address=ana.email, why="bounced", since=clock.now())
    begin(ana)
    deliver()
    assert len(there.got) == 1
    there.status = 410
    begin_again(ana)
    deliver()
    assert mails_to(ana) == []
    assert set(OutboxMessage.objects.filter(user=ana).values_list("state", flat=True)) == {"sent", "skipped"}
