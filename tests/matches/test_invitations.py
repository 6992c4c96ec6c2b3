"""Invitations to a table: by name, by address, and the answers to them (mail-requirements.md L9)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress

from gemserver.accounts.models import Block, UnreachableAddress, User
from gemserver.inbox.erasure import erase
from gemserver.matches import tables
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.try_address_again import try_address_again
from gemserver.matches.actions.tables.answer_invitation import (
    accept_invitation,
    decline_invitation,
    stop_invitations,
)
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import cancel_table, leave_table
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import bounces, delivery
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from tests.builders import NOON, make_match, make_table, make_user
from tests.clubs.people import make_club

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def table(ana: User) -> Match:
    return make_table(seats=3, creator=ana, access=Match.Access.INVITED)


def mails() -> list[str]:
    """The texts of the invitations as they would go out now."""
    written = [delivery.write(row) for row in OutboxMessage.objects.filter(kind="invitation")]
    return [str(mail.body) for mail in written if mail]


def test_a_player_is_invited_by_name_and_gets_a_mail_with_the_link(ana: User, table: Match) -> None:
    ben = make_user("ben")
    invitation = invite(table.pk, ana, "BEN", now=NOON)
    assert (invitation.user, invitation.address) == (ben, "ben@example.org")
    (text,) = mails()
    assert "ana offers you a seat at a table of GEM." in text
    assert f"/invitations/{invitation.pk}/{invitation.token}/\n" in text
    assert f"/invitations/{invitation.pk}/{invitation.token}/stop/\n" in text
    assert f"join {table.code}" in text
    assert table.commitment not in text, "nobody reads a hash"
    assert list(tables.open_invitations(ben)) == [invitation]


def test_a_stranger_gets_one_mail_without_any_text_of_the_inviters(ana: User, table: Match) -> None:
    User.objects.filter(pk=ana.pk).update(username="buy.at.example.com")
    ana.refresh_from_db()
    invite(table.pk, ana, "Dee@Example.net", now=NOON)
    (text,) = mails()
    assert "A player offers you a seat" in text
    assert "buy.at" not in text
    assert "Reply above this line" not in text
    (row,) = OutboxMessage.objects.all()
    mail = delivery.write(row)
    assert mail is not None
    assert (row.to, row.user) == ("dee@example.net", None)
    invitation = Invitation.objects.get()
    assert f"/invitations/{invitation.pk}/{invitation.token}/stop/>" in mail.extra_headers["List-Unsubscribe"]
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_nobody_gets_two_mails_for_one_table(ana: User, table: Match) -> None:
    ben = make_user("ben")
    EmailAddress.objects.create(user=ben, email="ben@work.example", verified=True)
    first = invite(table.pk, ana, "ben", now=NOON)
    second = invite(table.pk, ana, "ben@work.example", now=NOON)
    assert second.user is None, "whose address it is stays unsaid"
    assert len(mails()) == 1
    withdraw_invitation(first.pk, ana, now=NOON)
    assert mails() == []
    assert invite(table.pk, ana, "ben", now=NOON) == first
    assert len(mails()) == 1
    third = invite(table.pk, ana, "ben@example.org", now=NOON)
    assert third not in {first, second}, "an address is asked for itself, whosever it is"
    assert len(mails()) == 1


def test_who_is_invited_may_sit_down_and_who_is_not_may_not(ana: User, table: Match) -> None:
    ben = make_user("ben")
    with pytest.raises(Refused, match="not-invited"):
        join_table(table.pk, ben, now=NOON)
    invitation = invite(table.pk, ana, "ben", now=NOON)
    assert join_table(table.pk, ben, now=NOON).index == 1
    invitation.refresh_from_db()
    assert invitation.state == Invitation.State.ACCEPTED
    assert not tables.open_invitations(ben).exists()
    leave_table(table.pk, ben, now=NOON)
    assert join_table(table.pk, ben, now=NOON).index == 1, "who has left may think better of it"


def test_who_is_invited_by_name_and_sits_down_at_an_open_table_has_answered(ana: User, ben: User) -> None:
    open_to_all = make_table(seats=3, creator=ana)
    invitation = invite(open_to_all.pk, ana, "ben", now=NOON)
    join_table(open_to_all.pk, ben, now=NOON)
    invitation.refresh_from_db()
    assert (invitation.state, invitation.answered_at) == (Invitation.State.ACCEPTED, NOON)


def test_an_invitation_is_taken_back_by_its_sender_or_the_host_only(
    ana: User, ben: User, table: Match
) -> None:
    """Ana is the host; Ben and Cy sit there too."""
    cy = make_user("cy")
    for player in (ben, cy):
        join_table(table.pk, player, link=table.link_token, now=NOON)
    Match.objects.filter(pk=table.pk).update(seat_count=5)
    anas, bens = (
        invite(table.pk, by, whom, now=NOON)
        for by, whom in ((ana, "dee@example.net"), (ben, "eve@example.net"))
    )
    for invitation in (anas, bens):
        with pytest.raises(Refused, match="not-host"):
            withdraw_invitation(invitation.pk, cy, now=NOON)
    with pytest.raises(Refused, match="not-host"):
        withdraw_invitation(anas.pk, ben, now=NOON)
    withdraw_invitation(anas.pk, ana, now=NOON)
    assert withdraw_invitation(bens.pk, ben, now=NOON).state == Invitation.State.WITHDRAWN
    assert withdraw_invitation(bens.pk, ana, now=NOON).state == Invitation.State.WITHDRAWN


def test_an_address_finds_its_player_after_signing_up(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.org", now=NOON)
    assert invitation.user is None
    dee = make_user("dee")
    assert list(tables.open_invitations(dee)) == [invitation]
    assert join_table(table.pk, dee, now=NOON).index == 1


def test_the_link_serves_who_signed_up_with_another_address_but_only_one_player(
    ana: User, table: Match
) -> None:
    invitation = invite(table.pk, ana, "dee@work.example", now=NOON)
    dee, eve = make_user("dee"), make_user("eve")
    assert accept_invitation(invitation.pk, dee, words="owl", now=NOON).index == 1
    assert accept_invitation(invitation.pk, dee, now=NOON).index == 1
    with pytest.raises(Refused, match="not-yours"):
        accept_invitation(invitation.pk, eve, now=NOON)


def test_declining_is_final_for_the_inviter_and_not_for_who_was_asked(ana: User, table: Match) -> None:
    ben = make_user("ben")
    invitation = invite(table.pk, ana, "ben", now=NOON)
    decline_invitation(invitation.pk, now=NOON)
    assert decline_invitation(invitation.pk, now=NOON).state == Invitation.State.DECLINED
    assert mails() == []
    with pytest.raises(Refused, match="no-invitations"):
        invite(table.pk, ana, "ben", now=NOON)
    with pytest.raises(Refused, match="answered"):
        withdraw_invitation(invitation.pk, ana, now=NOON)
    assert accept_invitation(invitation.pk, ben, now=NOON).index == 1
    with pytest.raises(Refused, match="answered"):
        decline_invitation(invitation.pk, now=NOON)


def test_a_withdrawn_invitation_seats_nobody(ana: User, table: Match) -> None:
    ben = make_user("ben")
    invitation = invite(table.pk, ana, "ben", now=NOON)
    with pytest.raises(Refused, match="not-seated"):
        withdraw_invitation(invitation.pk, ben, now=NOON)
    withdraw_invitation(invitation.pk, ana, now=NOON)
    with pytest.raises(Refused, match="withdrawn"):
        accept_invitation(invitation.pk, ben, now=NOON)
    with pytest.raises(Refused, match="not-invited"):
        join_table(table.pk, ben, now=NOON)


def test_a_block_and_an_opt_out_are_refused_in_the_same_words(ana: User, table: Match) -> None:
    ben = make_user("ben")
    other = make_table(seats=3, creator=make_user("cy"))
    stop_invitations(
        invite(other.pk, User.objects.get(username="cy"), "dee@example.net", now=NOON).pk, now=NOON
    )
    assert UnreachableAddress.objects.get().why == UnreachableAddress.Reason.OPTED_OUT
    Block.objects.create(user=ben, blocked=ana, created_at=NOON)
    sentences = set()
    for whom in ("ben", "dee@example.net"):
        with pytest.raises(Refused, match="no-invitations") as refused:
            invite(table.pk, ana, whom, now=NOON)
        sentences.add(refused.value.text().replace(whom, "X"))
    assert len(sentences) == 1
    assert not table.invitations.exists()


def test_who_wants_no_invitations_gets_none_after_their_mail_came_back_and_was_tried_again(
    ana: User, table: Match
) -> None:
    dee = "dee@example.org"
    stop_invitations(invite(table.pk, ana, dee, now=NOON).pk, now=NOON)
    report = TrustedReport(DeliveryEvent.Kind.HARD_BOUNCE, dee, NOON, "dsn", "dsn:1")
    assert bounces.note(report, now=NOON)
    assert try_address_again(dee, now=NOON)
    player = make_user("dee")
    for whom in (dee, player.username):
        with pytest.raises(Refused, match="no-invitations"):
            invite(table.pk, ana, whom, now=NOON)
    assert player.mail_address() == dee, "mails about their own matches arrive"


def test_an_opt_out_before_the_mail_is_sent_stops_it(ana: User, table: Match) -> None:
    stop_invitations(invite(table.pk, ana, "dee@example.net", now=NOON).pk, now=NOON)
    assert mails() == []


def test_an_invitation_to_an_address_tells_nothing_about_its_player(ana: User) -> None:
    open_to_all = make_table(seats=4, creator=ana)
    ben, cy = make_user("ben", language="fr"), make_user("cy")
    invitation = invite(open_to_all.pk, ana, "ben@example.org", now=NOON)
    assert invitation.user is None
    assert OutboxMessage.objects.get().user == ben, "it is written in the reader's own language all the same"
    join_table(open_to_all.pk, ben, now=NOON)
    invitation.refresh_from_db()
    assert (invitation.user, invitation.state) == (None, Invitation.State.OPEN)
    assert not tables.open_invitations(ben).exists()
    join_table(open_to_all.pk, cy, now=NOON)
    OutboxMessage.objects.all().delete()
    assert invite(open_to_all.pk, ana, "cy@example.org", now=NOON).user is None
    assert mails() == []
    with pytest.raises(Refused, match="already-seated"):
        invite(open_to_all.pk, ana, "cy", now=NOON)


def test_a_player_whose_mail_bounces_is_invited_on_the_site(ana: User, table: Match) -> None:
    ben = make_user("ben")
    UnreachableAddress.objects.create(
        address="ben@example.org", why=UnreachableAddress.Reason.BOUNCED, since=NOON
    )
    invite(table.pk, ana, "ben", now=NOON)
    assert mails() == []
    assert tables.open_invitations(ben).count() == 1
    with pytest.raises(Refused, match="no-invitations"):
        invite(table.pk, ana, "ben@example.org", now=NOON)


def test_five_invitations_a_day_and_three_for_one_address(ana: User) -> None:
    tables = [make_table(seats=3, creator=ana) for _ in range(2)]
    for number in range(5):
        invite(tables[number % 2].pk, ana, f"p{number}@example.net", now=NOON)
    with pytest.raises(Refused, match="too-many-invitations"):
        invite(tables[0].pk, ana, "p5@example.net", now=NOON + DAY - timedelta(seconds=1))
    invite(tables[0].pk, ana, "p5@example.net", now=NOON + DAY)
    for name in ("ben", "cy", "dee"):
        invite(
            make_table(seats=3, creator=make_user(name)).pk,
            User.objects.get(username=name),
            "x@example.net",
            now=NOON,
        )
    eve = make_user("eve")
    with pytest.raises(Refused, match="no-invitations"):
        invite(make_table(seats=3, creator=eve).pk, eve, "x@example.net", now=NOON)


def _invite_to_new(host: User, whom: str) -> Invitation:
    return invite(make_table(seats=3, creator=host).pk, host, whom, now=NOON)


@pytest.mark.slow
def test_no_stranger_keeps_others_from_inviting_a_player() -> None:
    """Three invitations of anybody were all that a player got within a day, and the last who came were refused."""
    ben, strangers = make_user("ben"), [make_user(name) for name in ("cy", "dee", "eve")]
    for stranger in strangers:
        for _ in range(3):
            _invite_to_new(stranger, "ben")
        with pytest.raises(Refused, match=r"invited ben 3 times.*Send them the link"):
            _invite_to_new(stranger, "ben")
    assert len(mails()) == 3
    OutboxMessage.objects.all().delete()
    finn, club_mate, foe = (make_user(name) for name in ("finn", "gil", "hal"))
    make_club("Lake", club_mate, ben)
    make_match(players=[ben, foe])
    for host in (finn, club_mate, foe):
        _invite_to_new(host, "ben")
    assert tables.open_invitations(ben).count() == 12, "all of them stand on the first page"
    assert all(f"{name} offers you" in text for name, text in zip(("gil", "hal"), mails(), strict=True))


def test_one_person_with_their_bots_invites_an_address_twice_a_day(ana: User) -> None:
    bot = open_bot(ana, "anabot", now=NOON)
    for host in (ana, bot):
        _invite_to_new(host, "x@example.net")
    for host in (ana, bot):
        with pytest.raises(Refused, match="too-many-invitations"):
            _invite_to_new(host, "x@example.net")
    _invite_to_new(make_user("ben"), "x@example.net")


def test_a_person_invites_no_more_strangers_with_bots_of_their_own(ana: User, table: Match) -> None:
    """Each bot had a limit of its own: five of them, and their owner, mailed thirty strangers a day."""
    bot = open_bot(ana, "anabot", now=NOON)
    bots_table = make_table(seats=3, creator=bot)
    for number in range(5):
        who, at = ((bot, bots_table), (ana, table))[number % 2]
        invite(at.pk, who, f"p{number}@example.net", now=NOON)
    for who, at in ((bot, bots_table), (ana, table)):
        with pytest.raises(Refused, match="too-many-invitations"):
            invite(at.pk, who, "p5@example.net", now=NOON)


def test_whoever_ends_a_bot_invites_no_more_strangers_by_the_next(ana: User, table: Match) -> None:
    bot = open_bot(ana, "anabot", now=NOON)
    bots_table = make_table(seats=3, creator=bot)
    for number in range(5):
        invite(bots_table.pk, bot, f"p{number}@example.net", now=NOON)
    erase(bot, now=NOON)
    with pytest.raises(Refused, match="too-many-invitations"):
        invite(table.pk, ana, "p5@example.net", now=NOON)
    erase(ana, now=NOON)
    assert not User.objects.exists()


@pytest.mark.parametrize("whom", ["nobody", "x@", "a b@example.org", "", "ghost"])
def test_who_cannot_be_found_is_refused(ana: User, table: Match, whom: str) -> None:
    make_user("ghost", is_guest=True)
    with pytest.raises(Refused, match="no-such-player"):
        invite(table.pk, ana, whom, now=NOON)


def test_invitations_need_a_seat_and_a_free_one(ana: User, table: Match) -> None:
    ben = make_user("ben")
    with pytest.raises(Refused, match="not-seated"):
        invite(table.pk, ben, "ana", now=NOON)
    with pytest.raises(Refused, match="already-seated"):
        invite(table.pk, ana, "ana", now=NOON)
    fill_with_bots(table.pk, Seat.Bot.EASY, by=ana, now=NOON)
    with pytest.raises(Refused, match="table-full"):
        invite(table.pk, ana, "ben", now=NOON)


def test_nothing_is_sent_about_a_table_that_is_gone(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.net", now=NOON)
    cancel_table(table.pk, by=ana, now=NOON)
    assert mails() == []
    with pytest.raises(Refused, match="not-open"):
        accept_invitation(invitation.pk, make_user("dee"), now=NOON)


def test_who_wants_no_mail_finds_the_invitation_on_the_site(ana: User, table: Match) -> None:
    ben = make_user("ben", mail_mode=User.MailMode.OFF)
    invite(table.pk, ana, "ben", now=NOON)
    assert mails() == []
    assert tables.open_invitations(ben).count() == 1


def test_three_mails_a_day_for_one_address_whether_asked_by_name_or_not(ana: User) -> None:
    make_user("ben")
    hosts = [make_user(name) for name in ("cy", "dee", "eve", "fay")]
    for host, whom in zip(hosts, ["ben", "ben@example.org", "ben", "ben@example.org"], strict=True):
        invite(make_table(seats=3, creator=host).pk, host, whom, now=NOON)
    assert len(mails()) == 3
