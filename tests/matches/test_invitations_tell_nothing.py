"""An invitation by address gets the same answer and takes the same work, whoever owns the address."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import Block, User
from gemserver.matches import tables
from gemserver.matches.actions.tables.answer_invitation import decline_invitation
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Invitation, Match
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.site.account.export import collect
from tests.builders import NOON, make_table, make_user
from tests.mailgate.posting import one_line, sent_to, write
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

ADDRESS, STRANGERS = "ben@example.org", "dee@example.net"


@pytest.fixture
def table(ana: User) -> Match:
    """A table where Ana sits."""
    return make_table(seats=4, creator=ana)


def _stranger(ana: User) -> None:
    """The address belongs to nobody."""


def _player(ana: User) -> None:
    make_user("ben")


def _who_has_blocked_the_inviter(ana: User) -> None:
    Block.objects.create(user=make_user("ben"), blocked=ana, created_at=NOON)


def _whom_the_inviter_has_blocked(ana: User) -> None:
    """Otherwise a block, an invitation and another block would reveal whose an address is."""
    Block.objects.create(user=ana, blocked=make_user("ben"), created_at=NOON)


def _who_wants_no_mail(ana: User) -> None:
    make_user("ben", mail_mode=User.MailMode.OFF)


def _who_sits_there(ana: User) -> None:
    join_table(Match.objects.get().pk, make_user("ben"), now=NOON)


def _who_was_asked_by_name(ana: User) -> None:
    make_user("ben")
    invite(Match.objects.get().pk, ana, "ben", now=NOON)


def _who_has_declined_by_name(ana: User) -> None:
    _who_was_asked_by_name(ana)
    decline_invitation(Invitation.objects.get().pk, now=NOON)


WHOSE = {
    "nobody's": (_stranger, True),
    "a player's": (_player, True),
    "who has blocked": (_who_has_blocked_the_inviter, False),
    "who is blocked": (_whom_the_inviter_has_blocked, False),
    "no mail": (_who_wants_no_mail, False),
    "seated": (_who_sits_there, False),
    "asked by name": (_who_was_asked_by_name, False),
    "declined by name": (_who_has_declined_by_name, False),
}


def invitations_sent() -> int:
    rows = OutboxMessage.objects.filter(kind="invitation")
    return sum(delivery.write(row) is not None for row in rows)


def work(ask: Callable[[], object]) -> tuple[list[str], int, int]:
    """The statements that it takes, and the numbers of new invitations and queued mails."""
    before = Invitation.objects.count(), OutboxMessage.objects.count()
    with CaptureQueriesContext(connection) as captured:
        ask()
    statements = [re.sub(r"'[^']*'|\d+|NULL", "?", query["sql"]) for query in captured.captured_queries]
    return statements, Invitation.objects.count() - before[0], OutboxMessage.objects.count() - before[1]


@pytest.mark.parametrize("whose", WHOSE)
def test_the_work_is_the_same(ana: User, table: Match, whose: str) -> None:
    cause, is_told = WHOSE[whose]
    cause(ana)
    before = invitations_sent()
    ours, theirs = (
        work(lambda address=address: invite(table.pk, ana, address, now=NOON))
        for address in (ADDRESS, STRANGERS)
    )
    assert ours == theirs
    assert ours[1:] == (1, 1)
    row = Invitation.objects.get(address=ADDRESS, by_name=False)
    assert (row.user, row.state) == (None, "open")
    assert invitations_sent() - before == 1 + is_told


@pytest.mark.parametrize("whose", ["who has blocked", "who is blocked", "seated", "declined by name"])
def test_who_shall_not_be_asked_does_not_find_it_on_their_first_page(
    ana: User, table: Match, whose: str
) -> None:
    WHOSE[whose][0](ana)
    invite(table.pk, ana, ADDRESS, now=NOON)
    assert not tables.open_invitations(User.objects.get(username="ben")).exists()


@pytest.mark.slow
@pytest.mark.parametrize("whose", WHOSE)
def test_the_page_says_the_same(ana: User, table: Match, whose: str) -> None:
    WHOSE[whose][0](ana)

    def say(whom: str) -> list[str]:
        form = {"do": "invite", "whom": whom}
        page = read(signed_in(ana).post(f"/m/{table.code}/table/", form, follow=True))
        assert f"Invited: {whom}." in page.text
        return re.findall(f"{whom}(.{{0,30}})", page.text)

    said = say(ADDRESS)
    assert said[1].startswith(" waiting for an answer")
    assert [words[:22] for words in said] == [words[:22] for words in say(STRANGERS)]


@pytest.mark.slow
@pytest.mark.parametrize("whose", WHOSE)
def test_a_mail_is_answered_the_same(ana: User, table: Match, whose: str) -> None:
    WHOSE[whose][0](ana)

    def ask(whom: str) -> str:
        assert write(ana, f"{table.code}: invite {whom}").code == ""
        return one_line(sent_to(ana)[-1]).replace(whom, "X")

    answer = ask(ADDRESS)
    assert f"Invited to {table.code}: X" in answer
    assert answer == ask(STRANGERS)


def test_asked_again_it_is_the_same_too(ana: User, table: Match) -> None:
    make_user("ben")
    for address in (ADDRESS, STRANGERS):
        invite(table.pk, ana, address, now=NOON)
    ours, theirs = (
        work(lambda address=address: invite(table.pk, ana, address, now=NOON))
        for address in (ADDRESS, STRANGERS)
    )
    assert ours == theirs
    assert ours[1:] == (0, 0)


def test_a_name_is_asked_for_itself_when_its_address_was_asked_before(ana: User, table: Match) -> None:
    ben = make_user("ben")
    by_address = invite(table.pk, ana, ADDRESS, now=NOON)
    decline_invitation(by_address.pk, now=NOON)
    assert invite(table.pk, ana, "ben", now=NOON).user == ben
    assert invitations_sent() == 0, "who has declined is not asked again"


def test_the_export_shows_no_address_of_whom_one_has_asked_by_name(ana: User, table: Match) -> None:
    make_user("ben")
    for whom in ("ben", STRANGERS):
        invite(table.pk, ana, whom, now=NOON)
    assert {row["to"] for row in collect(ana, NOON)["invitations"]} == {"ben", STRANGERS}
