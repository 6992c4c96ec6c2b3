"""The page behind an invitation's link."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.models import Invitation, Match
from tests.builders import NOON, make_table, make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(ana: User) -> Match:
    return make_table(seats=3, creator=ana, access=Match.Access.INVITED)


def path(invitation: Invitation) -> str:
    return f"/invitations/{invitation.pk}/{invitation.token}/"


def test_who_is_asked_sits_down_with_one_button(ana: User, table: Match) -> None:
    ben = make_user("ben")
    invitation = invite(table.pk, ana, "ben", now=NOON)
    client = signed_in(ben)
    page = read(client.get("/"))
    assert "You are invited 1" in page.text
    assert path(invitation) in page.links
    text = read(client.get(path(invitation))).text
    assert "ana offers you a seat at a table of GEM" in text
    assert table.commitment in text
    response = client.post(path(invitation), {"do": "accept", "words": "owl"}, follow=True)
    assert "You sit at the table." in read(response).text
    assert table.seats.get(index=1).user == ben
    assert "You are invited" not in read(client.get("/")).text


def test_whoever_is_invited_already_is_named_as_they_are_and_no_second_invitation_is_said(
    ana: User, table: Match
) -> None:
    make_user("Ben")

    def ask(whom: str) -> str:
        return read(
            signed_in(ana).post(f"/m/{table.code}/table/", {"do": "invite", "whom": whom}, follow=True)
        ).text

    assert "Invited: Ben." in ask(" bEN ")
    assert "Ben has been invited already, and can still answer." in ask("BEN")


def test_a_stranger_signs_up_first_and_comes_back(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.net", now=NOON)
    page = read(Client().get(path(invitation)))
    assert "Sign up and sit down" in page.text
    assert "dee@example.net" not in page.text
    response = Client().post(path(invitation), {"do": "accept"})
    assert response.url == f"/accounts/signup/?next={path(invitation)}"
    assert not table.seats.filter(index=1).exists()


def test_declining_needs_no_account(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.net", now=NOON)
    text = read(Client().post(path(invitation), {"do": "decline"}, follow=True)).text
    assert "You have declined. You get no more mail about this table." in text
    invitation.refresh_from_db()
    assert invitation.state == Invitation.State.DECLINED


def test_stopping_takes_a_button_for_people_and_one_click_for_programs(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.net", now=NOON)
    client = Client(enforce_csrf_checks=True)
    assert "Stop the invitations" in read(client.get(f"{path(invitation)}stop/")).text
    assert not UnreachableAddress.objects.exists(), "scanners that follow links change nothing"
    for _ in range(2):
        response = client.post(f"{path(invitation)}stop/", {"List-Unsubscribe": "One-Click"})
        assert response.status_code == 200
        assert "We send no invitations to dee@example.net any more." in read(response).text
    assert UnreachableAddress.objects.get().address == "dee@example.net"


@pytest.mark.parametrize("who", ["stranger", "other", "moderator", "inviter"])
def test_without_the_token_there_is_no_page(ana: User, table: Match, who: str) -> None:
    invitation = invite(table.pk, ana, "ben@example.net", now=NOON)
    client = {
        "stranger": Client(),
        "other": signed_in(make_user("dee")),
        "moderator": signed_in(make_user("mod", is_staff=True, is_superuser=True)),
        "inviter": signed_in(ana),
    }[who]
    for wrong in ("a" * 26, "ü", invite(table.pk, ana, "cy@example.net", now=NOON).token):
        for end in ("", "stop/"):
            assert client.get(f"/invitations/{invitation.pk}/{wrong}/{end}").status_code == 404
            assert client.post(f"/invitations/{invitation.pk}/{wrong}/{end}").status_code == 404
    assert client.get(f"/invitations/999/{invitation.token}/").status_code == 404
    invitation.refresh_from_db()
    assert invitation.state == Invitation.State.OPEN


def test_an_invitation_of_another_player_is_refused_in_words(ana: User, table: Match) -> None:
    make_user("ben")
    invitation = invite(table.pk, ana, "ben", now=NOON)
    response = signed_in(make_user("dee")).post(path(invitation), {"do": "accept"})
    assert response.status_code == 422
    assert "This invitation is for another player" in read(response).text


def test_nobody_but_the_inviter_is_shown_the_address(ana: User, table: Match) -> None:
    ben = make_user("ben")
    invite(table.pk, ana, "dee@example.net", now=NOON)
    signed_in(ben).post(path(invite(table.pk, ana, "ben", now=NOON)), {"do": "accept"})
    assert "dee@example.net" in read(signed_in(ana).get(table.get_absolute_url())).text
    for client in (signed_in(ben), Client()):
        page = client.get(table.get_absolute_url()).content.decode()
        assert "dee@example.net" not in page
        assert Invitation.objects.get(user=None).token not in page


def test_a_withdrawn_invitation_says_so(ana: User, table: Match) -> None:
    invitation = invite(table.pk, ana, "dee@example.net", now=NOON)
    withdraw_invitation(invitation.pk, ana, now=NOON)
    text = read(Client().get(path(invitation))).text
    assert "This invitation was taken back." in text
    assert "Your answer" not in text
