"""The moderators' site: the start page, the timeline of a match, and actions."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.test import Client

from gemserver.accounts.models import Ban, UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import selectors
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.people.shut_account import shut_account
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Heartbeat, Match, Report, Seat, Stop
from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry
from gemserver.notify.models import OutboxMessage
from tests.builders import make_user, play
from tests.events.leagues import make_event
from tests.logs import read_log
from tests.mailgate.letters import letter, receive
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def moderator() -> User:
    return make_user("mod", role=Role.MODERATOR)


@pytest.fixture
def panel(moderator: User) -> Client:
    return signed_in(moderator)


def do(panel: Client, verb: str, key: object, **fields: object) -> str:
    """Carry out an action by its form; return the text of the next page."""
    url = f"/admin/actions/{verb}/{key}/"
    page = panel.get(url)
    assert page.status_code == 200, page.content
    form = {"reason": "because", "request_key": page.context["request_key"], **fields}
    answer = panel.post(url, form, follow=True)
    return str(read(answer).text)


def test_who_has_no_role_reads_what_to_do(ana: User) -> None:
    refused = signed_in(ana).get("/admin/", follow=True)
    assert refused.status_code == 403
    assert "This page is not for you" in read(refused).text
    assert "/" in read(refused).links


def test_a_quiet_club_needs_nobody(panel: Client) -> None:
    assert "Nothing waits for you" in read(panel.get("/admin/")).text


def test_an_event_whose_organiser_was_shut_out_needs_somebody(panel: Client) -> None:
    ana, now = make_user("ana"), clock.now()
    make_event(ana, now=now, starts_at=now + timedelta(days=7))
    assert "Events without an organiser" not in read(panel.get("/admin/")).text
    shut_account(ana, "spam", now=now)
    page = read(panel.get("/admin/"))
    assert "Events without an organiser" in page.text
    assert "/events/league/" in page.links


def test_the_start_page_shows_what_needs_somebody(panel: Client, match: Match, asked: Seat) -> None:
    now = clock.now()
    Seat.objects.filter(pk=asked.pk).update(due_at=now - timedelta(hours=1))
    ana = User.objects.get(username="ana")
    report_abuse(match.pk, ana, "he never answers", now=now)
    receive(asked, letter(asked, "bid 99"))
    receive(asked, letter(asked, "bid 1", sender="work@example.net"))
    OutboxMessage.objects.filter(kind="turn").update(state="failed")
    UnreachableAddress.objects.create(address="cy@example.org", why="bounced", since=now)
    Stop.objects.create(match=match, reason=Stop.Reason.GAME, start=now)
    text = read(panel.get("/admin/")).text
    for section in (
        "Matches whose game has failed (1)",
        "Reports (1)",
        "Overdue seats (1)",
        "Refused mail (1)",
        "Mail that could not be sent (1)",
        "Mail that comes back (1)",
    ):
        assert section in text
    assert "Mail that waits for a player's consent (1)" in text
    assert f"{match.code} {asked.letter}: {asked.name}" in text


def test_the_start_page_shows_whether_scheduler_and_mail_go_on(panel: Client) -> None:
    Heartbeat.objects.all().delete()
    assert "Looking for deadlines: never yet · Sending mail: never yet" in read(panel.get("/admin/")).text
    now = clock.now()
    Heartbeat.objects.update_or_create(duty=Heartbeat.Duty.MAIL, defaults={"at": now})
    Heartbeat.objects.update_or_create(duty=Heartbeat.Duty.SWEEP, defaults={"at": now})
    text = read(panel.get("/admin/")).text
    assert "Looking for deadlines:" in text
    assert "never yet" not in text
    assert "stood still" not in text
    Heartbeat.objects.filter(duty=Heartbeat.Duty.SWEEP).update(at=now - timedelta(minutes=6))
    assert "Looking for deadlines: has stood still since" in read(panel.get("/admin/")).text


def test_every_list_stands_once_in_the_navigation(panel: Client) -> None:
    page = panel.get("/admin/")
    sections = page.context["available_apps"]
    names = [str(section["name"]) for section in sections]
    assert len(set(names)) == len(names)
    shown = sorted(model["object_name"] for section in sections for model in section["models"])
    assert shown == sorted(model._meta.object_name for model in admin.site._registry)


def test_the_timeline_tells_how_a_mail_became_a_move(panel: Client, match: Match, asked: Seat) -> None:
    receive(asked, letter(asked, "bid 1\nhello there"), dmarc="pass")
    page = read(panel.get(f"/admin/timeline/{match.code}/"))
    assert "dmarc pass" in page.text
    assert "(move, hidden for now) → done" in page.text
    assert "hello there" not in page.text
    assert f"1 {asked.letter} bid 1" in page.text
    assert f"{asked.name} bids 1." in page.text
    assert "a turn →" in page.text
    assert "an answer to a mail →" in page.text


def test_the_text_of_a_mail_is_shown_once_its_contest_is_over(
    panel: Client, match: Match, asked: Seat
) -> None:
    row = receive(asked, letter(asked, "bid 0\nhello there"))
    for _ in range(2):
        seat = match.seats.get(is_waiting=True)
        play(match, seat.index, "pass", now=clock.now())
    detail = f"/admin/inbox/inboundemail/{row.pk}/change/"
    assert "hello there" not in panel.get(detail).content.decode()
    winner = match.seats.get(is_waiting=True)
    match.refresh_from_db()
    play(match, winner.index, (selectors.legal_texts(match, winner, 500) or [])[0], now=clock.now())
    assert "hello there" in panel.get(detail).content.decode()
    assert "hello there" in read(panel.get(f"/admin/timeline/{match.code}/")).text


def test_a_report_leads_to_the_talk_that_it_is_about(panel: Client, match: Match) -> None:
    ana, ben = User.objects.get(username="ana"), User.objects.get(username="ben")
    say(match.pk, ana, "hello", "1", now=clock.now())
    message = say(match.pk, ben, "you cheat", "2", now=clock.now())
    report_abuse(match.pk, ana, "", message_id=message.pk, now=clock.now())
    page = read(panel.get(f"/admin/matches/report/{Report.objects.get().pk}/change/"))
    assert "you cheat" in page.text
    talk = f"/admin/timeline/{match.code}/?only=talk#message-{message.pk}"
    assert talk in page.links
    assert not re.search(r"\d{4}-\d\d-\d\d", page.text), "a date in another format than the others"
    assert "Close the report · Remove the message" in page.text
    assert not re.search(r"Close\b(?! the report)", page.text.replace("Closed", "")), (
        "nothing is open to be closed"
    )
    shown = panel.get(talk)
    assert f'id="message-{message.pk}"' in shown.content.decode()
    assert "hello" in read(shown).text
    assert "The match begins." not in read(shown).text


def test_the_timeline_tells_the_talk_and_what_was_removed_of_it(panel: Client, match: Match) -> None:
    message = say(match.pk, User.objects.get(username="ben"), "you cheat", "1", now=clock.now())
    path = f"/admin/timeline/{match.code}/"
    assert "you cheat" in read(panel.get(path)).text
    do(panel, "remove-message", message.pk)
    assert "you cheat the message (removed)" in read(panel.get(path)).text


def test_times_of_an_action_are_written_like_all_others(panel: Client, match: Match, asked: Seat) -> None:
    do(panel, "extend", asked.pk, hours=5)
    entry = AuditEntry.objects.get()
    for path in (f"/admin/timeline/{match.code}/", f"/admin/moderation/auditentry/{entry.pk}/change/"):
        text = read(panel.get(path)).text
        assert re.search(r"due after: \d+ \w{3} \d{4} \d\d:\d\d", text)
        assert not re.search(r"\d:\d\d\.\d{3}", text), "microseconds"


def test_a_private_note_is_nobodys_but_its_writers(panel: Client, match: Match, asked: Seat) -> None:
    row = receive(asked, letter(asked, "note ben is bluffing\nbid 1"))
    Match.objects.update(status=Match.Status.FINISHED)
    assert "bluffing" not in panel.get(f"/admin/inbox/inboundemail/{row.pk}/change/").content.decode()
    assert "bluffing" not in panel.get(f"/admin/timeline/{match.code}/").content.decode()


def test_more_time_with_its_reason_told_and_written_down(
    panel: Client, moderator: User, match: Match, asked: Seat
) -> None:
    text = do(panel, "extend", asked.pk, hours=5, reason="the post was late")
    assert "1: Give more time" in text
    moved = Seat.objects.get(pk=asked.pk)
    assert moved.due_at is not None
    assert asked.due_at is not None
    assert moved.due_at - asked.due_at == timedelta(hours=5)
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.match, entry.moderator_name) == ("extend", match.code, "mod")
    assert entry.reason == "the post was late"
    assert entry.data["hours"] == 5
    assert (
        "the post was late"
        in read(signed_in(User.objects.get(username="cy")).get(match.get_absolute_url())).text
    )


def test_what_is_refused_leaves_no_trace_and_keeps_the_form(panel: Client, match: Match, asked: Seat) -> None:
    url = f"/admin/actions/replace/{asked.pk}/"
    answer = panel.post(
        url, {"reason": "a long story", "player": "ben" if asked.name != "ben" else "cy", "request_key": "k"}
    )
    assert answer.status_code == 409
    page = read(answer)
    assert "nobody holds two seats" in page.text
    assert "a long story" in page.text
    assert not AuditEntry.objects.exists()


def test_pause_and_resume(panel: Client, match: Match) -> None:
    do(panel, "pause", match.code, reason="a storm")
    assert match.stops.filter(end=None).exists()
    links = read(panel.get(f"/admin/timeline/{match.code}/")).links
    assert f"/admin/actions/resume/{match.code}/" in links
    assert f"/admin/actions/pause/{match.code}/" not in links
    do(panel, "resume", match.code)
    assert not match.stops.filter(end=None).exists()
    assert list(AuditEntry.objects.order_by("number").values_list("verb", flat=True)) == ["pause", "resume"]


@pytest.mark.slow
def test_seats_change_hands(panel: Client, match: Match, asked: Seat) -> None:
    eve = make_user("eve")
    do(panel, "replace", asked.pk, player="Eve")
    assert Seat.objects.get(pk=asked.pk).user == eve
    do(panel, "open-seat", asked.pk)
    assert Seat.objects.get(pk=asked.pk).is_open
    do(panel, "to-bot", asked.pk)
    assert not Seat.objects.get(pk=asked.pk).is_open
    assert audit.find_fault() is None


def test_moves_are_taken_back_with_the_clocks(panel: Client, match: Match, asked: Seat) -> None:
    play(match, asked.index, "bid 1", now=clock.now())
    play(match, match.seats.get(is_waiting=True).index, "bid 2", now=clock.now())
    do(panel, "void", match.code, ply=1, reason="wrong seat")
    match.refresh_from_db()
    assert match.ply == 0
    again = match.seats.get(is_waiting=True)
    assert (again.index, again.clock_left) == (asked.index, asked.clock_left)
    page = read(panel.get(f"/admin/timeline/{match.code}/"))
    assert f"1 {asked.letter} bid 1 (void)" in page.text
    assert "wrong seat" in page.text
    assert "3 days → 3 days" in page.text


def test_two_moderators_who_void_at_once_void_once(panel: Client, match: Match, asked: Seat) -> None:
    play(match, asked.index, "bid 1", now=clock.now())
    do(panel, "void", match.code, ply=1, reason="first")
    answer = signed_in(make_user("mod2", role=Role.MODERATOR)).post(
        f"/admin/actions/void/{match.code}/", {"reason": "second", "ply": 1, "request_key": "other"}
    )
    assert answer.status_code == 409
    assert "things have changed" in read(answer).text
    assert AuditEntry.objects.count() == 1


def test_a_match_is_ended_by_decision(panel: Client, match: Match) -> None:
    do(panel, "adjudicate", match.code, winners=["2"])
    match.refresh_from_db()
    assert match.ending == "adjudicated"
    assert match.seats.get(index=2).rank == 1


def test_a_mail_that_is_sent_again_names_its_reader_as_they_are_called_now(
    panel: Client, match: Match
) -> None:
    """And nobody once the account is erased."""
    message = OutboxMessage.objects.filter(kind="turn").latest("pk")
    assert message.user
    OutboxMessage.objects.filter(pk=message.pk).update(state="failed")
    do(panel, "resend", message.pk)

    def read_last() -> str:
        (entry,) = [one for one in read_log(match, None) if "sent again" in " ".join(one.sentences)]
        return " ".join(entry.sentences)

    rename(message.user, "zoe")
    assert "has a mail to zoe sent again" in read_last()
    erase(User.objects.get(username="zoe"), now=clock.now())
    assert "has a mail to somebody sent again" in read_last()


def test_mail_is_sent_again_released_and_refused(panel: Client, match: Match, asked: Seat) -> None:
    message = OutboxMessage.objects.filter(kind="turn").latest("pk")
    OutboxMessage.objects.filter(pk=message.pk).update(state="failed", attempts=20)
    do(panel, "resend", message.pk)
    message.refresh_from_db()
    assert (message.state, message.attempts) == ("queued", 0)
    row = receive(asked, letter(asked, "bid 1", sender="work@example.net"))
    assert row.state == "held"
    do(panel, "release", row.pk)
    row.refresh_from_db()
    assert row.state == "stored"


def test_a_held_mail_is_refused(panel: Client, match: Match, asked: Seat) -> None:
    row = receive(asked, letter(asked, "bid 1", sender="work@example.net"))
    do(panel, "reject", row.pk)
    row.refresh_from_db()
    assert row.state == "refused"
    assert Seat.objects.get(pk=asked.pk).token != asked.token


def test_a_message_is_removed_and_its_report_answered(panel: Client, match: Match) -> None:
    ana, ben = User.objects.get(username="ana"), User.objects.get(username="ben")
    now = clock.now()
    message = say(match.pk, ben, "something nasty", "r1", now=now)
    report = report_abuse(match.pk, ana, "see there", now=now, message_id=message.pk)
    page = read(panel.get(f"/admin/matches/report/{report.pk}/change/"))
    assert "something nasty" in page.text
    do(panel, "remove-message", message.pk, reason="no insults here")
    do(panel, "close-report", report.pk, answer="We took it off.")
    report.refresh_from_db()
    assert (report.state, report.answer) == (Report.State.CLOSED, "We took it off.")
    table = read(signed_in(ana).get(match.get_absolute_url())).text
    assert "something nasty" not in table
    assert "no insults here" in table


def test_an_account_is_shut_and_opened(panel: Client, match: Match) -> None:
    ana = User.objects.get(username="ana")
    do(panel, "ban", "ana", note="Insults. Write to us if you think otherwise.")
    ana.refresh_from_db()
    assert not ana.is_active
    assert Ban.objects.get().note.startswith("Insults.")
    do(panel, "lift-ban", "ana")
    ana.refresh_from_db()
    assert ana.is_active


def test_who_plays_in_a_match_has_no_power_over_it(match: Match, asked: Seat) -> None:
    ben = User.objects.get(username="ben")
    ben.role = Role.ADMINISTRATOR
    ben.save()
    seated = signed_in(ben)
    assert seated.get(f"/admin/timeline/{match.code}/").status_code == 403
    for path in (f"extend/{asked.pk}", f"pause/{match.code}", f"adjudicate/{match.code}"):
        answer = seated.post(f"/admin/actions/{path}/", {"reason": "x", "request_key": "k", "hours": 5})
        assert answer.status_code == 403
    row = receive(asked, letter(asked, "bid 1"))
    assert seated.get(f"/admin/inbox/inboundemail/{row.pk}/change/").status_code == 302
    assert match.code not in read(seated.get("/admin/inbox/inboundemail/")).text
    assert match.code not in read(seated.get("/admin/matches/match/")).text
    assert not AuditEntry.objects.exists()


def test_nobody_edits_the_audit_log_in_the_panel(panel: Client, match: Match) -> None:
    do(panel, "pause", match.code)
    entry = "/admin/moderation/auditentry/1/change/"
    assert panel.get(entry).status_code == 200
    assert panel.post(entry, {"reason": "x"}).status_code == 403
    assert panel.post("/admin/moderation/auditentry/1/delete/", {"post": "yes"}).status_code == 403
    assert audit.find_fault() is None


def test_pages_are_titled_by_the_code_of_their_match(panel: Client, match: Match, asked: Seat) -> None:
    Match.objects.filter(pk=match.pk).update(code="M4711")  # no number of a row
    report_abuse(match.pk, User.objects.get(username="ana"), "he never answers", now=clock.now())
    for address in (
        f"/admin/matches/seat/{asked.pk}/change/",
        f"/admin/matches/report/{match.reports.get().pk}/change/",
    ):
        page = panel.get(address).content.decode()
        assert re.search(r"<title>[^<]*\bM4711 ", page), address


def test_spans_and_numbers_of_rows_are_in_words_and_nothing_is_explained_that_cannot_be_filled_in(
    panel: Client, match: Match
) -> None:
    page = read(panel.get(f"/admin/matches/match/{match.pk}/change/")).text
    assert "0:00:00" not in page
    assert re.search(r"Bank: *\d+ days?", page)
    assert "0 rows" in read(panel.get("/admin/moderation/auditentry/")).text
    account = read(panel.get(f"/admin/accounts/user/{match.seats.first().user_id}/change/")).text
    assert "150 characters" not in account
    assert "permissions" not in account
