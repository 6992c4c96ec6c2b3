"""Administrators' actions on accounts: roles and addresses; only actions change them."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from gemserver.accounts import bans
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.moderation.models import AuditEntry
from tests.builders import make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def panel() -> Client:
    return signed_in(make_user("admin", role=Role.ADMINISTRATOR))


def give_role(panel: Client, name: str, role: Role) -> str:
    answer = panel.post(f"/admin/actions/give-role/{name}/", {"reason": "because", "role": str(role.value)})
    return read(answer).text if answer.status_code != 302 else ""


def test_a_role_opens_the_moderators_site_and_closes_it(panel: Client) -> None:
    dee = signed_in(make_user("dee"))
    assert dee.get("/admin/").status_code == 302
    give_role(panel, "dee", Role.HELPER)
    assert dee.get("/admin/").status_code == 200
    give_role(panel, "dee", Role.PLAYER)
    assert dee.get("/admin/").status_code == 302
    assert [entry.data for entry in AuditEntry.objects.order_by("number")] == [
        {"role before": "player", "role": "helper"},
        {"role before": "helper", "role": "player"},
    ]


def test_nobody_gives_a_role_to_themselves(panel: Client) -> None:
    assert "ask another administrator" in give_role(panel, "admin", Role.PLAYER)
    assert User.objects.get(username="admin").role == Role.ADMINISTRATOR


def test_an_address_marked_as_verified_is_the_players(panel: Client) -> None:
    ana = User.objects.create_user("ana", "ana@example.org")
    row = EmailAddress.objects.create(user=ana, email="ana@example.org", verified=False)
    page = read(panel.get(f"/admin/account/emailaddress/{row.pk}/change/"))
    assert f"/admin/actions/verify-address/{row.pk}/" in page.links
    form = {"reason": "she showed me her mails"}
    assert panel.post(f"/admin/actions/verify-address/{row.pk}/", form).status_code == 302
    assert ana.verified_addresses() == {"ana@example.org"}
    assert ana.mail_address() == "ana@example.org"
    assert AuditEntry.objects.get().subject == "ana@example.org (ana)"
    page = read(panel.get(f"/admin/account/emailaddress/{row.pk}/change/"))
    assert f"/admin/actions/verify-address/{row.pk}/" not in page.links


def test_an_address_that_is_somebody_elses_stays_theirs(panel: Client) -> None:
    make_user("ben")
    ana = make_user("ana")
    row = EmailAddress.objects.create(user=ana, email="Ben@example.org", verified=False)
    answer = panel.post(f"/admin/actions/verify-address/{row.pk}/", {"reason": "because"})
    assert answer.status_code == 409
    assert "This address is ben's" in read(answer).text
    assert ana.verified_addresses() == {"ana@example.org"}


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.PLAYER])
def test_nobody_gets_into_an_account_that_stands_above_them(panel: Client, role: Role) -> None:
    """A verified address lets one sign in, so verifying one takes a higher role than the account's, or a superuser."""
    eva = make_user("eva", role=role, is_superuser=role == Role.PLAYER)
    row = EmailAddress.objects.create(user=eva, email="other@example.org", verified=False)
    answer = panel.post(f"/admin/actions/verify-address/{row.pk}/", {"reason": "because"})
    assert "higher role" in read(answer).text
    assert eva.verified_addresses() == {"eva@example.org"}


def test_nobody_shuts_or_opens_the_account_of_who_stands_above_them(panel: Client) -> None:
    mod = signed_in(make_user("mod", role=Role.MODERATOR))
    form = {"reason": "because", "note": "Insults."}
    assert "higher role" in read(mod.post("/admin/actions/ban/admin/", form)).text
    assert "higher role" in read(mod.post("/admin/actions/ban/mod/", form)).text
    bans.ban_user(User.objects.get(username="admin"), "Insults.", now=clock.now())
    assert "higher role" in read(mod.post("/admin/actions/lift-ban/admin/", form)).text
    assert not User.objects.get(username="admin").is_active


def test_the_page_of_an_account_shows_its_addresses_and_changes_nothing(panel: Client) -> None:
    ana = make_user("ana", time_zone="Europe/Paris")
    EmailAddress.objects.create(user=ana, email="ana@work.example", verified=False)
    page = f"/admin/accounts/user/{ana.pk}/change/"
    text = read(panel.get(page)).text
    assert "ana@work.example not verified" in text
    assert "Europe/Paris" in text
    assert ana.password not in text
    assert panel.post(page, {"username": "ana", "role": "3", "time_zone": "Asia/Tokyo"}).status_code == 403
    ana.refresh_from_db()
    assert (ana.role, ana.time_zone) == (Role.PLAYER, "Europe/Paris")
