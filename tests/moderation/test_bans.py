"""The effects of a ban on the banned."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from gemserver.accounts import bans
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.clubs.post_news import post_news
from gemserver.matches.actions.clubs.post_to_list import post_to_list
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.sitters import acting
from gemserver.matches.voice import require_voice
from gemserver.moderation.audit import find_fault
from gemserver.moderation.models import AuditEntry
from gemserver.moderation.tasks import end_timed_bans
from gemserver.notify import delivery
from tests.builders import make_user
from tests.clubs.people import make_club
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import sent_to
from tests.matches.sweeping import sweep
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

NOTE = "Insults at three tables. Write to appeal@club.example if you think otherwise."


def shut_out(user: User) -> None:
    form = {"reason": "see the reports", "note": NOTE, "request_key": "k"}
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    assert moderator.post(f"/admin/actions/ban/{user.username}/", form).status_code == 302


def test_the_person_is_told_why_and_how_to_appeal(asked: Seat) -> None:
    assert asked.user is not None
    shut_out(asked.user)
    delivery.send_queued()
    told = [message for message in mail.outbox if "is shut" in message.subject]
    assert [message.to for message in told] == [[asked.user.email]]
    assert NOTE in " ".join(str(told[0].body).split())


def test_nobody_signs_in_and_who_could_is_told_why(asked: Seat) -> None:
    assert asked.user is not None
    shut_out(asked.user)
    answer = Client().post(
        "/accounts/login/", {"login": asked.user.username, "password": "password"}, follow=True
    )
    assert NOTE in read(answer).text
    wrong = Client().post(
        "/accounts/login/", {"login": asked.user.username, "password": "wrong"}, follow=True
    )
    assert NOTE not in read(wrong).text


def test_whoever_they_play_for_is_told_and_asked(match: Match, asked: Seat) -> None:
    """Nobody else would answer until the sitting is over."""
    eva, now = make_user("eva"), clock.now()
    assert asked.user is not None
    sitting = propose_sitting(match.pk, asked.user, "eva", now.date(), now.date(), now=now)
    agree_to_sit(sitting.pk, eva, now=now)
    delivery.send_queued()
    mail.outbox.clear()
    shut_out(eva)
    delivery.send_queued()
    (told,) = [message for message in mail.outbox if message.to == [asked.user.email]]
    assert "yourself again; eva does not any more" in " ".join(str(told.body).split())
    assert "Your move is due" in str(told.body)
    bans.lift(bans.ban_of(eva), now=clock.now())
    assert not acting(clock.now()).exists()


def test_an_open_session_ends(asked: Seat) -> None:
    assert asked.user is not None
    browser = signed_in(asked.user)
    assert browser.get("/you/").status_code == 200
    shut_out(asked.user)
    assert browser.get("/you/").status_code == 403, "they are told, once"
    assert browser.get("/you/").status_code == 302


def test_mail_changes_nothing_and_is_not_answered(match: Match, asked: Seat) -> None:
    assert asked.user is not None
    shut_out(asked.user)
    row = receive(asked, letter(asked, "bid 1"))
    assert (row.state, row.code) == ("dropped", "banned")
    assert not match.moves.exists()


def test_they_are_told_that_once_and_of_no_turn_any_more(
    match: Match, asked: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what was queued before, nor what comes later; when the time is up the others play on."""
    assert asked.user is not None
    other = match.seats.exclude(pk=asked.pk).first()
    assert other is not None
    assert other.user is not None
    shut_out(asked.user)
    say(match.pk, other.user, "Where are you?", "talk", now=clock.now())
    assert asked.due_at is not None
    begun = clock.now()
    for hours in range(0, 24 * 8, 12):
        sweep(monkeypatch, begun + timedelta(hours=hours))
        delivery.send_queued()
    told = [message.subject for message in mail.outbox if asked.user.email in message.to]
    assert told == ["Your account on the Gem server is shut"]
    assert match.notices.filter(kind="time-up").exists() or match.moves.filter(source="clock").exists()


def test_who_is_let_in_again_is_told_so_and_where_it_is_their_turn(match: Match, asked: Seat) -> None:
    assert asked.user is not None
    shut_out(asked.user)
    delivery.send_queued()
    mail.outbox.clear()
    form = {"reason": "they have apologised", "request_key": "l"}
    moderator = signed_in(User.objects.get(username="mod"))
    assert moderator.post(f"/admin/actions/lift-ban/{asked.user.username}/", form).status_code == 302
    (told,) = sent_to(asked.user)
    assert "open again" in told.subject
    assert match.get_absolute_url() in str(told.body)


def test_everything_works_again_when_the_ban_is_lifted(match: Match, asked: Seat) -> None:
    assert asked.user is not None
    shut_out(asked.user)
    ban = bans.ban_of(asked.user)
    assert ban is not None
    bans.lift(ban, now=clock.now())
    assert receive(asked, letter(asked, "bid 1")).state == "done"


def test_a_shut_out_address_gets_no_account_and_no_answer() -> None:
    bans.ban_address("Troll@example.net", NOTE, now=clock.now())
    form = {
        "email": "troll@example.net",
        "username": "newcomer",
        "password1": "a-long-one-1",
    }
    answer = Client().post("/accounts/signup/", form)
    assert NOTE in read(answer).text
    assert not User.objects.exists()
    raw = b"From: troll@example.net\r\nTo: play@gem.localhost\r\nMessage-ID: <1@example.net>\r\n\r\njoin gem\r\n"
    row = ingest(raw, "troll@example.net", "play@gem.localhost", "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("dropped", "banned")
    delivery.send_queued()
    assert not mail.outbox


def shut_until(user: User, days: int) -> Any:
    """The answer to a moderator who shuts the account up to the beginning of the day so many days from now."""
    day = (clock.now() + timedelta(days=days)).astimezone(UTC).date()
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    form = {"reason": "see the reports", "note": NOTE, "until": day.isoformat(), "request_key": "k"}
    return moderator.post(f"/admin/actions/ban/{user.username}/", form)


def pass_time(monkeypatch: pytest.MonkeyPatch, span: timedelta) -> None:
    then = clock.now() + span
    monkeypatch.setattr(clock, "now", lambda: then)
    end_timed_bans()


def reopenings() -> list[str]:
    delivery.send_queued()
    return [message.subject for message in mail.outbox if "open again" in message.subject]


def test_a_ban_until_a_day_says_so_and_ends_by_itself(asked: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    user = asked.user
    assert user is not None
    shut_until(user, 3)
    ban = bans.ban_of(user)
    assert ban
    assert ban.until
    assert AuditEntry.objects.get(verb="ban").data["until"] == ban.until.isoformat()
    delivery.send_queued()
    told = next(message for message in mail.outbox if "is shut" in message.subject)
    assert "This ends by itself on" in str(told.body)
    answer = Client().post("/accounts/login/", {"login": user.username, "password": "password"}, follow=True)
    assert "This ends by itself on" in read(answer).text
    pass_time(monkeypatch, ban.until - clock.now() - timedelta(minutes=1))
    assert not User.objects.get(pk=user.pk).is_active
    pass_time(monkeypatch, timedelta(minutes=2))
    assert User.objects.get(pk=user.pk).is_active
    assert reopenings() == ["Your account on the Gem server is open again"]
    pass_time(monkeypatch, timedelta(minutes=1))
    assert len(reopenings()) == 1


def test_a_day_that_is_past_or_far_away_is_refused_beside_its_field(asked: Seat) -> None:
    assert asked.user is not None
    for days in (0, 400):
        answer = shut_until(asked.user, days)
        assert "Give a day after today and within a year" in read(answer).text
        User.objects.filter(username="mod").delete()
    assert User.objects.get(pk=asked.user.pk).is_active


def test_a_bot_shut_for_itself_stays_while_its_owner_is_shut(
    asked: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = asked.user
    assert owner is not None
    bot, now = open_bot(owner, "tin", now=clock.now()), clock.now()
    bans.ban_user(bot, "It floods tables.", until=now + timedelta(days=1), now=now)
    bans.ban_user(owner, NOTE, until=now + timedelta(days=2), now=now + timedelta(minutes=1))
    pass_time(monkeypatch, timedelta(days=1, minutes=5))
    assert not User.objects.get(pk=bot.pk).is_active
    pass_time(monkeypatch, timedelta(days=1))
    pass_time(monkeypatch, timedelta(minutes=1))
    assert User.objects.get(pk=bot.pk).is_active
    assert User.objects.get(pk=owner.pk).is_active


def test_a_ban_of_an_address_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    bans.ban_address("eva@x.example", NOTE, until=clock.now() + timedelta(days=1), now=clock.now())
    pass_time(monkeypatch, timedelta(days=1, minutes=1))
    assert bans.ban_of_address("eva@x.example") is None


def entries(verb: str) -> list[tuple[str, str, str]]:
    """By whom, about whom and why, of each entry of the audit log with this verb."""
    rows = AuditEntry.objects.filter(verb=verb).order_by("number")
    return list(rows.values_list("moderator_name", "subject", "reason"))


def test_what_ends_by_itself_stands_in_the_audit_log_once(
    asked: Seat, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = asked.user
    other = match.seats.exclude(pk=asked.pk)[0].user
    assert user
    assert other
    moderator = mute(user, 2)
    now = clock.now()
    bans.ban_user(other, NOTE, until=now + timedelta(days=2), now=now)
    bans.ban_address("eva@x.example", NOTE, until=now + timedelta(days=1), now=now)
    assert entries("ban-over") == entries("mute-over") == []
    for _ in range(2):
        pass_time(monkeypatch, timedelta(days=2))
    over = "Its time was over."
    assert entries("ban-over") == [("server", "eva@x.example", over), ("server", other.username, over)]
    assert entries("mute-over") == [("server", user.username, over)]
    told = AuditEntry.objects.get(verb="mute-over").data
    assert told["until"] == user.mutes.get().until.isoformat()
    assert find_fault() is None
    listed = read(moderator.get("/admin/moderation/auditentry/")).text
    assert listed.count("End a mute whose time is over") == 2, "in its row, and as a choice of the filter"


def test_what_a_moderator_ended_before_its_time_is_not_ended_again(
    asked: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked.user is not None
    moderator = mute(asked.user, 2)
    form = {"reason": "it was somebody else", "request_key": "k2"}
    moderator.post(f"/admin/actions/lift-mute/{asked.user.username}/", form)
    pass_time(monkeypatch, timedelta(days=3))
    assert entries("mute-over") == []


def test_moderators_see_who_is_muted_and_how_often_somebody_was(
    asked: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = asked.user
    assert user is not None
    moderator = mute(user, 2)
    listed = read(moderator.get("/admin/accounts/mute/")).text
    assert "Select mute to view" not in listed, "nothing is done with the rows of a list that only shows"
    assert user.username in listed
    assert NOTE in listed
    page = read(moderator.get(f"/admin/accounts/user/{user.pk}/change/"))
    assert "mutes (1)" in page.text
    assert "bans (" not in page.text
    assert f"/admin/accounts/mute/?q={user.username}" in page.links
    assert user.username in read(moderator.get(f"/admin/accounts/mute/?q={user.username}")).text


def mute(user: User, days: int) -> Client:
    """A moderator lets the player write nothing to others up to the beginning of a day; their browser."""
    day = (clock.now() + timedelta(days=days)).astimezone(UTC).date()
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    form = {"reason": "see the reports", "note": NOTE, "until": day.isoformat(), "request_key": "k"}
    assert moderator.post(f"/admin/actions/mute/{user.username}/", form).status_code == 302
    return moderator


def test_who_is_muted_is_told_and_plays_on_but_says_nothing(
    match: Match, asked: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = asked.user
    assert user is not None
    mute(user, 2)
    delivery.send_queued()
    (told,) = [message for message in mail.outbox if "write nothing" in message.subject]
    assert told.to == [user.email]
    assert NOTE in " ".join(str(told.body).split())
    with pytest.raises(Refused, match="write nothing to others until") as refused:
        say(match.pk, user, "hello", "k1", now=clock.now())
    assert refused.value.code == "muted"
    assert NOTE in refused.value.text()
    receive(asked, letter(asked, "say hello\nbid 1"))
    assert match.moves.filter(actor=user).exists()
    pass_time(monkeypatch, timedelta(days=2))
    assert say(match.pk, user, "hello", "k2", now=clock.now())


def test_clubs_and_bots_are_no_way_around_it(asked: Seat) -> None:
    user = asked.user
    assert user is not None
    club = make_club("Lake", user)
    bot = open_bot(user, "tin", now=clock.now())
    mute(user, 2)
    for write in (
        lambda: post_to_list(club.pk, user, "hi", "hello", key="k", now=clock.now()),
        lambda: post_news(club.pk, user, "hello", now=clock.now()),
        lambda: require_voice(bot, clock.now()),
    ):
        with pytest.raises(Refused, match="write nothing to others"):
            write()


def test_a_mute_is_taken_back_with_a_reason_in_the_audit_log(match: Match, asked: Seat) -> None:
    user = asked.user
    assert user is not None
    moderator = mute(user, 2)
    assert "Give a day" not in read(moderator.get(f"/admin/actions/lift-mute/{user.username}/")).text
    form = {"reason": "it was somebody else", "request_key": "k2"}
    assert moderator.post(f"/admin/actions/lift-mute/{user.username}/", form).status_code == 302
    assert say(match.pk, user, "hello", "k1", now=clock.now())
    delivery.send_queued()
    assert not [message for message in mail.outbox if "write nothing" in message.subject]
    assert [entry.verb for entry in AuditEntry.objects.order_by("number")] == ["mute", "lift-mute"]
    assert AuditEntry.objects.get(verb="lift-mute").reason == "it was somebody else"


def test_a_mute_needs_a_day(asked: Seat) -> None:
    assert asked.user is not None
    moderator = signed_in(make_user("mod", role=Role.MODERATOR))
    form = {"reason": "see the reports", "note": NOTE, "request_key": "k"}
    answer = moderator.post(f"/admin/actions/mute/{asked.user.username}/", form)
    assert answer.status_code != 302
    assert not asked.user.mutes.exists()
