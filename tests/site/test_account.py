"""A player's own account: name and language, sessions, export, erasure."""

from __future__ import annotations

import io
import json
import time
import zipfile
from datetime import timedelta
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.newcomers import create_account
from gemserver.inbox import erasure
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.addresses import find_recipient
from gemserver.mailgate.ingest import ingest
from gemserver.matches import selectors, turns
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.talk.write_note import write_note
from gemserver.matches.models import ChatMessage, Match, Seat
from gemserver.notify import bounces, delivery, outbox
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.notify.unsubscribe import unsubscribe_headers
from gemserver.site.account import export
from gemserver.study.models import Hint, Review
from tests.builders import NOON, make_match, make_table, make_user
from tests.mailgate.letters import letter, receive
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(ana: User) -> Match:
    return make_match(players=[ana, make_user("ben"), make_user("cy")], server_part="3" * 64, now=clock.now())


def sign_in_for_real(user: User, agent: str = "") -> Client:
    """Sign in with the password, so that the sign-in counts as recent."""
    client = Client(HTTP_USER_AGENT=agent)
    client.post("/accounts/login/", {"login": user.username, "password": "password"})
    return client


def test_the_page_leads_to_everything_one_can_choose(ana: User) -> None:
    page = read(signed_in(ana).get("/you/"))
    for link in ("/time/", "/notifications/", "/accounts/email/", "/accounts/sessions/", "/you/erase/"):
        assert link in page.links


def test_a_new_name_is_seen_everywhere(ana: User, match: Match) -> None:
    answer = signed_in(ana).post("/you/", {"name": "Anna", "language": "en"}, follow=True)
    assert "Saved." in read(answer).text
    assert "Anna" in read(Client().get(match.get_absolute_url())).text


def test_a_name_that_is_taken_is_refused_and_kept_in_the_form(ana: User) -> None:
    make_user("ben")
    answer = signed_in(ana).post("/you/", {"name": "BEN", "language": "en"})
    assert answer.status_code == 422
    assert "Somebody is called “BEN” already" in read(answer).text
    assert 'value="BEN"' in answer.content.decode()


def test_the_file_has_what_is_mine_and_nothing_that_is_hidden_from_me(ana: User, match: Match) -> None:
    ben = User.objects.get(username="ben")
    say(match.pk, ana, "good luck", "r1", now=NOON)
    say(match.pk, ben, "the same to you", "r2", now=NOON)
    write_note(match.pk, ana, "ben bluffs", now=NOON)
    write_note(match.pk, ben, "ana is careful", now=NOON)
    mine = Seat.objects.select_related("user").get(match=match, user=ana)
    receive(mine, letter(mine, "status"))
    with zipfile.ZipFile(io.BytesIO(b"".join(export.export(ana, now=NOON)))) as folder:
        names = folder.namelist()
        everything = "\n".join(folder.read(name).decode("utf-8", "replace") for name in names)
        account = json.loads(folder.read("account.json"))
    assert f"matches/{match.code}.match" in names
    assert any(name.endswith(".eml") for name in names)
    assert account["messages"][0]["text"] == "good luck"
    assert account["notes"][0]["text"] == "ben bluffs"
    assert "ana is careful" not in everything
    assert match.server_part not in everything
    assert ben.email not in everything


def test_the_file_has_no_mail_of_whoever_had_my_address_before(ana: User, match: Match) -> None:
    """Providers give addresses away anew, and a domain gets another owner."""
    mine = Seat.objects.select_related("user").get(match=match, user=ana)
    row = receive(mine, letter(mine, "note ben bluffs"))
    assert (row.user, row.sender) == (ana, ana.email)
    EmailAddress.objects.filter(user=ana).update(email="new@example.org")
    ben = User.objects.get(username="ben")
    EmailAddress.objects.create(user=ben, email=ana.email, verified=True)
    with zipfile.ZipFile(io.BytesIO(b"".join(export.export(ben, now=NOON)))) as folder:
        names = folder.namelist()
        account = json.loads(folder.read("account.json"))
    assert [name for name in names if name.endswith(".eml")] == []
    assert account["mails from you"] == []


def test_erasing_leaves_the_mails_of_whoever_had_my_address_or_seat_before(ana: User, match: Match) -> None:
    mine = Seat.objects.select_related("user").get(match=match, user=ana)
    of_ana = receive(mine, letter(mine, "note ben bluffs"))
    stranger = receive(mine, letter(mine, "note ben bluffs", sender="zoe@example.net"))
    assert stranger.state == InboundEmail.State.HELD
    EmailAddress.objects.filter(user=ana).update(email="new@example.org")
    dora, ben = make_user("dora"), User.objects.get(username="ben")
    EmailAddress.objects.create(user=dora, email="zoe@example.net", verified=True)
    EmailAddress.objects.create(user=ben, email=of_ana.sender, verified=True)
    Seat.objects.filter(pk=mine.pk).update(user=dora)
    for heir in (ben, dora):
        erasure.erase(heir, now=clock.now())
    assert list(InboundEmail.objects.values_list("pk", "sender")) == [(of_ana.pk, ana.email)]


def test_the_file_has_what_i_have_asked_bots(ana: User, match: Match) -> None:
    """Also a review that somebody else has asked for first, and that is mailed to me."""
    about: dict[str, Any] = {"match": match, "asked_at": NOON}
    Hint.objects.create(**about, user=ana, seat=0, prompt_ply=1, done_at=NOON, moves=[["bid 1", 60]])
    Review.objects.create(**about, user=User.objects.get(username="ben")).readers.add(ana)
    account = export.collect(ana, NOON)
    assert [(hint["match__code"], hint["moves"]) for hint in account["hints"]] == [
        (match.code, [["bid 1", 60]])
    ]
    assert [review["match__code"] for review in account["reviews awaited"]] == [match.code]
    assert not account["reviews asked for"]


def test_the_newest_mails_are_in_the_file_up_to_a_bound(
    ana: User, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All mails were held in memory at once, with the file: a gigabyte for an account of 20 000."""
    mine = Seat.objects.select_related("user").get(match=match, user=ana)
    rows = [receive(mine, letter(mine, f"note number {number} {'x' * 5000}")) for number in range(25)]
    monkeypatch.setattr(export, "MOST_RAW", 65_000)
    pieces = list(export.export(ana, now=NOON))
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as folder:
        assert folder.testzip() is None
        found = [name for name in folder.namelist() if name.endswith(".eml")]
        assert bytes(rows[-1].raw or b"") == folder.read(found[0])
    assert found == [f"mails/{row.pk}.eml" for row in rows[:-13:-1]]


def test_what_is_deleted_while_the_file_is_sent_is_not_in_it(ana: User, match: Match) -> None:
    """Only a few rows at a time are read, when their turn comes."""
    mine = Seat.objects.select_related("user").get(match=match, user=ana)
    chance = Random(1)
    for number in range(25):
        row = receive(mine, letter(mine, f"note number {number}"))
        InboundEmail.objects.filter(pk=row.pk).update(raw=chance.randbytes(30_000))
    say(match.pk, ana, "one", "r1", now=NOON)
    say(match.pk, ana, "two", "r2", now=NOON)
    pieces = export.export(ana, now=NOON)
    first = next(pieces)
    InboundEmail.objects.all().delete()
    with zipfile.ZipFile(io.BytesIO(first + b"".join(pieces))) as folder:
        account = json.loads(folder.read("account.json"))
        names = folder.namelist()
    assert [row["text"] for row in account["messages"]] == ["one", "two"]
    assert len(account["mails from you"]) == 25
    assert sum(name.endswith(".eml") for name in names) == export.MAILS_AT_ONCE


def test_a_person_downloads_five_files_a_day_with_those_of_their_bots(ana: User) -> None:
    open_bot(ana, "Tin", now=NOON)
    browser = signed_in(ana)
    for _ in range(4):
        assert browser.post("/you/export/").status_code == 200
    assert browser.post("/you/bots/Tin/", {"do": "export"}).status_code == 200
    assert "come back tomorrow" in read(browser.post("/you/export/", follow=True)).text
    assert "come back tomorrow" in read(browser.post("/you/bots/Tin/", {"do": "export"})).text


def test_the_download_is_a_file_of_ones_own(ana: User) -> None:
    answer = signed_in(ana).post("/you/export/")
    assert answer["Content-Type"] == "application/zip"
    assert "attachment" in answer["Content-Disposition"]
    assert signed_in(ana).get("/you/export/").status_code == 405


@pytest.mark.slow
def test_an_erased_player_is_player_1_and_the_others_play_on(ana: User, match: Match) -> None:
    say(match.pk, ana, "my secret hobby", "r1", now=NOON)
    seat = Seat.objects.select_related("user").get(match=match, user=ana)
    receive(seat, letter(seat, "status"))
    table = make_table(seats=3)
    join_table(table.pk, ana, now=NOON)
    erasure.erase(ana, now=clock.now())
    assert not User.objects.filter(username="ana").exists()
    assert not ChatMessage.objects.exists()
    assert not InboundEmail.objects.exists()
    assert not OutboxMessage.objects.filter(to="ana@example.org").exists()
    assert not table.seats.exists()
    match.refresh_from_db()
    assert match.is_running
    assert "ana" not in selectors.names(match)
    page = read(signed_in(User.objects.get(username="ben")).get(match.get_absolute_url()))
    assert "ana" not in page.text.split()


def test_nothing_in_the_database_names_the_address_of_an_erased_player(match: Match) -> None:
    stranger = letter(
        match.seats.get(index=1), "play gem with 2", sender="dee@example.org", To="play@gem.localhost"
    )
    ingest(stranger, "dee@example.org", "play@gem.localhost", "smtp", {})
    processing.process_stored()
    dee, ben = create_account("dee@example.org"), User.objects.get(username="ben")
    invite(make_table(seats=3, creator=ben).pk, ben, dee.email, now=clock.now())
    for page in ("/accounts/login/code/", "/accounts/password/reset/"):
        Client().post(page, {"email": dee.email})
    delivery.send_queued()
    assert set(OutboxMessage.objects.filter(to=dee.email, user=None).values_list("kind", flat=True)) == {
        "account",
        "sign-up",
    }
    bounces.note(
        TrustedReport(DeliveryEvent.Kind.SOFT_BOUNCE, dee.email, NOON, "dsn", "dsn:1"), now=clock.now()
    )
    erasure.erase(dee, now=clock.now())
    named = {
        f"{model.__name__}.{name}"
        for model in apps.get_models()
        for row in model._default_manager.values()
        for name, value in row.items()
        if "dee@example.org" in (value.decode("latin-1") if isinstance(value, bytes) else str(value))
    }
    assert named == set()


def test_erasing_asks_for_the_password_again_and_for_the_name(ana: User, match: Match) -> None:
    stale = signed_in(ana).get("/you/erase/")
    assert stale.status_code == 302
    assert "reauthenticate" in stale["Location"]
    client = sign_in_for_real(ana)
    answer = client.post("/accounts/reauthenticate/?next=/you/erase/", {"password": "password"})
    assert answer["Location"] == "/you/erase/"
    assert "You resign 1 running match." in read(client.get("/you/erase/")).text
    assert client.post("/you/erase/", {"name": "ben"}).status_code == 422
    assert User.objects.filter(username="ana").exists()
    answer = client.post("/you/erase/", {"name": "ana"}, follow=True)
    assert "Your account is erased" in read(answer).text
    assert not User.objects.filter(username="ana").exists()


def test_who_has_no_password_erases_with_the_name_alone(ana: User) -> None:
    """There is no password to ask for again: only codes by mail ever signed them in."""
    ana.set_unusable_password()
    ana.save()
    client = signed_in(ana)
    assert client.get("/you/erase/").status_code == 200
    client.post("/you/erase/", {"name": "ana"})
    assert not User.objects.filter(username="ana").exists()


def test_sessions_are_listed_and_can_be_ended(ana: User) -> None:
    agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
    here, there = sign_in_for_real(ana), sign_in_for_real(ana, agent)
    page = here.get("/accounts/sessions/").content.decode()
    assert "Firefox on Windows" in page
    assert "Gecko" not in page
    here.post("/accounts/sessions/")
    assert there.get("/you/").status_code == 302
    assert here.get("/you/").status_code == 200


def test_the_last_address_is_not_removed_as_codes_for_signing_in_go_there(ana: User) -> None:
    client = sign_in_for_real(ana)
    (address,) = ana.verified_addresses()
    assert "Remove" not in read(client.get("/accounts/email/")).text
    client.post("/accounts/email/", {"action_remove": "", "email": address})
    assert list(ana.verified_addresses()) == [address]
    EmailAddress.objects.create(user=ana, email="other@example.org", verified=True)
    client.post("/accounts/email/", {"action_remove": "", "email": "other@example.org"})
    assert list(ana.verified_addresses()) == [address]


def test_mails_to_an_address_that_was_removed_stop_no_mail_any_more(ana: User) -> None:
    (old,) = ana.verified_addresses()
    link = (
        unsubscribe_headers(ana)["List-Unsubscribe"].partition(">")[0].removeprefix(f"<{settings.SITE_URL}")
    )
    EmailAddress.objects.create(user=ana, email="new@example.org", verified=True)
    client = sign_in_for_real(ana)
    client.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    assert Client().get(link).status_code == 200
    client.post("/accounts/email/", {"action_remove": "", "email": old})
    assert Client().post(link).status_code == 404
    ana.refresh_from_db()
    assert ana.mail_mode == User.MailMode.TURNS


@pytest.mark.slow
def test_nobody_has_strangers_mailed_by_adding_their_addresses_without_end(
    ana: User, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten a minute could be added, all day long."""
    request.addfinalizer(cache.clear)
    cache.clear()
    client = sign_in_for_real(ana)
    minutes = count(time.time(), 61)
    clocks = SimpleNamespace(time=lambda: next(minutes), monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clocks)
    statuses = []
    for number in range(31):
        form = {"action_add": "", "email": f"x{number}@example.net"}
        statuses.append(client.post("/accounts/email/", form).status_code)
    assert statuses == [302] * 30 + [429]
    assert OutboxMessage.objects.filter(to__endswith="@example.net").count() == 30


def test_the_reply_addresses_in_mails_to_an_address_that_was_removed_are_dead(match: Match) -> None:
    """Whoever still reads them could move by them under a sender that nothing proves."""
    asked = match.seats.select_related("user").get(is_waiting=True)
    assert asked.user is not None
    others = [seat.reply_address for seat in match.seats.exclude(pk=asked.pk)]
    (old,) = asked.user.verified_addresses()
    EmailAddress.objects.create(user=asked.user, email="new@example.org", verified=True)
    client = sign_in_for_real(asked.user)
    client.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    assert match.seats.get(pk=asked.pk).reply_address == asked.reply_address
    client.post("/accounts/email/", {"action_remove": "", "email": old})
    replaced = find_recipient(asked.reply_address)
    assert replaced is not None
    assert replaced.kind == "former"
    assert [seat.reply_address for seat in match.seats.exclude(pk=asked.pk)] == others
    turn = OutboxMessage.objects.filter(user=asked.user, kind="turn").latest("pk")
    assert (turn.to, turn.state) == ("new@example.org", "queued"), "the turn is mailed with the new address"


def test_a_turn_that_waits_for_the_end_of_a_snooze_goes_to_no_address_that_is_removed_meanwhile(
    ana: User, match: Match
) -> None:
    (old,) = ana.verified_addresses()
    snooze(ana, timedelta(hours=8), now=clock.now())
    turns.tell_seat(match, match.seats.get(user=ana), "turn", turn=1, now=clock.now())
    assert OutboxMessage.objects.get(user=ana, state="queued", kind="turn").to == old
    EmailAddress.objects.create(user=ana, email="new@example.org", verified=True)
    client = sign_in_for_real(ana)
    client.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    client.post("/accounts/email/", {"action_remove": "", "email": old})
    assert OutboxMessage.objects.get(user=ana, state="queued", kind="turn").to == "new@example.org"


def test_a_failed_mail_that_is_sent_again_goes_to_no_address_that_was_removed_since(
    ana: User, match: Match
) -> None:
    """Whoever reads that address would be shown the hand as it is then, and the new reply address."""
    (old,) = ana.verified_addresses()
    turns.tell_seat(match, match.seats.get(user=ana), "turn", turn=1, now=clock.now())
    failed = OutboxMessage.objects.get(user=ana, kind="turn", to=old, data__turn=1)
    OutboxMessage.objects.filter(pk=failed.pk).update(state="failed")
    EmailAddress.objects.create(user=ana, email="new@example.org", verified=True)
    client = sign_in_for_real(ana)
    client.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    client.post("/accounts/email/", {"action_remove": "", "email": old})
    outbox.send_again(failed.pk, now=clock.now())
    failed.refresh_from_db()
    assert (failed.state, failed.to) == ("queued", "new@example.org")
